// All SQL of signing in to the console.
import type { Ctx } from '../../ctx.ts'

type NewSecret = { hash: Buffer; accountId: string; createdAt: Date; expiresAt: Date }

export const insertSignInSecret = async (
  { db }: Pick<Ctx, 'db'>,
  { hash, accountId, createdAt, expiresAt }: NewSecret,
): Promise<void> => {
  await db
    .insertInto('sign_in_secrets')
    .values({ hash, account_id: accountId, expires_at: expiresAt, created_at: createdAt })
    .execute()
}

/** Secrets that nobody can use any more. */
export const deleteExpiredSignInSecrets = async ({ db, now }: Pick<Ctx, 'db' | 'now'>): Promise<void> => {
  await db.deleteFrom('sign_in_secrets').where('expires_at', '<', now().toISOString()).execute()
}
