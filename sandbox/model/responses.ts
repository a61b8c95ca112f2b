// POST /v1/responses. https://platform.openai.com/docs/api-reference/responses/create
import { type Json, objectOf } from '../http.ts'
import { type Answer, type Entry, type Heard, stopOf, textOfArguments, type Usage } from './exchange.ts'
import { readSaid } from './read-content.ts'
import {
  checkCalls,
  checkNames,
  checkTools,
  listIn,
  readArguments,
  readLimit,
  readModel,
  readTemperature,
  readText,
  readTool,
} from './read-tools.ts'
import { isBad } from './refuse.ts'

const WIRE = 'responses'
const PARAMETERS = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'temperature',
  'top_p',
  'store',
  'stream',
  'include',
  'metadata',
  'reasoning',
  'safety_identifier',
  'text',
  'truncation',
  'user',
]
const PARTS = ['input_text', 'output_text', 'text']

export const readResponses = (body: Json): Heard => {
  const model = readModel(WIRE, body)
  checkNames(WIRE, body, PARAMETERS)
  if (body.stream) throw isBad(WIRE, 'The sandbox does not stream.', 'stream', 'unsupported_value')
  readTemperature(WIRE, body)
  const items: Json[] =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listIn(WIRE, body, 'input')
  const systems = items.filter(({ role }) => role === 'system' || role === 'developer')
  const entries = items
    .filter((item) => !systems.includes(item))
    .flatMap((item, at) => readItem(item, `input[${at}]`))
  checkCalls(WIRE, entries)
  const tools = body.tools === undefined ? [] : listIn(WIRE, body, 'tools')
  const read = tools.map((tool, at) => {
    if (tool.type !== 'function')
      throw isBad(WIRE, `Invalid value for 'tools[${at}].type'.`, `tools[${at}].type`)
    return readTool(WIRE, `tools[${at}]`, tool, 'parameters')
  })
  const mustCall = readChoice(body.tool_choice)
  checkTools(WIRE, read, mustCall)
  const instructions = typeof body.instructions === 'string' ? [body.instructions] : []
  return {
    model,
    system: [...instructions, ...systems.map(({ content }) => readText(WIRE, 'input', content, PARTS))].join(
      '\n',
    ),
    entries,
    tools: read,
    mustCall,
    tokensMax: readLimit(WIRE, body, 'max_output_tokens'),
  }
}

const readItem = (item: Json, where: string): Entry[] => {
  const { type = 'message', role, content, call_id: callId, name, output } = item
  if (type === 'reasoning') {
    if (typeof item.encrypted_content !== 'string')
      throw isBad(
        WIRE,
        `Item with id '${item.id}' not found. Items are not persisted when 'store' is set to false.`,
        where,
      )
    return []
  }
  if (type === 'function_call') {
    if (typeof callId !== 'string' || typeof name !== 'string')
      throw isBad(WIRE, `Invalid '${where}'.`, where)
    return [{ from: 'call', callId, name, given: readArguments(WIRE, `${where}.arguments`, item.arguments) }]
  }
  if (type === 'function_call_output') {
    if (typeof callId !== 'string') throw isBad(WIRE, `Missing '${where}.call_id'.`, where)
    return [{ from: 'result', callId, text: readText(WIRE, where, output, PARTS) }]
  }
  if (type !== 'message') throw isBad(WIRE, `Invalid value: '${type}'.`, `${where}.type`, 'invalid_value')
  if (role !== 'user' && role !== 'assistant') throw isBad(WIRE, `Invalid value: '${role}'.`, `${where}.role`)
  const text = role === 'user' ? readSaid(WIRE, where, content, PARTS) : readText(WIRE, where, content, PARTS)
  return [{ from: role, text }]
}

const readChoice = (given: unknown): Heard['mustCall'] => {
  if (given === undefined || given === 'auto' || given === 'none') return null
  if (given === 'required') return 'any'
  const { type, name } = objectOf(given)
  if (type === 'function' && typeof name === 'string') return { name }
  throw isBad(WIRE, "Invalid value for 'tool_choice'.", 'tool_choice', 'invalid_value')
}

export const showResponse = (answer: Answer, heard: Heard, { input, output }: Usage, id: string): Json => {
  const stop = stopOf(answer)
  const isComplete = stop !== 'length' && stop !== 'filtered'
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: isComplete ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: isComplete
      ? null
      : { reason: stop === 'length' ? 'max_output_tokens' : 'content_filter' },
    instructions: heard.system,
    max_output_tokens: heard.tokensMax,
    model: heard.model,
    output: outputOf(answer, id),
    parallel_tool_calls: true,
    tool_choice: heard.mustCall ? 'required' : 'auto',
    tools: [],
    metadata: {},
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  }
}

const outputOf = ({ text, calls = [], refusal, reasoning }: Answer, id: string): Json[] => {
  const content = [
    ...(text ? [{ type: 'output_text', text, annotations: [] }] : []),
    ...(refusal === undefined ? [] : [{ type: 'refusal', refusal }]),
  ]
  return [
    ...(reasoning === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${id}`,
            summary: [],
            encrypted_content: Buffer.from(reasoning).toString('base64'),
          },
        ]),
    ...(content.length > 0
      ? [{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }]
      : []),
    ...calls.map((call, at) => ({
      type: 'function_call',
      id: `fc_${id}${at}`,
      call_id: call.id ?? `call_${id}${at}`,
      name: call.name,
      arguments: textOfArguments(call.arguments),
      status: 'completed',
    })),
  ]
}
