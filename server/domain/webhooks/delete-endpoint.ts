import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { auditEndpoint } from './audit-endpoint.ts'
import { markEndpointDeleted } from './endpoint-queries.ts'
import { takeEndpoint } from './get-endpoints.ts'

/** From the commit on, nothing more is sent there. Its log is deleted in batches. Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
export const deleteEndpoint = (ctx: Ctx, id: string): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await takeEndpoint(ctx, id)
    await markEndpointDeleted(ctx, id)
    await auditEndpoint(ctx, 'webhook.deleted', endpoint)
    await addJob(ctx, 'sweep_webhooks', {})
    return { success: true }
  })
