// What a command of the command line is. The files beside this one hold one group each; they load the server's code
// only when a command runs, because a start should cost no more than the command needs.
import type { Config } from '../server/config.ts'

export type Flag = {
  /** What stands for the value in the usage, such as NAME. */
  value: string
  isRequired?: true
  /** May be given several times. */
  isMultiple?: true
}

/** The flags as given, in camel case, and the operand. Those that are required are there. */
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
  /** Resolves to the JSON document of standard output, or to undefined when there is none. */
  run(given: Given, settings: () => Config): Promise<unknown>
}

/** The command was not given as it must be: exit code 2. */
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

export const usageOf = ({ words, flags = {}, operand }: Command): string =>
  [
    `foyer ${words}`,
    ...(operand ? [operand] : []),
    ...Object.entries(flags).map(([name, { value, isRequired, isMultiple }]) => {
      const text = isRequired ? `--${name} ${value}` : `[--${name} ${value}]`
      return isMultiple ? `${text}…` : text
    }),
  ].join(' ')
