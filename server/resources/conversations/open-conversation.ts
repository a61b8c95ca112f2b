import type { Ctx } from '../../ctx.ts'
import type { ChannelName } from '../../db/tables.ts'
import { record } from '../../events/record.ts'
import { noteConversationOpened } from '../contacts/counters.ts'
import { indexGrams } from './grams.ts'
import { insertConversation, type LockedConversation } from './queries.ts'

type Opening = {
  channel: ChannelName
  channelAccountId: string
  /** Row locked by the caller, in this transaction. */
  contact: { id: string; name: string; email: string | null }
  subject: string | null
}

/** Opens a conversation with a contact, counted and announced, in the caller's transaction. */
export const openConversation = async (
  ctx: Ctx,
  { channel, channelAccountId, contact, subject }: Opening,
): Promise<LockedConversation & { createdAt: string }> => {
  const id = ctx.newId()
  const at = ctx.now()
  await insertConversation(ctx, { id, channel, channelAccountId, contactId: contact.id, subject, at })
  await noteConversationOpened(ctx, contact.id, {
    conversationId: id,
    channel,
    agentId: null,
    at,
    isNew: true,
  })
  await indexGrams(ctx, id, contact.name, contact.email ?? '', subject ?? '')
  await record(ctx, {
    type: 'conversation.created',
    conversationId: id,
    contactId: contact.id,
    data: { conversationId: id },
  })
  return {
    id,
    channel,
    channelAccountId,
    contactId: contact.id,
    status: 'open',
    agentId: null,
    createdAt: at.toISOString(),
  }
}
