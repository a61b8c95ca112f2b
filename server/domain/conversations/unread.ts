// What a person has not read: what the customer wrote after the last message that they read, or after they joined, or
// after the conversation was last closed; and notes that mention them. Nothing is written per person when a message arrives: the conversation counts
// what the customer wrote (inbound_seq), and a person's row says up to which number they have read. See
// docs/decisions/0065-triage.md.
import { sql } from 'kysely'
import { isPerson } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { seenBy } from '../visible-conversations.ts'

/** How far a row of conversations has come. Before it was counted, all that is known is what nobody had read. */
export const seqOf = (c: string): string => `greatest(${c}.inbound_seq, ${c}.unread_count)`

/** The conversations with a note that mentions the person of the parameter `person` and that they have not opened since. */
const mentioning = (person: string): string => `select n.conversation_id from note_mentions t
  join notes n on n.workspace_id = $1 and n.id = t.note_id
  where t.workspace_id = $1 and t.account_id = ${person} and t.is_unread`

/**
 * The number for a person, at least 1 if a note mentions them: `c` is a conversation, `r` their row of
 * conversation_reads if there is one, `person` the parameter with their id.
 */
export const unreadOf = (c: string, r: string, person: string): string =>
  `greatest((${c}.id in (${mentioning(person)}))::integer, ${unreadMessagesOf(c, r, joinedAt(person))})`

/** What of it the customer wrote. `since`: when they joined, null if that was not noted. Providers say in whole seconds when a message was written. */
const unreadMessagesOf = (c: string, r: string, since: string): string =>
  `case when ${r}.read_seq is null and ${c}.last_inbound_at < date_trunc('second', ${since}) then 0
    else greatest(coalesce(${r}.is_marked, false)::integer,
      ${seqOf(c)} - greatest(coalesce(${r}.read_seq, 0), ${c}.closed_seq)) end`

/** When the person of the parameter `person` joined the workspace, $1. */
const joinedAt = (person: string): string =>
  `(select unread_since from memberships where workspace_id = $1 and account_id = ${person})::timestamptz`

/** A condition on `c`, a row of conversations of the workspace, $1. */
export const isUnreadBy = (c: string, person: string): string => `coalesce((
  select ${unreadOf(c, 'r', person)} from (select) one
  left join conversation_reads r on r.workspace_id = $1 and r.account_id = ${person} and r.conversation_id = ${c}.id
), 0) > 0`

/** At most this many are counted, of at most so many conversations of one kind that are looked at. */
export const UNREAD_MAX = 100
const LOOKED_AT_MAX = 10_000

export type OwnUnread = { unread: number; includesUnassigned: boolean }

/**
 * How many open conversations have something unread for this person: those assigned to them, unassigned ones if they want
 * that, and any in which a note mentions them.
 */
export const countOwnUnread = async ({ db, workspaceId, actor }: Ctx): Promise<OwnUnread> => {
  if (!isPerson(actor)) return { unread: 0, includesUnassigned: false }
  const { accountId } = actor
  const open = sql`c.workspace_id = ${workspaceId} and c.status = 'open'${seenBy(actor, 'c')}`
  const others = sql`${open} and c.snoozed_until is null and c.id not in (select id from mentioning)`
  const columns = sql.raw('c.id, c.last_inbound_at, c.inbound_seq, c.unread_count, c.closed_seq')
  const { rows } = await sql<OwnUnread>`
    with me as materialized (
      select unread_since::timestamptz, counts_unassigned from memberships
      where workspace_id = ${workspaceId} and account_id = ${accountId}
    ), mentioning as materialized (
      select distinct n.conversation_id as id from note_mentions t
      join notes n on n.workspace_id = ${workspaceId} and n.id = t.note_id
      where t.workspace_id = ${workspaceId} and t.account_id = ${accountId} and t.is_unread
      limit ${sql.lit(LOOKED_AT_MAX)}
    ), counted as (
      (select ${columns} from conversations c
        where ${others} and c.agent_id = ${accountId} limit ${sql.lit(LOOKED_AT_MAX)})
      union all
      (select ${columns} from conversations c
        where ${others} and c.agent_id is null and (select counts_unassigned from me) limit ${sql.lit(LOOKED_AT_MAX)})
    )
    select (select count(*)::integer from (
        select from mentioning m join conversations c on ${open} and c.id = m.id
        union all
        select from counted c
        left join conversation_reads r
          on r.workspace_id = ${workspaceId} and r.account_id = ${accountId} and r.conversation_id = c.id
        where ${sql.raw(unreadMessagesOf('c', 'r', '(select unread_since from me)'))} > 0 limit ${sql.lit(UNREAD_MAX)}
      ) n) as unread,
      coalesce((select counts_unassigned from me), false) as "includesUnassigned"`.execute(db)
  return rows[0]!
}

type Own = { unreadCount: number; isChanged: boolean }

/**
 * Notes that a person has read a conversation up to a message and its notes, or (with null) has marked it as unread. Their own number
 * afterwards, and whether anything changed. The caller holds the conversation's lock.
 */
export const noteRead = async (
  { db, workspaceId }: Ctx,
  { accountId, conversationId, upTo }: { accountId: string; conversationId: string; upTo: string | null },
): Promise<Own> => {
  const readUpTo = sql`c.seq - (select count(*)::integer from messages m
    where m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId} and m.sender_type = 'customer'
      and m.id > ${upTo})`
  const { rows } = await sql<Own>`
    with since as (
      select unread_since::timestamptz as at from memberships
      where workspace_id = ${workspaceId} and account_id = ${accountId}
    ), c as (
      select c.*, ${sql.raw(seqOf('c'))} as seq from conversations c
      where c.workspace_id = ${workspaceId} and c.id = ${conversationId}
    ), counted as (
      update conversations set inbound_seq = c.seq from c
      where conversations.workspace_id = ${workspaceId} and conversations.id = c.id and conversations.inbound_seq < c.seq
    ), before as (
      select read_seq, is_marked from conversation_reads
      where workspace_id = ${workspaceId} and account_id = ${accountId} and conversation_id = ${conversationId}
    ), known as (
      select coalesce(r.read_seq, c.seq - ${sql.raw(unreadMessagesOf('c', 'r', '(select at from since)'))}) as read_seq
      from c left join before r on true
    ), now as (
      select ${upTo === null ? sql`known.read_seq` : sql`greatest(${readUpTo}, known.read_seq)`} as read_seq,
        ${sql.lit(upTo === null)} as is_marked, c.seq, c.closed_seq
      from c, known
    ), noted as (
      insert into conversation_reads (workspace_id, account_id, conversation_id, read_seq, is_marked)
      select ${workspaceId}, ${accountId}, ${conversationId}, read_seq, is_marked from now
      where not exists (select from before b where (b.read_seq, b.is_marked) = (now.read_seq, now.is_marked))
      on conflict (workspace_id, account_id, conversation_id)
        do update set read_seq = excluded.read_seq, is_marked = excluded.is_marked
      returning 1
    ), opened as (
      update note_mentions t set is_unread = false from notes n
      where ${sql.lit(upTo !== null)} and t.workspace_id = ${workspaceId} and t.account_id = ${accountId} and t.is_unread
        and n.workspace_id = ${workspaceId} and n.id = t.note_id and n.conversation_id = ${conversationId}
      returning 1
    )
    select greatest(now.is_marked::integer, now.seq - greatest(now.read_seq, now.closed_seq))::integer as "unreadCount",
      exists (select from noted) or exists (select from opened) as "isChanged" from now`.execute(db)
  return rows[0]!
}
