import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { requestHandOut } from '../conversations/hand-out.ts'
import type { AwayBody } from '../teams/schema.ts'
import { updateAway } from './queries.ts'

/** Whoever is away keeps their conversations, and is given no more by itself until they are back. */
export const setAway = (ctx: Ctx, { isAway }: AwayBody): Promise<AwayBody> =>
  inTransaction(ctx, async (ctx) => {
    const agentId = actorId(ctx.actor)
    if (await updateAway(ctx, agentId, isAway)) {
      await record(ctx, { type: 'agent.updated', data: { agentId } })
      if (!isAway) await requestHandOut(ctx)
    }
    return { isAway }
  })
