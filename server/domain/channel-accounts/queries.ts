// The SQL of channel accounts that are connected, and decryption of their secrets. removal-queries.ts has that of removed ones.
import { sql } from 'kysely'
import { type ChannelSecrets, DEFINITIONS } from '../../../channels/definitions.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { CHANNELS, type ChannelName, type ChannelProblem } from '../../platform/db/tables.ts'
import { type Seal, SealError } from '../../platform/seal.ts'
import type { Account } from './read-channel-account.ts'
import type { StoredChannelAccount } from './schema.ts'

const selectAccounts = (db: Db) =>
  db
    .selectFrom('channel_accounts')
    .select([
      'workspace_id as workspaceId',
      'id',
      'channel',
      'name',
      'address',
      'settings',
      'secrets',
      'problem',
      'worked_at as workedAt',
    ])
    .where('removed_at', 'is', null)

/**
 * The account that a webhook or a widget names, in any workspace: ids are unique across the platform. Undefined if
 * there is none, or if it is of another kind.
 */
export const findChannelAccountAnywhere = async <C extends ChannelName>(
  db: Db,
  channel: C,
  id: string,
): Promise<StoredChannelAccount<C> | undefined> => {
  const row = await selectAccounts(db).where('id', '=', id).where('channel', '=', channel).executeTakeFirst()
  // read-channel-account read the settings for this very kind.
  return row as StoredChannelAccount<C> | undefined
}

export const findChannelAccount = async (
  { db, workspaceId }: Ctx,
  id: string,
): Promise<StoredChannelAccount | undefined> => {
  const row = await selectAccounts(db)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row as StoredChannelAccount | undefined
}

/** The accounts of a kind in all workspaces, for background work. */
export const listAccountsAnywhere = async <C extends ChannelName>(
  db: Db,
  channel: C,
): Promise<StoredChannelAccount<C>[]> => {
  const rows = await selectAccounts(db)
    .where('channel', '=', channel)
    .where(isAtWork('channel_accounts.workspace_id'))
    .orderBy('id')
    .execute()
  return rows as StoredChannelAccount<C>[]
}

/** The workspace's accounts of a kind, oldest first. */
export const listChannelAccounts = async <C extends ChannelName>(
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  channel: C,
): Promise<StoredChannelAccount<C>[]> => {
  const rows = await selectAccounts(db)
    .where('workspace_id', '=', workspaceId)
    .where('channel', '=', channel)
    .orderBy('id')
    .execute()
  return rows as StoredChannelAccount<C>[]
}

const WITH_PHONE_NUMBER = CHANNELS.filter((channel) =>
  Object.values(DEFINITIONS[channel].fields).some(
    ({ type, in: place }) => type === 'phone' && place === 'address',
  ),
)

/** The workspace's own phone numbers, as WhatsApp and SMS use them. */
export const listOwnNumbers = async ({
  db,
  workspaceId,
}: Pick<Ctx, 'db' | 'workspaceId'>): Promise<string[]> => {
  const rows = await db
    .selectFrom('channel_accounts')
    .select('address')
    .where('workspace_id', '=', workspaceId)
    .where('removed_at', 'is', null)
    .where('channel', 'in', WITH_PHONE_NUMBER)
    .where('address', 'is not', null)
    .execute()
  return rows.flatMap(({ address }) => address ?? [])
}

/** Throws SealError if SECRET_KEY is not the key that they were encrypted with. */
export const openSecrets = <C extends ChannelName>(
  seal: Seal,
  { workspaceId, id, secrets }: StoredChannelAccount<C>,
): ChannelSecrets[C] =>
  (secrets ? JSON.parse(seal.open(secrets, { workspaceId, id })) : {}) as ChannelSecrets[C]

/** Null if SECRET_KEY is not the key that they were encrypted with; they must then be entered again. */
export const readableSecrets = (seal: Seal, account: StoredChannelAccount): Record<string, string> | null => {
  try {
    return openSecrets(seal, account) as Record<string, string>
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

export type NewChannelAccount = Omit<Account, 'secrets'> & {
  id: string
  channel: ChannelName
  secrets: Buffer | null
}

export const insertChannelAccount = async (
  { db, workspaceId, now }: Ctx,
  { id, channel, name, address, settings, secrets }: NewChannelAccount,
): Promise<void> => {
  await db
    .insertInto('channel_accounts')
    .values({
      workspace_id: workspaceId,
      id,
      channel,
      name,
      address,
      settings: JSON.stringify(settings),
      secrets,
      created_at: now(),
    })
    .execute()
}

type Problem = { code: string; message: string }

/** Whether storing the problem (or that there is none) would change anything. */
export const isNewProblem = async (
  { db, workspaceId }: Ctx,
  id: string,
  problem: Problem | null,
): Promise<boolean> => {
  const { rows } = await sql`
    select from channel_accounts where workspace_id = ${workspaceId} and id = ${id} and ${differsFrom(problem)}`.execute(
    db,
  )
  return rows.length > 0
}

const differsFrom = (problem: Problem | null) =>
  problem
    ? sql`(problem is null
        or (problem ->> 'code', problem ->> 'message') <> (${problem.code}::text, ${problem.message}::text))`
    : sql`problem is not null`

/**
 * Stores the problem that keeps the account from working, or clears it. The start time stays while the code does. Returns
 * the code before; undefined if nothing changed.
 */
export const setChannelProblem = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  problem: Problem | null,
): Promise<{ code: string | null } | undefined> => {
  const given = problem && JSON.stringify({ ...problem, since: now().toISOString() })
  const { rows } = await sql<{ code: string | null }>`
    with before as materialized (
      select id, problem from channel_accounts
      where workspace_id = ${workspaceId} and id = ${id} and ${differsFrom(problem)}
      for no key update
    )
    update channel_accounts c set problem = ${given}::jsonb || case
      when b.problem ->> 'code' = ${problem?.code ?? null}::text then jsonb_build_object('since', b.problem ->> 'since')
      else '{}' end
    from before b
    where c.workspace_id = ${workspaceId} and c.id = b.id
    returning b.problem ->> 'code' as code`.execute(db)
  return rows[0]
}

export const updateChannelAccountRow = async (
  { db, workspaceId }: Ctx,
  { id, name, address, settings, secrets }: Omit<NewChannelAccount, 'channel'>,
): Promise<void> => {
  await db
    .updateTable('channel_accounts')
    .set({ name, address, settings: JSON.stringify(settings), secrets })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Notes a test and, if the account works, that it did now. */
export const setChecked = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  { isWorking }: { isWorking: boolean },
): Promise<void> => {
  await db
    .updateTable('channel_accounts')
    .set({ checked_at: now(), ...(isWorking && { worked_at: now() }) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export const setWorked = async ({ db, workspaceId, now }: Ctx, id: string): Promise<void> => {
  await db
    .updateTable('channel_accounts')
    .set({ worked_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Whether the account has any conversations. */
export const hasConversations = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> =>
  (await db
    .selectFrom('conversations')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('channel_account_id', '=', id)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** A removed team counts as none. */
const teamIdOf = (workspaceId: string) =>
  sql<string | null>`(select t.id from teams t
    where t.workspace_id = ${workspaceId} and t.id = channel_accounts.team_id and t.removed_at is null)`

export const updateAccountTeam = async (
  { db, workspaceId }: Ctx,
  id: string,
  teamId: string | null,
): Promise<void> => {
  await db
    .updateTable('channel_accounts')
    .set({ team_id: teamId })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export type ShownChannelAccount = StoredChannelAccount & {
  teamId: string | null
  createdAt: string
  checkedAt: string | null
  workedAt: string | null
  problem: ChannelProblem | null
}

/** All of the workspace's accounts, oldest first; or only the one with that id. */
export const listShownChannelAccounts = async (
  { db, workspaceId }: Ctx,
  id?: string,
): Promise<ShownChannelAccount[]> => {
  const rows = await selectAccounts(db)
    .select(['created_at as createdAt', 'checked_at as checkedAt', teamIdOf(workspaceId).as('teamId')])
    .where('workspace_id', '=', workspaceId)
    .$if(id !== undefined, (query) => query.where('id', '=', id!))
    .orderBy('id')
    .execute()
  return rows as ShownChannelAccount[]
}
