// The SQL of what a chat box says about the team.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ConversationStatus } from '../../platform/db/tables.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

/** The newest conversations that the usual reply time is taken from, and how many of them must have a reply. */
const SAMPLE_MAX = 50
const SAMPLE_MIN = 5

/** The people of the team who were here last. */
export const listTeam = async ({ db, workspaceId }: Scope, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ nickname: string }>`
    select a.nickname from memberships p join accounts a on a.id = p.account_id
    where p.workspace_id = ${workspaceId} and p.removed_at is null and not a.is_ai
    order by a.last_seen_at desc nulls last, a.id limit ${limit}`.execute(db)
  return rows.map(({ nickname }) => nickname)
}

/** By the index conversations_status_created. */
const newest = (workspaceId: string, status: ConversationStatus) => sql`(
  select id from conversations
  where workspace_id = ${workspaceId} and status = ${status} and channel = 'web'
  order by id desc limit ${sql.lit(SAMPLE_MAX / 2)})`

/**
 * The median time from a customer's first message to the first reply of a person, over the newest conversations of the
 * chat; null while there are few.
 */
export const findUsualReplySeconds = async ({ db, workspaceId }: Scope): Promise<number | null> => {
  const { rows } = await sql<{ seconds: number | null }>`
    select case when count(*) >= ${sql.lit(SAMPLE_MIN)} then
        percentile_cont(0.5) within group (order by extract(epoch from r.created_at - f.created_at))
      end::double precision as seconds
    from (
      ${newest(workspaceId, 'open')} union all ${newest(workspaceId, 'closed')}
    ) c
    cross join lateral (
      select m.id, m.created_at from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = c.id and m.sender_type = 'customer'
      order by m.id limit 1
    ) f
    cross join lateral (
      select m.created_at from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = c.id and m.id > f.id and m.sender_type = 'agent'
      order by m.id limit 1
    ) r`.execute(db)
  return rows[0]?.seconds ?? null
}

/** The workspace's mailbox that replies to visitors who have left are sent from: the chosen one, else its oldest. */
export const mailboxIdOf = (workspaceId: RawBuilder<string>, chosen: RawBuilder<string | null>) => sql<
  string | null
>`(
  select a.id from channel_accounts a
  where a.workspace_id = ${workspaceId} and a.channel = 'email' and a.removed_at is null and a.address is not null
  order by a.id = ${chosen} desc nulls last, a.id limit 1)`

export const findMailbox = async (
  { db, workspaceId }: Scope,
  chosenId: string | null,
): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string | null }>`
    select ${mailboxIdOf(sql`${workspaceId}`, sql`${chosenId}::text`)} as id`.execute(db)
  return rows[0]?.id ?? undefined
}
