// The SQL of reports that cover all messages up to a time.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

/** How many messages back to look; older ones count as read already. */
const MESSAGES_BACK_MAX = 500

/**
 * Messages sent to the contact on the account up to a time whose status is still behind. Excludes those still waiting
 * to be sent, whenever they were written; one that was sent again counts from then on. An echo has the provider's time,
 * which is before ours.
 */
export const listBehindWatermark = async (
  { db, workspaceId }: Ctx,
  {
    channelAccountId,
    contactId,
    status,
    upTo,
  }: { channelAccountId: string; contactId: string; status: 'delivered' | 'read'; upTo: Date },
): Promise<string[]> => {
  const behind = status === 'read' ? ['sent', 'delivered'] : ['sent']
  const { rows } = await sql<{ id: string }>`
    select m.id from conversations c
    cross join lateral (
      select id, sender_type, status, created_at, metadata from messages
      where workspace_id = c.workspace_id and conversation_id = c.id
      order by id desc limit ${MESSAGES_BACK_MAX}
    ) m
    where c.workspace_id = ${workspaceId} and c.contact_id = ${contactId}
      and c.channel_account_id = ${channelAccountId}
      and m.sender_type in ('agent', 'automation') and m.status = any(${behind}::text[])
      and coalesce((m.metadata ->> 'sentAt')::timestamptz, m.created_at) <= ${upTo}
      and not exists (select from deliveries d
        where d.workspace_id = c.workspace_id and d.message_id = m.id and d.claimed_at > ${upTo})
    order by m.id desc
    limit ${MESSAGES_BACK_MAX}`.execute(db)
  return rows.map(({ id }) => id)
}
