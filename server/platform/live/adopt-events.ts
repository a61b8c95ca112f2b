// Events that came from another server with a copied database. Their transaction numbers mean nothing here.
import type { Connection } from '../db/connection.ts'

/**
 * Deletes the events that the feed has passed on, makes the rest events of this transaction, and begins the next epoch:
 * cursors and open streams of the other server start over, and no event is lost.
 */
export const adoptEvents = async (
  client: Connection,
  { tx, id, maxId }: { tx: string; id: string; maxId: string },
): Promise<void> => {
  await client.query('delete from events where (tx, id) <= ($1::bigint, $2::bigint) and id <= $3::bigint', [
    tx,
    id,
    maxId,
  ])
  await client.query('update events set tx = pg_current_xact_id()::text::bigint')
  await client.query(
    `update event_epoch set number = greatest(number + 1, extract(epoch from clock_timestamp())::bigint), moved_to = null`,
  )
}
