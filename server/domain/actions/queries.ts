// All SQL of actions. Their calls are in call-queries.ts.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Action } from './schema.ts'

export type StoredAction = Action & { workspaceId: string; headers: Buffer | null }

const select = ({ db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>) =>
  db
    .selectFrom('actions')
    .select([
      'workspace_id as workspaceId',
      'id',
      'name',
      'method',
      'url',
      'header_names as headerNames',
      'headers',
      'parameters',
      'keep',
      'timeout_ms as timeoutMs',
      'is_repeatable as isRepeatable',
      'risk',
      'needs',
      'confirm',
    ])
    .where('workspace_id', '=', workspaceId)

/** By name. */
export const listActions = (ctx: Pick<Ctx, 'db' | 'workspaceId'>): Promise<StoredAction[]> =>
  select(ctx).orderBy('name_key').execute()

export const findAction = (
  ctx: Pick<Ctx, 'db' | 'workspaceId'>,
  id: string,
): Promise<StoredAction | undefined> => select(ctx).where('id', '=', id).executeTakeFirst()

type Row = StoredAction & { nameKey: string }

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
