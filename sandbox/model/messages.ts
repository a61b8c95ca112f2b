// POST /v1/messages. https://docs.anthropic.com/en/api/messages
import { type Json, objectOf } from '../http.ts'
import { type Answer, type Entry, type Heard, type Stop, stopOf, type Usage } from './exchange.ts'
import { readPicture } from './read-content.ts'
import {
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

const WIRE = 'messages'
const PARAMETERS = [
  'model',
  'messages',
  'system',
  'max_tokens',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'stream',
  'metadata',
  'thinking',
  'service_tier',
]
const STOPS: Record<Stop, string> = {
  end: 'end_turn',
  tools: 'tool_use',
  length: 'max_tokens',
  filtered: 'refusal',
  refused: 'refusal',
}

export const readMessages = (body: Json): Heard => {
  const model = readModel(WIRE, body)
  checkNames(WIRE, body, PARAMETERS)
  if (body.stream) throw isBad(WIRE, 'stream: the sandbox does not stream')
  const tokensMax = readLimit(WIRE, body, 'max_tokens')
  if (tokensMax === null) throw isBad(WIRE, 'max_tokens: Field required')
  readTemperature(WIRE, body)
  const messages = listIn(WIRE, body, 'messages')
  if (messages.length === 0) throw isBad(WIRE, 'messages: at least one message is required')
  if (messages[0]!.role !== 'user') throw isBad(WIRE, 'messages: first message must use the "user" role')
  const blocks = messages.map(readBlocks)
  const entries = blocks.flat()
  checkResults(blocks)
  const tools = (body.tools === undefined ? [] : listIn(WIRE, body, 'tools')).map((tool, at) =>
    readTool(WIRE, `tools.${at}`, tool, 'input_schema'),
  )
  const mustCall = readChoice(body.tool_choice)
  checkTools(WIRE, tools, mustCall)
  const system = body.system === undefined ? '' : readText(WIRE, 'system', body.system, ['text'])
  return { model, system, entries, tools, mustCall, tokensMax }
}

const readBlocks = ({ role, content }: Json, at: number): Entry[] => {
  const where = `messages.${at}`
  if (role !== 'user' && role !== 'assistant')
    throw isBad(WIRE, `${where}.role: Input should be 'user' or 'assistant'`)
  if (typeof content === 'string') {
    if (content === '') throw isBad(WIRE, `${where}: user messages must have non-empty content`)
    return [{ from: role, text: content }]
  }
  if (!Array.isArray(content) || content.length === 0)
    throw isBad(WIRE, `${where}.content: Input should be a valid list`)
  return content.flatMap((given): Entry[] => {
    const { type, text, id, name, input, tool_use_id: callId, content: result } = objectOf(given)
    if (type === 'text') {
      if (typeof text !== 'string' || text.trim() === '')
        throw isBad(WIRE, `${where}: text content blocks must be non-empty`)
      return [{ from: role, text }]
    }
    if (type === 'image' && role === 'user')
      return [{ from: role, text: readPicture(WIRE, where, objectOf(given)) }]
    if (type === 'tool_use' && role === 'assistant' && typeof id === 'string' && typeof name === 'string') {
      if (!/^[\w-]+$/.test(id))
        throw isBad(WIRE, `${where}: tool_use.id should match pattern '^[a-zA-Z0-9_-]+$'`)
      return [{ from: 'call', callId: id, name, given: readArguments(WIRE, where, input) }]
    }
    if (type === 'tool_result' && role === 'user' && typeof callId === 'string')
      return [{ from: 'result', callId, text: readText(WIRE, where, result ?? '', ['text']) }]
    if (type === 'thinking' && role === 'assistant') {
      if (objectOf(given).signature !== 'sandbox')
        throw isBad(WIRE, `${where}: Invalid \`signature\` in \`thinking\` block`)
      return []
    }
    throw isBad(
      WIRE,
      `${where}.content: Input tag '${type}' found using 'type' does not match any of the expected tags`,
    )
  })
}

/** The results are the next message, and there are no others. */
const checkResults = (messages: readonly Entry[][]): void => {
  messages.forEach((entries, at) => {
    const idsOf = (list: readonly Entry[], from: 'call' | 'result'): string[] =>
      list.flatMap((entry) => (entry.from === from && 'callId' in entry ? [entry.callId] : []))
    const called = idsOf(entries, 'call')
    const answered = idsOf(messages[at + 1] ?? [], 'result')
    const missing = called.filter((id) => !answered.includes(id))
    if (missing.length > 0)
      throw isBad(
        WIRE,
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}.`,
      )
    const stray = answered.filter((id) => !called.includes(id))
    if (stray.length > 0 || (at === 0 && idsOf(entries, 'result').length > 0))
      throw isBad(
        WIRE,
        `messages.${at + 1}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.join(', ')}.`,
      )
  })
}

const readChoice = (given: unknown): Heard['mustCall'] => {
  if (given === undefined) return null
  const { type, name } = objectOf(given)
  if (type === 'auto' || type === 'none') return null
  if (type === 'any') return 'any'
  if (type === 'tool' && typeof name === 'string') return { name }
  throw isBad(WIRE, 'tool_choice: Input tag does not match any of the expected tags')
}

export const showMessage = (answer: Answer, { model }: Heard, { input, output }: Usage, id: string): Json => {
  const { text, calls = [], refusal, reasoning } = answer
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    container: null,
    diagnostics: null,
    content: [
      ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'sandbox' }]),
      ...(text || refusal ? [{ type: 'text', text: refusal ?? text, citations: null }] : []),
      ...calls.map((call, at) => ({
        type: 'tool_use',
        id: call.id ?? `toolu_${id}${at}`,
        name: call.name,
        input: call.arguments,
        caller: { type: 'direct' },
      })),
    ],
    stop_reason: STOPS[stopOf(answer)],
    stop_sequence: null,
    stop_details: refusal === undefined ? null : { type: 'refusal', category: null, explanation: refusal },
    usage: {
      input_tokens: input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: output,
      service_tier: 'standard',
    },
  }
}
