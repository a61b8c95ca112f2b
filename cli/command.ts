// The type of a command. Each file here holds one group of commands; they load server code only when a command runs,
// because a start should cost no more than the command needs.
import type { Config } from '../server/process/config.ts'

export type Flag = {
  /** The placeholder for the value in the usage, such as NAME; null if the flag has no value. */
  value: string | null
  isRequired?: true
  /** May be repeated. */
  isMultiple?: true
}

/** The flags as given, in camel case, and the operand. Required ones are present; one without a value is empty. */
export type Given = {
  flags: Record<string, string | string[] | undefined>
  /** The value of a flag that is not multiple. */
  flag(name: string): string
  operand: string
}

export type Command = {
  /** What is typed after `foyer`. */
  words: string
  about: string
  flags?: Record<string, Flag>
  operand?: string
  /** Resolves to the JSON document for standard output, or to undefined if there is none. */
  run(given: Given, settings: () => Config): Promise<unknown>
}

/** Invalid usage: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

export const WORKSPACE: Flag = { value: 'ID', isRequired: true }

export const required = (value: string): Flag => ({ value, isRequired: true })

export const toCamelCase = (flag: string): string =>
  flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

export const toFlag = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const usageOf = ({ words, flags = {}, operand }: Command): string =>
  [
    `foyer ${words}`,
    ...(operand ? [operand] : []),
    ...Object.entries(flags).map(([name, { value, isRequired, isMultiple }]) => {
      const given = value === null ? `--${name}` : `--${name} ${value}`
      const text = isRequired ? given : `[${given}]`
      return isMultiple ? `${text}…` : text
    }),
  ].join(' ')
