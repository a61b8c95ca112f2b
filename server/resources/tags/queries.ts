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
