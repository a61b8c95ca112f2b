// Sends webhooks. A part of the worker of its own, with slots and connections of its own: receivers that hang never slow
// down what goes to customers. The table of deliveries is the queue; a commit announces what is due, and a check of the
// table every second finds the rest.
import { type Attempt, attemptDelivery } from '../domain/webhooks/attempt-delivery.ts'
import { WEBHOOKS_CHANNEL } from '../domain/webhooks/endpoint-queries.ts'
import { eventBody } from '../domain/webhooks/event-body.ts'
import { type Ended, recordAttempts } from '../domain/webhooks/record-attempts.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DueEndpoint,
  listDueEndpoints,
  returnClaims,
} from '../domain/webhooks/send-queries.ts'
import { dropDeliveries } from '../domain/webhooks/sweep-queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { listenAlong } from '../platform/db/listen-along.ts'
import { makeDb, makePool } from '../platform/db/pool.ts'
import { webhookAttempts, webhookSeconds } from '../platform/metrics.ts'
import { inSpan } from '../platform/tracing.ts'
import type { JobDeps } from './deps.ts'
import { withRetries } from './hand-over.ts'
import { makeLook } from './make-look.ts'
import { makeWebhookSlots } from './webhook-slots.ts'

const CONNECTIONS = 2
const ENDPOINTS_MAX = 1_000
const RECORDED_MAX = 500
/** No request takes this long: whoever claimed it is gone or lost it. */
const CLAIM_MS = 60_000
const SWEEP_MS = 20_000

type Options = { connectionString: string; pollMs: number }

export const startWebhookSender = async (
  deps: JobDeps,
  { connectionString, pollMs }: Options,
): Promise<{ stop: () => Promise<void> }> => {
  const pool = makePool({
    connectionString,
    max: CONNECTIONS,
    applicationName: 'foyer webhooks',
    onError: (error) => deps.log.warn({ err: error }, 'a connection for webhooks was lost'),
  })
  const db = makeDb(pool)
  const slots = makeWebhookSlots()
  const running = new Set<Promise<void>>()
  const record = makeRecorder(deps, (ended) =>
    recordAttempts(db, ended, {
      now: deps.now(),
      ctxOf: (workspaceId) => systemCtx(deps, workspaceId),
    }),
  )
  let isStopping = false
  let cursor: { workspaceId: string; id: string } | null = null

  const send = async (endpoint: DueEndpoint, delivery: ClaimedDelivery): Promise<void> => {
    const body = delivery.body ?? (delivery.event && eventBody(delivery.event, delivery))
    if (body === null) return withRetries(deps, () => dropDeliveries(db, [delivery], 'expired', deps.now()))
    const { eventId, kind, attempts } = delivery
    const attributes = { 'foyer.workspace_id': delivery.workspaceId, 'foyer.endpoint_id': endpoint.id }
    // A replay was caused by whoever asked for it, later.
    const parent = kind === 'live' ? (delivery.event?.traceparent ?? null) : null
    const attempt = await inSpan('send webhook', { kind: 'client', parent, attributes }, async (span) => {
      const attempt = await attemptDelivery(deps, endpoint, { eventId, body, kind, attempt: attempts })
      span.set({ 'foyer.ending': attempt.ending, 'foyer.attempt': attempts })
      if (attempt.error) span.fail(attempt.error.code)
      return attempt
    })
    webhookAttempts.inc({ ending: attempt.ending })
    webhookSeconds.observe(attempt.durationMs / 1_000)
    await record({ delivery, attempt })
    logAttempt(deps, delivery, attempt)
  }

  const start = (endpoint: DueEndpoint, delivery: ClaimedDelivery): void => {
    const give = slots.take(endpoint.id, check)
    const work = send(endpoint, delivery)
      .catch((error: unknown) => {
        const { workspaceId, endpointId, id: deliveryId } = delivery
        deps.log.warn({ err: error, workspaceId, endpointId, deliveryId }, 'a webhook could not be recorded')
      })
      .finally(() => {
        give()
        running.delete(work)
        check()
      })
    running.add(work)
  }

  const startDue = async (): Promise<void> => {
    const { due, next } = await listDueEndpoints(db, deps.now(), cursor, ENDPOINTS_MAX)
    cursor = next
    const shares = slots.share(due)
    if (shares.length === 0) return
    const endpoints = new Map(due.map((one) => [one.id, one]))
    const claimed = await claimDeliveries(db, deps.now(), shares)
    for (const delivery of claimed) start(endpoints.get(delivery.endpointId)!, delivery)
  }

  const { wake: check, current } = makeLook({
    look: startDue,
    isStopping: () => isStopping,
    onError: (error) => deps.log.warn({ err: error }, 'due webhooks could not be looked up'),
  })

  const sweep = () =>
    returnClaims(db, deps.now(), {
      claimants: [],
      before: new Date(deps.now().getTime() - CLAIM_MS),
    }).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'abandoned claims of webhooks could not be returned'),
    )
  const listener = await listenAlong({
    connectionString,
    channel: WEBHOOKS_CHANNEL,
    onNotified: check,
    onListening: check,
    log: deps.log,
  })
  const polling = setInterval(check, pollMs)
  const sweeping = setInterval(() => void sweep(), SWEEP_MS)
  check()

  return {
    stop: async () => {
      isStopping = true
      clearInterval(polling)
      clearInterval(sweeping)
      await listener.close()
      await current()
      await Promise.all(running)
      await pool.end()
    },
  }
}

/** Ids and codes only: addresses, headers and events may be private. */
const logAttempt = (
  { log }: JobDeps,
  delivery: ClaimedDelivery,
  { ending, status, error, durationMs }: Attempt,
): void => {
  const { workspaceId, endpointId, id: deliveryId, attempts } = delivery
  const details = {
    workspaceId,
    endpointId,
    deliveryId,
    attempts,
    ending,
    status,
    code: error?.code,
    durationMs,
  }
  log.debug(details, 'a webhook was sent')
}

/** Attempts that end while a batch is being recorded are recorded together. Resolves once that one is. */
const makeRecorder = (deps: JobDeps, write: (ended: readonly Ended[]) => Promise<void>) => {
  let waiting: { ended: Ended; done: () => void; failed: (error: unknown) => void }[] = []
  let isWriting = false
  const flush = async (): Promise<void> => {
    if (isWriting) return
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, RECORDED_MAX)
      waiting = waiting.slice(RECORDED_MAX)
      try {
        await withRetries(deps, () => write(batch.map(({ ended }) => ended)))
        for (const { done } of batch) done()
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    isWriting = false
  }
  return (ended: Ended): Promise<void> =>
    new Promise((done, failed) => {
      waiting.push({ ended, done, failed })
      // Those that end in the same turn go together.
      setImmediate(() => void flush())
    })
}
