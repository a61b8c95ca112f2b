import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { auditEndpoint } from './audit-endpoint.ts'
import { updateEndpointRow } from './endpoint-queries.ts'
import { takeEndpoint } from './get-endpoints.ts'
import type { RotatedSecret } from './schema.ts'
import { makeSecret, openSecrets, prefixOf, sealSecrets } from './secrets.ts'

const OVERLAP_HOURS = 24
const HOUR_MS = 3_600_000

/**
 * Makes a new secret. Until the overlap ends, deliveries carry a signature of each; the one before those two is no
 * longer used. Throws WEBHOOK_ENDPOINT_NOT_FOUND.
 */
export const rotateSecret = (
  ctx: Ctx,
  id: string,
  { overlapHours = OVERLAP_HOURS }: { overlapHours?: number },
): Promise<RotatedSecret> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await takeEndpoint(ctx, id)
    // If they can't be opened, the headers have to be entered again.
    const { current, headers } = openSecrets(ctx.seal, endpoint) ?? { current: null, headers: {} }
    const secret = makeSecret()
    const now = ctx.now()
    const hasOverlap = overlapHours > 0 && current !== null
    const previousValidUntil = hasOverlap
      ? new Date(now.getTime() + overlapHours * HOUR_MS).toISOString()
      : null
    await updateEndpointRow(ctx, {
      ...endpoint,
      headerNames: Object.keys(headers),
      secrets: sealSecrets(ctx.seal, endpoint, {
        current: secret,
        previous: hasOverlap ? current : null,
        headers,
      }),
      secretPrefix: prefixOf(secret),
      previousSecretUntil: previousValidUntil,
      updatedAt: now.toISOString(),
    })
    await auditEndpoint(ctx, 'webhook.rotated', endpoint, {
      previousSecretValidUntil: { to: previousValidUntil },
    })
    return { secret, previousValidUntil }
  })
