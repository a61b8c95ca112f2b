// The contract of a language model: one request, one answer, and what a failure means. An adapter speaks a provider's
// protocol and knows neither our database nor what the words are about.
import type { ModelKind } from './names.ts'

/** A JSON Schema object, as it is sent. */
export type JsonSchema = Readonly<Record<string, unknown>>
export type JsonObject = Record<string, unknown>

export type ModelAccount = {
  /** With the version in its path where the provider has one: https://api.openai.com/v1, https://api.anthropic.com. */
  baseUrl: string
  /** Null for servers that need none. */
  key: string | null
  model: string
  /** Turns texts into vectors, at the same address; null if none is set up. */
  embeddingModel?: string | null
  /** What `check` found. Until then, everything is assumed to work. */
  abilities?: ModelAbilities | null
}

/** Parameters that some servers refuse. */
export const OPTIONAL_PARAMETERS = [
  'temperature',
  'max_completion_tokens',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'user',
  'safety_identifier',
  'store',
  'include',
] as const
export type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number]

/** What a model can do, as `check` found it. Plain data, to be stored. */
export type ModelAbilities = {
  /** It calls tools. Otherwise it is asked for JSON that names one. */
  tools: boolean
  /** It obeys when it must call a tool. */
  forcedTool: boolean
  /** It answers in JSON of a given schema. */
  jsonSchema: boolean
  /** It sees pictures. Missing in what was found before this was tried. */
  pictures?: boolean
  /** Left out of requests because the server refuses them. */
  without: readonly OptionalParameter[]
}

export type ToolSpec = {
  /** Letters, digits, _ and -, at most 64. */
  name: string
  description: string
  /** Of an object. */
  parameters: JsonSchema
}

/** What models read of pictures, in every protocol. */
export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'] as const

export type Picture = {
  mimeType: (typeof PICTURE_TYPES)[number]
  /** In base64. */
  data: string
  /** For the record of what was sent; the provider isn't told. */
  name: string
}

/**
 * What was said before. Words and pictures of a customer are data: they are never part of `system`. Only for a model
 * that sees pictures, and only a customer's.
 */
export type Turn = { from: 'customer' | 'us'; text: string; pictures?: readonly Picture[] }

/** The answer to a tool call. */
export type ToolResult = {
  callId: string
  text: string
  isError?: boolean
}

/**
 * What the model did so far since `turns`, in its provider's own form. To be given back unchanged in the next request;
 * plain JSON, so it can be stored. Only the adapter that made it can read it.
 */
export type Carry = { kind: ModelKind; items: readonly unknown[]; open: readonly OpenCall[] }

/** A call without a result yet, and what the model is told if it gets none. */
export type OpenCall = { callId: string; unanswered: string }

export type CompletionRequest = {
  /** Our own words only. */
  system: string
  /** At least one; the last is the customer's. The same in all requests of one loop. */
  turns: readonly Turn[]
  tools: readonly ToolSpec[]
  /** The tool that ends the loop. The model has to call it or one of `tools`. */
  final: ToolSpec
  /** Null in the first request of a loop. */
  carry: Carry | null
  /** Of the calls of the latest answer, the rejected final one included. Those left out are explained to the model. */
  results: readonly ToolResult[]
  /** Only `final` may be called. */
  mustEnd: boolean
  outputTokensMax: number
  /** The same pseudonym for each request about a customer, for the provider's detection of abuse; never an id of ours. */
  customerKey: string | null
}

export type CompletionOptions = {
  /** For everything: tries, waits and the response's body. */
  timeoutMs: number
  signal?: AbortSignal
}

export type Usage = {
  /** All of them, `cachedTokens` included. */
  inputTokens: number
  cachedTokens: number
  outputTokens: number
}

export type ToolCall = {
  callId: string
  name: string
  /** Unchecked, except that it is an object of bounded size and depth. Empty if there is a `problem`. */
  arguments: JsonObject
  /** Why it can't be carried out, in words for the model, who is told unless there is another result. */
  problem: string | null
}

type Answered = {
  /** Null if the provider didn't say. */
  usage: Usage | null
  /** As the provider names it. */
  model: string | null
  /** The provider's id, for its support. */
  requestId: string | null
  /** 1, or more if it was tried again. */
  tries: number
}

export type Completion = Answered &
  (
    | { is: 'final'; callId: string; arguments: JsonObject; carry: Carry }
    /** At least one. All of them are to be carried out before the next request, or explained. */
    | { is: 'calls'; calls: ToolCall[]; carry: Carry }
    /** The model declines. Its words aren't for the customer. */
    | { is: 'refused'; text: string | null }
  )

/**
 * Why there is no completion.
 *   temporary   overloaded, unreachable or too slow: later it may work
 *   tooMany     the provider's limit per minute or day; `retryAfterMs` if it says
 *   noFunds     the account has no credit left
 *   filtered    the provider's filter rejected what was sent, or the answer
 *   badKey      the key is wrong or isn't allowed to do this
 *   noModel     there is no such model, or not for this key
 *   tooLong     more input than the model reads
 *   badAnswer   the answer can't be used; asking again may help
 *   badRequest  the server doesn't accept the request: mostly a server that isn't quite compatible
 *   badAddress  the address isn't allowed, isn't valid or isn't an API
 *   cancelled   `signal`
 *   unknown     anything else
 */
export type ModelProblem =
  | 'temporary'
  | 'tooMany'
  | 'noFunds'
  | 'filtered'
  | 'badKey'
  | 'noModel'
  | 'tooLong'
  | 'badAnswer'
  | 'badRequest'
  | 'badAddress'
  | 'cancelled'
  | 'unknown'

/** Until an admin changes something, every request ends like this. */
const OF_ACCOUNT: ReadonlySet<ModelProblem> = new Set(['noFunds', 'badKey', 'noModel', 'badAddress'])

type ModelErrorOptions = {
  status?: number | null
  providerCode?: string | null
  retryAfterMs?: number | null
  usage?: Usage | null
  requestId?: string | null
  tries?: number
}

/** The message is for admins. Nothing in it comes from the request, the key or the provider. */
export class ModelError extends Error {
  readonly problem: ModelProblem
  readonly concerns: 'request' | 'account'
  readonly status: number | null
  /** The provider's own name for it, for the log. */
  readonly providerCode: string | null
  readonly retryAfterMs: number | null
  /** What it cost all the same. */
  readonly usage: Usage | null
  readonly requestId: string | null
  readonly tries: number

  constructor(problem: ModelProblem, message: string, options: ModelErrorOptions = {}) {
    super(message)
    this.name = 'ModelError'
    this.problem = problem
    this.concerns = OF_ACCOUNT.has(problem) ? 'account' : 'request'
    this.status = options.status ?? null
    this.providerCode = options.providerCode ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
    this.usage = options.usage ?? null
    this.requestId = options.requestId ?? null
    this.tries = options.tries ?? 1
  }
}

/**
 * One of the things that were tried, and the result in plain words; never includes the key. `ok` is null if it couldn’t be
 * tried.
 */
export type ModelCheckStep = { name: string; ok: boolean | null; message: string }

export type ModelCheck = {
  steps: ModelCheckStep[]
  /** Null if the model can't be used. */
  abilities: ModelAbilities | null
  usage: Usage
}

/** A request with more would come close to the limit of an answer. */
export const EMBED_TEXTS_MAX = 16

export type Embedding = {
  /** One for each text, all of the same dimensions, each of length 1. */
  vectors: Float32Array[]
  /** Null if the provider didn't say. */
  usage: Usage | null
}

export type Model = {
  /**
   * Asks the model once. Temporary failures are tried again within the time limit, since a request changes nothing
   * anywhere. Throws a ModelError.
   */
  complete: (
    account: ModelAccount,
    request: CompletionRequest,
    options: CompletionOptions,
  ) => Promise<Completion>
  /**
   * Vectors of 1 to EMBED_TEXTS_MAX texts, from the account's embedding model. Throws a ModelError. Missing if the
   * protocol has none.
   */
  embed?: (account: ModelAccount, texts: readonly string[], options: CompletionOptions) => Promise<Embedding>
  /** Tries the key, the model, a tool, an end that it must choose, and the embedding model if there is one. A few short requests; never throws. */
  check: (account: ModelAccount, options: CompletionOptions) => Promise<ModelCheck>
}
