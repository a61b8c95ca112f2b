import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import type { Position } from '../../platform/live/settled.ts'

/** Announces commits that numbered events: `<workspace>:<last number>`, comma-separated. */
export const FEED_CHANNEL = 'foyer_feed'

/** Where the relay is: the last event that it passed on, of which epoch, and the greatest id of any. */
export type RelayPlace = Position & { maxId: number; epoch: number | null }

/** An event with its number. */
export type FeedRow = {
  workspaceId: string
  seq: number
  id: string
  type: string
  channel: ChannelName | null
  conversationId: string | null
  contactId: string | null
  /** As recordedActor writes it. */
  actor: string | null
  requestId: string | null
  data: Record<string, unknown>
  occurredAt: string
  /** The epoch; null for events of earlier releases. */
  numberedIn: number | null
}

/** Its workspace is certain to exist; its channel and contact may be those of its conversation. */
export type NewFeedRow = Omit<FeedRow, 'channel' | 'numberedIn'> & {
  /** The trace in which it happened. */
  traceparent?: string | null
}

const place = sql`tx, id, max_id as "maxId", epoch`

export const findRelayPlace = async (db: Db): Promise<RelayPlace> => {
  const { rows } = await sql<RelayPlace>`select ${place} from feed_relay`.execute(db)
  return rows[0]!
}

/** Whether the database has begun another epoch than the relay's. */
export const isEpochOver = async (db: Db, { epoch }: RelayPlace): Promise<boolean> => {
  const { rows } = await sql<{ isOver: boolean }>`
    select number <> ${epoch} as "isOver" from event_epoch`.execute(db)
  return rows[0]!.isOver
}

/** The same, locked until the transaction ends: what two relays pass on at once is passed on by one of them. */
export const lockRelayPlace = async (db: Db): Promise<RelayPlace & { isEpoch: boolean }> => {
  const { rows } = await sql<RelayPlace & { isEpoch: boolean }>`
    select ${place}, epoch = (select number from event_epoch) as "isEpoch" from feed_relay for update`.execute(
    db,
  )
  return rows[0]!
}

export const setRelayEpoch = async (
  db: Db,
  from: RelayPlace,
  to: Position & { epoch: number },
): Promise<void> => {
  await sql`
    update feed_relay set tx = ${to.tx}, id = ${to.id}, epoch = ${to.epoch}
    where tx = ${from.tx} and id = ${from.id} and epoch is not distinct from ${from.epoch}::bigint`.execute(
    db,
  )
}

/** Takes as many numbers in each workspace, and returns the last. A workspace that doesn't exist has none. */
export const takeNumbers = async (
  db: Db,
  counts: readonly { workspaceId: string; count: number }[],
): Promise<Map<string, number>> => {
  const { rows } = await sql<{ workspaceId: string; seq: number }>`
    insert into feed_heads as h (workspace_id, seq)
    select w.id, c.count from ${rowsOf(counts)} as c ("workspaceId" text, count bigint)
    join workspaces w on w.id = c."workspaceId"
    order by w.id
    on conflict (workspace_id) do update set seq = h.seq + excluded.seq
    returning workspace_id as "workspaceId", seq`.execute(db)
  return new Map(rows.map(({ workspaceId, seq }) => [workspaceId, seq]))
}

/** Their channel, and the contact where none is named, are those of the conversation. */
export const insertFeedRows = async (
  db: Db,
  events: readonly NewFeedRow[],
  now: Date,
): Promise<Pick<FeedRow, 'id' | 'channel' | 'contactId' | 'numberedIn'>[]> => {
  const { rows } = await sql<Pick<FeedRow, 'id' | 'channel' | 'contactId' | 'numberedIn'>>`
    insert into feed (workspace_id, seq, id, type, channel, conversation_id, contact_id, actor, request_id, data,
      occurred_at, numbered_at, epoch, traceparent)
    select e."workspaceId", e.seq, e.id, e.type, c.channel, e."conversationId", coalesce(e."contactId", c.contact_id),
      e.actor, e."requestId", e.data, e."occurredAt", greatest(${now}, r.numbered_at), r.epoch, e.traceparent
    from ${rowsOf(events)} as e ("workspaceId" text, seq bigint, id text, type text, "conversationId" text,
      "contactId" text, actor text, "requestId" text, traceparent text, data jsonb, "occurredAt" timestamptz)
    cross join feed_relay r
    left join conversations c on c.workspace_id = e."workspaceId" and c.id = e."conversationId"
    returning id, channel, contact_id as "contactId", epoch as "numberedIn"`.execute(db)
  return rows
}

export const moveRelay = async (
  db: Db,
  { tx, id, maxId }: Position & { maxId: number },
  now: Date,
): Promise<void> => {
  await sql`
    update feed_relay set tx = ${tx}, id = ${id}, max_id = greatest(max_id, ${maxId}::bigint),
      numbered_at = greatest(numbered_at, ${now})`.execute(db)
}

/** Of workspaces in one announcement: it may have 8,000 bytes. */
const ANNOUNCED_MAX = 150

/** Sent by the commit. */
export const announceNumbers = async (db: Db, heads: ReadonlyMap<string, number>): Promise<void> => {
  const all = [...heads].map(([workspaceId, seq]) => `${workspaceId}:${seq}`)
  const payloads = Array.from({ length: Math.ceil(all.length / ANNOUNCED_MAX) }, (_, index) =>
    all.slice(index * ANNOUNCED_MAX, (index + 1) * ANNOUNCED_MAX).join(','),
  )
  await sql`select pg_notify(${sql.lit(FEED_CHANNEL)}, p) from unnest(${payloads}::text[]) p`.execute(db)
}
