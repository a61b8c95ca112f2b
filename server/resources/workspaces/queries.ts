import type { Ctx } from '../../ctx.ts'
import type { Db } from '../../db/pool.ts'

export const insertWorkspace = async (
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  { id, name }: { id: string; name: string },
): Promise<void> => {
  await db.insertInto('workspaces').values({ id, name, created_at: now() }).execute()
}

export const findWorkspace = (db: Db, id: string): Promise<{ id: string; name: string } | undefined> =>
  db.selectFrom('workspaces').select(['id', 'name']).where('id', '=', id).executeTakeFirst()
