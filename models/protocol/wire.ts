// What the adapters have in common: a request's body goes out, and the answer comes back in the same few parts.
import { type JsonObject, numberOf, objectOf } from '../../channels/protocol/read-json.ts'
import type {
  Completion,
  CompletionOptions,
  CompletionRequest,
  ModelAccount,
  Picture,
  ToolResult,
  Usage,
} from '../contract.ts'
import type { ModelKind } from '../names.ts'
import type { Said } from './error-of.ts'

/** `other`: nothing that we know. */
export type Stop = 'tools' | 'end' | 'length' | 'filtered' | 'refused' | 'other'

export type WireCall = {
  callId: string
  name: string
  /** An object, or text that should be one in JSON. */
  given: unknown
}

export type WireAnswer = {
  text: string
  refusal: string | null
  calls: WireCall[]
  stop: Stop
  usage: Usage | null
  model: unknown
  /** In the protocol's own form, for the next request. */
  items: unknown[]
}

/** One protocol. Nothing in it throws. */
export type Protocol = {
  kind: ModelKind
  /** Added to the base URL. */
  path: string
  /** Whether texts can be turned into vectors at the same address. */
  hasEmbeddings: boolean
  headers: (key: string | null) => Record<string, string>
  /** `items`: what the model did so far, the results of its calls included. */
  body: (account: ModelAccount, request: CompletionRequest, items: readonly unknown[]) => JsonObject
  /** All of one answer's, in the protocol's own form. */
  renderResults: (account: ModelAccount, results: readonly ToolResult[]) => unknown[]
  /** Null if it isn't an answer of this protocol. */
  read: (account: ModelAccount, answer: JsonObject) => WireAnswer | null
}

export type Ask = (
  account: ModelAccount,
  request: CompletionRequest,
  options: CompletionOptions & { onSaid?: (said: Said) => void },
) => Promise<Completion>

/** More calls in one answer are left out. */
const CALLS_MAX = 16
const CALL_ID_MAX = 128
const TOKENS_MAX = 100_000_000

/** Gives ids to calls that have none, or one that another call has. Returns at most 16. */
export const withIds = <T extends { given: unknown; callId: unknown; name: unknown }>(
  calls: readonly T[],
): (T & { callId: string; name: string })[] => {
  const taken = new Set<string>()
  return calls.slice(0, CALLS_MAX).map((call, at) => {
    const isFine =
      typeof call.callId === 'string' && /^[\w-]+$/.test(call.callId) && call.callId.length <= CALL_ID_MAX
    let callId = isFine ? String(call.callId) : `call_${at}`
    while (taken.has(callId)) callId = `${callId.slice(0, CALL_ID_MAX - 2)}_x`
    taken.add(callId)
    return { ...call, callId, name: nameOf(call.name) }
  })
}

/** A name that can be sent back, whatever the model called. */
const nameOf = (given: unknown): string =>
  (typeof given === 'string' && given.replace(/[^\w-]/g, '_').slice(0, 64)) || 'unnamed'

/** Numbers of tokens as they are reported; null unless both are plausible. */
export const usageOf = (input: unknown, cached: unknown, output: unknown): Usage | null => {
  const [inputTokens, outputTokens] = [tokensOf(input), tokensOf(output)]
  if (inputTokens === null || outputTokens === null) return null
  return { inputTokens, cachedTokens: Math.min(tokensOf(cached) ?? 0, inputTokens), outputTokens }
}

const tokensOf = (given: unknown): number | null => {
  const number = numberOf(given)
  return number === null || number < 0 || number > TOKENS_MAX ? null : Math.round(number)
}

/** The values that a server takes: without those that the check found to be refused. */
export const accepted = ({ abilities }: ModelAccount, optional: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(optional).filter(
      ([name, value]) => value !== undefined && !abilities?.without.some((one) => one === name),
    ),
  )

export const dataUrl = ({ mimeType, data }: Picture): string => `data:${mimeType};base64,${data}`

export const bearer = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` }

/** Some servers refuse a tool without `properties`. */
export const parametersOf = (schema: CompletionRequest['final']['parameters']): JsonObject => ({
  type: 'object',
  ...schema,
  properties: objectOf(schema.properties),
})

/** The tools that may be called now. */
export const offered = ({ tools, final, mustEnd }: CompletionRequest) =>
  mustEnd ? [final] : [...tools, final]
