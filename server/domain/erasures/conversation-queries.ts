// The SQL of removing a conversation, a batch of messages at a time.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export const listConversationIds = async (
  { db, workspaceId }: Scope,
  contactId: string,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from conversations where workspace_id = ${workspaceId} and contact_id = ${contactId}
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

export const listMessageIds = async (
  { db, workspaceId }: Scope,
  { conversationId, after, limit }: { conversationId: string; after: string; limit: number },
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from messages
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and id > ${after}
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

export type OwnFile = { id: string; key: string | null }

/** The attachments of messages, of a contact, or of the notes about them or in a conversation. `key`: of a content that no other message has. */
export const listFiles = async (
  { db, workspaceId }: Scope,
  {
    messageIds = [],
    contactId = null,
    notesOf = null,
  }: { messageIds?: readonly string[]; contactId?: string | null; notesOf?: string | null },
): Promise<OwnFile[]> => {
  const { rows } = await sql<OwnFile>`
    with own as materialized (
      select id, storage_key from attachments
      where workspace_id = ${workspaceId} and (message_id = any(${messageIds}::text[]) or contact_id = ${contactId}
        or note_id in (select n.id from notes n
          where n.workspace_id = ${workspaceId} and (n.conversation_id = ${notesOf} or n.contact_id = ${contactId})))
    )
    select id, case when not exists (
      select from attachments o where o.workspace_id = ${workspaceId} and o.storage_key = own.storage_key
        and not o.id in (select id from own)) then storage_key end as key
    from own`.execute(db)
  return rows
}

/** Rows whose contents are removed already; what people uploaded no longer counts towards the limit. */
export const deleteFiles = async ({ db, workspaceId }: Scope, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await sql`
    with gone as (
      delete from attachments where workspace_id = ${workspaceId} and id = any(${ids}::text[])
      returning size, state, uploaded_by
    )
    update upload_usage set bytes = greatest(0, bytes - (
      select coalesce(sum(size), 0) from gone where state = 'stored' and uploaded_by is not null))
    where workspace_id = ${workspaceId} and exists (select from gone)`.execute(db)
}

export const deleteMessages = async ({ db, workspaceId }: Scope, ids: readonly string[]): Promise<void> => {
  await sql`delete from messages where workspace_id = ${workspaceId} and id = any(${ids}::text[])`.execute(db)
}

/** Leaves who wrote when, and how far it got. */
export const emptyMessages = async ({ db, workspaceId }: Scope, ids: readonly string[]): Promise<void> => {
  await sql`
    with content as (
      delete from email_contents where workspace_id = ${workspaceId} and message_id = any(${ids}::text[])
    ), hidden as (
      delete from email_hidden_texts where workspace_id = ${workspaceId} and message_id = any(${ids}::text[])
    ), alias as (
      delete from email_aliases where workspace_id = ${workspaceId} and message_id = any(${ids}::text[])
    ), delivery as (
      delete from deliveries where workspace_id = ${workspaceId} and message_id = any(${ids}::text[])
    ), reaction as (
      delete from sent_reactions where workspace_id = ${workspaceId} and message_id = any(${ids}::text[])
    )
    update messages set body = '', metadata = null, reply_quote = null, external_id = null,
      status = case status when 'queued' then 'failed' else status end
    where workspace_id = ${workspaceId} and id = any(${ids}::text[])`.execute(db)
}

/** The contact's row and then the conversation's, in the order in which everything locks them. */
export const lockConversationOf = async (
  { db, workspaceId }: Scope,
  { contactId, conversationId }: { contactId: string; conversationId: string },
): Promise<boolean> => {
  await sql`select from contacts where workspace_id = ${workspaceId} and id = ${contactId} for update`.execute(
    db,
  )
  const { rows } = await sql`
    select id from conversations
    where workspace_id = ${workspaceId} and id = ${conversationId} and contact_id = ${contactId}
    for update`.execute(db)
  return rows.length === 1
}

/** A model may take this long to answer, and what it was sent is stored with its turn, also if that is over by then. */
const REQUESTS_WITHIN_MS = 5 * 60_000

const isInHand = (now: Date) =>
  sql<boolean>`(state <> 'ended' or coalesce(ended_at > ${new Date(now.getTime() - REQUESTS_WITHIN_MS)}, false))`

/** What is about the conversation beside its messages. What stays for reports only counts. */
export const deleteAround = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  conversationId: string,
): Promise<number> => {
  const { rows } = await sql<{ notes: number }>`
    with turn as materialized (
      select id from ai_turns where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), request as (
      delete from ai_requests r using turn where r.workspace_id = ${workspaceId} and r.turn_id = turn.id
    ), test as (
      delete from ai_tests t using turn where t.workspace_id = ${workspaceId} and t.turn_id = turn.id returning t.id
    ), result as (
      delete from ai_test_results r using test where r.workspace_id = ${workspaceId} and r.test_id = test.id
    ), gone as (
      delete from ai_turns where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
        and ${isInHand(now())}
    ), emptied as (
      update ai_turns t set question = null, decision = null
      from turn where t.workspace_id = ${workspaceId} and t.id = turn.id and not ${isInHand(now())}
    ), run as (
      delete from flow_runs where workspace_id = ${workspaceId} and conversation_id = ${conversationId} returning id
    ), step as (
      delete from flow_run_steps s using run where s.workspace_id = ${workspaceId} and s.run_id = run.id
    ), proposal as (
      delete from ai_proposals where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), called as (
      delete from action_calls where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), draft as (
      delete from reply_drafts where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), held as (
      delete from held_messages where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), input as (
      delete from automation_inputs where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), automation as (
      delete from automation_states where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), gram as (
      delete from conversation_grams where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), thread as (
      delete from email_threads where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), code as (
      delete from identity_codes where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), commented as (
      update ratings set comment = null
      where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and comment is not null
    ), mail as (
      delete from chat_mails where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), chat as (
      delete from chat_emails where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
    ), note as (
      delete from notes where workspace_id = ${workspaceId} and conversation_id = ${conversationId} returning 1
    )
    select count(*) as notes from note`.execute(db)
  return Number(rows[0]!.notes)
}

/** Closed, and without words. Says nothing of a customer. */
export const emptyConversation = async ({ db, workspaceId }: Scope, id: string): Promise<void> => {
  await sql`
    with ended as (
      update waits set ended_at = now() where workspace_id = ${workspaceId} and conversation_id = ${id}
        and ended_at is null
    )
    update conversations set status = 'closed', subject = null, unread_count = 0, wait_id = null, answer_due_at = null,
      last_message_body = case when last_message_body is not null then '' end
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
}

/** False if somebody wrote there meanwhile. */
export const deleteConversation = async ({ db, workspaceId }: Scope, id: string): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    delete from conversations c where c.workspace_id = ${workspaceId} and c.id = ${id} and not exists (
      select from messages m where m.workspace_id = c.workspace_id and m.conversation_id = c.id)`.execute(db)
  return numAffectedRows === 1n
}

/** The sums that its contact keeps, once a conversation is closed or gone. */
export const recountContact = async ({ db, workspaceId }: Scope, contactId: string): Promise<void> => {
  await sql`
    with latest as (
      select id, agent_id from conversations
      where workspace_id = ${workspaceId} and contact_id = ${contactId} order by updated_at desc, id desc limit 1
    ), counted as (
      select count(*) as total, count(*) filter (where status = 'open') as open from conversations
      where workspace_id = ${workspaceId} and contact_id = ${contactId}
    )
    update contacts k set conversation_count = counted.total, open_count = counted.open,
      latest_conversation_id = (select id from latest), assigned_agent_id = (select agent_id from latest)
    from counted where k.workspace_id = ${workspaceId} and k.id = ${contactId}`.execute(db)
}
