// All SQL of conversations and their messages.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { ChannelName, ConversationStatus } from '../../db/tables.ts'

export type LockedConversation = {
  id: string
  channel: ChannelName
  channelAccountId: string
  contactId: string
  status: ConversationStatus
  agentId: string | null
}

/**
 * The conversation, its contact's row and its own row locked until the transaction ends; undefined when the workspace
 * has none such. Every write on a conversation begins here, always contact before conversation, so that two writers
 * wait for each other and never lock crosswise.
 */
export const lockConversation = async (
  { db, workspaceId }: Ctx,
  id: string,
): Promise<LockedConversation | undefined> => {
  const { rows } = await sql<LockedConversation>`
    select c.id, c.channel, c.channel_account_id as "channelAccountId", c.contact_id as "contactId", c.status,
      c.agent_id as "agentId"
    from contacts k
    join conversations c on c.workspace_id = k.workspace_id and c.contact_id = k.id
    where c.workspace_id = ${workspaceId} and c.id = ${id}
    for no key update of k, c`.execute(db)
  return rows[0]
}

export const setConversationStatus = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  status: ConversationStatus,
): Promise<void> => {
  await db
    .updateTable('conversations')
    .set({ status, updated_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

type SystemEntry = { conversation: LockedConversation; body: string; metadata: Record<string, unknown> }

/** A line in the thread that says what happened to the conversation. It is no message: lists and counts pass it over. */
export const insertSystemEntry = async (
  ctx: Ctx,
  { conversation, body, metadata }: SystemEntry,
): Promise<void> => {
  await ctx.db
    .insertInto('messages')
    .values({
      workspace_id: ctx.workspaceId,
      id: ctx.newId(),
      conversation_id: conversation.id,
      channel_account_id: conversation.channelAccountId,
      sender_type: 'system',
      sender_id: 'system',
      body,
      status: 'sent',
      metadata: JSON.stringify(metadata),
      created_at: ctx.now(),
    })
    .execute()
}
