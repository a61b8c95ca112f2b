// SQL of what conversations ask about teams. teams/ stores them, but for whose turn it is.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { TeamAssignment } from '../../platform/db/tables.ts'
import type { BusinessHours } from '../business-hours/schema.ts'

type Minutes = { firstAnswerMinutes: number | null; nextAnswerMinutes: number | null }
type TeamRow = Minutes & {
  id: string
  name: string
  assignment: TeamAssignment
  openLimit: number | null
  reassignsAway: boolean
  hoursId: string | null
}
type TargetsRow = Minutes & { hoursId: string | null; aiCounts: boolean }

export type SettingsRow = {
  revision: number | null
  teams: TeamRow[]
  targets: TargetsRow | null
  hours: BusinessHours[]
}

/** Everything, with the revision that it belongs to, in one statement: all of it is of the same moment. */
export const readTeamSettings = async ({ db, workspaceId }: Ctx): Promise<SettingsRow> => {
  const { rows } = await sql<SettingsRow>`
    select w.team_revision as revision, (
      select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'assignment', t.assignment,
        'openLimit', t.open_limit, 'reassignsAway', t.reassigns_away, 'hoursId', t.hours_id,
        'firstAnswerMinutes', t.first_answer_minutes, 'nextAnswerMinutes', t.next_answer_minutes)), '[]')
      from teams t where t.workspace_id = w.id and t.removed_at is null
    ) as teams, (
      select json_build_object('firstAnswerMinutes', a.first_answer_minutes,
        'nextAnswerMinutes', a.next_answer_minutes, 'hoursId', a.hours_id, 'aiCounts', a.ai_counts)
      from answer_targets a where a.workspace_id = w.id
    ) as targets, (
      select coalesce(json_agg(json_build_object('id', h.id, 'name', h.name, 'isDefault', h.is_default,
        'timeZone', h.time_zone, 'weekly', h.weekly, 'exceptions', h.exceptions)), '[]')
      from business_hours h where h.workspace_id = w.id
    ) as hours
    from workspaces w where w.id = ${workspaceId}`.execute(db)
  return rows[0]!
}

/** Of all workspaces: those with open conversations that a team may give to somebody. */
export const listAssigningWorkspaces = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct t.workspace_id as id from teams t
    where t.assignment <> 'off' and t.removed_at is null and ${isAtWork('t.workspace_id')} and exists (
      select from conversations c where c.workspace_id = t.workspace_id and c.team_id = t.id
        and c.status = 'open' and c.agent_id is null)`.execute(db)
  return rows.map(({ id }) => id)
}

/** Keeps a team from being removed until the transaction ends. Undefined if there is none. */
export const lockTeam = (
  { db, workspaceId }: Ctx,
  id: string,
): Promise<{ id: string; name: string } | undefined> =>
  db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .forShare()
    .executeTakeFirst()

export const isTeamMember = async (
  { db, workspaceId }: Ctx,
  { teamId, accountId }: { teamId: string; accountId: string },
): Promise<boolean> =>
  (await db
    .selectFrom('team_members')
    .select('account_id')
    .where('workspace_id', '=', workspaceId)
    .where('team_id', '=', teamId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()) !== undefined

/** Somebody was given a conversation by a team, so they come last. */
export const takeTurn = async (
  { db, workspaceId }: Ctx,
  { teamId, accountId }: { teamId: string; accountId: string },
): Promise<void> => {
  await sql`
    update team_members set turn = (
      select max(turn) + 1 from team_members where workspace_id = ${workspaceId} and team_id = ${teamId}
    )
    where workspace_id = ${workspaceId} and team_id = ${teamId} and account_id = ${accountId}`.execute(db)
}
