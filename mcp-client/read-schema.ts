// The parameters of a tool, from the schema that its server gives. Only single values become parameters: they are what a
// model can be checked on, and what a customer can be shown. A schema is read, never executed: no pattern of it is
// compiled, and nothing outside of it is fetched.
import type { ToolParameter } from './contract.ts'

const PARAMETERS_MAX = 20
const LENGTH_MAX = 500
const OPTIONS_MAX = 50
/** Of $ref to $ref, and of alternatives within alternatives. */
const STEPS_MAX = 4
/** As variables of flows, which values come from. */
const NAME = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/

type Schema = Record<string, unknown>
type Read = Omit<ToolParameter, 'name' | 'isRequired'>

export type ReadSchema = { parameters: ToolParameter[]; omitted: string[]; unusable: string | null }

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isReserved = (name: string): boolean => name in Object.prototype || name === 'prototype'

export const readSchema = (given: unknown): ReadSchema => {
  const unusable = (problem: string): ReadSchema => ({ parameters: [], omitted: [], unusable: problem })
  if (!isSchema(given) || given.type !== 'object') return unusable('Its parameters aren’t described.')
  if (['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'if'].some((key) => Object.hasOwn(given, key)))
    return unusable('Its parameters depend on each other.')
  const properties = isSchema(given.properties) ? given.properties : {}
  const required = new Set(Array.isArray(given.required) ? given.required : [])
  const parameters: ToolParameter[] = []
  const omitted: string[] = []
  // Those that must be given come first, so that they aren't beyond the limit.
  const entries = Object.entries(properties).sort(
    ([a], [b]) => Number(required.has(b)) - Number(required.has(a)),
  )
  for (const [name, schema] of entries) {
    const isRequired = required.has(name)
    const read = NAME.test(name) && !isReserved(name) ? readValue(given, schema, 0) : null
    if (read && parameters.length < PARAMETERS_MAX) parameters.push({ name, isRequired, ...read })
    else if (isRequired) return unusable('It needs a parameter that isn’t a single value, or too many.')
    else omitted.push(name.slice(0, 64).replace(/[^a-zA-Z0-9_.\- ]/g, '?'))
  }
  if ([...required].some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name)))
    return unusable('It needs a parameter that it doesn’t describe.')
  return { parameters, omitted: omitted.slice(0, PARAMETERS_MAX), unusable: null }
}

const readValue = (root: Schema, given: unknown, steps: number): Read | null => {
  if (!isSchema(given) || steps > STEPS_MAX) return null
  if (typeof given.$ref === 'string') return readValue(root, definitionOf(root, given.$ref), steps + 1)
  const alternatives = given.anyOf ?? given.oneOf
  if (Array.isArray(alternatives)) {
    const [only, ...others] = alternatives.filter((one) => !isSchema(one) || one.type !== 'null')
    return others.length === 0 ? readValue(root, only, steps + 1) : null
  }
  const options = Array.isArray(given.enum)
    ? given.enum.filter((option) => option !== null)
    : Object.hasOwn(given, 'const')
      ? [given.const]
      : null
  if (options) return readOptions(options)
  const [type, ...others] = [given.type].flat().filter((one) => one !== 'null')
  if (others.length > 0) return null
  if (type === 'boolean') return { type }
  if (type === 'number' || type === 'integer') return { type: 'number' }
  if (type !== 'string') return null
  const max = Number.isInteger(given.maxLength) ? Number(given.maxLength) : LENGTH_MAX
  return { type: 'string', maxLength: Math.min(Math.max(max, 1), LENGTH_MAX) }
}

const readOptions = (options: readonly unknown[]): Read | null => {
  const texts = options.filter((option) => typeof option === 'string' && /^[^\p{Cc}\p{Cf}]+$/u.test(option))
  const isUsable =
    texts.length === options.length &&
    texts.length > 0 &&
    texts.length <= OPTIONS_MAX &&
    new Set(texts).size === texts.length
  const list = texts as string[]
  return isUsable && list.every((text) => text.length <= LENGTH_MAX && text.trim() === text)
    ? { type: 'enum', options: list }
    : null
}

/** Within the schema itself: `#/$defs/Color`. */
const definitionOf = (root: Schema, ref: string): unknown => {
  const [, group, name] = /^#\/(\$defs|definitions)\/([\w.-]{1,100})$/.exec(ref) ?? []
  const definitions = group && root[group]
  return name && isSchema(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : null
}
