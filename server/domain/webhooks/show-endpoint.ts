import type { EndpointHealth, StoredEndpoint } from './endpoint-queries.ts'
import type { WebhookEndpoint } from './schema.ts'

/** As callers see it: without secrets and the values of headers. */
export const showEndpoint = (
  endpoint: StoredEndpoint,
  health: EndpointHealth | undefined,
  names: ReadonlyMap<string, string>,
): WebhookEndpoint => {
  const { id, name, url, status, statusReason, eventTypes, filter, payload, ordering, maxInFlight } = endpoint
  const [type = 'system', by = null] = endpoint.createdBy.split(':')
  return {
    id,
    name,
    url,
    status,
    statusReason,
    eventTypes,
    filter,
    payload,
    ordering,
    maxInFlight,
    headers: endpoint.headerNames.map((name) => ({ name, isSet: true })),
    externalRef: endpoint.externalRef,
    health: {
      pending: health?.pending ?? 0,
      oldestPendingAt: health?.oldestPendingAt ?? null,
      failingSince: endpoint.failingSince,
      lastSuccessAt: endpoint.lastSuccessAt,
      successRate24h: health?.successRate ?? null,
      p50Ms: health?.p50Ms ?? null,
      p95Ms: health?.p95Ms ?? null,
    },
    secretPrefix: endpoint.secretPrefix,
    previousSecretValidUntil: endpoint.previousSecretUntil,
    createdBy: { type, id: by, name: names.get(endpoint.createdBy) ?? null },
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
  }
}
