// One request to the model for a person who waits for the answer: they get it, and nothing is sent or changed. The
// request is one turn, so it counts towards the limits, and what was sent is on record.
import type { CompletionRequest, JsonObject, Turn } from '../../../../models/contract.ts'
import { ModelError } from '../../../../models/contract.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { TurnKind } from '../../../platform/db/tables.ts'
import { ApiError } from '../../../platform/errors.ts'
import { findProvider, type Provider } from '../provider/find-provider.ts'
import { type Asking, askModel, BudgetSpent, storedTurn, TurnDelayed, TurnOver } from '../turn/ask-model.ts'
import { endOwnTurn, insertOwnTurn } from './own-turn-queries.ts'

/** The person waits for it. */
const ANSWER_MAX_MS = 20_000

export type Question = Pick<CompletionRequest, 'system' | 'final' | 'outputTokensMax'> & {
  turns: Turn[]
  contactId: string
}

/** Throws AI_NOT_AVAILABLE if there is no model. */
export const requireProvider = async (ctx: Ctx): Promise<Provider> => {
  const provider = await findProvider(ctx)
  if (!provider) throw new ApiError('AI_NOT_AVAILABLE', { message: 'There is no language model.' })
  return provider
}

/**
 * What the model ended with; null if it declined. The caller has checked that the actor may see the conversation. Throws
 * AI_NOT_AVAILABLE if the agent is stopped, the model can't be reached or its budget is spent.
 */
export const askOnce = async (
  ctx: Ctx,
  {
    provider,
    conversationId,
    kind,
    question,
  }: {
    provider: Provider
    conversationId: string
    kind: Exclude<TurnKind, 'reply' | 'draft'>
    question: Question
  },
): Promise<JsonObject | null> => {
  const turn = await insertOwnTurn(ctx, { conversationId, kind })
  if (!turn) throw new ApiError('AI_NOT_AVAILABLE')
  const { contactId, ...request } = question
  const asking: Asking = {
    provider,
    turn: storedTurn(ctx, turn),
    conversationId,
    isLate: false,
    signal: NEVER,
    endsAtMs: performance.now() + ANSWER_MAX_MS,
  }
  try {
    const completion = await askModel(ctx, asking, {
      ...request,
      tools: [],
      carry: null,
      results: [],
      mustEnd: true,
      customerKey: ctx.seal.sign('model customer', contactId),
    })
    return completion.is === 'final' ? completion.arguments : null
  } catch (error) {
    const message = reasonOf(error)
    if (!message) throw error
    throw new ApiError('AI_NOT_AVAILABLE', { message })
  } finally {
    await endOwnTurn(ctx, turn)
  }
}

const NEVER = new AbortController().signal

const reasonOf = (error: unknown): string | null => {
  if (error instanceof BudgetSpent) return 'The AI agent’s limits are reached. Try again later.'
  if (error instanceof TurnDelayed) return 'The model is busy. Try again in a moment.'
  if (error instanceof ModelError) return 'The model can’t be reached. Try again later.'
  return error instanceof TurnOver ? 'The AI agent was stopped.' : null
}
