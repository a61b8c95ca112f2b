// All SQL of people: accounts, which span the platform, and memberships, which tie them to a workspace.
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { foldNickname } from './nickname.ts'
import type { Agent, Member, MemberRole } from './schema.ts'

/** Enough for what belongs to no workspace. */
export type PlatformCtx = Pick<Ctx, 'db' | 'now' | 'newId'>

/** What the API calls the AI agent wherever it takes an agent's id. */
const AI = 'ai'
const ONLINE_WITHIN_MS = 60_000

// Accounts --------------------------------------------------------------------------------------------------------

export type Account = { id: string; email: string; nickname: string; isAi: boolean }

export const findAccountByEmail = ({ db }: Pick<Ctx, 'db'>, email: string): Promise<Account | undefined> =>
  db
    .selectFrom('accounts')
    .select(['id', 'email', 'nickname', 'is_ai as isAi'])
    .where('email', '=', email)
    .executeTakeFirst()

export const findAccount = ({ db }: Pick<Ctx, 'db'>, id: string): Promise<Account | undefined> =>
  db
    .selectFrom('accounts')
    .select(['id', 'email', 'nickname', 'is_ai as isAi'])
    .where('id', '=', id)
    .executeTakeFirst()

/** They use the console at this moment, in whichever workspace. */
export const noteAccountsSeen = async (
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  ids: readonly string[],
): Promise<void> => {
  await sql`
    update accounts set last_seen_at = greatest(last_seen_at, ${now()}::timestamptz)
    where id = any(${[...ids].sort()}::text[])`.execute(db)
}

/** Which of the nicknames somebody has, folded. */
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

/** Undefined when the email or the nickname is taken, also by a transaction that committed while this one waited. */
export const insertAccount = (
  { db, now, newId }: PlatformCtx,
  { email, nickname }: { email: string; nickname: string },
): Promise<Account | undefined> =>
  db
    .insertInto('accounts')
    .values({ id: newId(), email, nickname, nickname_key: foldNickname(nickname), created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'email', 'nickname', 'is_ai as isAi'])
    .executeTakeFirst()

/** False when somebody else has the nickname; then the transaction is lost and must end with an error. */
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

/** Whether the account may enter any workspace. */
export const hasWorkspace = async ({ db }: Pick<Ctx, 'db'>, accountId: string): Promise<boolean> =>
  (await db
    .selectFrom('memberships')
    .select('workspace_id')
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

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
      'm.created_at as createdAt',
    ])
    .where('m.workspace_id', '=', workspaceId)
    .where('m.removed_at', 'is', null)

type MemberRow = {
  id: string
  email: string
  nickname: string
  lastSeenAt: string | null
  role: Agent['role']
  createdAt: string
}

const toAgent = ({ lastSeenAt, createdAt, ...member }: MemberRow, now: Date): Agent => ({
  ...member,
  isOnline:
    member.role === 'ai' ||
    (lastSeenAt !== null && now.getTime() - Date.parse(lastSeenAt) <= ONLINE_WITHIN_MS),
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

/** Makes the account a member, again if it was removed. False when it is one already. */
export const insertMember = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  { accountId, role, roleId }: NewMember,
): Promise<boolean> => {
  const row = await db
    .insertInto('memberships')
    .values({ workspace_id: workspaceId, account_id: accountId, role, role_id: roleId, created_at: now() })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'account_id'])
        .doUpdateSet({ role, role_id: roleId, removed_at: null })
        .where('memberships.removed_at', 'is not', null),
    )
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * The active admins and the given member, locked in the order of their ids until the transaction ends: of two who
 * would each remove the other's last colleague, one waits and then sees what the other did.
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

export const markMemberRemoved = async ({ db, workspaceId, now }: Ctx, accountId: string): Promise<void> => {
  await db
    .updateTable('memberships')
    .set({ removed_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .execute()
}

export const getAiAccount = ({ db }: Pick<Ctx, 'db'>): Promise<{ id: string }> =>
  db.selectFrom('accounts').select('id').where('is_ai', '=', true).executeTakeFirstOrThrow()

// Roles -----------------------------------------------------------------------------------------------------------

/** listAgents with what the console's settings show beside. */
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

/** The active members who have a role, the default one also for want of another. */
export const listMembersOfRole = async ({ db, workspaceId }: Ctx, roleId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select m.account_id as id from memberships m
    join roles r on r.workspace_id = m.workspace_id and r.id = ${roleId}
    where m.workspace_id = ${workspaceId} and m.role = 'agent' and m.removed_at is null
      and (m.role_id = r.id or (m.role_id is null and r.is_default))
    order by m.account_id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Also those who were removed, who may come back. */
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
