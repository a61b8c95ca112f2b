// All SQL of actions. Their calls are in call-queries.ts.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { StoredTool } from '../mcp-servers/queries.ts'
import type { Action } from './schema.ts'

export type StoredAction = Action & {
  workspaceId: string
  headers: Buffer | null
  /** What is called instead of an address with parameters. */
  tool: StoredTool | null
}

const select = ({ db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>) =>
  db
    .selectFrom('actions')
    .leftJoin('mcp_tools as t', (join) =>
      join.onRef('t.workspace_id', '=', 'actions.workspace_id').onRef('t.action_id', '=', 'actions.id'),
    )
    .select([
      'actions.workspace_id as workspaceId',
      'actions.id',
      'actions.name',
      'method',
      'url',
      'header_names as headerNames',
      'headers',
      'actions.parameters',
      'keep',
      'timeout_ms as timeoutMs',
      'is_repeatable as isRepeatable',
      'risk',
      'needs',
      'confirm',
      sql<StoredTool | null>`case when t.name is not null then jsonb_build_object('serverId', t.server_id,
        'name', t.name, 'hash', t.hash, 'state', t.state,
        'description', coalesce(t.own_description, t.description)) end`.as('tool'),
    ])
    .where('actions.workspace_id', '=', workspaceId)

/** By name. */
export const listActions = (ctx: Pick<Ctx, 'db' | 'workspaceId'>): Promise<StoredAction[]> =>
  select(ctx).orderBy('name_key').execute()

export const findAction = (
  ctx: Pick<Ctx, 'db' | 'workspaceId'>,
  id: string,
): Promise<StoredAction | undefined> => select(ctx).where('actions.id', '=', id).executeTakeFirst()

type Row = Omit<StoredAction, 'tool'> & { nameKey: string }

const columnsOf = (row: Row) => ({
  name: row.name,
  name_key: row.nameKey,
  method: row.method,
  url: row.url,
  header_names: row.headerNames,
  headers: row.headers,
  parameters: JSON.stringify(row.parameters),
  keep: JSON.stringify(row.keep),
  timeout_ms: row.timeoutMs,
  is_repeatable: row.isRepeatable,
  risk: row.risk,
  needs: row.needs,
  confirm: row.confirm,
})

/** For the holder of the workspace's lock, who has looked at the others. */
export const insertAction = async ({ db, workspaceId, now }: Ctx, row: Row): Promise<void> => {
  await db
    .insertInto('actions')
    .values({ workspace_id: workspaceId, id: row.id, ...columnsOf(row), created_at: now() })
    .execute()
}

export const updateActionRow = async ({ db, workspaceId }: Ctx, row: Row): Promise<void> => {
  await db
    .updateTable('actions')
    .set(columnsOf(row))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', row.id)
    .execute()
}

export const deleteActionRow = async ({ db, workspaceId }: Ctx, id: string): Promise<void> => {
  await db.deleteFrom('actions').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** Of tools whose server was removed. */
export const deleteActionRows = async ({ db, workspaceId }: Ctx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await db.deleteFrom('actions').where('workspace_id', '=', workspaceId).where('id', 'in', ids).execute()
}
