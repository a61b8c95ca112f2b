// SQL of runs of tests and their results.
import { type SqlBool, sql } from 'kysely'
import { actorId } from '../../../platform/ctx/actor.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { rowsOf } from '../../../platform/db/rows-of.ts'
import { storableJson } from '../../../platform/db/storable-json.ts'
import type { TESTED_GUIDANCE } from '../../../platform/db/tables.ts'
import { recordedBy } from '../../accounts/recorded-by.ts'
import type { LiveGuidance } from '../guidance/find-guidance.ts'
import type { Guidance } from '../guidance/schema.ts'
import type { Check } from './check-outcome.ts'
import type { RunnableTest } from './runnable-tests.ts'
import type { Scenario } from './scenario.ts'
import type { TestRun } from './schema.ts'

export type Side = (typeof TESTED_GUIDANCE)[number]

type NewRun = {
  id: string
  live: LiveGuidance | null
  draft: Guidance | null
  model: string | null
  tests: readonly RunnableTest[]
}

/** False if another one is running. */
export const insertRun = async (
  { db, workspaceId, now, actor }: Ctx,
  { id, live, draft, model, tests }: NewRun,
): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('ai_test_runs')
    .values({
      workspace_id: workspaceId,
      id,
      live: live && JSON.stringify(live.guidance),
      live_version: live?.version ?? null,
      draft: draft && JSON.stringify(draft),
      model,
      started_by: actorId(actor),
      started_at: now(),
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id']).where('state', '=', sql.lit('running')).doNothing(),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) return false
  const sides: Side[] = [...(live ? (['live'] as const) : []), ...(draft ? (['draft'] as const) : [])]
  const rows = tests.flatMap(({ id: testId, isOwn, fingerprint, scenario }, position) =>
    sides.map((guidance) => ({ position, guidance, testId, isOwn, fingerprint, scenario })),
  )
  await sql`
    insert into ai_test_results (workspace_id, run_id, position, guidance, test_id, is_own, fingerprint, scenario)
    select ${workspaceId}, ${id}, position, guidance, "testId", "isOwn", fingerprint, scenario
    from ${rowsOf(rows)} as r (position integer, guidance text, "testId" text, "isOwn" boolean, fingerprint text,
      scenario jsonb)`.execute(db)
  return true
}

/** But the newest. */
export const deleteOldRuns = async ({ db, workspaceId }: Ctx, keptMax: number): Promise<void> => {
  await sql`
    delete from ai_test_runs where workspace_id = ${workspaceId} and id in (
      select id from ai_test_runs where workspace_id = ${workspaceId} and state <> 'running'
      order by id desc offset ${keptMax}::integer)`.execute(db)
}

/** The newest, or the one with an id. */
export const findRun = async ({ db, workspaceId }: Ctx, id?: string): Promise<TestRun | undefined> => {
  const { rows } = await sql<TestRun>`
    select r.id, r.state, r.started_at as "startedAt", r.ended_at as "endedAt",
      ${recordedBy('r.started_by')} as "startedBy",
      array_remove(array[case when r.live is not null then 'live' end, case when r.draft is not null then 'draft' end],
        null) as guidance, s.*
    from (
      select * from ai_test_runs where workspace_id = ${workspaceId}
        and ${id === undefined ? sql<SqlBool>`true` : sql<SqlBool>`id = ${id}`}
      order by id desc limit 1
    ) r cross join lateral (
      select count(*)::integer as total, (count(*) filter (where state <> 'waiting'))::integer as done,
        (count(*) filter (where state = 'passed'))::integer as passed,
        (count(*) filter (where state = 'failed'))::integer as failed,
        (count(*) filter (where state = 'skipped'))::integer as skipped
      from ai_test_results where workspace_id = ${workspaceId} and run_id = r.id
    ) s`.execute(db)
  return rows[0]
}

/** False if it isn't running, or if something in it waits and it isn't cancelled. */
export const endRun = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  state: 'ended' | 'cancelled',
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update ai_test_runs r set state = ${state}, ended_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id} and state = 'running' and (${state} = 'cancelled'
      or not exists (select from ai_test_results s
        where s.workspace_id = ${workspaceId} and s.run_id = ${id} and s.state = 'waiting'))`.execute(db)
  return numAffectedRows === 1n
}

export const isRunning = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> =>
  (await db
    .selectFrom('ai_test_runs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst()) !== undefined

export type DueTest = {
  position: number
  guidance: Side
  scenario: Scenario
  isOwn: boolean
  tries: number
  version: number | null
  given: Guidance
}

/** The next test of a run, counted as tried. Undefined if there is none, or the run isn't running. */
export const takeNext = async ({ db, workspaceId }: Ctx, runId: string): Promise<DueTest | undefined> => {
  const { rows } = await sql<DueTest>`
    update ai_test_results s set tries = s.tries + 1
    from ai_test_runs r
    where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'running'
      and s.workspace_id = ${workspaceId} and s.run_id = ${runId}
      and (s.position, s.guidance) = (
        select position, guidance from ai_test_results
        where workspace_id = ${workspaceId} and run_id = ${runId} and state = 'waiting'
        order by position, guidance desc limit 1)
    returning s.position, s.guidance, s.scenario, s.is_own as "isOwn", s.tries,
      case s.guidance when 'live' then r.live else r.draft end as given,
      case s.guidance when 'live' then r.live_version end as version`.execute(db)
  return rows[0]
}

type Ended = {
  state: 'passed' | 'failed' | 'skipped'
  checks: Check[]
  said: string[]
  skipped: string | null
}

/** Of a run that was cancelled meanwhile, nothing is stored. */
export const storeResult = async (
  { db, workspaceId, now }: Ctx,
  runId: string,
  { position, guidance }: Pick<DueTest, 'position' | 'guidance'>,
  { state, checks, said, skipped }: Ended,
): Promise<void> => {
  await sql`
    update ai_test_results s set state = ${state}, checks = ${storableJson(checks)}::jsonb,
      said = ${storableJson(said)}::jsonb, skipped = ${skipped}, ended_at = ${now()}
    from ai_test_runs r
    where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'running'
      and s.workspace_id = ${workspaceId} and s.run_id = ${runId} and s.position = ${position}
      and s.guidance = ${guidance} and s.state = 'waiting'`.execute(db)
}
