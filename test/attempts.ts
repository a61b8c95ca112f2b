import type { Db } from '../server/db/pool.ts'

/** Our id of the newest attempt to send a message: what providers are given to hand back. */
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
