import type { Json } from '../../../flow-engine/paths.ts'
import type { ActionParameter } from '../../platform/db/tables.ts'
import { PARAMETER_LENGTH_MAX } from './schema.ts'

export type ParameterValues = Record<string, string | number | boolean>

const NUMBER = /^[+-]?\d{1,15}(\.\d{1,15})?$/

/**
 * The values of a call, checked against the action's parameters; what it doesn't have is left out. Flows keep answers as
 * text, so a number or a yes may come as one. A problem names the parameter, not its value, which may be private.
 */
export const readParameters = (
  parameters: readonly ActionParameter[],
  given: Readonly<Record<string, Json>>,
): { values: ParameterValues } | { problem: string } => {
  const values: ParameterValues = Object.create(null)
  for (const parameter of parameters) {
    const { name, isRequired } = parameter
    const value = Object.hasOwn(given, name) ? given[name]! : null
    if (value === null || value === '') {
      if (isRequired) return { problem: `${name} is missing.` }
      continue
    }
    const read = readValue(parameter, value)
    if ('problem' in read) return { problem: `${name} ${read.problem}.` }
    values[name] = read.value
  }
  return { values }
}

const readValue = (
  { type, maxLength = PARAMETER_LENGTH_MAX, options = [] }: ActionParameter,
  value: Json,
): { value: string | number | boolean } | { problem: string } => {
  if (typeof value === 'object') return { problem: 'is not a single value' }
  const text = String(value).toWellFormed().replaceAll('\0', '')
  switch (type) {
    case 'number':
      if (typeof value === 'number' && Number.isFinite(value)) return { value }
      return NUMBER.test(text.trim()) ? { value: Number(text) } : { problem: 'is not a number' }
    case 'boolean':
      if (text !== 'true' && text !== 'false') return { problem: 'is neither true nor false' }
      return { value: text === 'true' }
    case 'enum':
      return options.includes(text) ? { value: text } : { problem: `is none of: ${options.join(', ')}` }
    default:
      if ([...text].length > maxLength) return { problem: `has more than ${maxLength} characters` }
      return { value: text }
  }
}
