import type { Ctx } from '../../ctx.ts'
import type { Db } from '../../db/pool.ts'

export const insertWorkspace = async (
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  { id, name }: { id: string; name: string },
): Promise<void> => {
  await db.insertInto('workspaces').values({ id, name, created_at: now() }).execute()
}

/** Until the transaction ends, whoever else wants this lock waits: for what must be counted or compared before it is added. */
export const lockWorkspace = async ({ db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>): Promise<void> => {
  await db
    .selectFrom('workspaces')
    .select('id')
    .where('id', '=', workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** The name and its id as they are then. */
export const updateWorkspaceName = (
  { db, workspaceId }: Ctx,
  name: string,
): Promise<{ id: string; name: string }> =>
  db
    .updateTable('workspaces')
    .set({ name })
    .where('id', '=', workspaceId)
    .returning(['id', 'name'])
    .executeTakeFirstOrThrow()

export const findWorkspace = (db: Db, id: string): Promise<{ id: string; name: string } | undefined> =>
  db.selectFrom('workspaces').select(['id', 'name']).where('id', '=', id).executeTakeFirst()
