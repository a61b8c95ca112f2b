// All SQL of console sign-ins and sessions.
import { sql } from 'kysely'
import { PERMISSIONS, type Permission } from '../../platform/ctx/actor.ts'
import type { Client, Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork, isHere } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { SecondFactor, SignInMethod } from '../../platform/db/tables.ts'
import { USER_AGENT_MAX } from '../audit/queries.ts'
import { MEMBER_ROLE } from '../visible-conversations.ts'
import type { SessionWorkspace, UndoSeconds } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'now'>

// Links ---------------------------------------------------------------------------------------------------------------

export type LinkMaker = 'mail' | 'operator'
type NewSecret = { hash: Buffer; accountId: string; madeBy: LinkMaker; createdAt: Date; expiresAt: Date }

export const insertSignInSecret = async (
  { db }: Pick<Ctx, 'db'>,
  { hash, accountId, madeBy, createdAt, expiresAt }: NewSecret,
): Promise<void> => {
  await db
    .insertInto('sign_in_secrets')
    .values({
      hash,
      account_id: accountId,
      made_by: madeBy,
      expires_at: expiresAt,
      created_at: createdAt,
    })
    .execute()
}

/** Deletes secrets that have expired. */
export const deleteExpiredSignInSecrets = async ({ db, now }: Scope): Promise<void> => {
  await db.deleteFrom('sign_in_secrets').where('expires_at', '<', now().toISOString()).execute()
}

/** The account of a secret, once: of any number of concurrent callers, one gets it. */
export const takeSignInSecret = (
  { db, now }: Scope,
  hash: Buffer,
): Promise<{ accountId: string; madeBy: LinkMaker } | undefined> =>
  db
    .updateTable('sign_in_secrets')
    .set({ used_at: now() })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now().toISOString())
    .returning(['account_id as accountId', 'made_by as madeBy'])
    .executeTakeFirst()

// Sessions ------------------------------------------------------------------------------------------------------------

type NewSession = {
  hash: Buffer
  accountId: string
  method: SignInMethod
  secondFactor: SecondFactor | null
  client: Client | undefined
}

export const insertSession = async (
  { db, now }: Scope,
  { hash, accountId, method, secondFactor, client }: NewSession,
): Promise<void> => {
  await db
    .insertInto('sessions')
    .values({
      hash,
      account_id: accountId,
      created_at: now(),
      seen_at: now(),
      method,
      second_factor: secondFactor,
      address: client?.address ?? null,
      user_agent: client?.userAgent?.slice(0, USER_AGENT_MAX) ?? null,
    })
    .execute()
}

/** A session is over if it was last seen before the first, or created before the second. */
export type SessionBounds = { seenAfter: Date; createdAfter: Date }

export type SessionRow = {
  accountId: string
  email: string
  nickname: string
  undoSeconds: UndoSeconds
  seenAt: string
  signedInAt: string
  confirmedAt: string | null
  /** In the requested workspace; null if not a member of it. */
  role: 'agent' | 'admin' | null
  permissions: string[] | null
}

/** Removing a member ends their earlier sessions, even if they are added again. */
export const isSince = sql`(m.sessions_since is null or s.created_at > m.sessions_since)`

/** The session and its owner's current access to one workspace. Every request runs this: three primary-key lookups. */
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
    select s.account_id as "accountId", a.email, a.nickname, a.undo_seconds as "undoSeconds", s.seen_at as "seenAt",
      s.created_at as "signedInAt", s.confirmed_at as "confirmedAt", m.role, r.permissions
    from sessions s
    join accounts a on a.id = s.account_id
    left join memberships m on m.workspace_id = ${workspaceId} and m.account_id = s.account_id
      and m.removed_at is null and m.role <> 'ai' and ${isSince}
    left join roles r on ${MEMBER_ROLE}
    where s.hash = ${hash} and s.seen_at > ${seenAfter} and s.created_at > ${createdAfter}`.execute(db)
  return rows[0]
}

/** Unknown strings from an older or newer version are dropped. */
export const toPermissions = (stored: readonly string[] | null): Permission[] =>
  PERMISSIONS.filter((permission) => stored?.includes(permission))

/** What an account may do in the workspace now; undefined if it is no person there. */
export const findMember = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  accountId: string,
): Promise<{ role: 'agent' | 'admin'; permissions: Permission[] } | undefined> => {
  const { rows } = await sql<{ role: 'agent' | 'admin'; permissions: string[] | null }>`
    select m.role, r.permissions from memberships m
    left join roles r on ${MEMBER_ROLE}
    where m.workspace_id = ${workspaceId} and m.account_id = ${accountId} and m.removed_at is null
      and m.role <> 'ai'`.execute(db)
  return rows[0] && { role: rows[0].role, permissions: toPermissions(rows[0].permissions) }
}

/** The workspaces of an account by name that a sign-in gives access to, each with its permissions. */
export const listSessionWorkspaces = async (
  { db }: Pick<Ctx, 'db'>,
  { accountId, signedInAt }: { accountId: string; signedInAt: string },
): Promise<SessionWorkspace[]> => {
  const { rows } = await sql<{
    id: string
    name: string
    role: 'agent' | 'admin'
    roleName: string | null
    permissions: string[] | null
    isNew: boolean
    addedBy: string | null
  }>`
    select w.id, w.name, m.role, r.name as "roleName", r.permissions, m.is_new as "isNew", b.nickname as "addedBy"
    from memberships m
    join workspaces w on w.id = m.workspace_id
    left join roles r on ${MEMBER_ROLE}
    left join accounts b on b.id = m.added_by
    where m.account_id = ${accountId} and m.removed_at is null and m.role <> 'ai'
      and (m.sessions_since is null or m.sessions_since < ${signedInAt}) and ${isHere('m.workspace_id')}
    order by w.name, w.id`.execute(db)
  return rows.map(({ id, name, role, roleName, permissions, isNew, addedBy }) => ({
    id,
    name,
    isNew,
    addedBy,
    role,
    roleName: role === 'admin' ? 'Admin' : (roleName ?? 'Agent'),
    permissions: role === 'admin' ? [...PERMISSIONS] : toPermissions(permissions),
  }))
}

export type Follower = { hash: Buffer; workspaceId: string }
type FollowerRow = { place: number; role: 'agent' | 'admin'; permissions: string[] | null }

/** findSession for many live followers at once; those missing from the result have lost access. */
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
      and m.removed_at is null and m.role <> 'ai' and ${isSince} and ${isHere('m.workspace_id')}
    left join roles r on ${MEMBER_ROLE}`.execute(db)
  return rows
}

export const touchSessions = async ({ db, now }: Scope, hashes: readonly Buffer[]): Promise<void> => {
  await sql`update sessions set seen_at = ${now()} where hash = any(${hashes}::bytea[])`.execute(db)
}

/** The person has confirmed that it is them. */
export const confirmSession = async ({ db, now }: Scope, hash: Buffer): Promise<void> => {
  await db.updateTable('sessions').set({ confirmed_at: now() }).where('hash', '=', hash).execute()
}

export const deleteSession = async ({ db }: Pick<Ctx, 'db'>, hash: Buffer): Promise<void> => {
  await db.deleteFrom('sessions').where('hash', '=', hash).execute()
}

/** Returns how many there were. */
export const deleteSessionsOf = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Deletes sessions that are over, at most `limit`. Returns how many there were. */
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

/** The PostgreSQL NOTIFY channel that tells processes when access has ended; see db/listen.ts. */
const REVOKED_CHANNEL = 'foyer_revoked'
const ACCESS_ENDED = 'access-ended '

/**
 * An account has lost a session or a membership. Every process is notified once the transaction has committed, and ends
 * the streams that relied on it.
 */
export const announceAccessEnded = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<void> => {
  await sql`select pg_notify(${REVOKED_CHANNEL}, ${ACCESS_ENDED + accountId})`.execute(db)
}

/** The account that such an announcement names; undefined for one about a token. */
export const accountOfEndedAccess = (announcement: string): string | undefined =>
  announcement.startsWith(ACCESS_ENDED) ? announcement.slice(ACCESS_ENDED.length) : undefined

/** Where the account is a member now, and what happens may be recorded. */
export const listWorkspaceIds = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('memberships')
    .select('workspace_id as id')
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .where(isAtWork('memberships.workspace_id'))
    .execute()
  return rows.map(({ id }) => id)
}
