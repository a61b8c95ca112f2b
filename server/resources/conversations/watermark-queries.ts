// The SQL of what providers say of all messages up to a time.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'

/** How far back in a thread is looked: whoever reads at all has read what lies before. */
const LOOK_BACK_MAX = 500

/**
 * Messages that went out to the contact on the account up to a time and are not that far yet. One that still waits to be
 * sent is none, whenever it was written, and one that was sent again counts from then on. An echo bears the provider's time, which is before ours.
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
      order by id desc limit ${LOOK_BACK_MAX}
    ) m
    where c.workspace_id = ${workspaceId} and c.contact_id = ${contactId}
      and c.channel_account_id = ${channelAccountId}
      and m.sender_type in ('agent', 'automation') and m.status = any(${behind}::text[])
      and coalesce((m.metadata ->> 'sentAt')::timestamptz, m.created_at) <= ${upTo}
      and not exists (select from deliveries d
        where d.workspace_id = c.workspace_id and d.message_id = m.id and d.claimed_at > ${upTo})
    order by m.id desc
    limit ${LOOK_BACK_MAX}`.execute(db)
  return rows.map(({ id }) => id)
}
