// All SQL of the browsers that get desktop notifications.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'

const PER_ACCOUNT_MAX = 20

type Subscription = {
  id: string
  accountId: string
  hash: Buffer
  endpoint: string
  host: string
  publicKey: string
  authSecret: string
}

/** The oldest beyond 20 of a person are deleted. */
export const upsertSubscription = async (
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  { id, accountId, hash, endpoint, host, publicKey, authSecret }: Subscription,
): Promise<void> => {
  await sql`
    with others as (
      select id from push_subscriptions where account_id = ${accountId} and endpoint <> ${endpoint}
      order by created_at desc, id desc offset ${PER_ACCOUNT_MAX - 1}
    ), dropped as (
      delete from push_subscriptions where id in (select id from others)
    )
    insert into push_subscriptions (id, account_id, session_hash, endpoint, host, public_key, auth_secret, created_at)
    values (${id}, ${accountId}, ${hash}, ${endpoint}, ${host}, ${publicKey}, ${authSecret}, ${now()})
    on conflict (endpoint) do update set account_id = excluded.account_id, session_hash = excluded.session_hash,
      public_key = excluded.public_key, auth_secret = excluded.auth_secret`.execute(db)
}

export const deleteOwnSubscription = async (
  { db }: Pick<Ctx, 'db'>,
  { accountId, endpoint }: { accountId: string; endpoint: string },
): Promise<void> => {
  await db
    .deleteFrom('push_subscriptions')
    .where('account_id', '=', accountId)
    .where('endpoint', '=', endpoint)
    .execute()
}

/** The browser has unsubscribed. */
export const deleteSubscription = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('push_subscriptions').where('id', '=', id).execute()
}
