// The sender without a network, in a time of its own: days pass in a moment.
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import type { Attempt } from '../attempt-delivery.ts'
import type { Ending } from '../health.ts'
import { recordAttempts } from '../record-attempts.ts'
import { type ClaimedDelivery, claimDeliveries, listDueEndpoints } from '../send-queries.ts'
import type { CtxOf } from '../tell-of-trouble.ts'

const ENDPOINTS_MAX = 100
const PLACES = 10

type Options = {
  ctxOf: CtxOf
  clock: { now: () => Date }
  /** What the receiver says. */
  answer: (delivery: ClaimedDelivery, nowMs: number) => Ending
  onClaimed?: (claimed: readonly ClaimedDelivery[]) => Promise<void> | void
  /** Which of those in flight end together, and first. */
  random?: () => number
  /** Called with each new time; may add events. */
  onTime?: (nowMs: number) => Promise<void>
  untilMs: number
}

/** Sends what is due until then, or until nothing is left. Returns the events that were delivered, in order. */
export const drive = async (
  db: Db,
  { ctxOf, clock, answer, onClaimed, random = Math.random, onTime, untilMs }: Options,
): Promise<ClaimedDelivery[]> => {
  const delivered: ClaimedDelivery[] = []
  let inFlight: ClaimedDelivery[] = []
  let nowMs = clock.now().getTime()
  const setTime = async (ms: number) => {
    nowMs = ms
    clock.now = () => new Date(nowMs)
    await onTime?.(nowMs)
  }
  while (nowMs < untilMs) {
    const { due } = await listDueEndpoints(db, clock.now(), null, ENDPOINTS_MAX)
    const claimed =
      due.length === 0
        ? []
        : await claimDeliveries(
            db,
            clock.now(),
            due.map(({ workspaceId, id }) => ({ workspaceId, endpointId: id, places: PLACES })),
          )
    await onClaimed?.(claimed)
    inFlight = [...inFlight, ...claimed].sort(() => random() - 0.5)
    if (inFlight.length === 0) {
      const next = await findNextTime(db)
      if (next === null) return delivered
      await setTime(Math.max(next, nowMs + 1))
      continue
    }
    const ending = inFlight.splice(0, Math.ceil(random() * inFlight.length))
    const ended = ending.map((delivery) => ({ delivery, attempt: attemptOf(answer(delivery, nowMs), nowMs) }))
    for (const { delivery, attempt } of ended) if (attempt.ending === 'delivered') delivered.push(delivery)
    await recordAttempts(db, ended, { now: clock.now(), ctxOf })
    await setTime(nowMs + 10)
  }
  return delivered
}

const attemptOf = (ending: Ending, nowMs: number): Attempt => ({
  ending,
  at: new Date(nowMs),
  timestamp: String(Math.floor(nowMs / 1_000)),
  durationMs: 1,
  status: ending === 'silent' ? null : ending === 'delivered' ? 200 : 500,
  error: ending === 'delivered' ? null : { code: 'STATUS', message: 'no' },
  retryAfterMs: 0,
  responseHeaders: null,
  responseBody: null,
})

/** When something may be sent next; null once nothing waits. */
const findNextTime = async (db: Db): Promise<number | null> => {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(greatest(d.not_before, e.probe_at)))::float8 * 1000 as ms
    from webhook_deliveries d join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
    where d.state in ('pending', 'held') and d.not_before < 'infinity' and e.status = 'enabled'`.execute(db)
  return rows[0]!.ms
}
