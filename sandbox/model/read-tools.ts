// Reads parts that the protocols have in common, as strictly as the providers do.
import { type Json, objectOf } from '../http.ts'
import type { Entry, Heard, Tool, Wire } from './exchange.ts'
import { isBad } from './refuse.ts'

const NAME = /^[\w-]{1,64}$/
const TOOLS_MAX = 128

export const listIn = (wire: Wire, body: Json, name: string): Json[] => {
  const list = body[name]
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'object' && item !== null))
    throw isBad(wire, `Invalid type for '${name}': expected an array of objects.`, name, 'invalid_type')
  return list as Json[]
}

/** Refuses what the protocol doesn't have. */
export const checkNames = (wire: Wire, body: Json, known: readonly string[]): void => {
  const unknown = Object.keys(body).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw wire === 'messages'
    ? isBad(wire, `${unknown}: Extra inputs are not permitted`)
    : isBad(wire, `Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
}

export const readModel = (wire: Wire, { model }: Json): string => {
  if (typeof model === 'string' && model !== '') return model
  throw wire === 'messages'
    ? isBad(wire, 'model: Field required')
    : isBad(wire, 'you must provide a model parameter')
}

export const readTemperature = (wire: Wire, { temperature }: Json): void => {
  const max = wire === 'messages' ? 1 : 2
  if (
    temperature === undefined ||
    (typeof temperature === 'number' && temperature >= 0 && temperature <= max)
  )
    return
  throw isBad(wire, `Invalid 'temperature': must be from 0 to ${max}.`, 'temperature')
}

export const readLimit = (wire: Wire, body: Json, name: string): number | null => {
  const given = body[name]
  if (given === undefined || given === null) return null
  if (Number.isInteger(given) && Number(given) >= 1) return Number(given)
  throw isBad(wire, `Invalid '${name}': must be a positive integer.`, name)
}

export const readTool = (wire: Wire, where: string, tool: Json, schemaName: string): Tool => {
  const { name, description = '' } = tool
  if (typeof name !== 'string' || !NAME.test(name))
    throw isBad(
      wire,
      `Invalid '${where}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.`,
      `${where}.name`,
    )
  const parameters = objectOf(tool[schemaName])
  if (parameters.type !== 'object')
    throw isBad(
      wire,
      `Invalid schema for function '${name}': schema must have type 'object'.`,
      `${where}.${schemaName}`,
    )
  return { name, description: String(description), parameters }
}

export const checkTools = (wire: Wire, tools: readonly Tool[], mustCall: Heard['mustCall']): void => {
  if (tools.length > TOOLS_MAX) throw isBad(wire, `Invalid 'tools': at most ${TOOLS_MAX}.`, 'tools')
  if (new Set(tools.map(({ name }) => name)).size < tools.length)
    throw isBad(wire, 'tools: Tool names must be unique.', 'tools')
  if (mustCall && tools.length === 0)
    throw isBad(wire, "'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice')
  if (mustCall && mustCall !== 'any' && !tools.some(({ name }) => name === mustCall.name))
    throw isBad(wire, `Tool choice '${mustCall.name}' not found in 'tools' parameter.`, 'tool_choice')
}

/** A content is a text, or a list of parts with one. */
export const readText = (wire: Wire, where: string, content: unknown, types: readonly string[]): string => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw isBad(wire, `Invalid type for '${where}'.`, where, 'invalid_type')
  return content
    .map((part, at) => {
      const { type, text } = objectOf(part)
      if (types.includes(String(type)) && typeof text === 'string') return text
      throw isBad(wire, `Invalid value for '${where}[${at}]'.`, where, 'invalid_value')
    })
    .join('\n')
}

export const readArguments = (wire: Wire, where: string, given: unknown): Json => {
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {}
  throw isBad(wire, `Invalid '${where}': not a JSON object.`, where)
}

/** Each result has its call, and each call its result before anything else is said. */
export const checkCalls = (wire: Wire, entries: readonly Entry[]): void => {
  const open = new Set<string>()
  for (const entry of entries) {
    if (entry.from === 'call') open.add(entry.callId)
    else if (entry.from === 'result') {
      if (!open.delete(entry.callId))
        throw isBad(wire, `No tool call found for the result with call id ${entry.callId}.`, 'messages')
    } else if (open.size > 0) break
  }
  if (open.size > 0)
    throw isBad(wire, `No tool output found for the call ${[...open].join(', ')}.`, 'messages')
}
