import { type Actor, recordedActor } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { changesBetween } from '../audit/record-audit.ts'
import { auditEndpoint, auditedFields } from './audit-endpoint.ts'
import { checkFilter, checkTypes } from './check-filter.ts'
import { type StoredEndpoint, updateEndpointRow } from './endpoint-queries.ts'
import { requireMayRead } from './entitled.ts'
import { getEndpoint, takeEndpoint } from './get-endpoints.ts'
import { readHeaders, readUrl } from './read-endpoint.ts'
import type { EndpointAnswer, WebhookEndpointChanges } from './schema.ts'
import { openSecrets, sealSecrets } from './secrets.ts'

/**
 * Changes what is given; `headers` replaces the list. If the origin of the URL changes, the values of headers must be
 * entered again: nobody may send a secret that they don't know to a server of their choice. What is pending goes to
 * the new URL. An endpoint that a token sends elsewhere is from now on that of the token, and ends with it. Throws WEBHOOK_ENDPOINT_NOT_FOUND and VALIDATION_ERROR.
 */
export const updateEndpoint = async (
  ctx: Ctx,
  id: string,
  changes: WebhookEndpointChanges,
): Promise<EndpointAnswer> => {
  const { headers, url: givenUrl, ...rest } = changes
  checkTypes(rest.eventTypes, 'eventTypes')
  const url = givenUrl === undefined ? undefined : await readUrl(givenUrl)
  return inTransaction(ctx, async (ctx) => {
    const before = await takeEndpoint(ctx, id)
    requireMayRead(ctx.actor, { ...before, ...rest })
    if (rest.filter) await checkFilter(ctx, rest.filter)
    const after: StoredEndpoint = {
      ...before,
      ...rest,
      ...(url !== undefined && { url, createdBy: ownerOf(ctx.actor, before, url) }),
      ...changedSecrets(ctx, before, url, headers),
      updatedAt: ctx.now().toISOString(),
    }
    await updateEndpointRow(ctx, after)
    const changed = changesBetween(auditedFields(before), auditedFields(after))
    await auditEndpoint(ctx, 'webhook.updated', after, changed)
    return getEndpoint(ctx, id)
  })
}

const ownerOf = (actor: Actor, { url: before, createdBy }: StoredEndpoint, url: string): string =>
  actor.type === 'token' && url !== before ? recordedActor(actor) : createdBy

const changedSecrets = (
  ctx: Ctx,
  before: StoredEndpoint,
  url: string | undefined,
  headers: WebhookEndpointChanges['headers'],
): Partial<StoredEndpoint> => {
  const isElsewhere = url !== undefined && new URL(url).origin !== new URL(before.url).origin
  if (headers === undefined && !(isElsewhere && before.headerNames.length > 0)) return {}
  const secrets = openSecrets(ctx.seal, before)
  const given = headers ?? before.headerNames.map((name) => ({ name }))
  const values = readHeaders(given, isElsewhere ? {} : (secrets?.headers ?? {}))
  if (!secrets) return {}
  return {
    headerNames: Object.keys(values),
    secrets: sealSecrets(ctx.seal, before, { ...secrets, headers: values }),
  }
}
