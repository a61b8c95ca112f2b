// All SQL of recovery codes. A used one is deleted, so what is there is what is left.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'

type Scope = Pick<Ctx, 'db' | 'now'>

export const countRecoveryCodes = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const insertRecoveryCodes = async (
  { db, now }: Scope,
  { accountId, hashes }: { accountId: string; hashes: readonly string[] },
): Promise<void> => {
  await db
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ account_id: accountId, hash, created_at: now() })))
    .execute()
}

/** Whether it was there: of any number of concurrent callers, for one it is. */
export const deleteRecoveryCode = async (
  { db }: Pick<Ctx, 'db'>,
  { accountId, hashes }: { accountId: string; hashes: readonly string[] },
): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('account_id', '=', accountId)
    .where('hash', '=', sql<string>`any (${hashes}::text[])`)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

export const deleteRecoveryCodesOf = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<void> => {
  await db.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute()
}
