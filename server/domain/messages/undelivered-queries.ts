import { sql } from 'kysely'
import type { RejectedRecipient } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'

export type SentMessage = {
  id: string
  conversationId: string
  contactId: string
  to: string[]
  undelivered: RejectedRecipient[]
}

/** Undefined: no message of ours, or one whose author chose no recipients. */
export const lockRecipients = async (
  { db, workspaceId }: Ctx,
  messageId: string,
): Promise<SentMessage | undefined> => {
  const { rows } = await sql<SentMessage>`
    select m.id, m.conversation_id as "conversationId", c.contact_id as "contactId",
      array(select r ->> 'address' from jsonb_path_query(m.metadata, '$.to[*]') r) as to,
      coalesce(m.metadata -> 'undelivered', '[]') as undelivered
    from messages m join conversations c on c.workspace_id = ${workspaceId} and c.id = m.conversation_id
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and m.sender_type in ('agent', 'automation')
      and m.metadata ? 'to'
    for no key update of m`.execute(db)
  return rows[0]
}

export const setUndelivered = async (
  { db, workspaceId }: Ctx,
  messageId: string,
  undelivered: readonly RejectedRecipient[],
): Promise<void> => {
  await sql`
    update messages set metadata = metadata || jsonb_build_object('undelivered', ${JSON.stringify(undelivered)}::jsonb)
    where workspace_id = ${workspaceId} and id = ${messageId}`.execute(db)
}

export const clearUndelivered = async ({ db, workspaceId }: Ctx, messageId: string): Promise<void> => {
  await sql`
    update messages set metadata = metadata - 'undelivered'
    where workspace_id = ${workspaceId} and id = ${messageId}`.execute(db)
}
