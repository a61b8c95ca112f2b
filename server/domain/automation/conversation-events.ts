import type { Ctx } from '../../platform/ctx/ctx.ts'
import { addInputs, causedBy, type HappenedData } from './inputs.ts'

/** Something that happened to a conversation, for triggers. In the caller's transaction, which holds its lock. */
export const addConversationEvent = (
  ctx: Ctx,
  conversationId: string,
  { on, to = null }: Pick<HappenedData, 'on'> & Partial<Pick<HappenedData, 'to'>>,
): Promise<void> =>
  addInputs(ctx, [
    { kind: 'event', conversationId, data: { on, to, tagId: null, field: null, ...causedBy(ctx.actor) } },
  ])
