import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'

export const insertWorkspace = async (
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  { id, name }: { id: string; name: string },
): Promise<void> => {
  await db.insertInto('workspaces').values({ id, name, created_at: now() }).execute()
}

const WORKSPACES_LISTED_MAX = 10_000

/** For the operator: all of them, the oldest first. */
export const listWorkspaces = async (
  db: Db,
): Promise<
  { id: string; name: string; createdAt: string; move?: { state: string; to: string | null } }[]
> => {
  const rows = await db
    .selectFrom('workspaces as w')
    .leftJoin('workspace_moves as m', 'm.workspace_id', 'w.id')
    .select(['w.id', 'w.name', 'w.created_at as createdAt', 'm.state', 'm.moved_to as to'])
    .orderBy('w.id')
    .limit(WORKSPACES_LISTED_MAX)
    .execute()
  return rows.map(({ state, to, ...workspace }) => ({ ...workspace, ...(state && { move: { state, to } }) }))
}

/** Locks the workspace until the transaction ends, for anything that must be counted or compared before it is added. */
export const lockWorkspace = async ({ db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>): Promise<void> => {
  await db
    .selectFrom('workspaces')
    .select('id')
    .where('id', '=', workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** After a change of teams or targets, so that every process reads them again. */
export const raiseTeamRevision = async ({ db, workspaceId }: Ctx): Promise<void> => {
  await sql`update workspaces set team_revision = coalesce(team_revision, 0) + 1 where id = ${workspaceId}`.execute(
    db,
  )
}

/** After a change of something that teams use, if there are any. */
export const touchTeamRevision = async ({ db, workspaceId }: Ctx): Promise<void> => {
  await sql`update workspaces set team_revision = team_revision + 1 where id = ${workspaceId}`.execute(db)
}

/** Returns the new name and the id. */
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

const GIB = 1024 ** 3

/** Sets the workspace's total upload quota; existing files stay. */
export const setUploadQuota = async (
  { db, workspaceId }: Ctx,
  gib: number,
): Promise<{ workspaceId: string; uploadLimitGib: number }> => {
  await db
    .updateTable('workspaces')
    .set({ upload_quota_bytes: gib * GIB })
    .where('id', '=', workspaceId)
    .execute()
  return { workspaceId, uploadLimitGib: gib }
}

/** Of all workspaces, the oldest first. */
export const listWorkspaceIds = async (db: Db): Promise<string[]> => {
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .where(isAtWork('workspaces.id'))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export const findWorkspace = (db: Db, id: string): Promise<{ id: string; name: string } | undefined> =>
  db.selectFrom('workspaces').select(['id', 'name']).where('id', '=', id).executeTakeFirst()

/**
 * Tells every process that something changed that decides which flows start. `isAutomated`: from now on customers'
 * messages leave inputs for automation; false leaves that as it is, since runs may be on their way.
 */
export const raiseAutomationRevision = async (
  { db, workspaceId }: Ctx,
  isAutomated: boolean,
): Promise<void> => {
  await db
    .updateTable('workspaces')
    .set((eb) => ({
      automation_revision: eb('automation_revision', '+', 1),
      ...(isAutomated && { is_automated: true }),
    }))
    .where('id', '=', workspaceId)
    .execute()
}
