// How a model ends its turn, whatever the tools for that look like: one for each way, or one that names the way.
import { type Json, objectOf } from '../../http.ts'
import type { Answer, Heard } from '../exchange.ts'
import { fillSchema } from './fill-schema.ts'

export type Ending = {
  action: 'reply' | 'ask' | 'hand_over' | 'stay_silent'
  text: string
  sources?: readonly string[]
  reason?: string
}

const OF_TEXT = /text|message|reply|answer|body|words/i
const OF_SOURCES = /source|cite|citation/i
const OF_REASON = /reason/i

export const finish = ({ tools, mustCall }: Heard, ending: Ending): Answer => {
  const forced = mustCall && mustCall !== 'any' ? mustCall.name : null
  const tool = tools.find(({ name }) => name === (forced ?? ending.action)) ?? tools.at(-1)
  if (!tool) return { text: ending.text }
  return { calls: [{ name: tool.name, arguments: fillEnding(tool.parameters, ending) }] }
}

const fillEnding = (schema: Json, ending: Ending): Json => {
  const branches = [schema.anyOf ?? schema.oneOf ?? []].flat().map(objectOf)
  const branch = branches.find((one) => JSON.stringify(one).includes(`"${ending.action}"`)) ?? branches[0]
  if (branch)
    return {
      ...fillEnding({ ...schema, anyOf: undefined, oneOf: undefined }, ending),
      ...fillEnding(branch, ending),
    }
  const known = Object.entries(objectOf(schema.properties)).flatMap(([name, property]) => {
    const value = wishedValue(name, objectOf(property), ending)
    return value === undefined ? [] : [[name, value]]
  })
  return { ...fillSchema(schema, ending.text), ...Object.fromEntries(known) }
}

const wishedValue = (name: string, schema: Json, { action, text, sources = [], reason }: Ending): unknown => {
  if ('const' in schema) return schema.const
  const allowed = Array.isArray(schema.enum)
    ? schema.enum
    : [schema.anyOf ?? []].flat().map((one) => objectOf(one).const)
  if (allowed.includes(action)) return action
  if (reason !== undefined && allowed.includes(reason)) return reason
  if (OF_SOURCES.test(name) && schema.type === 'array') return [...sources]
  if (OF_REASON.test(name) && schema.type === 'string' && !schema.enum) return reason
  return OF_TEXT.test(name) && schema.type === 'string' && !schema.enum ? text : undefined
}
