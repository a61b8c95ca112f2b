// All SQL of the key pair that push services know this installation by.
import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'

type SealedKeys = { publicKey: string; privateKey: Buffer }

export const findPushKeys = async (db: Db): Promise<SealedKeys | undefined> =>
  db
    .selectFrom('push_keys')
    .select(['public_key as publicKey', 'private_key as privateKey'])
    .executeTakeFirst()

/** Returns the pair that is stored: of two processes that make one, the first one's. */
export const insertPushKeys = async (db: Db, { publicKey, privateKey }: SealedKeys): Promise<SealedKeys> => {
  await sql`
    insert into push_keys (public_key, private_key, created_at) values (${publicKey}, ${privateKey}, now())
    on conflict do nothing`.execute(db)
  return (await findPushKeys(db))!
}

/** Unless another process has replaced it. Deletes the subscriptions that were made with it. */
export const replacePushKeys = async (
  db: Db,
  before: string,
  { publicKey, privateKey }: SealedKeys,
): Promise<void> => {
  await sql`
    with replaced as (
      update push_keys set public_key = ${publicKey}, private_key = ${privateKey}, created_at = now()
      where public_key = ${before} returning 1
    )
    delete from push_subscriptions where exists (select from replaced)`.execute(db)
}
