import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { advanceStatus } from './message-status.ts'
import { listBehindWatermark } from './watermark-queries.ts'

type Watermark = {
  channelAccountId: string
  contactId: string
  status: 'delivered' | 'read'
  /** By the provider's clock. */
  upTo: Date
}

/** Marks everything sent to the customer on the account up to a time as delivered, or read. */
export const applyWatermarks = (ctx: Ctx, watermarks: readonly Watermark[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    for (const watermark of watermarks)
      await advanceStatus(ctx, await listBehindWatermark(ctx, watermark), watermark.status)
  })
