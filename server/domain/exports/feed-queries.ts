// Where the feed stands in a snapshot, and what it has not numbered there.
import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import type { RecordedEvent } from '../feed/catalogue.ts'
import type { FeedPosition } from '../feed/cursor.ts'

/** More than this are not waited for. */
export const PENDING_MAX = 5_000

export type PendingEvent = RecordedEvent & {
  tx: number
  id: number
  conversationId: string | null
  requestId: string | null
  occurredAt: string
}

export type FeedHead = FeedPosition & {
  /** The database was restored, and the relay has not noticed yet. */
  isStale: boolean
  pending: PendingEvent[]
}

/** In a snapshot: the feed's position, and the events that are recorded but come later in it. */
export const findFeedHead = async (db: Db, workspaceId: string): Promise<FeedHead> => {
  const { rows } = await sql<Omit<FeedHead, 'pending'> & { tx: number; id: number }>`
    select coalesce(r.epoch, 0) as epoch, coalesce(h.seq, 0) as seq, r.tx, r.id,
      coalesce((select right(f.id, 8) from feed f where f.workspace_id = ${workspaceId} and f.seq = h.seq), '') as mark,
      coalesce(r.epoch <> (select number from event_epoch), false) as "isStale"
    from feed_relay r left join feed_heads h on h.workspace_id = ${workspaceId}`.execute(db)
  const { tx, id, ...head } = rows[0]!
  const { rows: pending } = await sql<PendingEvent>`
    select tx, id, type, actor, data, conversation_id as "conversationId", request_id as "requestId",
      created_at as "occurredAt"
    from events
    where (tx, id) > (${tx}::bigint, ${id}::bigint) and workspace_id = ${workspaceId}
    order by tx, id limit ${sql.lit(PENDING_MAX + 1)}`.execute(db)
  return { ...head, pending }
}

/** Whether the feed has come to an event. */
export const hasNumbered = async (
  db: Db,
  { epoch }: FeedPosition,
  { tx, id }: { tx: number; id: number },
): Promise<boolean> => {
  const { rows } = await sql<{ is: boolean }>`
    select coalesce(epoch = ${epoch} and (tx, id) >= (${tx}::bigint, ${id}::bigint), false) as is
    from feed_relay`.execute(db)
  return rows[0]!.is
}

export type NumberedEvent = {
  seq: number
  id: string
  type: string
  actor: string | null
  data: Record<string, unknown>
  conversationId: string | null
  requestId: string | null
  occurredAt: string
}

/** The first events after a number. */
export const listNumbered = async (
  db: Db,
  workspaceId: string,
  seq: number,
  limit: number,
): Promise<NumberedEvent[]> => {
  const { rows } = await sql<NumberedEvent>`
    select seq, id, type, actor, data, conversation_id as "conversationId", request_id as "requestId",
      occurred_at as "occurredAt"
    from feed where workspace_id = ${workspaceId} and seq > ${seq} order by seq limit ${limit}`.execute(db)
  return rows
}
