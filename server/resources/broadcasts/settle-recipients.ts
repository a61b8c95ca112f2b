import { type Ctx, inTransaction } from '../../ctx.ts'
import { planByIndex } from '../../db/plan-by-index.ts'
import { recordMany } from '../../events/record.ts'
import { followMessages, moveRecipients, type Progress } from './recipient-queries.ts'

/** Announces what a change made of broadcasts, as often as progress is told. In the caller's transaction. */
export const announce = (ctx: Ctx, progress: readonly Progress[]): Promise<void> =>
  recordMany(
    ctx,
    progress
      .filter(({ isToAnnounce }) => isToAnnounce)
      .map(({ isToAnnounce: _, ...data }) => ({ type: 'broadcast.updated', data })),
  )

/**
 * Brings the recipients behind messages of broadcasts to what has become of those, and the broadcasts' counts with them.
 * To be called last in a transaction: everybody who works on a broadcast meets at its row.
 */
export const settleRecipients = (ctx: Ctx, messageIds: readonly string[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (messageIds.length === 0) return
    await planByIndex(ctx.db)
    await announce(ctx, await followMessages(ctx, messageIds, ctx.channels.whatsapp.optedOutCode))
  })

/** What broadcasts keep of a contact goes to the one that it has become. */
export const mergeRecipients = async (ctx: Ctx, from: string, to: string): Promise<void> =>
  announce(ctx, await moveRecipients(ctx, from, to))
