// How far runs of a flow come: counts by step, runs by status, and how long they take.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { seesAll } from '../../platform/ctx/permissions.ts'
import { idFloor } from '../../platform/db/id.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Funnel, FunnelQuery } from './editor-schema.ts'
import { RUNS_COUNTED_DAYS, RUNS_COUNTED_MAX } from './schema.ts'

const DAY_MS = 86_400_000
/** Waiting runs that are counted by step. */
const WAITING_COUNTED_MAX = 10_000

/** One statement. Throws FLOW_NOT_FOUND, and FORBIDDEN for agents who may not see all conversations. */
export const getFunnel = async (
  ctx: Ctx,
  flowId: string,
  { version, days = RUNS_COUNTED_DAYS }: FunnelQuery,
): Promise<Funnel> => {
  if (!seesAll(ctx.actor)) throw new ApiError('FORBIDDEN')
  const { db, workspaceId, now } = ctx
  const since = new Date(now().getTime() - days * DAY_MS)
  const isOfVersion = (alias: string) =>
    version === undefined ? sql`true` : sql`${sql.ref(`${alias}.version`)} = ${version}`
  const runs = (status: string, limit: number) => sql`(select * from flow_runs r
    where r.workspace_id = f.workspace_id and r.flow_id = f.id and r.status = ${status}
      and r.id >= ${status === 'running' ? '' : idFloor(since.getTime())} and ${isOfVersion('r')}
    order by r.id desc limit ${limit})`
  const count = (status: string) => sql`(select count(*) from ${runs(status, RUNS_COUNTED_MAX)} r)`
  const { rows } = await sql<Funnel>`
    select
      (select coalesce(json_agg(version order by version desc), '[]') from (
        select distinct version from flow_step_counts
        where workspace_id = f.workspace_id and flow_id = f.id and day >= ${since}::date) v) as versions,
      (select coalesce(json_agg(json_build_object('stepId', s.step_id, 'outcomes', coalesce(s.outcomes, '{}'),
          'waiting', coalesce(s.waiting, 0)) order by s.step_id), '[]') from (
        select coalesce(c.step_id, w.step_id) as step_id, c.outcomes, w.waiting
        from (select step_id, json_object_agg(outcome, count) as outcomes from (
            select step_id, outcome, sum(count)::bigint as count from flow_step_counts n
            where workspace_id = f.workspace_id and flow_id = f.id and day >= ${since}::date and ${isOfVersion('n')}
            group by step_id, outcome) o group by step_id) c
        full join (select waiting_step as step_id, count(*) as waiting
          from ${runs('running', WAITING_COUNTED_MAX)} r
          where waiting_step is not null group by waiting_step) w on w.step_id = c.step_id
      ) s) as steps,
      json_build_object('running', ${count('running')}, 'completed', ${count('completed')},
        'failed', ${count('failed')}, 'cancelled', ${count('cancelled')}) as runs,
      (select round(percentile_cont(0.5) within group (
          order by extract(epoch from r.completed_at - r.started_at) * 1000))::bigint
        from ${runs('completed', RUNS_COUNTED_MAX)} r) as "medianMs"
    from flows f where f.workspace_id = ${workspaceId} and f.id = ${flowId}`.execute(db)
  if (!rows[0]) throw new ApiError('FLOW_NOT_FOUND')
  return rows[0]
}
