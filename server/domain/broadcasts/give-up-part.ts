import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { advanceStatus } from '../messages/message-status.ts'
import { endTurns } from '../recipients/recipient-queries.ts'
import { announce } from '../recipients/settle-recipients.ts'
import { listWaiting, type PartRef } from '../recipients/turn-queries.ts'

const BATCH = 500

/**
 * Ends all waiting recipients of a part for one reason; those whose message is stored fail in any case. False: call it
 * again for the rest.
 */
export const giveUpPart = (
  ctx: Ctx,
  part: PartRef,
  reason: { code: string; message: string },
  outcome: 'failed' | 'skipped' = 'failed',
): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const waiting = await listWaiting(ctx, part, BATCH)
    const messageIds = waiting.flatMap(({ messageId }) => messageId ?? [])
    await advanceStatus(ctx, messageIds, 'failed', reason)
    const ids = waiting.filter(({ messageId }) => messageId === null).map(({ contactId }) => contactId)
    await announce(ctx, await endTurns(ctx, part.broadcastId, ids, { outcome, ...reason }))
    return waiting.length < BATCH
  })
