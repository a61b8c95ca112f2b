// SQL of what tests last resulted in.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { Guidance } from '../guidance/schema.ts'
import type { Side } from './run-queries.ts'
import type { TestResult } from './schema.ts'

/** What is live and the draft, as they are now. */
export type Now = { live: Guidance; draft: Guidance; model: string | null }

export type LatestResult = {
  testId: string
  guidance: Side
  state: TestResult['state']
  at: string
  fingerprint: string
  /** The instructions and the model are the same now. */
  isSame: boolean
}

const isSame = ({ live, draft, model }: Now) => sql<boolean>`(r.model is not distinct from ${model}
  and case s.guidance when 'live' then r.live = ${JSON.stringify(live)}::jsonb
    else r.draft = ${JSON.stringify(draft)}::jsonb end)`

/** Of each test and side, the newest result that there is. */
export const listLatest = async ({ db, workspaceId }: Ctx, now: Now): Promise<LatestResult[]> => {
  const { rows } = await sql<LatestResult>`
    select distinct on (s.test_id, s.guidance) s.test_id as "testId", s.guidance, s.state, s.ended_at as at,
      s.fingerprint, ${isSame(now)} as "isSame"
    from ai_test_results s join ai_test_runs r on r.workspace_id = s.workspace_id and r.id = s.run_id
    where s.workspace_id = ${workspaceId} and s.state <> 'waiting'
    order by s.test_id, s.guidance, s.run_id desc`.execute(db)
  return rows
}

export type DetailedResult = Omit<TestResult, 'isCurrent'> & LatestResult

/** The newest of a test, in detail: one for each side. */
export const listResultsOf = async (
  { db, workspaceId }: Ctx,
  testId: string,
  now: Now,
): Promise<DetailedResult[]> => {
  const { rows } = await sql<DetailedResult>`
    select distinct on (s.guidance) s.test_id as "testId", s.guidance, s.state, s.ended_at as at, s.fingerprint,
      s.checks, s.said, s.skipped, r.model, case s.guidance when 'live' then r.live_version end as version,
      ${isSame(now)} as "isSame"
    from ai_test_results s join ai_test_runs r on r.workspace_id = s.workspace_id and r.id = s.run_id
    where s.workspace_id = ${workspaceId} and s.test_id = ${testId} and s.state <> 'waiting'
    order by s.guidance, s.run_id desc`.execute(db)
  return rows
}

/** Whether drafts were tested before, and whether the newest that was is the draft of now. */
export const findDraftTested = async (
  { db, workspaceId }: Ctx,
  draft: Guidance,
): Promise<{ isNow: boolean } | undefined> => {
  const { rows } = await sql<{ isNow: boolean }>`
    select draft = ${JSON.stringify(draft)}::jsonb as "isNow" from ai_test_runs
    where workspace_id = ${workspaceId} and draft is not null and state <> 'running'
    order by id desc limit 1`.execute(db)
  return rows[0]
}
