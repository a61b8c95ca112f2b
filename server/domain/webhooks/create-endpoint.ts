import { recordedActor } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { changesBetween } from '../audit/record-audit.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { auditEndpoint, auditedFields } from './audit-endpoint.ts'
import { checkFilter, checkTypes } from './check-filter.ts'
import { insertEndpoint, listEndpointRows, type StoredEndpoint } from './endpoint-queries.ts'
import { requireManager, requireMayRead } from './entitled.ts'
import { getEndpoint } from './get-endpoints.ts'
import { readHeaders, readUrl } from './read-endpoint.ts'
import { type CreatedEndpoint, ENDPOINTS_MAX, type NewWebhookEndpoint } from './schema.ts'
import { makeSecret, prefixOf, sealSecrets } from './secrets.ts'

const IN_FLIGHT = 10

/**
 * Creates an endpoint, which gets events from now on. An `externalRef` that exists returns its endpoint as it is,
 * without the secret. Throws VALIDATION_ERROR, INSUFFICIENT_SCOPE, and WEBHOOK_LIMIT_REACHED beyond 20 endpoints.
 */
export const createEndpoint = async (ctx: Ctx, input: NewWebhookEndpoint): Promise<CreatedEndpoint> => {
  requireManager(ctx.actor)
  const { eventTypes = null, payload = 'thin' } = input
  requireMayRead(ctx.actor, { eventTypes, payload })
  checkTypes(eventTypes, 'eventTypes')
  const url = await readUrl(input.url)
  const headers = readHeaders(input.headers ?? [], {})
  return inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const others = await listEndpointRows(ctx)
    const same = others.find(
      ({ externalRef }) => externalRef !== null && externalRef === (input.externalRef ?? null),
    )
    if (same) return { ...(await getEndpoint(ctx, same.id)), secret: null }
    if (others.length >= ENDPOINTS_MAX) throw new ApiError('WEBHOOK_LIMIT_REACHED')
    await checkFilter(ctx, input.filter ?? {})
    const id = ctx.newId()
    const secret = makeSecret()
    const at = ctx.now().toISOString()
    const endpoint: StoredEndpoint = {
      workspaceId: ctx.workspaceId,
      id,
      name: input.name ?? new URL(url).host,
      url,
      status: 'enabled',
      statusReason: null,
      eventTypes,
      filter: input.filter ?? {},
      payload,
      ordering: input.ordering ?? 'conversation',
      maxInFlight: input.maxInFlight ?? IN_FLIGHT,
      headerNames: Object.keys(headers),
      secrets: sealSecrets(
        ctx.seal,
        { workspaceId: ctx.workspaceId, id },
        { current: secret, previous: null, headers },
      ),
      secretPrefix: prefixOf(secret),
      previousSecretUntil: null,
      externalRef: input.externalRef ?? null,
      createdBy: recordedActor(ctx.actor),
      createdAt: at,
      updatedAt: at,
      failingSince: null,
      lastSuccessAt: null,
      lastSeq: null,
      missedSeq: null,
      skippedAt: null,
    }
    await insertEndpoint(ctx, endpoint)
    await auditEndpoint(ctx, 'webhook.created', endpoint, changesBetween({}, auditedFields(endpoint)))
    return { ...(await getEndpoint(ctx, id)), secret }
  })
}
