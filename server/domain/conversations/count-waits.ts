// How much of a wait counted, for reports: worked out within a minute of its end, so that later changes of business hours
// leave it as it was. Business hours are no SQL, and storing a message has no time for them.
import { sql } from 'kysely'
import { type SystemDeps, systemCtx } from '../../platform/ctx/system-ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { openTimeBetween } from '../business-hours/open-time.ts'
import { targetsOf, teamSettingsOf } from '../team-settings/team-settings.ts'

type EndedWait = {
  workspaceId: string
  teamRevision: number | null
  id: string
  teamId: string | null
  startedAt: string
  endedAt: string
  pausedAt: string | null
  pausedSeconds: number
}

/** Of all workspaces, the longest over first. */
const listUncounted = async (db: Db, max: number): Promise<EndedWait[]> => {
  const { rows } = await sql<EndedWait>`
    select n.workspace_id as "workspaceId", w.team_revision as "teamRevision", n.id, n.team_id as "teamId",
      n.started_at as "startedAt", n.ended_at as "endedAt", n.paused_at as "pausedAt",
      n.paused_seconds as "pausedSeconds"
    from waits n join workspaces w on w.id = n.workspace_id
    where n.ended_at is not null and n.counted_seconds is null and ${isAtWork('n.workspace_id')}
    order by n.ended_at limit ${max}`.execute(db)
  return rows
}

/** Works out some of the waits that have ended. Returns how many. */
export const countWaits = async (deps: SystemDeps, max: number): Promise<number> => {
  const waits = await listUncounted(deps.db, max)
  for (const [workspaceId, own] of Map.groupBy(waits, (wait) => wait.workspaceId)) {
    const ctx = systemCtx(deps, workspaceId)
    const settings = await teamSettingsOf(ctx, own[0]!.teamRevision)
    const counted = own.map(({ id, teamId, startedAt, endedAt, pausedAt, pausedSeconds }) => {
      const hours = settings && targetsOf(settings, teamId).hours
      // Snoozed until the end.
      const until = new Date(pausedAt ?? endedAt)
      const ms = openTimeBetween(hours, new Date(startedAt), until)
      return { id, seconds: Math.max(0, Math.trunc(ms / 1_000) - pausedSeconds) }
    })
    await sql`
      update waits w set counted_seconds = c.seconds from ${rowsOf(counted)} as c (id text, seconds integer)
      where w.workspace_id = ${workspaceId} and w.id = c.id and w.ended_at is not null`.execute(ctx.db)
  }
  return waits.length
}
