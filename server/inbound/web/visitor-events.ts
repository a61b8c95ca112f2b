// Which events visitors receive, and in what form.
import { findSeenMessages, listPlaces, type Place, type SeenMessage } from '../../domain/visitors/queries.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Links } from '../../platform/files/links.ts'
import type { LiveEvent } from '../../platform/live/replay.ts'

/** An event in the form sent to visitors. */
export type VisitorEvent = {
  cursor: string
  contactId: string
  channelAccountId: string
  content: { event: string; data: object } | { message: SeenMessage }
}

const VISITOR_TYPES = new Set([
  'message.created',
  'message.updated',
  'message.status',
  'conversation.created',
  'conversation.status',
  'conversation.read',
])

/**
 * Visitors learn when their own messages were read and reacted to; every other status is about a message to them, and
 * what else changes in a message they see when they come back.
 */
export const isForVisitors = ({ type, data, conversationId }: LiveEvent): boolean =>
  conversationId !== null &&
  VISITOR_TYPES.has(type) &&
  (type !== 'message.status' || data.status === 'read') &&
  (type !== 'message.updated' || (Array.isArray(data.changed) && data.changed.includes('reactions')))

/** What visitors may receive of the events, in order. At most two statements, however many there are. */
export const toVisitorEvents = async (
  scope: Pick<Ctx, 'db' | 'workspaceId'> & Links,
  events: LiveEvent[],
): Promise<VisitorEvent[]> => {
  const relevant = events.filter(isForVisitors)
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
  return relevant.flatMap(({ cursor, type, conversationId, data }): VisitorEvent[] => {
    const place = places.get(conversationId as string)
    if (!place) return []
    const { contactId, channelAccountId } = place
    const eventOf = (event: string, data: object) => [
      { cursor, contactId, channelAccountId, content: { event, data } },
    ]
    switch (type) {
      case 'conversation.created':
        return eventOf('conversation', { id: conversationId, status: 'open' })
      case 'conversation.status':
        return eventOf('conversation', { id: conversationId, status: data.status })
      // They wrote all messages that were read; the named one is the last of them.
      case 'conversation.read':
        return eventOf('status', { messageId: data.messageId, status: 'read' })
      case 'message.updated': {
        const message = messages.get(String(data.messageId))
        return message?.senderType === 'customer'
          ? eventOf('reaction', { messageId: message.id, emoji: message.reaction })
          : []
      }
      case 'message.created': {
        const message = messages.get(String(data.messageId))
        return message ? [{ cursor, contactId, channelAccountId, content: { message } }] : []
      }
      default: {
        // The delivery status of replies to the visitor is only for agents.
        const message = messages.get(String(data.messageId))
        return message?.senderType === 'customer'
          ? eventOf('status', { messageId: message.id, status: data.status })
          : []
      }
    }
  })
}
