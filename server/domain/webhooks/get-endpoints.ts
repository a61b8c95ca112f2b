import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { nameActors } from '../feed/queries.ts'
import {
  findEndpoint,
  listEndpointRows,
  listHealth,
  lockEndpoint,
  type StoredEndpoint,
} from './endpoint-queries.ts'
import { requireManager } from './entitled.ts'
import type { EndpointAnswer, WebhookEndpoint } from './schema.ts'
import { showEndpoint } from './show-endpoint.ts'

const orThrow = (endpoint: StoredEndpoint | undefined): StoredEndpoint => {
  if (!endpoint) throw new ApiError('WEBHOOK_ENDPOINT_NOT_FOUND')
  return endpoint
}

/** Throws WEBHOOK_ENDPOINT_NOT_FOUND and INSUFFICIENT_SCOPE. */
export const requireEndpoint = async (ctx: Ctx, id: string): Promise<StoredEndpoint> => {
  requireManager(ctx.actor)
  return orThrow(await findEndpoint(ctx, id))
}

/** The same, locked until the transaction ends. */
export const takeEndpoint = async (ctx: Ctx, id: string): Promise<StoredEndpoint> => {
  requireManager(ctx.actor)
  return orThrow(await lockEndpoint(ctx, id))
}

/** The oldest first. */
export const listEndpoints = async (ctx: Ctx): Promise<{ webhookEndpoints: WebhookEndpoint[] }> => {
  requireManager(ctx.actor)
  const rows = await listEndpointRows(ctx)
  const health = new Map((await listHealth(ctx, null)).map((one) => [one.id, one]))
  const names = await namesOf(ctx, rows)
  return { webhookEndpoints: rows.map((row) => showEndpoint(row, health.get(row.id), names)) }
}

/** Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
export const getEndpoint = async (ctx: Ctx, id: string): Promise<EndpointAnswer> => {
  const endpoint = await requireEndpoint(ctx, id)
  const [health] = await listHealth(ctx, id)
  return { webhookEndpoint: showEndpoint(endpoint, health, await namesOf(ctx, [endpoint])) }
}

/** Who made them, by the actor as recorded. */
const namesOf = (ctx: Ctx, rows: readonly StoredEndpoint[]): Promise<Map<string, string>> =>
  nameActors(ctx, [...new Set(rows.map(({ createdBy }) => createdBy))])
