// SQL of the tests that a workspace keeps.
import { actorId } from '../../../platform/ctx/actor.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { storableJson } from '../../../platform/db/storable-json.ts'
import type { OwnTest } from './own-test-schema.ts'

export type KeptTest = { id: string; turnId: string | null; scenario: OwnTest }

/** The newest first. */
export const listKept = ({ db, workspaceId }: Ctx): Promise<Pick<KeptTest, 'id' | 'scenario'>[]> =>
  db
    .selectFrom('ai_tests')
    .select('id')
    .select((eb) => eb.ref('scenario').$castTo<OwnTest>().as('scenario'))
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .execute()

/** For the holder of the workspace's lock, who has counted the others. */
export const insertKept = async (
  { db, workspaceId, now, actor }: Ctx,
  { id, turnId, scenario }: KeptTest,
): Promise<void> => {
  const at = now()
  await db
    .insertInto('ai_tests')
    .values({
      workspace_id: workspaceId,
      id,
      scenario: storableJson(scenario),
      turn_id: turnId,
      created_by: actorId(actor),
      created_at: at,
      updated_at: at,
    })
    .execute()
}

/** False if there is none. */
export const updateKept = async (
  { db, workspaceId, now }: Ctx,
  { id, scenario }: Pick<KeptTest, 'id' | 'scenario'>,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('ai_tests')
    .set({ scenario: storableJson(scenario), updated_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if there is none. */
export const deleteKept = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('ai_tests')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
