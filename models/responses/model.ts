// OpenAI's Responses. Nothing is stored there: reasoning comes back encrypted and goes along with the next request.
// https://platform.openai.com/docs/api-reference/responses
import { isObject, type JsonObject, listOf, objectOf } from '../../channels/protocol/read-json.ts'
import type { CompletionRequest, ModelAccount, ToolResult, Turn } from '../contract.ts'
import { makeModel } from '../protocol/make-model.ts'
import { readArguments } from '../protocol/read-completion.ts'
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
  withIds,
} from '../protocol/wire.ts'

const body = (account: ModelAccount, request: CompletionRequest, items: readonly unknown[]): JsonObject => ({
  model: account.model,
  instructions: request.system,
  input: [
    ...request.turns.map((turn) => ({
      role: turn.from === 'us' ? 'assistant' : 'user',
      content: contentOf(turn),
    })),
    ...items,
  ],
  tools: offered(request).map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters: parametersOf(parameters),
    strict: false,
  })),
  max_output_tokens: request.outputTokensMax,
  ...accepted(account, {
    tool_choice: request.mustEnd ? { type: 'function', name: request.final.name } : 'required',
    temperature: 0,
    store: false,
    include: ['reasoning.encrypted_content'],
    safety_identifier: request.customerKey ?? undefined,
  }),
})

const contentOf = ({ text, pictures = [] }: Turn): string | JsonObject[] =>
  pictures.length === 0
    ? text
    : [
        { type: 'input_text', text },
        ...pictures.map((picture) => ({ type: 'input_image', image_url: dataUrl(picture), detail: 'auto' })),
      ]

const renderResults = (_account: ModelAccount, results: readonly ToolResult[]): unknown[] =>
  results.map(({ callId, text, isError }) => ({
    type: 'function_call_output',
    call_id: callId,
    output: isError ? `Error: ${text}` : text,
  }))

const read = (_account: ModelAccount, answer: JsonObject): WireAnswer | null => {
  if (!Array.isArray(answer.output)) return null
  const output = answer.output.filter(isObject)
  const parts = output
    .filter(({ type }) => type === 'message')
    .flatMap(({ content }) => listOf(content).filter(isObject))
  const refusal = parts.find(({ type }) => type === 'refusal')?.refusal
  const called = output
    .filter(({ type }) => type === 'function_call')
    .map((item) => ({ item, callId: item.call_id, name: item.name, given: item.arguments }))
  const calls = withIds(called)
  const usage = objectOf(answer.usage)
  return {
    calls,
    items: itemsToReturn(output, calls),
    text: parts.map(({ text }) => (typeof text === 'string' ? text : '')).join(''),
    refusal: typeof refusal === 'string' && refusal !== '' ? refusal : null,
    stop: stopOf(answer, calls.length > 0),
    model: answer.model,
    usage: usageOf(
      usage.input_tokens,
      objectOf(usage.input_tokens_details).cached_tokens,
      usage.output_tokens,
    ),
  }
}

const stopOf = ({ status, incomplete_details: details }: JsonObject, hasCalls: boolean): Stop => {
  if (status === 'completed') return hasCalls ? 'tools' : 'end'
  if (status !== 'incomplete') return 'other'
  const { reason } = objectOf(details)
  return reason === 'content_filter' ? 'filtered' : reason === 'max_output_tokens' ? 'length' : 'other'
}

type Called = { item: JsonObject; callId: string; name: string; given: unknown }

/** Reasoning belongs to the calls that follow it. Words beside calls aren't needed again. */
const itemsToReturn = (output: readonly JsonObject[], calls: readonly Called[]): unknown[] =>
  output.flatMap((item): unknown[] => {
    if (item.type === 'reasoning') return calls.length > 0 ? [item] : []
    const call = calls.find((one) => one.item === item)
    if (!call) return []
    const { callId, name, given } = call
    return [
      {
        type: 'function_call',
        ...(typeof item.id === 'string' && { id: item.id }),
        call_id: callId,
        name,
        arguments: JSON.stringify(readArguments(given) ?? {}),
      },
    ]
  })

const protocol: Protocol = {
  kind: 'responses',
  path: '/responses',
  hasEmbeddings: true,
  headers: (key) => bearer(key),
  body,
  renderResults,
  read,
}

export const model = makeModel(protocol)
