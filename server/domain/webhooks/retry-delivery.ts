import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { restartDelivery } from './delivery-queries.ts'
import type { DeliveryAnswer } from './delivery-schema.ts'
import { announceWebhooks } from './endpoint-queries.ts'
import { requireDelivery } from './get-deliveries.ts'
import { takeEndpoint } from './get-endpoints.ts'

/** Sends it again now, with all of its attempts ahead. Throws WEBHOOK_DELIVERY_NOT_FOUND. */
export const retryDelivery = (ctx: Ctx, id: string): Promise<DeliveryAnswer> =>
  inTransaction(ctx, async (ctx) => {
    const { endpointId } = await requireDelivery(ctx, id)
    await takeEndpoint(ctx, endpointId)
    await restartDelivery(ctx, id)
    await announceWebhooks(ctx.db)
    return { delivery: await requireDelivery(ctx, id) }
  })
