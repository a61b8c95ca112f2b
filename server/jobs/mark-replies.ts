import { markDue } from '../domain/chat-emails/queries.ts'
import type { SettledEvent } from '../domain/feed/number-events.ts'
import type { Db } from '../platform/db/pool.ts'

/** For the relay's transaction: has chats looked at in which somebody has replied. At most one statement. */
export const markReplies = async (trx: Db, events: readonly SettledEvent[]): Promise<void> => {
  const replies = events.flatMap(({ type, data, workspaceId, conversationId, createdAt }) =>
    type === 'message.created' && data.senderType !== 'customer' && conversationId !== null
      ? [{ workspaceId, conversationId, at: createdAt }]
      : [],
  )
  if (replies.length > 0) await markDue(trx, replies)
}
