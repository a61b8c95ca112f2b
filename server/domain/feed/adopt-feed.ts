import type { Connection } from '../../platform/db/connection.ts'
import { adoptEvents } from '../../platform/live/adopt-events.ts'

type Place = { tx: string; id: string; maxId: string }

/** After copying a database to another server, in the same transaction: the feed goes on with what it has yet to number. */
export const adoptFeed = async (client: Connection): Promise<void> => {
  // A relay that has never run may have a place, before which there is nothing for it; every id is below it then.
  const { rows } = await client.query<Place>(
    `select tx, id, case when epoch is null then 9223372036854775807 else max_id end as "maxId" from feed_relay`,
  )
  await adoptEvents(client, rows[0]!)
  await client.query('update feed_relay set tx = 0, id = 0, epoch = (select number from event_epoch)')
}
