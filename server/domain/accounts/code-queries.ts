// All SQL of sign-in codes: who requested one and how many tries are left.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'

type Scope = Pick<Ctx, 'db' | 'now'>

/** Serializes requests for the same email until their transactions end, so that they can be counted. */
export const lockEmail = async ({ db }: Pick<Ctx, 'db'>, email: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${email}, 3))`.execute(db)
}

/** Mails with a code or a link, recently and within a day. */
export type Asked = { recent: number; day: number; codes: number }

/**
 * What was mailed to an email since two points in time: to the current requester, and to all browsers that have not
 * signed in before.
 */
export const countCodeRequests = async (
  { db }: Pick<Ctx, 'db'>,
  {
    email,
    asker,
    recentSince,
    daySince,
  }: { email: string; asker: string; recentSince: Date; daySince: Date },
): Promise<{ own: Asked; strangers: Asked }> => {
  const counts = (which: RawBuilder<unknown>) => sql`json_build_object(
    'recent', count(*) filter (where ${which} and created_at >= ${recentSince}),
    'day', count(*) filter (where ${which}),
    'codes', count(*) filter (where ${which} and has_code))`
  const { rows } = await sql<{ own: Asked; strangers: Asked }>`
    select ${counts(sql`asker = ${asker}`)} as own, ${counts(sql`not is_known_browser`)} as strangers
    from sign_in_codes where email = ${email} and created_at >= ${daySince}`.execute(db)
  return rows[0]!
}

type CodeRequest = {
  browserHash: Buffer
  email: string
  asker: string
  isKnownBrowser: boolean
  hasCode: boolean
  expiresAt: Date
}

export const insertCodeRequest = async ({ db, now }: Scope, row: CodeRequest): Promise<void> => {
  await db
    .insertInto('sign_in_codes')
    .values({
      browser_hash: row.browserHash,
      email: row.email,
      asker: row.asker,
      is_known_browser: row.isKnownBrowser,
      has_code: row.hasCode,
      expires_at: row.expiresAt,
      created_at: now(),
    })
    .execute()
}

/**
 * The email that a browser requested a code for, and whether it gets one besides the link; undefined if that was used
 * or has expired.
 */
export const findCodeRequest = async (
  { db, now }: Scope,
  browserHash: Buffer,
): Promise<{ email: string; hasCode: boolean } | undefined> =>
  db
    .selectFrom('sign_in_codes')
    .select(['email', 'has_code as hasCode'])
    .where('browser_hash', '=', browserHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now().toISOString())
    .executeTakeFirst()

export const setCode = async (
  { db }: Pick<Ctx, 'db'>,
  { browserHash, accountId, codeHash }: { browserHash: Buffer; accountId: string; codeHash: string },
): Promise<void> => {
  await db
    .updateTable('sign_in_codes')
    .set({ account_id: accountId, code_hash: codeHash })
    .where('browser_hash', '=', browserHash)
    .execute()
}

export type Try = { accountId: string | null; codeHash: string | null }

/**
 * Counts one try of a code and locks its row until the transaction ends, so that concurrent tries are counted one after
 * the other. Undefined if there is no such code, or no tries are left.
 */
export const takeTry = async (
  { db, now }: Scope,
  { browserHash, email, triesMax }: { browserHash: Buffer; email: string; triesMax: number },
): Promise<Try | undefined> =>
  db
    .updateTable('sign_in_codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('browser_hash', '=', browserHash)
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .where('tries', '<', triesMax)
    .where('expires_at', '>', now().toISOString())
    .returning(['account_id as accountId', 'code_hash as codeHash'])
    .executeTakeFirst()

export const markCodeUsed = async ({ db, now }: Scope, browserHash: Buffer): Promise<void> => {
  await db
    .updateTable('sign_in_codes')
    .set({ used_at: now() })
    .where('browser_hash', '=', browserHash)
    .execute()
}

/** Deletes requests from before a time, at most `limit`. Returns how many there were. */
export const deleteOldCodes = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from sign_in_codes where browser_hash in (
      select browser_hash from sign_in_codes where created_at < ${before} order by created_at limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
