// Anthropic's Messages. Thinking blocks are signed and have to come back unchanged while tools are being used.
// https://docs.anthropic.com/en/api/messages
import { isObject, type JsonObject, listOf, numberOf, objectOf } from '../../channels/protocol/read-json.ts'
import type { CompletionRequest, ModelAccount, ToolResult, Turn } from '../contract.ts'
import { makeModel } from '../protocol/make-model.ts'
import { readArguments } from '../protocol/read-completion.ts'
import {
  accepted,
  bearer,
  offered,
  type Protocol,
  parametersOf,
  type Stop,
  usageOf,
  type WireAnswer,
  withIds,
} from '../protocol/wire.ts'

/** The key as a bearer and no temperature: as its own library has it since this version. */
const VERSION = '2026-10-21'

const STOPS: Record<string, Stop> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'tools',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
}

const body = (account: ModelAccount, request: CompletionRequest, items: readonly unknown[]): JsonObject => ({
  model: account.model,
  system: request.system,
  messages: [...alternating(request.turns), ...items],
  max_tokens: request.outputTokensMax,
  tools: offered(request).map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parametersOf(parameters),
  })),
  ...accepted(account, {
    tool_choice: request.mustEnd ? { type: 'tool', name: request.final.name } : { type: 'any' },
  }),
  ...(request.customerKey !== null && { metadata: { user_id: request.customerKey } }),
})

/** The first message has to be the user's, and neighbours of the same role are joined. */
const alternating = (turns: readonly Turn[]): { role: string; content: JsonObject[] }[] => {
  const messages: { role: string; content: JsonObject[] }[] = []
  for (const turn of turns) {
    const content = contentOf(turn)
    if (content.length === 0) continue
    const role = turn.from === 'us' ? 'assistant' : 'user'
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(...content)
    else messages.push({ role, content })
  }
  if (messages[0]?.role === 'assistant')
    messages.unshift({ role: 'user', content: [{ type: 'text', text: '(We wrote first.)' }] })
  return messages
}

const contentOf = ({ text, pictures = [] }: Turn): JsonObject[] => [
  ...(text.trim() === '' ? [] : [{ type: 'text', text }]),
  ...pictures.map(({ mimeType, data }) => ({
    type: 'image',
    source: { type: 'base64', media_type: mimeType, data },
  })),
]

const renderResults = (_account: ModelAccount, results: readonly ToolResult[]): unknown[] =>
  results.length === 0
    ? []
    : [
        {
          role: 'user',
          content: results.map(({ callId, text, isError }) => ({
            type: 'tool_result',
            tool_use_id: callId,
            content: text,
            ...(isError && { is_error: true }),
          })),
        },
      ]

const read = (_account: ModelAccount, answer: JsonObject): WireAnswer | null => {
  if (!Array.isArray(answer.content)) return null
  const content = answer.content.filter(isObject)
  const called = content
    .filter(({ type }) => type === 'tool_use')
    .map((block) => ({ block, callId: block.id, name: block.name, given: block.input }))
  const calls = withIds(called)
  const usage = objectOf(answer.usage)
  const [cached, written] = [usage.cache_read_input_tokens, usage.cache_creation_input_tokens].map(
    (tokens) => numberOf(tokens) ?? 0,
  )
  const input = numberOf(usage.input_tokens)
  return {
    calls,
    items: calls.length === 0 ? [] : [{ role: 'assistant', content: blocksToReturn(content, calls) }],
    text: listOf(content)
      .map((block) => (isObject(block) && typeof block.text === 'string' ? block.text : ''))
      .join(''),
    refusal: explanationIn(answer),
    stop: STOPS[String(answer.stop_reason)] ?? 'other',
    model: answer.model,
    // Its input tokens are those that weren't in the cache.
    usage: usageOf(input === null ? null : input + cached! + written!, cached, usage.output_tokens),
  }
}

const explanationIn = ({ stop_details: details }: JsonObject): string | null => {
  const { explanation } = objectOf(details)
  return typeof explanation === 'string' && explanation !== '' ? explanation : null
}

type Called = { block: JsonObject; callId: string; name: string; given: unknown }

const blocksToReturn = (content: readonly JsonObject[], calls: readonly Called[]): unknown[] =>
  content.flatMap((block): unknown[] => {
    if (block.type === 'thinking' || block.type === 'redacted_thinking') return [block]
    const call = calls.find((one) => one.block === block)
    if (!call) return []
    const { callId, name, given } = call
    return [{ ...block, id: callId, name, input: readArguments(given) ?? {} }]
  })

const protocol: Protocol = {
  kind: 'messages',
  path: '/v1/messages',
  hasEmbeddings: false,
  headers: (key) => ({ 'anthropic-version': VERSION, ...bearer(key) }),
  body,
  renderResults,
  read,
}

export const model = makeModel(protocol)
