// All SQL of deciding who is notified.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { NotificationKind } from '../../platform/db/tables.ts'
import { isSince } from '../accounts/session-queries.ts'
import { sessionBounds } from '../accounts/session-time.ts'
import { MEMBER_ROLE, memberSees } from '../visible-conversations.ts'
import type { InputKind } from './add-inputs.ts'
import type { NotificationSettings } from './schema.ts'

const WORKSPACES_MAX = 100
const INPUTS_MAX = 200
/** Automation that isn't done with a conversation by then no longer keeps people from hearing of it. */
const AUTOMATION_WAIT_MS = 30_000

/** Automation has yet to look at what the input `i` is about, and may take care of it. */
const isUndecided = (now: Date) => sql`(i.kind in ('message', 'unassigned')
  and i.created_at > ${new Date(now.getTime() - AUTOMATION_WAIT_MS)}
  and exists (select from automation_inputs a
    where a.workspace_id = i.workspace_id and a.conversation_id = i.conversation_id))`

/** The workspaces in which something can be decided, and whether something else has to wait. */
export const listInputWorkspaces = async (
  db: Db,
  now: Date,
): Promise<{ workspaceId: string; isReady: boolean }[]> => {
  const { rows } = await sql<{ workspaceId: string; isReady: boolean }>`
    select i.workspace_id as "workspaceId", bool_or(not ${isUndecided(now)}) as "isReady"
    from notification_inputs i where ${isAtWork('i.workspace_id')} group by 1 order by min(i.id) limit ${WORKSPACES_MAX}`.execute(
    db,
  )
  return rows
}

export type Input = {
  kind: InputKind
  conversationId: string
  subjectId: string | null
  actorId: string | null
  createdAt: string
}

/** Takes the oldest inputs, which are gone once the transaction commits. */
export const takeInputs = async ({ db, workspaceId, now }: Ctx): Promise<Input[]> => {
  const { rows } = await sql<Input & { id: number }>`
    delete from notification_inputs where workspace_id = ${workspaceId} and id in (
      select i.id from notification_inputs i where i.workspace_id = ${workspaceId} and not ${isUndecided(now())}
      order by i.id limit ${INPUTS_MAX} for update skip locked)
    returning id, kind, conversation_id as "conversationId", subject_id as "subjectId", actor_id as "actorId",
      created_at as "createdAt"`.execute(db)
  return rows.sort((a, b) => a.id - b.id)
}

/** Whether the membership `m` is in the team of the conversation `c`. */
const isInTeam = sql`exists (select from team_members b
  where b.workspace_id = c.workspace_id and b.team_id = c.team_id and b.account_id = m.account_id)`

export type Candidate = {
  /** The place of its input. */
  place: number
  kind: NotificationKind
  accountId: string
  settings: NotificationSettings | null
  pausedUntil: string | null
  lastSeenAt: string | null
  browsers: { id: string; host: string }[]
}

/**
 * Whom the inputs concern: the assignee, those that a note mentions for the first time (`mentions`), or, if nobody has the
 * conversation and no flow talks with the customer, the people of its team, or without a team everyone who may see it,
 * once until the team replies. What is overdue concerns whoever has it, else the same people. Nobody for what they did
 * themselves or may not see.
 */
export const listCandidates = async (
  { db, workspaceId, now }: Ctx,
  inputs: readonly Input[],
  mentions: readonly { noteId: string; accountId: string }[],
): Promise<Candidate[]> => {
  const { seenAfter, createdAfter } = sessionBounds(now())
  const { rows } = await sql<Candidate>`
    with input as (
      select * from ${rowsOf(inputs.map((input, place) => ({ place, ...input })))} as i (place integer, kind text,
        "conversationId" text, "subjectId" text, "actorId" text)
    ), mention as (
      select * from ${rowsOf(mentions)} as t ("noteId" text, "accountId" text)
    ), wanted as (
      select i.place, 'assigned' as kind, i."subjectId" as account_id from input i
      join conversations c on c.workspace_id = ${workspaceId} and c.id = i."conversationId"
        and c.agent_id = i."subjectId"
      where i.kind = 'assigned'
      union
      select min(i.place), 'mentioned', t."accountId" from input i join mention t on t."noteId" = i."subjectId"
      where i.kind = 'note' group by i."subjectId", t."accountId"
      union
      select i.place, 'message', c.agent_id from input i
      join conversations c on c.workspace_id = ${workspaceId} and c.id = i."conversationId"
        and c.agent_id is not null
      where i.kind = 'message'
      union
      select min(i.place), case when c.team_id is null then 'unassigned' else 'team' end, m.account_id from input i
      join conversations c on c.workspace_id = ${workspaceId} and c.id = i."conversationId"
        and c.agent_id is null and c.status = 'open'
      join memberships m on m.workspace_id = c.workspace_id and m.removed_at is null and m.role <> 'ai'
      where i.kind in ('message', 'unassigned') and (c.team_id is null or ${isInTeam}) and not exists (
        select from flow_runs f where f.workspace_id = c.workspace_id and f.conversation_id = c.id
          and f.status = 'running' and f.is_dialog and f.waiting_for is distinct from 'part'
      ) and not exists (
        select from (
          select coalesce(n.subject_id, n.id) as id, n.kind from notifications n
          where n.workspace_id = c.workspace_id and n.conversation_id = c.id
          order by n.id desc limit 1
        ) n where n.kind in ('unassigned', 'team') and not exists (
          select from messages s where s.workspace_id = c.workspace_id and s.conversation_id = c.id
            and s.id > n.id and s.sender_type = 'agent'
        )
      )
      group by i."conversationId", c.team_id, m.account_id
      union
      select i.place, 'overdue', m.account_id from input i
      join conversations c on c.workspace_id = ${workspaceId} and c.id = i."conversationId"
      join memberships m on m.workspace_id = c.workspace_id and m.removed_at is null and m.role <> 'ai'
      where i.kind = 'overdue' and case when c.agent_id is not null then m.account_id = c.agent_id
        else c.team_id is null or ${isInTeam} end
    )
    select w.place, w.kind, w.account_id as "accountId", s.settings, s.paused_until as "pausedUntil",
      a.last_seen_at as "lastSeenAt", coalesce(b.browsers, '[]') as browsers
    from wanted w
    join input i on i.place = w.place
    join conversations c on c.workspace_id = ${workspaceId} and c.id = i."conversationId"
    join memberships m on m.workspace_id = c.workspace_id and m.account_id = w.account_id
      and m.removed_at is null and m.role <> 'ai'
    join accounts a on a.id = m.account_id
    left join roles r on ${MEMBER_ROLE}
    left join notification_settings s on s.account_id = a.id
    left join lateral (
      select json_agg(json_build_object('id', p.id, 'host', p.host)) as browsers from push_subscriptions p
      join sessions s on s.hash = p.session_hash and s.account_id = p.account_id and s.seen_at > ${seenAfter}
        and s.created_at > ${createdAfter} and ${isSince}
      where p.account_id = a.id
    ) b on true
    where w.account_id is distinct from i."actorId" and ${memberSees}
    order by w.place, w.account_id`.execute(db)
  return rows
}

export type NewNotification = {
  id: string
  accountId: string
  kind: NotificationKind
  conversationId: string
  subjectId: string | null
  actorId: string | null
  conversationCount: number
  emailDueAt: Date | null
  createdAt: string
}

export type NewPush = { notificationId: string; subscriptionId: string; host: string }

/** A browser that has unsubscribed meanwhile is left out. */
export const insertNotifications = async (
  { db, workspaceId, now }: Ctx,
  notifications: readonly NewNotification[],
  pushes: readonly NewPush[],
): Promise<void> => {
  await sql`
    with added as (
      insert into notifications (workspace_id, id, account_id, kind, conversation_id, subject_id, actor_id,
        conversation_count, email_due_at, created_at)
      select ${workspaceId}, n.id, n."accountId", n.kind, n."conversationId", n."subjectId", n."actorId",
        n."conversationCount", n."emailDueAt", n."createdAt"
      from ${rowsOf(notifications)} as n (id text, "accountId" text, kind text, "conversationId" text,
        "subjectId" text, "actorId" text, "conversationCount" integer, "emailDueAt" timestamptz,
        "createdAt" timestamptz)
      returning id
    )
    insert into push_deliveries (workspace_id, notification_id, subscription_id, host, not_before)
    select ${workspaceId}, p.notification_id, p.subscription_id, p.host, ${now()}
    from unnest(${pushes.map((push) => push.notificationId)}::text[],
      ${pushes.map((push) => push.subscriptionId)}::text[], ${pushes.map((push) => push.host)}::text[])
      as p (notification_id, subscription_id, host)
    join added on added.id = p.notification_id
    join push_subscriptions s on s.id = p.subscription_id`.execute(db)
}

/** Deletes old ones, at most `limit`. Returns how many there were. */
export const deleteOldNotifications = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from notifications where (workspace_id, id) in (
      select workspace_id, id from notifications where created_at < ${before} limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
