// All SQL of tags. contacts/ stores which contact has which.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Tag } from './schema.ts'

/** The workspace's tags by name, ignoring case. */
export const listTags = ({ db, workspaceId }: Ctx): Promise<Tag[]> =>
  db
    .selectFrom('tags')
    .select(['id', 'name', 'color'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('name_key')
    .execute()

export const countTags = async ({ db, workspaceId }: Ctx): Promise<number> => {
  const { count } = await db
    .selectFrom('tags')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return count
}

/** Undefined if the workspace has a tag of that name. */
export const insertTag = (
  { db, workspaceId, newId, now }: Ctx,
  { name, nameKey, color }: { name: string; nameKey: string; color: string },
): Promise<Tag | undefined> =>
  db
    .insertInto('tags')
    .values({ workspace_id: workspaceId, id: newId(), name, name_key: nameKey, color, created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'name', 'color'])
    .executeTakeFirst()

/** The tag, locked against changes until the transaction ends. */
export const lockTag = ({ db, workspaceId }: Ctx, id: string): Promise<Tag | undefined> =>
  db
    .selectFrom('tags')
    .select(['id', 'name', 'color'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Undefined if another tag has the name; the transaction is then aborted and must end with an error. */
export const updateTagRow = async (
  { db, workspaceId }: Ctx,
  { id, name, nameKey, color }: Tag & { nameKey: string },
): Promise<Tag | undefined> => {
  try {
    return await db
      .updateTable('tags')
      .set({ name, name_key: nameKey, color })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .returning(['id', 'name', 'color'])
      .executeTakeFirstOrThrow()
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    if (code === '23505' && constraint === 'tags_workspace_id_name_key_key') return undefined
    throw error
  }
}

/** The foreign key removes it from its contacts. False if there is no such tag. */
export const deleteTagRow = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('tags')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
