import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { findContent, findDelivery, listAttempts, listDeliveryRows } from './delivery-queries.ts'
import type { DeliveryDetails, DeliveryQuery, WebhookDelivery } from './delivery-schema.ts'
import { requireManager, requireMayRead } from './entitled.ts'
import { eventBody } from './event-body.ts'
import { requireEndpoint } from './get-endpoints.ts'

/** Newest first. Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
export const listDeliveries = async (ctx: Ctx, endpointId: string, query: DeliveryQuery) => {
  await requireEndpoint(ctx, endpointId)
  return listDeliveryRows(ctx, endpointId, query)
}

/** Throws WEBHOOK_DELIVERY_NOT_FOUND. */
export const requireDelivery = async (ctx: Ctx, id: string): Promise<WebhookDelivery> => {
  requireManager(ctx.actor)
  const delivery = await findDelivery(ctx, id)
  if (!delivery) throw new ApiError('WEBHOOK_DELIVERY_NOT_FOUND')
  return delivery
}

/**
 * With its attempts and the bytes that were signed. Throws WEBHOOK_DELIVERY_NOT_FOUND, and INSUFFICIENT_SCOPE for a token
 * that couldn't read what those contain.
 */
export const getDelivery = async (ctx: Ctx, id: string): Promise<DeliveryDetails> => {
  const delivery = await requireDelivery(ctx, id)
  const content = await findContent(ctx, id)
  requireMayRead(ctx.actor, { eventTypes: [delivery.type], payload: content?.isFull ? 'full' : 'thin' })
  const attempts = await listAttempts(ctx, id)
  const requestBody = content?.body ?? (content?.event ? eventBody(content.event, content) : null)
  return { delivery, attempts, requestBody }
}
