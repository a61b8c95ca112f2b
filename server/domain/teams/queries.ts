// All SQL of teams, their members, and the targets of answers. team-settings/ reads what conversations need of them.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { AnswerTargets, ManagedTeam, NewTeam } from './schema.ts'

/** By name, each with its members; or only the one with that id. */
export const listTeams = async ({ db, workspaceId }: Ctx, id?: string): Promise<ManagedTeam[]> => {
  const { rows } = await sql<ManagedTeam>`
    select t.id, t.name, t.color, t.created_at as "createdAt", t.assignment, t.open_limit as "openLimit",
      t.reassigns_away as "reassignsAway", t.hours_id as "hoursId",
      t.first_answer_minutes as "firstAnswerMinutes", t.next_answer_minutes as "nextAnswerMinutes", (
        select coalesce(json_agg(json_build_object('id', a.id, 'nickname', a.nickname, 'isAway', m.is_away)
          order by lower(a.nickname), a.id), '[]')
        from team_members b
        join memberships m on m.workspace_id = b.workspace_id and m.account_id = b.account_id
          and m.removed_at is null
        join accounts a on a.id = b.account_id
        where b.workspace_id = t.workspace_id and b.team_id = t.id
      ) as members
    from teams t
    where t.workspace_id = ${workspaceId} and t.removed_at is null
      and ${id === undefined ? sql`true` : sql`t.id = ${id}`}
    order by t.name_key, t.id`.execute(db)
  return rows
}

/** To add or rename one, hold the workspace's lock. */
export const listTeamNames = ({ db, workspaceId }: Ctx): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('removed_at', 'is', null)
    .execute()

/** What a team names that the workspace has not: people who may be members, and hours. */
export const findUnknown = async (
  { db, workspaceId }: Ctx,
  { memberIds, hoursId }: { memberIds: readonly string[]; hoursId: string | null },
): Promise<{ hasStrangers: boolean; isHoursUnknown: boolean }> => {
  const { rows } = await sql<{ hasStrangers: boolean; isHoursUnknown: boolean }>`select
    exists (select from unnest(${memberIds}::text[]) q (id)
      where not exists (select from memberships m where m.workspace_id = ${workspaceId} and m.account_id = q.id
        and m.removed_at is null and m.role <> 'ai')) as "hasStrangers",
    ${hoursId}::text is not null and not exists (select from business_hours h
      where h.workspace_id = ${workspaceId} and h.id = ${hoursId}) as "isHoursUnknown"`.execute(db)
  return rows[0]!
}

export type TeamRow = Omit<NewTeam, 'memberIds'> & { id: string; nameKey: string }

const columnsOf = (row: TeamRow) => ({
  name: row.name,
  name_key: row.nameKey,
  color: row.color,
  assignment: row.assignment,
  open_limit: row.openLimit,
  reassigns_away: row.reassignsAway,
  hours_id: row.hoursId,
  first_answer_minutes: row.firstAnswerMinutes,
  next_answer_minutes: row.nextAnswerMinutes,
})

export const insertTeam = async ({ db, workspaceId, now }: Ctx, row: TeamRow): Promise<void> => {
  await db
    .insertInto('teams')
    .values({ workspace_id: workspaceId, id: row.id, ...columnsOf(row), created_at: now() })
    .execute()
}

export const updateTeamRow = async ({ db, workspaceId }: Ctx, row: TeamRow): Promise<void> => {
  await db
    .updateTable('teams')
    .set(columnsOf(row))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', row.id)
    .execute()
}

/** Whoever is new comes last in turn. */
export const setMembers = async (
  { db, workspaceId }: Ctx,
  teamId: string,
  accountIds: readonly string[],
): Promise<void> => {
  await sql`
    with gone as (
      delete from team_members where workspace_id = ${workspaceId} and team_id = ${teamId}
        and not account_id = any(${accountIds}::text[])
    )
    insert into team_members (workspace_id, team_id, account_id, turn)
    select ${workspaceId}, ${teamId}, q.id, coalesce((
      select max(turn) from team_members where workspace_id = ${workspaceId} and team_id = ${teamId}
    ), 0)
    from unnest(${accountIds}::text[]) q (id)
    on conflict do nothing`.execute(db)
}

/** For somebody who is removed from the workspace. */
export const leaveTeams = async ({ db, workspaceId }: Ctx, accountId: string): Promise<void> => {
  await db
    .deleteFrom('team_members')
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .execute()
}

/** Waits for whoever is moving conversations to it. False if there is no such team. */
export const markTeamRemoved = async ({ db, workspaceId, now }: Ctx, id: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('teams')
    .set({ removed_at: now(), hours_id: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const NO_TARGETS: AnswerTargets = {
  firstAnswerMinutes: null,
  nextAnswerMinutes: null,
  hoursId: null,
  aiCounts: true,
}

export const findTargets = ({ db, workspaceId }: Ctx): Promise<AnswerTargets | undefined> =>
  db
    .selectFrom('answer_targets')
    .select([
      'first_answer_minutes as firstAnswerMinutes',
      'next_answer_minutes as nextAnswerMinutes',
      'hours_id as hoursId',
      'ai_counts as aiCounts',
    ])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()

export const upsertTargets = async ({ db, workspaceId }: Ctx, targets: AnswerTargets): Promise<void> => {
  const columns = {
    first_answer_minutes: targets.firstAnswerMinutes,
    next_answer_minutes: targets.nextAnswerMinutes,
    hours_id: targets.hoursId,
    ai_counts: targets.aiCounts,
  }
  await db
    .insertInto('answer_targets')
    .values({ workspace_id: workspaceId, ...columns })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(columns))
    .execute()
}
