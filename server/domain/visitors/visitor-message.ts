import type { Message } from '../conversations/schema.ts'
import type { SeenMessage } from './queries.ts'
import type { VisitorMessage } from './schema.ts'
import { toVisitorChoice } from './visitor-choices.ts'

const externalPrefix = (visitorId: string): string => `web:${visitorId}:`

/**
 * The stored id of a visitor's message, from the id that their page gave it: unique on its site, so that a resend is
 * harmless.
 */
export const externalIdOf = (visitorId: string, clientId: string): string =>
  externalPrefix(visitorId) + clientId

/** A stored message as one visitor sees it. */
export const toVisitorMessage = (
  { externalId, ...message }: SeenMessage,
  visitorId: string,
): VisitorMessage => {
  const prefix = externalPrefix(visitorId)
  return { ...message, clientId: externalId?.startsWith(prefix) ? externalId.slice(prefix.length) : null }
}

/** The message that the visitor just wrote. */
export const toOwnMessage = (message: Message, clientId: string | null): VisitorMessage => ({
  id: message.id,
  conversationId: message.conversationId,
  body: message.body,
  senderType: 'customer',
  sender: { nickname: message.sender.nickname },
  status: message.status,
  createdAt: message.createdAt,
  attachments: message.attachments,
  clientId,
  choices: null,
  reaction: null,
  byEmail: null,
  choice: toVisitorChoice(message.replyToMessageId, message.metadata?.choice?.number),
})
