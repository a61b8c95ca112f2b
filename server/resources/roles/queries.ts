// All SQL of the roles that say what a member without admin rights may do.
import type { Ctx } from '../../ctx.ts'

export const DEFAULT_ROLE_NAME = 'Agent'

/** The role that members get who are added as agents. It allows nothing beyond their own conversations. */
export const insertDefaultRole = async ({
  db,
  workspaceId,
  newId,
  now,
}: Pick<Ctx, 'db' | 'workspaceId' | 'newId' | 'now'>): Promise<void> => {
  await db
    .insertInto('roles')
    .values({
      workspace_id: workspaceId,
      id: newId(),
      name: DEFAULT_ROLE_NAME,
      permissions: [],
      is_default: true,
      created_at: now(),
    })
    .execute()
}

export const getDefaultRoleId = async ({
  db,
  workspaceId,
}: Pick<Ctx, 'db' | 'workspaceId'>): Promise<string> =>
  (
    await db
      .selectFrom('roles')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('is_default', '=', true)
      .executeTakeFirstOrThrow()
  ).id
