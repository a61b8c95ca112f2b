// All SQL of passkeys. They belong to an account, in all of its workspaces.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { PlatformCtx } from '../queries.ts'
import type { Passkey } from './schema.ts'
import type { Credential, NewCredential } from './webauthn.ts'

type Scope = Pick<Ctx, 'db' | 'now'>

/** The oldest first. */
export const listPasskeys = ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<Passkey[]> =>
  db
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute()

export const listCredentials = ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<Credential[]> =>
  db
    .selectFrom('passkeys')
    .select(['credential_id as credentialId', 'transports'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute()

/** Undefined if it is another account's, like one that doesn't exist. */
export const findCredential = (
  { db }: Pick<Ctx, 'db'>,
  { accountId, credentialId }: { accountId: string; credentialId: string },
): Promise<{ id: string; name: string; publicKey: Buffer } | undefined> =>
  db
    .selectFrom('passkeys')
    .select(['id', 'name', 'public_key as publicKey'])
    .where('account_id', '=', accountId)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()

/**
 * Stores that a passkey was used. False if its counter didn't go up, unless it has none: then there may be a copy of the
 * authenticator.
 */
export const advanceCounter = async (
  { db, now }: Scope,
  { accountId, id, counter }: { accountId: string; id: string; counter: number },
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update passkeys set counter = ${counter}::bigint, last_used_at = ${now()}
    where account_id = ${accountId} and id = ${id}
      and (counter < ${counter}::bigint or (counter = 0 and ${counter}::bigint = 0))`.execute(db)
  return numAffectedRows === 1n
}

/** Serializes changes of one account's passkeys until the transaction ends. */
export const lockAccount = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<void> => {
  await db.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
}

/** What authenticators know the account by: the given one, if it has none yet. */
export const keepHandle = async (
  { db }: Pick<Ctx, 'db'>,
  { accountId, handle }: { accountId: string; handle: Buffer },
): Promise<Buffer> => {
  const { rows } = await sql<{ handle: Buffer }>`
    update accounts set passkey_handle = coalesce(passkey_handle, ${handle})
    where id = ${accountId} returning passkey_handle as handle`.execute(db)
  return rows[0]!.handle
}

/** False if the credential was added before, to any account. */
export const insertPasskey = async (
  { db, now, newId }: PlatformCtx,
  {
    accountId,
    name,
    credentialId,
    publicKey,
    counter,
    transports,
  }: NewCredential & { accountId: string; name: string },
): Promise<boolean> => {
  const row = await db
    .insertInto('passkeys')
    .values({
      account_id: accountId,
      id: newId(),
      credential_id: credentialId,
      public_key: publicKey,
      counter,
      transports,
      name,
      created_at: now(),
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

type Own = { accountId: string; id: string }

/** False if the account has no such passkey. */
export const renamePasskey = async (
  { db }: Pick<Ctx, 'db'>,
  { accountId, id, name }: Own & { name: string },
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ name })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Its name; undefined if the account has no such passkey. */
export const deletePasskey = async (
  { db }: Pick<Ctx, 'db'>,
  { accountId, id }: Own,
): Promise<string | undefined> =>
  (
    await db
      .deleteFrom('passkeys')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst()
  )?.name

/** Returns how many there were. */
export const deletePasskeysOf = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('passkeys')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
