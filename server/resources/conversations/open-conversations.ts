import type { Ctx } from '../../ctx.ts'
import type { ChannelName } from '../../db/tables.ts'
import { recordMany } from '../../events/record.ts'
import { noteConversationsOpened } from '../contacts/counters.ts'
import { gramsOf } from './grams.ts'
import type { LockedConversation } from './queries.ts'
import { insertConversationGrams, insertConversations } from './receive-queries.ts'

type Opening = {
  channelAccountId: string
  /** Row locked by the caller, in this transaction. */
  contact: { id: string; name: string; email: string | null }
}

/** openConversation for many at once, in a number of statements that does not grow with them. */
export const openConversations = async (
  ctx: Ctx,
  channel: ChannelName,
  openings: readonly Opening[],
): Promise<LockedConversation[]> => {
  if (openings.length === 0) return []
  const at = ctx.now()
  const opened = openings.map(
    ({ channelAccountId, contact }): LockedConversation => ({
      id: ctx.newId(),
      channel,
      channelAccountId,
      contactId: contact.id,
      status: 'open',
      agentId: null,
    }),
  )
  await insertConversations(ctx, opened, at)
  await noteConversationsOpened(
    ctx,
    channel,
    opened.map(({ id, contactId }) => ({ contactId, conversationId: id })),
    at,
  )
  const grams = opened.flatMap(({ id }, index) => {
    const { name, email } = openings[index]!.contact
    return gramsOf(name, email).map((gram) => ({ conversationId: id, gram }))
  })
  if (grams.length > 0) await insertConversationGrams(ctx, grams)
  await recordMany(
    ctx,
    opened.map(({ id, contactId }) => ({
      type: 'conversation.created',
      conversationId: id,
      contactId,
      data: { conversationId: id },
    })),
  )
  return opened
}
