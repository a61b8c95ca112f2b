// All SQL of tags. Which contact has which is written by contacts/.
import type { Ctx } from '../../ctx.ts'
import type { Tag } from './schema.ts'

/** The workspace's tags by name, without regard to case. */
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

/** Undefined when the workspace has a tag of that name. */
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

/** The tag, which stays as it is until the transaction ends. */
export const lockTag = ({ db, workspaceId }: Ctx, id: string): Promise<Tag | undefined> =>
  db
    .selectFrom('tags')
    .select(['id', 'name', 'color'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Undefined when another tag has the name; then the transaction is lost and must end with an error. */
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

/** Its contacts lose it by the foreign key. False when there is no such tag. */
export const deleteTagRow = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('tags')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
