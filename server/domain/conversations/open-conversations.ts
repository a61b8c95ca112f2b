import { type Actor, isPerson } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import type { Origin } from '../../platform/events/catalogue.ts'
import { record } from '../../platform/events/record.ts'
import { countOpenedConversations } from '../contacts/counters.ts'
import { bigramsOf, indexBigrams } from '../search/bigrams.ts'
import { insertConversations } from './open-queries.ts'
import type { LockedConversation } from './queries.ts'

type Opening = {
  channelAccountId: string
  /** The caller has locked the row in this transaction. */
  contact: { id: string; name: string; email: string | null }
  subject?: string | null
  origin: Origin
}

/** Of a conversation that is opened from here. */
export const originOf = (actor: Actor): Origin => (isPerson(actor) ? 'agent' : 'api')

export type Opened = LockedConversation & { createdAt: string }

/**
 * Opens conversations with contacts, including counts and events, in the caller's transaction and in a number of
 * statements that does not grow with them. What a customer begins has the team of the channel account.
 */
export const openConversations = async (
  ctx: Ctx,
  channel: ChannelName,
  openings: readonly Opening[],
): Promise<Opened[]> => {
  if (openings.length === 0) return []
  const opening = openings.map(({ channelAccountId, contact, subject = null, origin }) => {
    const id = ctx.newId()
    return {
      id,
      channel,
      channelAccountId,
      contactId: contact.id,
      createdAt: ctx.createdAt(id),
      subject,
      isFromCustomer: origin === 'customer',
    }
  })
  const given = new Map((await insertConversations(ctx, opening)).map((row) => [row.id, row]))
  const opened = opening.map(
    ({ subject: _, isFromCustomer: __, createdAt, ...conversation }): Opened => ({
      ...conversation,
      ...given.get(conversation.id)!,
      status: 'open',
      agentId: null,
      lastMessageId: null,
      isSnoozed: false,
      isDisconnected: false,
      createdAt: createdAt.toISOString(),
    }),
  )
  await countOpenedConversations(
    ctx,
    channel,
    opening.map(({ id, contactId, createdAt }) => ({ contactId, conversationId: id, at: createdAt })),
  )
  await indexBigrams(
    ctx,
    opening.map(({ id, subject }, index) => {
      const { name, email } = openings[index]!.contact
      return { conversationId: id, grams: bigramsOf(name, email, subject) }
    }),
  )
  await record(
    ctx,
    opened.map(({ id, contactId, teamId }, index) => ({
      type: 'conversation.created',
      conversationId: id,
      contactId,
      // Somebody at the business wrote first, at the provider.
      ...(openings[index]!.origin !== 'customer' && ctx.actor.type === 'customer' && { actor: 'system' }),
      data: { conversationId: id, channel, origin: openings[index]!.origin, teamId },
    })),
  )
  return opened
}

/** The same for one. */
export const openConversation = async (ctx: Ctx, channel: ChannelName, opening: Opening): Promise<Opened> =>
  (await openConversations(ctx, channel, [opening]))[0]!
