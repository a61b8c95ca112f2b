// All SQL of sign-ins that wait for a second factor.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { SignInMethod } from '../../platform/db/tables.ts'

type Scope = Pick<Ctx, 'db' | 'now'>

/** Whether the account's owner has a second factor. */
export const hasPasskey = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<boolean> =>
  (await db
    .selectFrom('passkeys')
    .select('id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst()) !== undefined

export type Pending = { accountId: string; method: SignInMethod }

export const insertPending = async (
  { db, now }: Scope,
  { hash, accountId, method, expiresAt }: Pending & { hash: Buffer; expiresAt: Date },
): Promise<void> => {
  await db
    .insertInto('pending_sign_ins')
    .values({ hash, account_id: accountId, method, expires_at: expiresAt, created_at: now() })
    .execute()
}

/** Undefined if there is none with this hash, it has expired, or no tries are left. */
export const findPending = (
  { db, now }: Scope,
  { hash, triesMax }: { hash: Buffer; triesMax: number },
): Promise<Pending | undefined> =>
  db
    .selectFrom('pending_sign_ins')
    .select(['account_id as accountId', 'method'])
    .where('hash', '=', hash)
    .where('tries', '<', triesMax)
    .where('expires_at', '>', now().toISOString())
    .executeTakeFirst()

/** The same, and counts one try. Concurrent tries are counted one after the other. */
export const takePendingTry = (
  { db, now }: Scope,
  { hash, triesMax }: { hash: Buffer; triesMax: number },
): Promise<Pending | undefined> =>
  db
    .updateTable('pending_sign_ins')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('hash', '=', hash)
    .where('tries', '<', triesMax)
    .where('expires_at', '>', now().toISOString())
    .returning(['account_id as accountId', 'method'])
    .executeTakeFirst()

/** Whether it was still there: of any number of concurrent callers, for one it is. */
export const deletePending = async ({ db }: Pick<Ctx, 'db'>, hash: Buffer): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('pending_sign_ins')
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

export const deletePendingOf = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<void> => {
  await db.deleteFrom('pending_sign_ins').where('account_id', '=', accountId).execute()
}

/** Deletes what expired before a time, at most `limit`. Returns how many there were. */
export const deleteExpiredPending = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from pending_sign_ins where hash in (
      select hash from pending_sign_ins where expires_at < ${before} limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
