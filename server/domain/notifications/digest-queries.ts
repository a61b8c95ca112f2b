// All SQL of emails about what nobody has reacted to.
import { sql } from 'kysely'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { NotificationKind } from '../../platform/db/tables.ts'
import { MEMBER_ROLE, memberSees } from '../visible-conversations.ts'
import type { NotificationSettings } from './schema.ts'

const PEOPLE_MAX = 500

export type DuePerson = {
  workspaceId: string
  accountId: string
  settings: NotificationSettings | null
  pausedUntil: string | null
}

/** The people for whom something is due, each in one workspace. */
export const listDuePeople = async (db: Db, now: Date): Promise<DuePerson[]> => {
  const { rows } = await sql<DuePerson>`
    select n.workspace_id as "workspaceId", n.account_id as "accountId", s.settings,
      s.paused_until as "pausedUntil"
    from (
      select workspace_id, account_id, min(email_due_at) as due_at from notifications
      where email_due_at <= ${now} and ${isAtWork('workspace_id')} group by 1, 2 order by 3 limit ${PEOPLE_MAX}
    ) n
    left join notification_settings s on s.account_id = n.account_id
    order by n.due_at`.execute(db)
  return rows
}

export type DigestRow = {
  id: string
  kind: NotificationKind
  conversationId: string
  conversationCount: number
  customerName: string
  actorName: string | null
  text: string | null
  createdAt: string
  email: string
  language: string | null
  workspaceName: string
}

const TEXT_MAX = 200

/**
 * Takes everything of a person that waits for an email, due or not, and returns what still needs somebody: nobody of the
 * team has replied since, the person wasn't online, and may see it. What was taken isn't taken again.
 */
export const takeDigest = async (
  db: Db,
  { workspaceId, accountId }: Pick<DuePerson, 'workspaceId' | 'accountId'>,
): Promise<DigestRow[]> => {
  const { rows } = await sql<DigestRow>`
    with taken as (
      update notifications set email_due_at = null
      where workspace_id = ${workspaceId} and account_id = ${accountId} and email_due_at is not null
      returning *
    )
    select n.id, n.kind, n.conversation_id as "conversationId", n.conversation_count as "conversationCount",
      k.name as "customerName", o.nickname as "actorName", n.created_at as "createdAt", a.email, a.language,
      w.name as "workspaceName", left(coalesce(t.body, g.body), ${TEXT_MAX}::integer) as text
    from taken n
    join workspaces w on w.id = n.workspace_id
    join accounts a on a.id = n.account_id and (a.last_seen_at is null or a.last_seen_at < n.created_at)
    join conversations c on c.workspace_id = n.workspace_id and c.id = n.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    join memberships m on m.workspace_id = n.workspace_id and m.account_id = n.account_id
      and m.removed_at is null and m.role <> 'ai'
    left join roles r on ${MEMBER_ROLE}
    left join accounts o on o.id = n.actor_id
    left join notes t on n.kind = 'mentioned' and t.workspace_id = n.workspace_id and t.id = n.subject_id
    left join messages g on g.workspace_id = n.workspace_id and g.id = n.subject_id
    where ${memberSees} and case n.kind
        when 'mentioned' then t.id is not null
        when 'unassigned' then c.agent_id is null
        when 'team' then c.agent_id is null
        when 'overdue' then coalesce(c.agent_id = n.account_id, true)
        else c.agent_id = n.account_id end
      and (n.kind = 'mentioned' or c.status = 'open' and not exists (
        select from messages s where s.workspace_id = c.workspace_id and s.conversation_id = c.id
          and s.id > coalesce(n.subject_id, n.id) and s.sender_type = 'agent'))
    order by n.id`.execute(db)
  return rows
}

/** The mail server didn't accept the email: these wait again. */
export const returnDigest = async (
  db: Db,
  { workspaceId, ids, dueAt }: { workspaceId: string; ids: readonly string[]; dueAt: Date },
): Promise<void> => {
  await sql`
    update notifications set email_due_at = ${dueAt}
    where workspace_id = ${workspaceId} and id = any (${ids}::text[])`.execute(db)
}
