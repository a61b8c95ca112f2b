import type { Ctx } from '../../platform/ctx/ctx.ts'
import { type Changes, recordAudit } from '../audit/record-audit.ts'
import type { AuditAction } from '../audit/schema.ts'
import type { StoredEndpoint } from './endpoint-queries.ts'

/** In the transaction that does it. */
export const auditEndpoint = (
  ctx: Ctx,
  action: Extract<AuditAction, `webhook.${string}`>,
  { id, name }: Pick<StoredEndpoint, 'id' | 'name'>,
  changes?: Changes,
): Promise<void> =>
  recordAudit(ctx, { action, target: { type: 'webhook', id, name }, ...(changes && { changes }) })

/** For the audit log. A path can contain a key, so only the host of the URL. */
export const auditedFields = ({
  name,
  url,
  eventTypes,
  filter,
  payload,
  ordering,
  maxInFlight,
  headerNames,
}: StoredEndpoint) => ({
  name,
  host: new URL(url).host,
  eventTypes,
  filter,
  payload,
  ordering,
  maxInFlight,
  headerNames,
})
