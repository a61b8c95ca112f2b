import type { Connection } from '../../platform/db/connection.ts'

/** For a restored database without its key: the credentials of every channel have to be entered again. */
export const dropCredentials = async (client: Connection): Promise<void> => {
  await client.query('update channel_accounts set secrets = null where secrets is not null')
}
