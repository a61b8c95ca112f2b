// All SQL of roles, which define what members other than admins may do.
import { sql } from 'kysely'
import { PERMISSIONS, type Permission } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Role } from './role-schema.ts'

const DEFAULT_ROLE_NAME = 'Agent'

/** The role of members added as agents. It allows nothing beyond their own conversations. */
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

/** The default role, then the others by name, each with its active members; or only the one with that id. */
export const listRoles = async ({ db, workspaceId }: Ctx, id?: string): Promise<Role[]> => {
  const { rows } = await sql<Role>`
    select r.id, r.name, r.permissions, r.is_default as "isDefault", r.created_at as "createdAt",
      (select count(*) from memberships m
        where m.workspace_id = r.workspace_id and m.role = 'agent' and m.removed_at is null
          and (m.role_id = r.id or (m.role_id is null and r.is_default))) as "memberCount"
    from roles r
    where r.workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`r.id = ${id}`}
    order by r.is_default desc, lower(r.name), r.id`.execute(db)
  return rows.map((role) => ({ ...role, permissions: known(role.permissions) }))
}

/** Unknown strings from an older or newer version are dropped. */
const known = (stored: readonly string[]): Permission[] =>
  PERMISSIONS.filter((permission) => stored.includes(permission))

/** The names of the workspace's roles by id. To add or rename one, hold the workspace's lock. */
export const listRoleNames = ({ db, workspaceId }: Ctx): Promise<{ id: string; name: string }[]> =>
  db.selectFrom('roles').select(['id', 'name']).where('workspace_id', '=', workspaceId).execute()

type RoleRow = { id: string; name: string; permissions: Permission[] }

export const insertRole = async (
  { db, workspaceId, now }: Ctx,
  { id, name, permissions }: RoleRow,
): Promise<void> => {
  await db
    .insertInto('roles')
    .values({ workspace_id: workspaceId, id, name, permissions, created_at: now() })
    .execute()
}

/** False when there is no such role. */
export const updateRoleRow = async (
  { db, workspaceId }: Ctx,
  { id, name, permissions }: { id: string; name?: string; permissions?: Permission[] },
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('roles')
    .set({ ...(name !== undefined && { name }), ...(permissions && { permissions }) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Locks the role until the transaction ends: `stays` keeps it from being deleted, `goes` also from being given to
 * anyone.
 */
export const lockRole = ({ db, workspaceId }: Ctx, id: string, until: 'stays' | 'goes') => {
  const role = db
    .selectFrom('roles')
    .select(['id', 'is_default as isDefault'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  return (until === 'goes' ? role.forUpdate() : role.forKeyShare()).executeTakeFirst()
}

export const deleteRoleRow = async ({ db, workspaceId }: Ctx, id: string): Promise<void> => {
  await db.deleteFrom('roles').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}
