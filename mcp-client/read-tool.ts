// A tool as its server lists it, which may be anything, made safe to store and to show.
import { createHash } from 'node:crypto'
import type { ServerTool } from './contract.ts'
import { readSchema } from './read-schema.ts'

/** What the protocol recommends. A name that can't be read off a screen could pass for another one. */
const NAME = /^[A-Za-z0-9_./-]{1,128}$/
const TITLE_MAX = 100
const DESCRIPTION_MAX = 2_000
const DEPTH_MAX = 40

/** Undefined for what can't be a tool. */
export const readTool = (given: unknown): ServerTool | undefined => {
  if (typeof given !== 'object' || given === null) return undefined
  const { name, title, description, inputSchema } = given as Record<string, unknown>
  if (typeof name !== 'string' || !NAME.test(name)) return undefined
  const whole = canonical([name, title, description, inputSchema], 0)
  const shown = textOf(description)
  const schema = readSchema(inputSchema)
  return {
    name,
    title: textOf(title).replace(/\s+/g, ' ').trim().slice(0, TITLE_MAX) || null,
    description: shown.slice(0, DESCRIPTION_MAX),
    hash: createHash('sha256')
      .update(whole ?? '')
      .digest('base64url'),
    ...schema,
    ...(whole === null && { parameters: [], omitted: [], unusable: 'Its schema is nested too deeply.' }),
    ...(shown.length > DESCRIPTION_MAX && {
      unusable: `Its description has more than ${DESCRIPTION_MAX} characters.`,
    }),
  }
}

/** Without what can't be seen: what an admin approves is what a model reads. */
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .toWellFormed()
        .replace(/\r\n?/g, '\n')
        .replace(/(?!\n)[\p{Cc}\p{Co}\p{Cn}]|\p{Default_Ignorable_Code_Point}/gu, '')
        .trim()
    : ''

/** The same text for the same value, whatever the order of its keys. Null if it is nested too deeply. */
const canonical = (value: unknown, depth: number): string | null => {
  if (depth > DEPTH_MAX) return null
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const isList = Array.isArray(value)
  const parts: string[] = []
  for (const key of isList ? value.keys() : Object.keys(value).sort()) {
    const part = canonical((value as Record<PropertyKey, unknown>)[key], depth + 1)
    if (part === null) return null
    parts.push(isList ? part : `${JSON.stringify(key)}:${part}`)
  }
  return isList ? `[${parts.join()}]` : `{${parts.join()}}`
}
