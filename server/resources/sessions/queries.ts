// All SQL of signing in to the console, and of who is signed in.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { Db } from '../../db/pool.ts'
import { PERMISSIONS, type Permission } from '../roles/permissions.ts'
import type { SessionWorkspace } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'now'>

// Links ---------------------------------------------------------------------------------------------------------------

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
export const deleteExpiredSignInSecrets = async ({ db, now }: Scope): Promise<void> => {
  await db.deleteFrom('sign_in_secrets').where('expires_at', '<', now().toISOString()).execute()
}

/** Whose secret it is, once: of any number of callers at the same moment, one gets it. */
export const takeSignInSecret = async ({ db, now }: Scope, hash: Buffer): Promise<string | undefined> => {
  const row = await db
    .updateTable('sign_in_secrets')
    .set({ used_at: now() })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now().toISOString())
    .returning('account_id as accountId')
    .executeTakeFirst()
  return row?.accountId
}

// Codes ---------------------------------------------------------------------------------------------------------------

/** Those who ask for the same email take turns until their transactions end, so that its requests can be counted. */
export const lockEmail = async ({ db }: Pick<Ctx, 'db'>, email: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${email}, 3))`.execute(db)
}

/** How many codes were asked for, for an email, since two times. */
export const countCodeRequests = async (
  { db }: Pick<Ctx, 'db'>,
  email: string,
  { recentSince, since }: { recentSince: Date; since: Date },
): Promise<{ recent: number; all: number }> => {
  const { rows } = await sql<{ recent: number; all: number }>`
    select count(*) filter (where created_at >= ${recentSince}) as recent, count(*) as all
    from sign_in_codes where email = ${email} and created_at >= ${since}`.execute(db)
  return rows[0]!
}

export const insertCodeRequest = async (
  { db, now }: Scope,
  row: { browserHash: Buffer; email: string; expiresAt: Date },
): Promise<void> => {
  await db
    .insertInto('sign_in_codes')
    .values({
      browser_hash: row.browserHash,
      email: row.email,
      expires_at: row.expiresAt,
      created_at: now(),
    })
    .execute()
}

/** The email that a browser asked a code for; undefined when that is used or over. */
export const findCodeRequest = async (
  { db, now }: Scope,
  browserHash: Buffer,
): Promise<{ email: string } | undefined> =>
  db
    .selectFrom('sign_in_codes')
    .select('email')
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
 * Counts one try of a code, and locks its row until the transaction ends: tries at the same moment are counted one
 * after the other. Undefined when there is no such code, or none that may still be tried.
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

/** Requests of before a time, at most so many. Returns how many there were. */
export const deleteOldCodes = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from sign_in_codes where browser_hash in (
      select browser_hash from sign_in_codes where created_at < ${before} order by created_at limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

// Sessions ------------------------------------------------------------------------------------------------------------

export const insertSession = async (
  { db, now }: Scope,
  { hash, accountId }: { hash: Buffer; accountId: string },
): Promise<void> => {
  await db
    .insertInto('sessions')
    .values({ hash, account_id: accountId, created_at: now(), seen_at: now() })
    .execute()
}

/** Seen before the first, or made before the second, a session is over. */
export type SessionBounds = { seenAfter: Date; createdAfter: Date }

export type SessionRow = {
  accountId: string
  email: string
  nickname: string
  seenAt: string
  /** In the workspace that was asked for; null when they are no member of it. */
  role: 'agent' | 'admin' | null
  permissions: string[] | null
}

/** A member without a role of their own has the workspace's default one. */
const roleOf = sql`r.workspace_id = m.workspace_id and (r.id = m.role_id or (m.role_id is null and r.is_default))`

/** The session, and what its owner is in one workspace, as of now. Every request asks: three primary keys. */
export const findSession = async (
  { db }: Pick<Ctx, 'db'>,
  {
    hash,
    workspaceId,
    seenAfter,
    createdAfter,
  }: { hash: Buffer; workspaceId: string | null } & SessionBounds,
): Promise<SessionRow | undefined> => {
  const { rows } = await sql<SessionRow>`
    select s.account_id as "accountId", a.email, a.nickname, s.seen_at as "seenAt", m.role, r.permissions
    from sessions s
    join accounts a on a.id = s.account_id
    left join memberships m on m.workspace_id = ${workspaceId} and m.account_id = s.account_id
      and m.removed_at is null and m.role <> 'ai'
    left join roles r on ${roleOf}
    where s.hash = ${hash} and s.seen_at > ${seenAfter} and s.created_at > ${createdAfter}`.execute(db)
  return rows[0]
}

/** Strings of an older or newer version are no permissions. */
export const toPermissions = (stored: readonly string[] | null): Permission[] =>
  PERMISSIONS.filter((permission) => stored?.includes(permission))

/** The workspaces of an account by name, each with what it may do there. */
export const listSessionWorkspaces = async (
  { db }: Pick<Ctx, 'db'>,
  accountId: string,
): Promise<SessionWorkspace[]> => {
  const { rows } = await sql<{
    id: string
    name: string
    role: 'agent' | 'admin'
    roleName: string | null
    permissions: string[] | null
  }>`
    select w.id, w.name, m.role, r.name as "roleName", r.permissions
    from memberships m
    join workspaces w on w.id = m.workspace_id
    left join roles r on ${roleOf}
    where m.account_id = ${accountId} and m.removed_at is null and m.role <> 'ai'
    order by w.name, w.id`.execute(db)
  return rows.map(({ id, name, role, roleName, permissions }) => ({
    id,
    name,
    role,
    roleName: role === 'admin' ? 'Admin' : (roleName ?? 'Agent'),
    permissions: role === 'admin' ? [...PERMISSIONS] : toPermissions(permissions),
  }))
}

export type Follower = { hash: Buffer; workspaceId: string }
export type FollowerRow = { place: number; role: 'agent' | 'admin'; permissions: string[] | null }

/** findSession for those who follow live, many at once: who is missing has no access any more. */
export const listFollowers = async (
  { db }: Pick<Ctx, 'db'>,
  followers: readonly Follower[],
  { seenAfter, createdAfter }: SessionBounds,
): Promise<FollowerRow[]> => {
  const { rows } = await sql<FollowerRow>`
    select f.place - 1 as place, m.role, r.permissions
    from unnest(${followers.map(({ hash }) => hash)}::bytea[], ${followers.map(({ workspaceId }) => workspaceId)}::text[])
      with ordinality f (hash, workspace_id, place)
    join sessions s on s.hash = f.hash and s.seen_at > ${seenAfter} and s.created_at > ${createdAfter}
    join memberships m on m.workspace_id = f.workspace_id and m.account_id = s.account_id
      and m.removed_at is null and m.role <> 'ai'
    left join roles r on ${roleOf}`.execute(db)
  return rows
}

export const noteSessionsSeen = async ({ db, now }: Scope, hashes: readonly Buffer[]): Promise<void> => {
  await sql`update sessions set seen_at = ${now()} where hash = any(${hashes}::bytea[])`.execute(db)
}

export const deleteSession = async ({ db }: Pick<Ctx, 'db'>, hash: Buffer): Promise<void> => {
  await db.deleteFrom('sessions').where('hash', '=', hash).execute()
}

export const deleteSessionsOf = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<void> => {
  await db.deleteFrom('sessions').where('account_id', '=', accountId).execute()
}

/** Sessions that are over, at most so many. Returns how many there were. */
export const deleteOldSessions = async (
  db: Db,
  { seenAfter, createdAfter }: SessionBounds,
  limit: number,
): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from sessions where hash in (
      select hash from sessions where seen_at <= ${seenAfter} or created_at <= ${createdAfter} limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** The channel of PostgreSQL's NOTIFY on which processes hear that access has ended; see db/listen.ts. */
const REVOKED_CHANNEL = 'foyer_revoked'
const ACCESS_ENDED = 'access-ended '

/**
 * An account has lost a session or a membership. Every process hears of it once the transaction has committed, and ends
 * the streams that were open by it.
 */
export const announceAccessEnded = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<void> => {
  await sql`select pg_notify(${REVOKED_CHANNEL}, ${ACCESS_ENDED + accountId})`.execute(db)
}

/** The account that such an announcement names; undefined for one of a token. */
export const accountOfEndedAccess = (announcement: string): string | undefined =>
  announcement.startsWith(ACCESS_ENDED) ? announcement.slice(ACCESS_ENDED.length) : undefined
