import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { auditEndpoint } from './audit-endpoint.ts'
import { findFeedHead, updateEndpointStatus } from './endpoint-queries.ts'
import { getEndpoint, takeEndpoint } from './get-endpoints.ts'
import type { EndpointAnswer } from './schema.ts'

/** A paused endpoint keeps what is for it. Pausing a disabled one changes nothing. Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
export const pauseEndpoint = (ctx: Ctx, id: string): Promise<EndpointAnswer> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await takeEndpoint(ctx, id)
    if (endpoint.status === 'enabled') {
      const { missedSeq } = endpoint
      await updateEndpointStatus(ctx, id, { status: 'paused', statusReason: null, missedSeq })
      await auditEndpoint(ctx, 'webhook.paused', endpoint)
    }
    return getEndpoint(ctx, id)
  })

/**
 * A disabled endpoint keeps what was pending, and gets no more; enabling it can send the events that it missed. Throws
 * WEBHOOK_ENDPOINT_NOT_FOUND.
 */
export const disableEndpoint = (ctx: Ctx, id: string): Promise<EndpointAnswer> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await takeEndpoint(ctx, id)
    if (endpoint.status !== 'disabled') {
      await updateEndpointStatus(ctx, id, {
        status: 'disabled',
        statusReason: 'admin',
        missedSeq: (await findFeedHead(ctx)) + 1,
      })
      await auditEndpoint(ctx, 'webhook.disabled', endpoint)
      await record(ctx, {
        type: 'webhook_endpoint.disabled',
        data: { endpointId: id, since: endpoint.failingSince, reason: 'admin' },
      })
    }
    return getEndpoint(ctx, id)
  })
