// SQL of giving conversations to the people of their teams.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

/** Read in a person's open conversations to find out who has the fewest, where a team has no limit. */
const COUNTED_MAX = 1_000

/**
 * Until the transaction ends, nobody else in the workspace is chosen: the next choice sees what this one gave. Taken
 * after the locks of conversations.
 */
export const lockChoices = async ({ db, workspaceId }: Ctx): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`choices ${workspaceId}`}, 0))`.execute(db)
}

export type Choice = { accountId: string; open: number }

type Team = { id: string; openLimit: number | null; isByTurn: boolean; except: readonly string[] }

/** The member of a team who is next: there, below the limit, and first by turn or by what they have. */
export const findNext = async (
  { db, workspaceId }: Ctx,
  { id, openLimit, isByTurn, except }: Team,
): Promise<Choice | undefined> => {
  const { rows } = await sql<Choice>`
    select account_id as "accountId", open from (
      select m.account_id, b.turn, (
        select count(*)::integer from (
          select from conversations c where c.workspace_id = ${workspaceId} and c.agent_id = m.account_id
            and c.status = 'open' and c.snoozed_until is null limit ${openLimit ?? COUNTED_MAX}
        ) n
      ) as open
      from team_members b
      join memberships m on m.workspace_id = b.workspace_id and m.account_id = b.account_id
        and m.removed_at is null and not m.is_away
      where b.workspace_id = ${workspaceId} and b.team_id = ${id} and not m.account_id = any(${except}::text[])
    ) member
    where ${openLimit}::integer is null or open < ${openLimit}
    order by ${isByTurn ? sql`turn` : sql`open, turn`}, account_id limit 1`.execute(db)
  return rows[0]
}

export type Held = {
  id: string
  agentId: string | null
  nickname: string | null
  isAway: boolean
  /** Automation is at work there, or the AI agent has it. */
  isBusy: boolean
  isWaiting: boolean
}

/**
 * Whether automation is at work in the conversation `c`: it has yet to look at something, or a dialog runs. What it did
 * itself, such as unassigning it, starts no dialog.
 */
const isAtWork = (workspaceId: string) => sql<boolean>`(
  exists (select from automation_inputs i
    where i.workspace_id = ${workspaceId} and i.conversation_id = c.id
      and (i.kind <> 'event' or i.data ->> 'by' is distinct from 'automation'))
  or exists (select from flow_runs f
    where f.workspace_id = ${workspaceId} and f.conversation_id = c.id and f.status = 'running' and f.is_dialog))`

/** How those of the conversations stand that are open and have a team. */
export const listHeld = async ({ db, workspaceId }: Ctx, ids: readonly string[]): Promise<Held[]> => {
  const { rows } = await sql<Held>`
    select c.id, c.agent_id as "agentId", a.nickname, coalesce(m.is_away, false) as "isAway",
      c.snoozed_until is null as "isWaiting", coalesce(a.is_ai, false) or ${isAtWork(workspaceId)} as "isBusy"
    from conversations c
    left join accounts a on a.id = c.agent_id
    left join memberships m on m.workspace_id = c.workspace_id and m.account_id = c.agent_id
    where c.workspace_id = ${workspaceId} and c.id = any(${ids}::text[]) and c.team_id is not null
      and c.status = 'open'
    order by c.id`.execute(db)
  return rows
}

/** What waits in a team, the longest waiting first, where automation is not at work. */
export const listWaiting = async (
  { db, workspaceId }: Ctx,
  teamId: string,
  max: number,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select c.id from conversations c
    where c.workspace_id = ${workspaceId} and c.team_id = ${teamId} and c.status = 'open' and c.agent_id is null
      and c.snoozed_until is null and not ${isAtWork(workspaceId)}
    order by coalesce(c.waiting_since, c.updated_at), c.id limit ${max}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Of the workspace, for the settings of its teams. */
export const findTeamRevision = async ({ db, workspaceId }: Ctx): Promise<number | null> => {
  const row = await db
    .selectFrom('workspaces')
    .select('team_revision as revision')
    .where('id', '=', workspaceId)
    .executeTakeFirst()
  return row?.revision ?? null
}
