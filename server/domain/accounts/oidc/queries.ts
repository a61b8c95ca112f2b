// All SQL of signing in by OpenID Connect.
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { Db } from '../../../platform/db/pool.ts'

type Scope = Pick<Ctx, 'db' | 'now'>

/** A person at a provider. */
export type Subject = { issuer: string; subject: string }

export const findLinkedAccountId = async (
  { db }: Pick<Ctx, 'db'>,
  { issuer, subject }: Subject,
): Promise<string | undefined> =>
  (
    await db
      .selectFrom('oidc_subjects')
      .select('account_id as accountId')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst()
  )?.accountId

/** Does nothing if the subject, or another one of the same account, is linked already. */
export const insertSubject = async (
  { db, now }: Scope,
  { issuer, subject, accountId }: Subject & { accountId: string },
): Promise<void> => {
  await db
    .insertInto('oidc_subjects')
    .values({ issuer, subject, account_id: accountId, created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns how many links there were. */
export const deleteSubjectsOf = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('oidc_subjects')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Whether the state is used for the first time: of any number of concurrent callers, for one it is. */
export const takeState = async ({ db, now }: Scope, hash: Buffer): Promise<boolean> =>
  (await db
    .insertInto('oidc_used_states')
    .values({ hash, created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning('hash')
    .executeTakeFirst()) !== undefined

/** Deletes states that were used before a time, at most `limit`. Returns how many there were. */
export const deleteOldStates = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('oidc_used_states')
    .where('hash', 'in', (old) =>
      old
        .selectFrom('oidc_used_states')
        .select('hash')
        .where('created_at', '<', before.toISOString())
        .orderBy('created_at')
        .limit(limit),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
