// Chat Completions, as OpenAI made it and as many servers speak it: vLLM, Ollama, llama.cpp, LiteLLM, gateways and other
// providers. https://platform.openai.com/docs/api-reference/chat
import { isObject, type JsonObject, listOf, objectOf } from '../../channels/protocol/read-json.ts'
import type { CompletionRequest, ModelAccount, ToolResult, Turn } from '../contract.ts'
import { makeModel } from '../protocol/make-model.ts'
import { hasTools, readArguments, readCallInText } from '../protocol/read-completion.ts'
import {
  accepted,
  bearer,
  dataUrl,
  offered,
  type Protocol,
  parametersOf,
  type Stop,
  usageOf,
  type WireAnswer,
  type WireCall,
  withIds,
} from '../protocol/wire.ts'
import { describeTools, renderTextResults, schemaOfCall } from './without-tools.ts'

const STOPS: Record<string, Stop> = {
  stop: 'end',
  tool_calls: 'tools',
  function_call: 'tools',
  length: 'length',
  content_filter: 'filtered',
}

const body = (account: ModelAccount, request: CompletionRequest, items: readonly unknown[]): JsonObject => {
  const { system, turns, outputTokensMax, customerKey } = request
  const usesTools = hasTools(account.abilities)
  const limit = accepted(account, { max_completion_tokens: outputTokensMax })
  return {
    model: account.model,
    messages: [
      { role: 'system', content: usesTools ? system : `${system}\n\n${describeTools(request)}` },
      ...turns.map((turn) => ({ role: turn.from === 'us' ? 'assistant' : 'user', content: contentOf(turn) })),
      ...items,
    ],
    // Older servers only know the older name.
    ...('max_completion_tokens' in limit ? limit : { max_tokens: outputTokensMax }),
    ...(usesTools ? withTools(account, request) : withoutTools(account, request)),
    ...accepted(account, { temperature: 0, store: false, user: customerKey ?? undefined }),
  }
}

const contentOf = ({ text, pictures = [] }: Turn): string | JsonObject[] =>
  pictures.length === 0
    ? text
    : [
        { type: 'text', text },
        ...pictures.map((picture) => ({ type: 'image_url', image_url: { url: dataUrl(picture) } })),
      ]

const withTools = (account: ModelAccount, request: CompletionRequest): JsonObject => ({
  tools: offered(request).map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: parametersOf(parameters) },
  })),
  ...accepted(account, {
    tool_choice: request.mustEnd ? { type: 'function', function: { name: request.final.name } } : 'required',
  }),
})

const withoutTools = (account: ModelAccount, request: CompletionRequest): JsonObject =>
  accepted(account, {
    response_format: account.abilities?.jsonSchema
      ? { type: 'json_schema', json_schema: { name: 'call', schema: schemaOfCall(request) } }
      : undefined,
  })

const renderResults = (account: ModelAccount, results: readonly ToolResult[]): unknown[] =>
  hasTools(account.abilities)
    ? results.map(({ callId, text, isError }) => ({
        role: 'tool',
        tool_call_id: callId,
        content: isError ? `Error: ${text}` : text,
      }))
    : renderTextResults(results)

const read = (account: ModelAccount, answer: JsonObject): WireAnswer | null => {
  const [choice] = listOf(answer.choices)
  const { message, finish_reason: reason } = objectOf(choice)
  if (!isObject(message)) return null
  const text = typeof message.content === 'string' ? message.content : ''
  const usage = objectOf(answer.usage)
  const head = {
    text,
    refusal: typeof message.refusal === 'string' && message.refusal !== '' ? message.refusal : null,
    stop: STOPS[String(reason)] ?? 'other',
    model: answer.model,
    usage: usageOf(
      usage.prompt_tokens,
      objectOf(usage.prompt_tokens_details).cached_tokens,
      usage.completion_tokens,
    ),
  }
  return { ...head, ...readCalls(account, message, text) }
}

const readCalls = (
  account: ModelAccount,
  message: JsonObject,
  text: string,
): Pick<WireAnswer, 'calls' | 'items'> => {
  const called = listOf(message.tool_calls)
    .filter(isObject)
    .map((call) => {
      const { name, arguments: given } = objectOf(call.function)
      return { call, callId: call.id, name, given }
    })
  if (called.length === 0) {
    const written = readCallInText(text)
    const calls = written ? [{ ...written, callId: 'call_0' }] : []
    return {
      calls,
      items: hasTools(account.abilities) ? asCalled(calls) : [{ role: 'assistant', content: text }],
    }
  }
  const calls = withIds(called)
  return { calls, items: [{ ...returned(message), tool_calls: calls.map(sentBack) }] }
}

/** What has to come back with the calls: some providers' reasoning is in fields of their own. */
const returned = ({ content, reasoning_content, reasoning, reasoning_details }: JsonObject): JsonObject => ({
  role: 'assistant',
  content: typeof content === 'string' ? content : null,
  ...(reasoning_content !== undefined && { reasoning_content }),
  ...(reasoning !== undefined && { reasoning }),
  ...(reasoning_details !== undefined && { reasoning_details }),
})

/** Some servers fail if a call that they are given has no readable arguments. */
const sentBack = ({ call, callId, name, given }: WireCall & { call?: JsonObject }): JsonObject => ({
  ...call,
  id: callId,
  type: 'function',
  function: { name, arguments: JSON.stringify(readArguments(given) ?? {}) },
})

const asCalled = (calls: readonly WireCall[]): unknown[] =>
  calls.length === 0
    ? []
    : [{ role: 'assistant', content: null, tool_calls: calls.map((call) => sentBack(call)) }]

const protocol: Protocol = {
  kind: 'chat_completions',
  path: '/chat/completions',
  hasEmbeddings: true,
  headers: (key) => bearer(key),
  body,
  renderResults,
  read,
}

export const model = makeModel(protocol)
