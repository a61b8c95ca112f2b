// Which events of their conversations visitors receive.
import { findSeenMessages, listPlaces, type Place, type SeenMessage } from '../../domain/visitors/queries.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Links } from '../../platform/files/links.ts'
import type { LiveEvent } from '../../platform/live/stream.ts'

/** An event in the form sent to visitors. */
export type Heard = {
  cursor: string
  contactId: string
  channelAccountId: string
  toTell: { event: string; data: object } | { message: SeenMessage }
}

const HEARD_TYPES = new Set([
  'message.created',
  'message.status',
  'conversation.created',
  'conversation.status',
  'conversation.read',
])

/** Visitors learn when their own messages were read; every other status is about a message to them. */
export const isAudible = ({ type, data, conversationId }: LiveEvent): boolean =>
  conversationId !== null && HEARD_TYPES.has(type) && (type !== 'message.status' || data.status === 'read')

/** What visitors may receive of the events, in order. At most two statements, however many there are. */
export const hear = async (
  scope: Pick<Ctx, 'db' | 'workspaceId'> & Links,
  events: LiveEvent[],
): Promise<Heard[]> => {
  const relevant = events.filter(isAudible)
  if (relevant.length === 0) return []
  const messageIds = relevant.flatMap(({ data }) =>
    typeof data.messageId === 'string' ? [data.messageId] : [],
  )
  const conversationIds = [...new Set(relevant.map(({ conversationId }) => conversationId as string))]
  const places = new Map<string, Place>()
  for (const place of await listPlaces(scope, conversationIds)) places.set(place.conversationId, place)
  const messages = new Map<string, SeenMessage>()
  if (messageIds.length > 0)
    for (const message of await findSeenMessages(scope, [...new Set(messageIds)]))
      messages.set(message.id, message)
  return relevant.flatMap(({ cursor, type, conversationId, data }): Heard[] => {
    const place = places.get(conversationId as string)
    if (!place) return []
    const { contactId, channelAccountId } = place
    const tell = (event: string, data: object) => [
      { cursor, contactId, channelAccountId, toTell: { event, data } },
    ]
    switch (type) {
      case 'conversation.created':
        return tell('conversation', { id: conversationId, status: 'open' })
      case 'conversation.status':
        return tell('conversation', { id: conversationId, status: data.status })
      // They wrote all messages that were read; the named one is the last of them.
      case 'conversation.read':
        return tell('status', { messageId: data.messageId, status: 'read' })
      case 'message.created': {
        const message = messages.get(String(data.messageId))
        return message ? [{ cursor, contactId, channelAccountId, toTell: { message } }] : []
      }
      default: {
        // The delivery status of replies to the visitor is only for agents.
        const message = messages.get(String(data.messageId))
        return message?.senderType === 'customer'
          ? tell('status', { messageId: message.id, status: data.status })
          : []
      }
    }
  })
}
