// All SQL of API tokens, except for the lookup at every request (find-tokens.ts).
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Access } from './access.ts'
import type { ApiToken, Verification } from './schema.ts'

/** The PostgreSQL NOTIFY channel for the ids of tokens with a secret that ends. */
export const REVOKED_CHANNEL = 'foyer_revoked'

/** The workspace and token of the actor, who must be a token. */
export const verifyToken = async ({
  db,
  workspaceId,
  actor,
}: Ctx): Promise<Pick<Verification, 'company' | 'token'>> => {
  if (actor.type !== 'token') throw new Error(`a ${actor.type} has no token to verify`)
  const row = await db
    .selectFrom('api_tokens as t')
    .innerJoin('workspaces as w', 'w.id', 't.workspace_id')
    .select([
      'w.id as companyId',
      'w.name as companyName',
      't.id',
      't.name',
      't.scopes',
      't.channels',
      't.expires_at as expiresAt',
    ])
    .where('t.workspace_id', '=', workspaceId)
    .where('t.id', '=', actor.tokenId)
    .executeTakeFirstOrThrow()
  const { companyId, companyName, ...token } = row
  return { company: { id: companyId, name: companyName }, token }
}

/** The workspace of a token, for an operator who only knows its id. */
export const findWorkspaceIdOfToken = async (db: Db, tokenId: string): Promise<string | undefined> =>
  (await db.selectFrom('api_tokens').select('workspace_id').where('id', '=', tokenId).executeTakeFirst())
    ?.workspace_id

type Secret = { prefix: string; hash: Buffer }

type NewToken = { id: string; name: string; access: Access; createdBy: string | null } & Secret

export const insertToken = async (
  { db, workspaceId, now }: Ctx,
  { id, name, prefix, hash, access, createdBy }: NewToken,
): Promise<void> => {
  await db
    .insertInto('api_tokens')
    .values({
      workspace_id: workspaceId,
      id,
      name,
      prefix,
      hash,
      scopes: access.scopes,
      channels: access.channels,
      expires_at: access.expiresAt,
      allowed_addresses: access.allowedAddresses,
      created_by: createdBy,
      created_at: now(),
    })
    .execute()
}

/** False if the workspace has no such token that is in use. Only the secret before this one goes on, until `until`. */
export const replaceSecret = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  { prefix, hash, until }: Secret & { until: Date | null },
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('api_tokens')
    .set((eb) => ({
      prefix,
      hash,
      previous_hash: until && eb.ref('hash'),
      previous_until: until,
    }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now().toISOString())]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export type RevokedToken = { id: string; name: string; prefix: string; revokedAt: string }

/** The token, revoked now or before; undefined if the workspace has no such token. */
export const revokeTokenRow = async (
  { db, workspaceId, now }: Ctx,
  id: string,
): Promise<RevokedToken | undefined> =>
  db
    .updateTable('api_tokens')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now()})` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning(['id', 'name', 'prefix', sql<string>`revoked_at`.as('revokedAt')])
    .executeTakeFirst()

/** Also of a rotation. Delivered by PostgreSQL when the transaction commits, and not at all if it does not. */
export const announceRevocation = async ({ db }: Ctx, tokenId: string): Promise<void> => {
  await sql`select pg_notify(${REVOKED_CHANNEL}, ${tokenId})`.execute(db)
}

/** All tokens that the workspace ever had, the newest first, up to a bound; those not revoked come first. */
export const listTokens = (ctx: Ctx): Promise<ApiToken[]> =>
  selectTokens(ctx)
    .orderBy(sql`t.revoked_at is not null`)
    .orderBy('t.id', 'desc')
    .limit(TOKENS_SHOWN_MAX)
    .execute()

export const findToken = (ctx: Ctx, id: string): Promise<ApiToken | undefined> =>
  selectTokens(ctx).where('t.id', '=', id).executeTakeFirst()

const TOKENS_SHOWN_MAX = 1000

const selectTokens = ({ db, workspaceId, now }: Ctx) =>
  db
    .selectFrom('api_tokens as t')
    .leftJoin('accounts as a', 'a.id', 't.created_by')
    .select([
      't.id',
      't.name',
      't.prefix',
      't.created_at as createdAt',
      't.last_used_at as lastUsedAt',
      't.revoked_at as revokedAt',
      't.scopes',
      't.channels',
      't.expires_at as expiresAt',
      't.allowed_addresses as allowedAddresses',
      sql<string | null>`case when t.previous_until > ${now()} then t.previous_until end`.as(
        'previousSecretUntil',
      ),
      sql<ApiToken['createdBy']>`case when a.id is not null
        then json_build_object('id', a.id, 'nickname', a.nickname) end`.as('createdBy'),
    ])
    .where('t.workspace_id', '=', workspaceId)
