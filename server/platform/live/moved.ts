// A database whose data was moved elsewhere keeps its copy, and says so: a server that starts on it would send again
// what the other one sends.
import { StartError } from '../start-error.ts'

/** A connection or a pool. */
type Asks = { query: <R extends object>(text: string, values?: unknown[]) => Promise<{ rows: R[] }> }

/** Throws StartError if the data was moved. */
export const checkNotMoved = async (client: Asks): Promise<void> => {
  const { rows } = await client.query<{ movedTo: string | null }>(
    'select moved_to as "movedTo" from event_epoch',
  )
  const { movedTo } = rows[0]!
  if (movedTo !== null)
    throw new StartError(
      `The data of this database was moved to ${movedTo}: set DATABASE_URL to that. To go on with this copy instead, run "foyer restored" first.`,
    )
}

export const setMovedTo = async (client: Asks, address: string): Promise<void> => {
  await client.query('update event_epoch set moved_to = $1', [address])
}
