// POST /v1/chat/completions. https://platform.openai.com/docs/api-reference/chat/create
import { type Json, objectOf } from '../http.ts'
import {
  type Answer,
  type Entry,
  type Heard,
  type Stop,
  stopOf,
  textOfArguments,
  type Usage,
} from './exchange.ts'
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

const WIRE = 'chat'
const PARAMETERS = [
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'n',
  'stop',
  'seed',
  'stream',
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'response_format',
  'reasoning_effort',
]
const STOPS: Record<Stop, string> = {
  end: 'stop',
  tools: 'tool_calls',
  length: 'length',
  filtered: 'content_filter',
  refused: 'stop',
}

export const readChat = (body: Json): Heard => {
  const model = readModel(WIRE, body)
  checkNames(WIRE, body, PARAMETERS)
  if (body.stream) throw isBad(WIRE, 'The sandbox does not stream.', 'stream', 'unsupported_value')
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined)
    throw isBad(WIRE, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
  readTemperature(WIRE, body)
  const messages = listIn(WIRE, body, 'messages')
  if (messages.length === 0) throw isBad(WIRE, "Invalid 'messages': empty array.", 'messages', 'empty_array')
  const systems = messages.filter(({ role }) => role === 'system' || role === 'developer')
  const entries = messages
    .filter((message) => !systems.includes(message))
    .flatMap((message, at) => readMessage(message, `messages[${at}]`))
  checkCalls(WIRE, entries)
  const tools = body.tools === undefined ? [] : listIn(WIRE, body, 'tools')
  const mustCall = readChoice(body.tool_choice)
  const read = tools.map((tool, at) => {
    if (tool.type !== 'function')
      throw isBad(WIRE, `Invalid value for 'tools[${at}].type'.`, `tools[${at}].type`)
    return readTool(WIRE, `tools[${at}].function`, objectOf(tool.function), 'parameters')
  })
  checkTools(WIRE, read, mustCall)
  return {
    model,
    system: systems.map(({ content }) => readText(WIRE, 'messages', content, ['text'])).join('\n'),
    entries,
    tools: read,
    mustCall,
    tokensMax: readLimit(WIRE, body, 'max_completion_tokens') ?? readLimit(WIRE, body, 'max_tokens'),
  }
}

const readMessage = (message: Json, where: string): Entry[] => {
  const { role, content, tool_calls: calls, tool_call_id: callId } = message
  if (role === 'user') return [{ from: 'user', text: readSaid(WIRE, where, content, ['text']) }]
  if (role === 'tool') {
    if (typeof callId !== 'string') throw isBad(WIRE, `Missing parameter '${where}.tool_call_id'.`, where)
    return [{ from: 'result', callId, text: readText(WIRE, where, content, ['text']) }]
  }
  if (role !== 'assistant') throw isBad(WIRE, `Invalid value: '${role}'.`, `${where}.role`, 'invalid_value')
  const said: Entry[] = (Array.isArray(calls) ? calls : []).map((call): Entry => {
    const { id, function: called } = objectOf(call)
    const { name, arguments: given } = objectOf(called)
    if (typeof id !== 'string' || typeof name !== 'string' || typeof given !== 'string')
      throw isBad(WIRE, `Invalid '${where}.tool_calls'.`, where)
    return { from: 'call', callId: id, name, given: readArguments(WIRE, where, given) }
  })
  if (typeof content === 'string' && content !== '') said.unshift({ from: 'assistant', text: content })
  if (said.length === 0)
    throw isBad(WIRE, `Invalid value for 'content': expected a string, got null.`, `${where}.content`)
  return said
}

const readChoice = (given: unknown): Heard['mustCall'] => {
  if (given === undefined || given === 'auto' || given === 'none') return null
  if (given === 'required') return 'any'
  const { type, function: called } = objectOf(given)
  const { name } = objectOf(called)
  if (type === 'function' && typeof name === 'string') return { name }
  throw isBad(WIRE, "Invalid value for 'tool_choice'.", 'tool_choice', 'invalid_value')
}

export const showChat = (answer: Answer, { model }: Heard, { input, output }: Usage, id: string): Json => {
  const { text = null, calls = [], refusal = null, reasoning } = answer
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: refusal === null ? text : null,
          refusal,
          ...(reasoning !== undefined && { reasoning_content: reasoning }),
          ...(calls.length > 0 && {
            tool_calls: calls.map((call, at) => ({
              id: call.id ?? `call_${id}${at}`,
              type: 'function',
              function: { name: call.name, arguments: textOfArguments(call.arguments) },
            })),
          }),
          annotations: [],
        },
        logprobs: null,
        finish_reason: STOPS[stopOf(answer)],
      },
    ],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: 0 },
    },
    system_fingerprint: null,
  }
}
