// All SQL of challenges: what a browser was asked to sign.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { Db } from '../../../platform/db/pool.ts'

type Scope = Pick<Ctx, 'db' | 'now'>

/** Replaces an earlier one of the same owner. */
export const saveChallenge = async (
  { db }: Pick<Ctx, 'db'>,
  { owner, challenge, expiresAt }: { owner: Buffer; challenge: string; expiresAt: Date },
): Promise<void> => {
  await db
    .insertInto('passkey_challenges')
    .values({ owner, challenge, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('owner').doUpdateSet({ challenge, expires_at: expiresAt }))
    .execute()
}

/** Once: of any number of concurrent callers, one gets it. Undefined if there is none, or it has expired. */
export const takeChallenge = async ({ db, now }: Scope, owner: Buffer): Promise<string | undefined> => {
  const row = await db
    .deleteFrom('passkey_challenges')
    .where('owner', '=', owner)
    .returning(['challenge', 'expires_at as expiresAt'])
    .executeTakeFirst()
  return row && Date.parse(row.expiresAt) > now().getTime() ? row.challenge : undefined
}

/** Deletes what expired before a time, at most `limit`. Returns how many there were. */
export const deleteExpiredChallenges = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from passkey_challenges where owner in (
      select owner from passkey_challenges where expires_at < ${before} limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
