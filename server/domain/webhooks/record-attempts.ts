// Records what came of a batch of attempts, of any endpoints, in one transaction: the deliveries, the log, the health of
// the endpoints, and who is next in each order.
import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { Attempt } from './attempt-delivery.ts'
import { type Advanced, advance, type Health } from './health.ts'
import { lockHealth, reopenDeliveries, updateHealth } from './health-queries.ts'
import type { ClaimedDelivery } from './send-queries.ts'
import { type CtxOf, type Trouble, tellOfTrouble } from './tell-of-trouble.ts'

export type Ended = {
  delivery: Pick<ClaimedDelivery, 'workspaceId' | 'endpointId' | 'id' | 'attempts' | 'tries' | 'asideAt'>
  attempt: Attempt
}

const keyOf = ({ workspaceId, endpointId }: { workspaceId: string; endpointId: string }): string =>
  `${workspaceId} ${endpointId}`

/** Eight statements at most, and those of tellOfTrouble. An attempt that is over already changes nothing. */
export const recordAttempts = async (
  db: Db,
  ended: readonly Ended[],
  { now, ctxOf }: { now: Date; ctxOf: CtxOf },
): Promise<void> => {
  const afterCommit = await db.transaction().execute(async (trx) => {
    const before = await lockHealth(
      trx,
      ended.map(({ delivery }) => delivery),
    )
    const health = new Map(before.map((one) => [keyOf(one), one.health]))
    const opened = new Map<string, { workspaceId: string; endpointId: string; sinceMs: number }>()
    const disabled = new Map<string, NonNullable<Advanced['disabled']>>()
    const troubles: Trouble[] = []
    const rows: ReturnType<typeof toRow>[] = []
    for (const one of ended) {
      const { workspaceId, endpointId } = one.delivery
      const key = keyOf(one.delivery)
      const known = health.get(key)
      if (!known) continue
      const advanced = advance(known, toAttempted(one), now.getTime())
      health.set(key, advanced.health)
      rows.push(toRow(one, advanced))
      if (advanced.hasOpened)
        opened.set(key, { workspaceId, endpointId, sinceMs: advanced.health.failingSinceMs! })
      if (advanced.disabled) disabled.set(key, advanced.disabled)
      if (advanced.disabled || advanced.isWarningDue)
        troubles.push({ workspaceId, endpointId, ...troubleOf(one.attempt, advanced) })
    }
    if (rows.length === 0) return undefined
    await writeAttempts(trx, rows)
    await updateHealth(
      trx,
      before.map((one) => ({
        ...one,
        health: health.get(keyOf(one)) as Health,
        statusReason: disabled.get(keyOf(one)) ?? null,
      })),
      now,
    )
    if (opened.size > 0) await reopenDeliveries(trx, [...opened.values()], now)
    const failed = rows.filter(({ state }) => state === 'pending')
    if (failed.length > 0) await holdBack(trx, failed, [...opened.values()], now)
    await callNext(
      trx,
      rows.map(({ workspaceId, id }) => ({ workspaceId, id })),
      now,
    )
    return troubles.length > 0 ? tellOfTrouble(trx, troubles, ctxOf) : undefined
  })
  afterCommit?.()
}

const troubleOf = ({ status, error }: Attempt, { health, disabled }: Advanced) => ({
  since: health.failingSinceMs === null ? null : iso(health.failingSinceMs),
  reason: disabled ?? (status === null ? (error?.code ?? 'UNKNOWN') : `HTTP ${status}`),
  warnings: disabled === null ? health.warnings : null,
})

const toAttempted = ({ delivery, attempt }: Ended) => ({
  id: delivery.id,
  atMs: attempt.at.getTime(),
  tries: delivery.tries,
  asideAtMs: delivery.asideAt === null ? null : Date.parse(delivery.asideAt),
  ending: attempt.ending,
  retryAfterMs: attempt.retryAfterMs,
})

const iso = (ms: number): string => new Date(ms).toISOString()

const toRow = ({ delivery, attempt }: Ended, { verdict }: Advanced) => ({
  workspaceId: delivery.workspaceId,
  id: delivery.id,
  number: delivery.attempts,
  state: verdict.state,
  tries: verdict.tries,
  isCounted: verdict.isCounted,
  notBefore: iso(verdict.notBeforeMs),
  asideAt: verdict.asideAtMs === null ? null : iso(verdict.asideAtMs),
  at: attempt.at.toISOString(),
  durationMs: attempt.durationMs,
  status: attempt.status,
  code: attempt.error?.code ?? null,
  error: attempt.error?.message ?? null,
  headers: attempt.responseHeaders,
  body: attempt.responseBody,
})

const writeAttempts = async (trx: Db, rows: readonly ReturnType<typeof toRow>[]): Promise<void> => {
  await sql`
    with ended as (
      update webhook_deliveries d
      set state = r.state, tries = r.tries, not_before = r."notBefore", aside_at = r."asideAt", claimed_by = null,
        last_at = r.at, last_status = r.status, last_error = r.error, duration_ms = r."durationMs"
      from ${rowsOf(rows)} as r ("workspaceId" text, id text, number integer, state text, tries integer,
        "isCounted" boolean, "notBefore" timestamptz, "asideAt" timestamptz, at timestamptz, "durationMs" integer,
        status integer, code text, error text, headers jsonb, body text)
      where d.workspace_id = r."workspaceId" and d.id = r.id and d.state = 'sending' and d.attempts = r.number
      returning r.*
    )
    insert into webhook_attempts (workspace_id, delivery_id, number, at, duration_ms, status, error_code, error,
      is_counted, response_headers, response_body)
    select "workspaceId", id, number, at, "durationMs", status, code, error, "isCounted", headers, body
    from ended`.execute(trx)
}

/**
 * When the circuit opens, one that had stepped aside takes its place again, and what had passed it waits behind it: both
 * what was taken back then, and what was on its way and fails later.
 */
const holdBack = async (
  trx: Db,
  failed: readonly { workspaceId: string; id: string }[],
  opened: readonly { workspaceId: string; endpointId: string }[],
  now: Date,
): Promise<void> => {
  await sql`
    with failed as (
      select "workspaceId" as workspace_id, id from ${rowsOf(failed)} as r ("workspaceId" text, id text)
      union
      select d.workspace_id, d.id
      from ${rowsOf(opened)} as r ("workspaceId" text, "endpointId" text)
        join webhook_deliveries d on d.workspace_id = r."workspaceId" and d.endpoint_id = r."endpointId"
          and d.state = 'pending' and d.attempts > 0
    )
    update webhook_deliveries d set state = 'held', not_before = 'infinity'
    from failed f
    where d.workspace_id = f.workspace_id and d.id = f.id and d.state = 'pending' and exists (
      select from webhook_deliveries o
      where o.workspace_id = d.workspace_id and o.endpoint_id = d.endpoint_id and o.order_key = d.order_key
        and o.state in ('pending', 'sending') and (o.aside_at is null or o.aside_at > ${now}) and o.id < d.id
    )`.execute(trx)
}

/**
 * Lets the next of each order go: at once when nothing before it is open, or when the one that fails steps aside. The
 * endpoints must be locked, as in fan-out.ts.
 */
export const callNext = async (
  trx: Db,
  ended: readonly { workspaceId: string; id: string }[],
  now: Date,
): Promise<void> => {
  await sql`
    with line as (
      select distinct d.workspace_id, d.endpoint_id, d.order_key
      from ${rowsOf(ended)} as r ("workspaceId" text, id text)
        join webhook_deliveries d on d.workspace_id = r."workspaceId" and d.id = r.id
      where d.order_key is not null
    ), next as (
      select n.workspace_id, n.id, b.id is null as is_free, b.aside_at
      from line l
        cross join lateral (
          select h.workspace_id, h.id from webhook_deliveries h
          where h.workspace_id = l.workspace_id and h.endpoint_id = l.endpoint_id and h.order_key = l.order_key
            and h.state = 'held'
          order by h.id
          limit 1
        ) n
        left join lateral (
          select o.id, o.aside_at from webhook_deliveries o
          where o.workspace_id = l.workspace_id and o.endpoint_id = l.endpoint_id and o.order_key = l.order_key
            and o.state in ('pending', 'sending') and (o.aside_at is null or o.aside_at > ${now})
          order by o.id
          limit 1
        ) b on true
    )
    update webhook_deliveries d
    set state = case when n.is_free then 'pending' else 'held' end,
      not_before = case when n.is_free then ${now}::timestamptz else coalesce(n.aside_at, 'infinity') end
    from next n
    where d.workspace_id = n.workspace_id and d.id = n.id and d.state = 'held'`.execute(trx)
}
