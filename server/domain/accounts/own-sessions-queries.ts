// All SQL of the list of one's own sign-ins.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { OwnSession } from './schema.ts'
import type { SessionBounds } from './session-queries.ts'

type Scope = Pick<Ctx, 'db'>
type Own = { accountId: string; hash: Buffer }

const LISTED_MAX = 100

/** Names a session without what is stored of its secret. Computed, so that sessions from before have one too. */
const sessionId = sql<string>`('c' || left(encode(sha256(hash), 'hex'), 24))`

/** This one first, then the most recently used. */
export const listSessions = async (
  { db }: Scope,
  { accountId, hash, seenAfter, createdAfter }: Own & SessionBounds,
): Promise<OwnSession[]> => {
  const { rows } = await sql<OwnSession>`
    select ${sessionId} as id, hash = ${hash} as "isCurrent", method, second_factor as "secondFactor", address, user_agent as "userAgent",
      created_at as "signedInAt", seen_at as "lastSeenAt"
    from sessions
    where account_id = ${accountId} and seen_at > ${seenAfter} and created_at > ${createdAfter}
    order by "isCurrent" desc, seen_at desc, hash limit ${LISTED_MAX}`.execute(db)
  return rows
}

/** False if the person has no session with this id. */
export const deleteOwnSession = async (
  { db }: Scope,
  { accountId, id }: { accountId: string; id: string },
): Promise<boolean> => {
  const { numAffectedRows } =
    await sql`delete from sessions where account_id = ${accountId} and ${sessionId} = ${id}`.execute(db)
  return numAffectedRows === 1n
}

/** Returns how many there were. */
export const deleteOtherSessions = async ({ db }: Scope, { accountId, hash }: Own): Promise<number> => {
  const { numAffectedRows } =
    await sql`delete from sessions where account_id = ${accountId} and hash <> ${hash}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Of someone who is a member of no other workspace. */
export const deleteSessionsOnlyFor = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  accountId: string,
): Promise<void> => {
  await sql`
    delete from sessions where account_id = ${accountId} and not exists (
      select from memberships where account_id = ${accountId} and workspace_id <> ${workspaceId}
        and removed_at is null)`.execute(db)
}
