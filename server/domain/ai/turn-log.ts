// What people read about a turn of the AI agent: why it said something, and exactly what was sent to a model.
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { lockConversation } from '../conversations/queries.ts'
import { saveOutcomes } from './outcome-queries.ts'
import { quoteOf } from './quote.ts'
import type { Decision, Source } from './think.ts'
import { findTurn, listTurnRequests, markTurnWrong, type TurnRow } from './turn-log-queries.ts'
import type { AiRequest, AiTurn } from './turn-schema.ts'

/** Throws AI_TURN_NOT_FOUND, also if the actor may not see its conversation. */
export const getTurn = async (ctx: Ctx, turnId: string): Promise<AiTurn> => toTurn(await find(ctx, turnId))

/** The requests to a model that a turn made and that are still kept. Throws AI_TURN_NOT_FOUND. */
export const getTurnRequests = async (ctx: Ctx, turnId: string): Promise<AiRequest[]> => {
  await find(ctx, turnId)
  return listTurnRequests(ctx, turnId)
}

/** A person calls a turn wrong, or takes it back: its episode is no resolution then. Throws AI_TURN_NOT_FOUND. */
export const markTurn = (ctx: Ctx, turnId: string, { isWrong }: { isWrong: boolean }): Promise<AiTurn> =>
  inTransaction(ctx, async (ctx) => {
    const { conversationId } = await find(ctx, turnId)
    if (!(await lockConversation(ctx, conversationId))) throw new ApiError('AI_TURN_NOT_FOUND')
    await markTurnWrong(ctx, turnId, isWrong ? actorId(ctx.actor) : null)
    await saveOutcomes(ctx, [conversationId])
    return getTurn(ctx, turnId)
  })

const find = async (ctx: Ctx, turnId: string): Promise<TurnRow> => {
  const found = await findTurn(ctx, turnId)
  if (!found) throw new ApiError('AI_TURN_NOT_FOUND')
  return found
}

const toTurn = ({ decision, wrongAt, wrongBy, ...row }: TurnRow): AiTurn => ({
  ...row,
  reason: decision?.is === 'handOver' ? decision.reason : null,
  confidence: decision?.is === 'say' ? decision.confidence : null,
  sources: sourcesOf(decision).map(({ type, id, title, url, text, certainty }) => ({
    type,
    id,
    title,
    url,
    quote: quoteOf(text, decision?.is === 'say' ? decision.text : text),
    certainty,
  })),
  wrong: wrongAt === null ? null : { at: wrongAt, by: wrongBy },
})

const sourcesOf = (decision: Decision | null): readonly Source[] => {
  if (decision?.is === 'answer') return [decision.source]
  return decision && 'sources' in decision ? decision.sources : []
}
