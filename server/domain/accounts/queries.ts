import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isHere } from '../../platform/db/closed-workspaces.ts'
import { foldNickname } from './nickname.ts'
import type { AccountLanguage, Language, UndoSeconds } from './schema.ts'

/** Enough for data that belongs to no workspace. */
export type PlatformCtx = Pick<Ctx, 'db' | 'now' | 'newId'>

export type Account = { id: string; email: string; nickname: string; isAi: boolean; createdIn: string | null }

export const findAccountByEmail = ({ db }: Pick<Ctx, 'db'>, email: string): Promise<Account | undefined> =>
  db
    .selectFrom('accounts')
    .select(['id', 'email', 'nickname', 'is_ai as isAi', 'created_in as createdIn'])
    .where('email', '=', email)
    .executeTakeFirst()

export const findAccount = (
  { db }: Pick<Ctx, 'db'>,
  id: string,
): Promise<(Account & { undoSeconds: UndoSeconds }) | undefined> =>
  db
    .selectFrom('accounts')
    .select([
      'id',
      'email',
      'nickname',
      'is_ai as isAi',
      'created_in as createdIn',
      'undo_seconds as undoSeconds',
    ])
    .where('id', '=', id)
    .executeTakeFirst()

/** Marks the accounts as using the console now, in any workspace. */
export const touchAccounts = async (
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  ids: readonly string[],
): Promise<void> => {
  await sql`
    update accounts set last_seen_at = greatest(last_seen_at, ${now()}::timestamptz)
    where id = any(${[...ids].sort()}::text[])`.execute(db)
}

/** Which of the nicknames are taken, folded. */
export const listTakenNicknames = async (
  { db }: Pick<Ctx, 'db'>,
  nicknames: string[],
): Promise<Set<string>> => {
  const { rows } = await sql<{ nickname_key: string }>`
    select nickname_key from accounts where nickname_key = any(${nicknames.map(foldNickname)}::text[])`.execute(
    db,
  )
  return new Set(rows.map((row) => row.nickname_key))
}

/** Undefined if the email or the nickname is taken, including by a transaction that committed while this one waited. */
export const insertAccount = (
  { db, now, newId }: PlatformCtx,
  { email, nickname, createdIn }: { email: string; nickname: string; createdIn: string },
): Promise<Account | undefined> =>
  db
    .insertInto('accounts')
    .values({
      id: newId(),
      email,
      nickname,
      nickname_key: foldNickname(nickname),
      created_in: createdIn,
      created_at: now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'email', 'nickname', 'is_ai as isAi', 'created_in as createdIn'])
    .executeTakeFirst()

export const updateUndoSeconds = async (
  { db }: Pick<Ctx, 'db'>,
  accountId: string,
  undoSeconds: UndoSeconds,
): Promise<void> => {
  await db.updateTable('accounts').set({ undo_seconds: undoSeconds }).where('id', '=', accountId).execute()
}

/** Null for a person who never opened the console. */
export const findLanguage = async (
  { db }: Pick<Ctx, 'db'>,
  accountId: string,
): Promise<AccountLanguage | null> => {
  const row = await db
    .selectFrom('accounts')
    .select(['language', 'is_language_chosen as isChosen'])
    .where('id', '=', accountId)
    .where('language', 'is not', null)
    .executeTakeFirst()
  // Only updateLanguage writes it.
  return row ? { language: row.language as Language, isChosen: row.isChosen } : null
}

/** What a browser is in doesn't replace a choice. */
export const updateLanguage = async (
  { db }: Pick<Ctx, 'db'>,
  accountId: string,
  { language, isChosen }: AccountLanguage,
): Promise<void> => {
  await db
    .updateTable('accounts')
    .set({ language, is_language_chosen: isChosen })
    .where('id', '=', accountId)
    .$if(!isChosen, (update) => update.where('is_language_chosen', '=', false))
    .execute()
}

/** False if the nickname is taken; the transaction is then aborted and must end with an error. */
export const updateNickname = async ({ db }: Ctx, accountId: string, nickname: string): Promise<boolean> => {
  try {
    await db
      .updateTable('accounts')
      .set({ nickname, nickname_key: foldNickname(nickname) })
      .where('id', '=', accountId)
      .where('nickname', '<>', nickname)
      .execute()
    return true
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    if (code === '23505' && constraint === 'accounts_nickname_key_key') return false
    throw error
  }
}

/** Whether the account has access to any workspace. */
export const hasWorkspace = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<boolean> =>
  (await db
    .selectFrom('memberships')
    .select('workspace_id')
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .where(isHere('memberships.workspace_id'))
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Whether this is the only workspace that the account has access to. */
export const belongsToOnly = async (
  { db }: Pick<Ctx, 'db'>,
  accountId: string,
  workspaceId: string,
): Promise<boolean> => {
  const rows = await db
    .selectFrom('memberships')
    .select('workspace_id')
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .where(isHere('memberships.workspace_id'))
    .limit(2)
    .execute()
  return rows.length === 1 && rows[0]!.workspace_id === workspaceId
}
