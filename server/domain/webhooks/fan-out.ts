// Gives each endpoint its deliveries of new events. The endpoints are read with each batch rather than kept in memory:
// that is one look at an index, and an event is never lost because an endpoint was added a moment before.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { newIdAfter } from '../../platform/db/id.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { keepObjects } from '../feed/keep-objects.ts'
import type { FeedRow } from '../feed/relay-queries.ts'
import { WEBHOOKS_CHANNEL } from './endpoint-queries.ts'
import { matches } from './matching.ts'

export type Numbered = Pick<FeedRow, 'workspaceId' | 'seq' | 'id' | 'type' | 'data'>

/** Events first to last of a workspace, in its feed. */
type Range = { workspaceId: string; first: number; last: number }

/**
 * Inserts the deliveries of events that were just numbered, in the transaction that numbered them. Two statements, or
 * one if no workspace among them has an endpoint. `ctxOf` is for workspaces with an endpoint that wants to see what
 * events are about, as it is now: one statement more for each kind of thing, and one to keep them.
 */
export const fanOut = async (
  trx: Db,
  events: readonly Numbered[],
  { now, ctxOf }: { now: Date; ctxOf: (workspaceId: string) => Ctx },
): Promise<void> => {
  const ranges = rangesOf(events)
  if (ranges.length === 0) return
  const { rows } = await sql<{ workspaceId: string; isFull: boolean }>`
    select workspace_id as "workspaceId", payload = 'full' as "isFull" from webhook_endpoints
    where workspace_id = any (${ranges.map(({ workspaceId }) => workspaceId)}::text[]) and deleted_at is null
    order by workspace_id, id
    for no key update`.execute(trx)
  const counts = Map.groupBy(rows, ({ workspaceId }) => workspaceId)
  const wanted = ranges.filter(({ workspaceId }) => counts.has(workspaceId))
  if (wanted.length === 0) return
  const most = wanted.reduce(
    (sum, { workspaceId, first, last }) => sum + (last - first + 1) * counts.get(workspaceId)!.length,
    0,
  )
  await insertLive(trx, wanted, sql`e.status <> 'disabled'`, most, now)
  for (const [workspaceId, list] of counts)
    if (list.some(({ isFull }) => isFull))
      await keepObjects(
        { ...ctxOf(workspaceId), db: trx },
        events.filter((event) => event.workspaceId === workspaceId),
      )
}

/** The events that an endpoint missed. For the holder of its lock. */
export const fanOutTo = async (
  ctx: Ctx,
  { endpointId, first, last }: { endpointId: string; first: number; last: number },
): Promise<void> => {
  const { db, workspaceId, now } = ctx
  await insertLive(db, [{ workspaceId, first, last }], sql`e.id = ${endpointId}`, last - first + 1, now())
}

const rangesOf = (events: readonly Pick<Numbered, 'workspaceId' | 'seq'>[]): Range[] =>
  [...Map.groupBy(events, ({ workspaceId }) => workspaceId)].map(([workspaceId, list]) => {
    const numbers = list.map(({ seq }) => seq)
    return { workspaceId, first: Math.min(...numbers), last: Math.max(...numbers) }
  })

/** What goes one after the other, in the collation of the index that finds what is open of it. */
export const ORDER_KEY = sql`case e.ordering
  when 'strict' then 'all'
  when 'conversation' then coalesce(f.conversation_id, f.contact_id, f.type) end collate "default"`

/**
 * One that has another before it is held: until that one is through, or steps aside. The endpoints must be locked, so
 * that none before it gets through unseen.
 */
const insertLive = async (
  db: Db,
  ranges: readonly Range[],
  condition: RawBuilder<unknown>,
  idsMax: number,
  now: Date,
): Promise<void> => {
  const ids = Array.from({ length: idsMax }, () => newIdAfter())
  await sql`
    with matched as (
      select e.workspace_id, e.id as endpoint_id, e.payload = 'full' as is_full, f.id as event_id, f.seq, f.type,
        f.conversation_id, ${ORDER_KEY} as order_key,
        row_number() over (order by f.seq, e.id) as place,
        coalesce(lag(f.seq) over (partition by e.workspace_id, e.id order by f.seq), e.last_seq) as previous_seq
      from ${rowsOf(ranges)} as r ("workspaceId" text, first bigint, last bigint)
        join feed f on f.workspace_id = r."workspaceId" and f.seq between r.first and r.last
        join webhook_endpoints e on e.workspace_id = f.workspace_id and e.deleted_at is null and ${condition}
      where ${matches}
    ), inserted as (
      insert into webhook_deliveries (workspace_id, id, endpoint_id, event_id, seq, previous_seq, type, conversation_id,
        kind, is_full, order_key, state, not_before, created_at)
      select m.workspace_id, (${ids}::text[])[m.place], m.endpoint_id, m.event_id, m.seq, m.previous_seq, m.type,
        m.conversation_id, 'live', m.is_full, m.order_key,
        case when is_held then 'held' else 'pending' end,
        case when not is_held then ${now}::timestamptz
          when is_first and b.state <> 'held' and b.aside_at is not null then b.aside_at
          else 'infinity' end,
        ${now}::timestamptz
      from (
        select m.*, row_number() over (partition by m.workspace_id, m.endpoint_id, m.order_key order by m.seq) = 1 as is_first
        from matched m
      ) m
      left join lateral (
        select o.state, o.aside_at from webhook_deliveries o
        where o.workspace_id = m.workspace_id and o.endpoint_id = m.endpoint_id and o.order_key = m.order_key
          and o.state in ('pending', 'held', 'sending') and (o.aside_at is null or o.aside_at > ${now})
        order by o.id desc
        limit 1
      ) b on m.is_first
      cross join lateral (
        select m.order_key is not null and (not m.is_first or b.state is not null) as is_held
      ) h
      returning workspace_id, endpoint_id, seq
    )
    update webhook_endpoints e set last_seq = i.seq
    from (select workspace_id, endpoint_id, max(seq) as seq from inserted group by 1, 2) i
    where e.workspace_id = i.workspace_id and e.id = i.endpoint_id
    returning pg_notify(${WEBHOOKS_CHANNEL}, '')`.execute(db)
}
