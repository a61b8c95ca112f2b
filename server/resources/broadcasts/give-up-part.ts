import { type Ctx, inTransaction } from '../../ctx.ts'
import { advanceStatus } from '../conversations/message-status.ts'
import type { PartRef } from './queries.ts'
import { endTurns, listWaiting } from './recipient-queries.ts'
import { announce } from './settle-recipients.ts'

const BATCH = 500

/** Everybody of a part who still waits has failed, for one reason. False: it has to be called again for the rest. */
export const giveUpPart = (
  ctx: Ctx,
  part: PartRef,
  reason: { code: string; message: string },
): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const waiting = await listWaiting(ctx, part, BATCH)
    const messageIds = waiting.flatMap(({ messageId }) => messageId ?? [])
    await advanceStatus(ctx, messageIds, 'failed', reason)
    const ids = waiting.filter(({ messageId }) => messageId === null).map(({ contactId }) => contactId)
    await announce(ctx, await endTurns(ctx, part.broadcastId, ids, { outcome: 'failed', ...reason }))
    return waiting.length < BATCH
  })
