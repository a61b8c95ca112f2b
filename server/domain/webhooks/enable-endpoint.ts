import { recordedActor } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { auditEndpoint } from './audit-endpoint.ts'
import { REPLAY_MAX } from './delivery-schema.ts'
import { announceWebhooks, findFeedHead, updateEndpointStatus } from './endpoint-queries.ts'
import { requireMayRead } from './entitled.ts'
import { fanOutTo } from './fan-out.ts'
import { getEndpoint, takeEndpoint } from './get-endpoints.ts'
import type { EndpointAnswer } from './schema.ts'

/**
 * Sends again, with what was pending and missed meanwhile, or without it. An endpoint whose token lost its rights is
 * from now on that of whoever enables it. Throws WEBHOOK_ENDPOINT_NOT_FOUND, INSUFFICIENT_SCOPE, and
 * VALIDATION_ERROR if more than 100,000 events were missed: those can be replayed in parts.
 */
export const enableEndpoint = (
  ctx: Ctx,
  id: string,
  { backlog }: { backlog: 'send' | 'skip' },
): Promise<EndpointAnswer> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await takeEndpoint(ctx, id)
    const { status, statusReason, missedSeq } = endpoint
    if (status === 'enabled') return getEndpoint(ctx, id)
    if (statusReason === 'scope_lost') requireMayRead(ctx.actor, endpoint)
    if (backlog === 'send' && missedSeq !== null) {
      const head = await findFeedHead(ctx)
      if (head - missedSeq >= REPLAY_MAX)
        throw invalid({
          field: 'backlog',
          message: `is more than ${REPLAY_MAX} events. Skip it, and replay what you need`,
        })
      if (head >= missedSeq) await fanOutTo(ctx, { endpointId: id, first: missedSeq, last: head })
    }
    await updateEndpointStatus(ctx, id, {
      status: 'enabled',
      statusReason: null,
      missedSeq: null,
      skippedAt: backlog === 'skip' ? ctx.now() : null,
      ...(statusReason === 'scope_lost' && { createdBy: recordedActor(ctx.actor) }),
    })
    await auditEndpoint(ctx, 'webhook.enabled', endpoint, { backlog: { to: backlog } })
    if (backlog === 'skip') await addJob(ctx, 'sweep_webhooks', {})
    await announceWebhooks(ctx.db)
    return getEndpoint(ctx, id)
  })
