// The SQL of changing an existing message, and of removing one.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Metadata, SenderType } from '../../platform/db/tables.ts'
import { lockConversation } from '../conversations/queries.ts'
import { LAST_BODY_MAX, LAST_MESSAGE } from '../deliveries/withdraw-deliveries.ts'

type Alterable = {
  id: string
  conversationId: string
  contactId: string
  senderType: SenderType
  body: string
  metadata: Metadata | null
}

/** The message, with its contact's and conversation's rows locked. */
export const findAlterable = async (
  ctx: Ctx,
  channelAccountId: string,
  externalId: string,
): Promise<Alterable | undefined> => {
  const { db, workspaceId } = ctx
  const { rows: places } = await sql<{ conversationId: string }>`
    select conversation_id as "conversationId" from messages
    where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}
      and external_id = ${externalId}`.execute(db)
  const conversation = places[0] && (await lockConversation(ctx, places[0].conversationId))
  if (!conversation) return undefined
  const { rows } = await sql<Omit<Alterable, 'contactId'>>`
    select id, conversation_id as "conversationId", sender_type as "senderType", body, metadata from messages
    where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}
      and external_id = ${externalId}
    for no key update`.execute(db)
  return rows[0] && { ...rows[0], contactId: conversation.contactId }
}

export const setAltered = async (
  { db, workspaceId }: Ctx,
  { id, conversationId }: Pick<Alterable, 'id' | 'conversationId'>,
  { body, metadata }: Pick<Alterable, 'body' | 'metadata'>,
): Promise<void> => {
  await sql`
    with message as (
      update messages set body = ${body}, metadata = ${metadata && JSON.stringify(metadata)}::jsonb
      where workspace_id = ${workspaceId} and id = ${id}
    )
    update conversations set last_message_body = left(${body}::text, ${LAST_BODY_MAX}::integer)
    where workspace_id = ${workspaceId} and id = ${conversationId} and last_message_id = ${id}`.execute(db)
}

/** The customer did something that opens the reply window. */
export const touchLastInbound = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
  at: Date,
): Promise<void> => {
  await sql`
    update conversations set last_inbound_at = greatest(last_inbound_at, ${at}::timestamptz)
    where workspace_id = ${workspaceId} and id = ${conversationId}`.execute(db)
}

/**
 * Removes a message that was never sent; the previous one becomes the conversation's last message again. False if it no
 * longer exists.
 */
export const deleteMessage = async (
  { db, workspaceId }: Ctx,
  { id, conversationId }: { id: string; conversationId: string },
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    delete from messages where workspace_id = ${workspaceId} and id = ${id}
      and sender_type in ('agent', 'automation') and status = 'failed'`.execute(db)
  if (numAffectedRows !== 1n) return false
  await restoreLastMessage({ db, workspaceId }, { id, conversationId })
  return true
}

/** After a message was removed: if it was the conversation's last one, the previous one takes its place. */
export const restoreLastMessage = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  { id, conversationId }: { id: string; conversationId: string },
): Promise<void> => {
  await sql`
    update conversations c set ${LAST_MESSAGE}
    from (select 1) one
    left join lateral (
      select * from messages
      where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and sender_type <> 'system'
      order by id desc limit 1
    ) m on true
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId} and c.last_message_id = ${id}`.execute(
    db,
  )
}
