// The SQL of what mail servers report about mail of ours.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { MessageStatus } from '../../platform/db/tables.ts'

export type ReportedCandidate = {
  id: string
  conversationId: string
  status: MessageStatus
  /** The contact's. */
  addresses: string[]
  /** Those that its author chose; empty: none. */
  recipients: string[]
}

/** Our messages by their ids or Message-IDs, with every address that they may have been sent to. */
export const listReported = async (
  { db, workspaceId }: Ctx,
  {
    channelAccountId,
    messageIds,
    emailIds,
  }: { channelAccountId: string; messageIds: readonly string[]; emailIds: readonly string[] },
): Promise<ReportedCandidate[]> => {
  if (messageIds.length + emailIds.length === 0) return []
  const { rows } = await sql<ReportedCandidate>`
    with found as materialized (
      select id from messages where workspace_id = ${workspaceId} and id = any(${[...messageIds]}::text[])
      union
      select id from messages where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}
        and external_id = any(${[...emailIds]}::text[]) and external_id is not null
      union
      select message_id from email_aliases where workspace_id = ${workspaceId}
        and channel_account_id = ${channelAccountId} and email_id = any(${[...emailIds]}::text[])
    )
    select m.id, m.conversation_id as "conversationId", m.status, array(
      select lower(address) from (
        select t.address union all select t.reply_to union all select k.email
        union all
        select value from identities i
          where i.workspace_id = k.workspace_id and i.contact_id = k.id and i.kind = 'email'
      ) a where address is not null) as addresses, array(
      select r ->> 'address' from unnest(array['to', 'cc', 'bcc']) field,
        jsonb_path_query(m.metadata -> field, '$[*]') r) as recipients
    from messages m
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    left join email_threads t on t.workspace_id = c.workspace_id and t.conversation_id = c.id
    where m.workspace_id = ${workspaceId} and m.id = any(array(select id from found))
      and m.channel_account_id = ${channelAccountId} and m.sender_type in ('agent', 'automation')`.execute(db)
  return rows
}

/** Identifies the event in the thread's system entry. */
export const COMPLAINT_EVENT = 'spam_complaint'

/** Whether the thread already says that a message was marked as spam. */
export const hasComplaint = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
  messageId: string,
): Promise<boolean> => {
  const { rows } = await sql`
    select 1 from messages
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and id > ${messageId}
      and sender_type = 'system' and metadata ->> 'event' = ${COMPLAINT_EVENT}
      and metadata ->> 'messageId' = ${messageId}
    limit 1`.execute(db)
  return rows.length > 0
}
