// One request to the provider, with all that belongs to it: what it may use, the time it may take, the turn that may be
// over before the answer, and the row that says what was sent.
import {
  type Completion,
  type CompletionRequest,
  ModelError,
  type Turn,
  type Usage,
} from '../../../../models/contract.ts'
import { loadModel } from '../../../../models/index.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { countAiRequest } from '../../../platform/metrics.ts'
import { inSpan } from '../../../platform/tracing.ts'
import { callProvider } from '../budgets/call-provider.ts'
import { reserve, settle } from '../budgets/reserve.ts'
import type { Bound } from '../budgets/schema.ts'
import { costOf } from '../provider/cost-of.ts'
import type { Provider } from '../provider/find-provider.ts'
import type { TurnRef } from '../turn-queries.ts'
import { keepTurn, type NewRequest, storeRequest } from './request-queries.ts'

const REQUEST_MAX_MS = 20_000
/** How often it is looked up whether the answer is still wanted. */
const LOOK_MS = 1_000
const NO_USAGE: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 }

/** The answer is no longer wanted: something newer came, the agent was stopped, or this process ends. */
export class TurnOver extends Error {
  override readonly name = 'TurnOver'
}

/** The limits of the moment are reached, or the provider is another: the turn may be taken again a little later. */
export class TurnDelayed extends Error {
  override readonly name = 'TurnDelayed'
  readonly afterMs: number
  constructor(afterMs: number) {
    super('the turn has to wait')
    this.afterMs = afterMs
  }
}

/** A limit of the hour, day or month is reached. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent'
  readonly bound: Bound
  constructor(bound: Bound) {
    super(`the limit ${bound} is reached`)
    this.bound = bound
  }
}

/** What a request is a part of. */
export type AskingTurn = {
  id: string
  /** False if nobody wants the answer any more. */
  keep: () => Promise<boolean>
  store: (request: NewRequest) => Promise<void>
}

export const storedTurn = (ctx: Ctx, turn: TurnRef): AskingTurn => ({
  id: turn.id,
  keep: () => keepTurn(ctx, turn),
  store: (request) => storeRequest(ctx, turn.id, request),
})

export type Asking = {
  provider: Provider
  turn: AskingTurn
  conversationId: string | null
  /** Whether the customer has waited long enough already. */
  isLate: boolean
  /** Of the process that ends. */
  signal: AbortSignal
  /** Called when a request is made: the turn will speak. */
  onAsked?: (() => void) | undefined
  /** Time of the whole turn, by performance.now(). */
  endsAtMs: number
  /** Of one request; default: 20 seconds. */
  requestMaxMs?: number | undefined
}

/** Throws a ModelError, TurnOver, TurnDelayed or BudgetSpent. */
export const askModel = async (
  ctx: Ctx,
  {
    provider,
    turn,
    conversationId,
    isLate,
    signal,
    onAsked,
    endsAtMs,
    requestMaxMs = REQUEST_MAX_MS,
  }: Asking,
  request: CompletionRequest,
): Promise<Completion> => {
  if (!(await turn.keep())) throw new TurnOver()
  const startedMs = performance.now()
  const timeoutMs = Math.min(requestMaxMs, endsAtMs - startedMs)
  if (timeoutMs <= 0) throw new ModelError('temporary', 'The turn took too long.')
  const reserved = await reserve(ctx, {
    turnId: turn.id,
    conversationId,
    tokens: tokensAtMost(request),
    provider,
  })
  if (!reserved.isGranted) {
    const { bound, retryAfterMs } = reserved
    if (retryAfterMs === null || (isLate && bound !== 'provider')) throw new BudgetSpent(bound)
    throw new TurnDelayed(retryAfterMs)
  }
  onAsked?.()
  const over = new AbortController()
  const looking = setInterval(() => {
    turn
      .keep()
      .then((isOurs) => !isOurs && over.abort())
      // The next look finds out, or the end of the turn does.
      .catch(() => {})
  }, LOOK_MS)
  const ended = await complete(ctx, provider, request, {
    timeoutMs,
    signal: AbortSignal.any([signal, over.signal]),
  }).finally(() => clearInterval(looking))
  const usage = ended.usage ?? usageUnsaid(request, ended.error)
  const cost = costOf(usage, provider.prices)
  await settle(ctx, reserved, { tokens: usage.inputTokens + usage.outputTokens, cost })
  await turn.store({
    model: ended.model ?? provider.account.model,
    request: sentOf(request),
    response: ended.response,
    problem: ended.error?.problem ?? null,
    providerRequestId: ended.requestId,
    tries: ended.tries,
    usage,
    cost,
    durationMs: performance.now() - startedMs,
  })
  countAiRequest(ended.error?.problem ?? null, usage, cost)
  if (signal.aborted || over.signal.aborted) throw new TurnOver()
  if (ended.error) throw ended.error
  return ended.completion!
}

type Ended = {
  completion: Completion | null
  error: ModelError | null
  response: object | null
  usage: Usage | null
  model: string | null
  requestId: string | null
  tries: number
}

/** A request that nobody answered may have been read, and charged. */
const usageUnsaid = (request: CompletionRequest, error: ModelError | null): Usage =>
  error !== null && error.status === null
    ? { ...NO_USAGE, inputTokens: tokensAtMost(request) - request.outputTokensMax }
    : NO_USAGE

const complete = async (
  ctx: Ctx,
  { kind, account }: Provider,
  request: CompletionRequest,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<Ended> => {
  try {
    const model = await loadModel(kind)
    const span = { kind: 'client' as const, attributes: { 'foyer.model_protocol': kind } }
    const completion = await inSpan('ask model', span, () =>
      callProvider(ctx, account, () => model.complete(account, request, options)),
    )
    return { ...completion, completion, error: null, response: receivedOf(completion) }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const { usage, requestId, tries } = error
    return { completion: null, error, response: null, usage, model: null, requestId, tries }
  }
}

/** Most tokens are longer. */
const CHARACTERS_PER_TOKEN = 3

/** What the dearest models take for a large one. */
const TOKENS_PER_PICTURE = 5_000

const tokensAtMost = ({
  system,
  turns,
  tools,
  final,
  carry,
  results,
  outputTokensMax,
}: CompletionRequest): number => {
  const words = [system, turns.map(withoutBytes), tools, final, carry?.items ?? [], results]
  const pictures = turns.reduce((sum, { pictures = [] }) => sum + pictures.length, 0)
  return (
    Math.ceil(JSON.stringify(words).length / CHARACTERS_PER_TOKEN) +
    pictures * TOKENS_PER_PICTURE +
    outputTokensMax
  )
}

/** Pictures stay where the customer's messages are; of them, the record has the names. */
const withoutBytes = ({ from, text, pictures = [] }: Turn): object => ({
  from,
  text,
  ...(pictures.length > 0 && {
    pictures: pictures.map(({ mimeType, data, name }) => ({
      name,
      mimeType,
      bytes: Buffer.byteLength(data, 'base64'),
    })),
  }),
})

/** What a request adds to the one before. Its model's own part is the answer before. */
const sentOf = ({
  system,
  turns,
  tools,
  final,
  carry,
  results,
  mustEnd,
  outputTokensMax,
  customerKey,
}: CompletionRequest): object =>
  carry === null
    ? {
        system,
        turns: turns.map(withoutBytes),
        tools: [...tools, final],
        mustEnd,
        outputTokensMax,
        customerKey,
      }
    : { results, mustEnd }

const receivedOf = (completion: Completion): object => {
  switch (completion.is) {
    case 'final':
      return { final: completion.arguments }
    case 'calls':
      return {
        calls: completion.calls.map(({ callId, name, arguments: given }) => ({
          callId,
          name,
          arguments: given,
        })),
      }
    case 'refused':
      return { refused: completion.text }
  }
}
