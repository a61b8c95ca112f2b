// Reactions, edits and deletions, like statuses, may arrive before the message they refer to, or before the response
// with its provider's id. They are parked here until then.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { type Alteration, alterMessage } from './alter-message.ts'
import { insertParkedAlteration, takeParkedAlterations } from './parked-alteration-queries.ts'

/** Alters a message, or parks the alteration if there is no such message yet. */
export const alterOrPark = (ctx: Ctx, alteration: Alteration): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await alterMessage(ctx, alteration))) await insertParkedAlteration(ctx, alteration)
  })

/**
 * Applies alterations parked for messages that were just stored or got their ids, in the order of the provider's times.
 */
export const applyParkedAlterations = (
  ctx: Ctx,
  messages: readonly { channelAccountId: string; externalId: string }[],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (messages.length === 0) return
    const waiting = await takeParkedAlterations(ctx, messages)
    for (const alteration of waiting.toSorted((a, b) => a.at.getTime() - b.at.getTime()))
      await alterMessage(ctx, alteration)
  })
