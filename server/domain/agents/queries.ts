// All SQL of people: accounts, which span the platform, and memberships, which tie them to a workspace.
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { onlineSince } from '../accounts/online.ts'
import type { Agent, Member, MemberRole } from './schema.ts'

/** What the API calls the AI agent wherever it takes an agent's id. */
const AI = 'ai'

// Accounts --------------------------------------------------------------------------------------------------------

// Members ---------------------------------------------------------------------------------------------------------

const selectMembers = ({ db, workspaceId }: Ctx) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select([
      'a.id',
      'a.email',
      'a.nickname',
      'a.last_seen_at as lastSeenAt',
      'm.role',
      'm.is_away as isAway',
      'm.created_at as createdAt',
    ])
    .where('m.workspace_id', '=', workspaceId)
    .where('m.removed_at', 'is', null)

type MemberRow = {
  id: string
  email: string
  nickname: string
  lastSeenAt: string | null
  isAway: boolean
  role: Agent['role']
  createdAt: string
}

const toAgent = ({ lastSeenAt, createdAt, ...member }: MemberRow, now: Date): Agent => ({
  ...member,
  isOnline:
    member.role === 'ai' || (lastSeenAt !== null && Date.parse(lastSeenAt) >= onlineSince(now).getTime()),
  lastSeen: lastSeenAt ?? createdAt,
  createdAt,
})

/** The active agents: people in the order they were added, the AI agent last. */
export const listAgents = async (ctx: Ctx): Promise<Agent[]> => {
  const rows = await selectMembers(ctx).orderBy('a.is_ai').orderBy('m.created_at').orderBy('a.id').execute()
  return rows.map((row) => toAgent(row, ctx.now()))
}

/** An active agent by id; `ai` finds the AI agent. */
export const findAgent = async (ctx: Ctx, agentId: string): Promise<Agent | undefined> => {
  const row = await selectMembers(ctx)
    .where(
      (eb): Expression<SqlBool> => (agentId === AI ? eb('a.is_ai', '=', true) : eb('a.id', '=', agentId)),
    )
    .executeTakeFirst()
  return row && toAgent(row, ctx.now())
}

/** Throws AGENT_NOT_FOUND. */
export const getAgent = async (ctx: Ctx, agentId: string): Promise<Agent> => {
  const agent = await findAgent(ctx, agentId)
  if (!agent) throw new ApiError('AGENT_NOT_FOUND')
  return agent
}

type NewMember = { accountId: string; role: MemberRole | 'ai'; roleId: string | null }
/** `isNew`: the person is notified. */
type Addition = { isNew?: boolean; addedBy?: string | null }

/** Makes the account a member, or restores a removed one. False if it is a member already. */
export const insertMember = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  { accountId, role, roleId, isNew = false, addedBy = null }: NewMember & Addition,
): Promise<boolean> => {
  const row = await db
    .insertInto('memberships')
    .values({
      workspace_id: workspaceId,
      account_id: accountId,
      role,
      role_id: roleId,
      is_new: isNew,
      added_by: addedBy,
      created_at: now(),
      unread_since: now(),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'account_id'])
        .doUpdateSet({
          ...{ role, role_id: roleId, removed_at: null, is_new: isNew, added_by: addedBy },
          unread_since: now(),
        })
        .where('memberships.removed_at', 'is not', null),
    )
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * The active admins and the given member, locked in the order of their ids until the transaction ends: of two admins
 * removing each other, one waits and then sees the other's change.
 */
export const lockAdminsAnd = (
  { db, workspaceId }: Ctx,
  accountId: string,
): Promise<{ accountId: string; role: Agent['role'] }[]> =>
  db
    .selectFrom('memberships')
    .select(['account_id as accountId', 'role'])
    .where('workspace_id', '=', workspaceId)
    .where('removed_at', 'is', null)
    .where((eb) => eb.or([eb('role', '=', sql.lit('admin')), eb('account_id', '=', accountId)]))
    .orderBy('account_id')
    .forNoKeyUpdate()
    .execute()

export const updateMemberRole = async (
  { db, workspaceId }: Ctx,
  { accountId, role, roleId }: NewMember,
): Promise<void> => {
  await db
    .updateTable('memberships')
    .set({ role, role_id: roleId })
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .execute()
}

/** The nicknames of everyone who shares a workspace with the account, and of the given workspace. */
export const listColleagueNicknames = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  accountId: string | null,
): Promise<string[]> => {
  const { rows } = await sql<{ nickname: string }>`
    select distinct a.nickname from memberships m join accounts a on a.id = m.account_id
    where m.removed_at is null and a.id is distinct from ${accountId} and not a.is_ai
      and (m.workspace_id = ${workspaceId} or m.workspace_id in (
        select workspace_id from memberships where account_id = ${accountId} and removed_at is null))`.execute(
    db,
  )
  return rows.map(({ nickname }) => nickname)
}

/** The person has seen that they were added. */
export const markMembershipSeen = async ({ db, workspaceId }: Ctx, accountId: string): Promise<void> => {
  await db
    .updateTable('memberships')
    .set({ is_new: false })
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .execute()
}

export const markMemberRemoved = async ({ db, workspaceId, now }: Ctx, accountId: string): Promise<void> => {
  await db
    .updateTable('memberships')
    .set({ removed_at: now(), sessions_since: now() })
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .execute()
}

/** Sessions from before now no longer open the workspace. */
export const endEarlierSessions = async ({ db, workspaceId, now }: Ctx, accountId: string): Promise<void> => {
  await db
    .updateTable('memberships')
    .set({ sessions_since: now() })
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .execute()
}

export const getAiAccount = ({ db }: Pick<Ctx, 'db'>): Promise<{ id: string }> =>
  db.selectFrom('accounts').select('id').where('is_ai', '=', true).executeTakeFirstOrThrow()

// Roles -----------------------------------------------------------------------------------------------------------

/** listAgents with the extra fields that the console's settings show. */
export const listMembers = async (ctx: Ctx): Promise<Member[]> => {
  const rows = await selectMembers(ctx)
    .leftJoin('roles as r', (join) =>
      join.onRef('r.workspace_id', '=', 'm.workspace_id').on((eb) =>
        eb.and([
          eb('m.role', '=', sql.lit('agent')),
          // A member without a role of their own has the default one.
          eb.or([
            eb('r.id', '=', eb.ref('m.role_id')),
            eb.and([eb('m.role_id', 'is', null), eb('r.is_default', '=', true)]),
          ]),
        ]),
      ),
    )
    .select(['r.id as roleId', 'r.name as roleName'])
    .orderBy('a.is_ai')
    .orderBy('m.created_at')
    .orderBy('a.id')
    .execute()
  const admins = rows.filter(({ role }) => role === 'admin').length
  return rows.map(({ roleId, roleName, ...row }) => ({
    ...toAgent(row, ctx.now()),
    roleId,
    roleName,
    isManaged: row.role === 'ai',
    removable: row.role !== 'ai' && (row.role !== 'admin' || admins > 1),
  }))
}

/** The active members who have a role; the default role includes members without one. */
export const listMembersOfRole = async ({ db, workspaceId }: Ctx, roleId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select m.account_id as id from memberships m
    join roles r on r.workspace_id = m.workspace_id and r.id = ${roleId}
    where m.workspace_id = ${workspaceId} and m.role = 'agent' and m.removed_at is null
      and (m.role_id = r.id or (m.role_id is null and r.is_default))
    order by m.account_id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Including removed members, who may be added again. */
export const moveMembersToRole = async (
  { db, workspaceId }: Ctx,
  { from, to }: { from: string; to: string },
): Promise<void> => {
  await db
    .updateTable('memberships')
    .set({ role_id: to })
    .where('workspace_id', '=', workspaceId)
    .where('role_id', '=', from)
    .execute()
}

/** Whether unassigned conversations count among what is unread for the person. */
export const setCountsUnassigned = async (
  { db, workspaceId }: Ctx,
  accountId: string,
  includesUnassigned: boolean,
): Promise<void> => {
  await db
    .updateTable('memberships')
    .set({ counts_unassigned: includesUnassigned })
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .execute()
}

/** Whether a person has set themselves to away. */
export const isAway = async ({ db, workspaceId }: Ctx, accountId: string): Promise<boolean> =>
  (
    await db
      .selectFrom('memberships')
      .select('is_away as isAway')
      .where('workspace_id', '=', workspaceId)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
  )?.isAway ?? false

/** Whether it changed. */
export const updateAway = async (
  { db, workspaceId }: Ctx,
  accountId: string,
  isAway: boolean,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('memberships')
    .set({ is_away: isAway })
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .where('is_away', '<>', isAway)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
