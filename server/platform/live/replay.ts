// Resuming from a cursor: what was recorded after an event, read from the table.
import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Epoch } from './epoch.ts'
import { type Listed, oldestOfOurs, type Position } from './settled.ts'

/** `cursor` is opaque to clients: where to resume. Of two cursors, the later one compares greater as a string. */
export type LiveEvent = {
  cursor: string
  workspaceId: string
  type: string
  conversationId: string | null
  contactId: string | null
  data: Record<string, unknown>
  createdAt: string
}

export type Row = Listed & Omit<LiveEvent, 'cursor'>

export const REPLAY_MAX = 500
/** How many events of all workspaces are searched for a workspace's own: some 20 ms. */
const REPLAY_LOOK_MAX = 20_000

const PART_LENGTH = 11
const CURSOR_PATTERN = /^[0-9a-z]{33}$/

const encodePart = (value: number): string => value.toString(36).padStart(PART_LENGTH, '0')
const encodeCursor = (epoch: Epoch, { tx, id }: Position): string =>
  encodePart(epoch.number) + encodePart(tx) + encodePart(id)

/** Undefined for a cursor of another epoch. */
const decodeCursor = (epoch: Epoch, cursor: string): Position | undefined => {
  if (!CURSOR_PATTERN.test(cursor) || !cursor.startsWith(encodePart(epoch.number))) return undefined
  const tx = Number.parseInt(cursor.slice(PART_LENGTH, 2 * PART_LENGTH), 36)
  const id = Number.parseInt(cursor.slice(2 * PART_LENGTH), 36)
  return Number.isSafeInteger(tx) && Number.isSafeInteger(id) ? { tx, id } : undefined
}

export const toEvent = (epoch: Epoch, { tx, id, isSettled: _, ...rest }: Row): LiveEvent => ({
  cursor: encodeCursor(epoch, { tx, id }),
  ...rest,
})

export const columns = sql`tx, id, workspace_id as "workspaceId", type, conversation_id as "conversationId",
  contact_id as "contactId", data, created_at as "createdAt"`

export const replayAfter = async (
  db: Db,
  epoch: Epoch,
  {
    workspaceId,
    conversationId,
    cursor,
  }: { workspaceId: string; conversationId: string | null; cursor: string },
): Promise<LiveEvent[] | null> => {
  const position = decodeCursor(epoch, cursor)
  if (!position) return null
  const { rows: found } = await sql<{ isKept: boolean }>`
    select exists (select from events where tx = ${position.tx} and id = ${position.id}) as "isKept"`.execute(
    db,
  )
  // If an event still exists, so do all later ones: they are deleted by age.
  if (!found[0]?.isKept) return null
  if (conversationId === null) return replayWorkspace(db, epoch, workspaceId, position)
  const { rows } = await sql<Row>`
    select ${columns}, true as "isSettled"
    from events
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
      and (tx, id) > (${position.tx}::bigint, ${position.id}::bigint) and tx < ${oldestOfOurs}
    order by tx, id
    limit ${sql.lit(REPLAY_MAX + 1)}`.execute(db)
  return rows.length > REPLAY_MAX ? null : rows.map((row) => toEvent(epoch, row))
}

/**
 * There is no index on a workspace's events, because every message would pay for it: all later events are scanned.
 */
const replayWorkspace = async (
  db: Db,
  epoch: Epoch,
  workspaceId: string,
  { tx, id }: Position,
): Promise<LiveEvent[] | null> => {
  const { rows } = await sql<Row & { place: number }>`
    select * from (
      select ${columns}, true as "isSettled", row_number() over (order by tx, id) as place
      from events
      where (tx, id) > (${tx}::bigint, ${id}::bigint) and tx < ${oldestOfOurs}
      order by tx, id
      limit ${sql.lit(REPLAY_LOOK_MAX)}
    ) later
    where "workspaceId" = ${workspaceId} or place = ${sql.lit(REPLAY_LOOK_MAX)}
    order by tx, id
    limit ${sql.lit(REPLAY_MAX + 2)}`.execute(db)
  const own = rows.filter((row) => row.workspaceId === workspaceId)
  if (own.length > REPLAY_MAX || rows.at(-1)?.place === REPLAY_LOOK_MAX) return null
  return own.map(({ place: _, ...row }) => toEvent(epoch, row))
}

export const findHead = async (db: Db, epoch: Epoch): Promise<string | null> => {
  const { rows } = await sql<Position>`
    select tx, id from events where tx < ${oldestOfOurs} order by tx desc, id desc limit 1`.execute(db)
  return rows[0] ? encodeCursor(epoch, rows[0]) : null
}
