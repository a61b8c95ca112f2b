// SQL of the tests of flows.
import { sql } from 'kysely'
import type { Scenario } from '../../../flow-engine/scenario.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { StoredTest } from './engine-jobs.ts'

export const listFlowTests = ({ db, workspaceId }: Ctx, flowId: string): Promise<StoredTest[]> =>
  db
    .selectFrom('flow_tests')
    .select(['id', 'name', 'scenario'])
    .where('workspace_id', '=', workspaceId)
    .where('flow_id', '=', flowId)
    .orderBy('id')
    .execute()

/** Returns their ids, in order. */
export const insertFlowTests = async (
  { db, workspaceId, newId, now }: Ctx,
  flowId: string,
  scenarios: readonly Scenario[],
): Promise<string[]> => {
  if (scenarios.length === 0) return []
  const rows = scenarios.map((scenario) => ({ id: newId(), name: scenario.name, scenario }))
  await sql`
    insert into flow_tests (workspace_id, flow_id, id, name, scenario, created_at)
    select ${workspaceId}, ${flowId}, r.id, r.name, r.scenario, ${now()}
    from ${rowsOf(rows)} as r (id text, name text, scenario jsonb)`.execute(db)
  return rows.map(({ id }) => id)
}

/** False if there is no such test. */
export const updateFlowTest = async (
  { db, workspaceId }: Ctx,
  flowId: string,
  testId: string,
  scenario: Scenario,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('flow_tests')
    .set({ name: scenario.name, scenario: JSON.stringify(scenario) })
    .where('workspace_id', '=', workspaceId)
    .where('flow_id', '=', flowId)
    .where('id', '=', testId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if there is no such test. */
export const deleteFlowTestRow = async (
  { db, workspaceId }: Ctx,
  flowId: string,
  testId: string,
): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('flow_tests')
    .where('workspace_id', '=', workspaceId)
    .where('flow_id', '=', flowId)
    .where('id', '=', testId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const copyTests = async (ctx: Ctx, from: string, to: string): Promise<void> => {
  const tests = await listFlowTests(ctx, from)
  await insertFlowTests(
    ctx,
    to,
    tests.map(({ scenario }) => scenario),
  )
}

export const replaceTests = async (
  ctx: Ctx,
  flowId: string,
  scenarios: readonly Scenario[],
): Promise<void> => {
  await ctx.db
    .deleteFrom('flow_tests')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('flow_id', '=', flowId)
    .execute()
  await insertFlowTests(ctx, flowId, scenarios)
}
