// All SQL of MCP servers and the copies of their tools.
import { sql } from 'kysely'
import type { Era, McpProblem, ServerTool } from '../../../mcp-client/contract.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { McpServer, McpServerSummary, McpTool } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type StoredServer = Omit<McpServer, 'token'> & { token: Buffer | null; era: Era | null }

/** A tool as its action has it: what was approved, while it is on. */
export type StoredTool = Pick<McpTool, 'name' | 'hash' | 'state' | 'description'> & { serverId: string }

const COLUMNS = [
  'id',
  'name',
  'url',
  'token',
  'era',
  'skipped',
  'problem',
  'checked_at as checkedAt',
] as const

export const findServer = ({ db, workspaceId }: Scope, id: string): Promise<StoredServer | undefined> =>
  db
    .selectFrom('mcp_servers')
    .select(COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

type Counts = Pick<McpServerSummary, 'toolCount' | 'onCount' | 'changedCount'>

/** By name. */
export const listServers = ({ db, workspaceId }: Scope): Promise<(StoredServer & Counts)[]> => {
  const count = (states: readonly string[]) =>
    sql<number>`(select count(*)::int from mcp_tools t where t.workspace_id = mcp_servers.workspace_id
      and t.server_id = mcp_servers.id and t.state = any (${states}::text[]))`
  return db
    .selectFrom('mcp_servers')
    .select(COLUMNS)
    .select([
      count(['off', 'on', 'changed', 'gone']).as('toolCount'),
      count(['on']).as('onCount'),
      count(['changed']).as('changedCount'),
    ])
    .where('workspace_id', '=', workspaceId)
    .orderBy('name_key')
    .execute()
}

const selectTools = ({ db, workspaceId }: Scope, serverId: string) =>
  db
    .selectFrom('mcp_tools')
    .select([
      'name',
      'title',
      'description',
      'own_description as ownDescription',
      'hash',
      'parameters',
      'omitted',
      'unusable',
      'state',
      'action_id as actionId',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('server_id', '=', serverId)

/** By name. */
export const listTools = (ctx: Scope, serverId: string): Promise<McpTool[]> =>
  selectTools(ctx, serverId).orderBy('name').execute()

export const findTool = (ctx: Scope, serverId: string, name: string): Promise<McpTool | undefined> =>
  selectTools(ctx, serverId).where('name', '=', name).executeTakeFirst()

type NewServer = Pick<StoredServer, 'id' | 'name' | 'url' | 'token'> & { nameKey: string; nextCheckAt: Date }

/** For the holder of the workspace's lock, who has looked at the others. */
export const insertServer = async (
  { db, workspaceId, now }: Ctx,
  { id, name, nameKey, url, token, nextCheckAt }: NewServer,
): Promise<void> => {
  await db
    .insertInto('mcp_servers')
    .values({
      ...{ workspace_id: workspaceId, id, name, name_key: nameKey, url, token },
      next_check_at: nextCheckAt,
      created_at: now(),
    })
    .execute()
}

/** The same. */
export const updateServer = async (
  { db, workspaceId }: Ctx,
  { id, name, nameKey, token }: Pick<NewServer, 'id' | 'name' | 'nameKey' | 'token'>,
): Promise<void> => {
  await db
    .updateTable('mcp_servers')
    .set({ name, name_key: nameKey, token })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** With its tools. Their actions are left to whoever calls this. */
export const deleteServerRow = async ({ db, workspaceId }: Ctx, id: string): Promise<void> => {
  await db.deleteFrom('mcp_servers').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

type Checked =
  | { problem: McpProblem; found?: undefined }
  | { problem: null; found: { skipped: number; era: Era } }

/** What came of a check. False if the server was removed meanwhile; the row is locked otherwise. */
export const saveChecked = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  { problem, found }: Checked,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('mcp_servers')
    .set({ problem: problem && JSON.stringify(problem), checked_at: now(), ...found })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** One that is on and isn't what was approved is switched off, and so is one that was gone. */
export const saveTools = async (
  { db, workspaceId }: Ctx,
  serverId: string,
  tools: readonly ServerTool[],
): Promise<void> => {
  if (tools.length === 0) return
  await sql`
    insert into mcp_tools (workspace_id, server_id, name, title, description, hash, parameters, omitted, unusable)
    select s.workspace_id, s.id, t.name, t.title, t.description, t.hash, t.parameters, t.omitted, t.unusable
    from ${rowsOf(tools)} as t (name text, title text, description text, hash text, parameters jsonb,
        omitted jsonb, unusable text)
      join mcp_servers s on s.workspace_id = ${workspaceId} and s.id = ${serverId}
    on conflict (workspace_id, server_id, name) do update set
      title = excluded.title, description = excluded.description, hash = excluded.hash,
      parameters = excluded.parameters, omitted = excluded.omitted, unusable = excluded.unusable,
      state = case
        when mcp_tools.state = 'gone' or (mcp_tools.state = 'on' and mcp_tools.hash <> excluded.hash)
        then 'changed' else mcp_tools.state end`.execute(db)
}

/** Those of a server that have an action stay, switched off; the others are deleted. In one statement. */
export const dropOtherTools = async (
  { db, workspaceId }: Ctx,
  serverId: string,
  names: readonly string[],
): Promise<void> => {
  await sql`
    with others as (
      select name, action_id from mcp_tools
      where workspace_id = ${workspaceId} and server_id = ${serverId} and name <> all (${names}::text[])
    ), deleted as (
      delete from mcp_tools t using others o
      where t.workspace_id = ${workspaceId} and t.server_id = ${serverId} and t.name = o.name
        and o.action_id is null
    )
    update mcp_tools t set state = 'gone' from others o
    where t.workspace_id = ${workspaceId} and t.server_id = ${serverId} and t.name = o.name
      and o.action_id is not null`.execute(db)
}

export const markGone = async (
  { db, workspaceId }: Ctx,
  { serverId, name }: { serverId: string; name: string },
): Promise<void> => {
  await db
    .updateTable('mcp_tools')
    .set({ state: 'gone' })
    .where('workspace_id', '=', workspaceId)
    .where('server_id', '=', serverId)
    .where('name', '=', name)
    .where('action_id', 'is not', null)
    .execute()
}

type Approval = { serverId: string; name: string; actionId: string; ownDescription: string | null }

/** For the holder of the workspace's lock. */
export const setToolOn = async (
  { db, workspaceId }: Ctx,
  { serverId, name, actionId, ownDescription, hash }: Approval & { hash: string },
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('mcp_tools')
    .set({ state: 'on', action_id: actionId, own_description: ownDescription })
    .where('workspace_id', '=', workspaceId)
    .where('server_id', '=', serverId)
    .where('name', '=', name)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const setToolOff = async (
  { db, workspaceId }: Ctx,
  { serverId, name }: { serverId: string; name: string },
): Promise<void> => {
  await db
    .updateTable('mcp_tools')
    .set({ state: 'off' })
    .where('workspace_id', '=', workspaceId)
    .where('server_id', '=', serverId)
    .where('name', '=', name)
    .execute()
}

/** Of the whole workspace. */
export const countToolsOn = async ({ db, workspaceId }: Scope): Promise<number> => {
  const { count } = await db
    .selectFrom('mcp_tools')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'on')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Of all workspaces: those whose time has come, which are due again later, also if this process dies. */
export const claimDueServers = async (
  db: Db,
  { now, nextCheckAt, max }: { now: Date; nextCheckAt: Date; max: number },
): Promise<{ workspaceId: string; serverId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; serverId: string }>`
    update mcp_servers set next_check_at = ${nextCheckAt}
    where (workspace_id, id) in (
      select workspace_id, id from mcp_servers where next_check_at <= ${now} and ${isAtWork('workspace_id')}
      order by next_check_at limit ${max} for update skip locked)
    returning workspace_id as "workspaceId", id as "serverId"`.execute(db)
  return rows
}
