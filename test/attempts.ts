import type { Db } from '../server/platform/db/pool.ts'

/** Our id of the latest attempt to send a message, which providers return to us. */
export const attemptOf = async (db: Db, messageId: string): Promise<string> => {
  const { id } = await db
    .selectFrom('deliveries')
    .select('id')
    .where('message_id', '=', messageId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return id
}
