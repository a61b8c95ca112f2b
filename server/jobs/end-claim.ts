import { type Abandoned, type Ending, endTry } from '../domain/deliveries/delivery-queries.ts'
import { announceDeliveries } from '../domain/deliveries/due-deliveries.ts'
import { settleRecipients } from '../domain/recipients/settle-recipients.ts'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'

/**
 * Ends an abandoned claim and updates its broadcast, all or nothing, because nothing would come back for the rest.
 * False if the delivery has moved on in the meantime.
 */
export const endClaim = (ctx: Ctx, row: Abandoned, ending: Ending): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await endTry(ctx, row, ending))) return false
    await settleRecipients(ctx, [row.messageId])
    await announceDeliveries(ctx, [row])
    return true
  })
