import { type Ctx, inTransaction } from '../../ctx.ts'
import { receiveMessage } from '../conversations/receive-message.ts'
import { setVisitorContact, type Visitor } from './queries.ts'
import type { SendVisitorMessage, VisitorMessage } from './schema.ts'
import { externalIdOf, toOwnMessage } from './visitor-message.ts'
import { placeholderName } from './visitor-name.ts'

/**
 * Stores what a visitor wrote; with their first message they become a contact. The same clientId again changes nothing
 * and gives the message as stored.
 */
export const sendVisitorMessage = (
  ctx: Ctx,
  visitor: Visitor,
  { body, clientId }: SendVisitorMessage,
): Promise<VisitorMessage> =>
  inTransaction(ctx, async (ctx) => {
    const { message, contactId } = await receiveMessage(ctx, {
      channel: 'web',
      channelAccountId: visitor.channelAccountId,
      from: {
        identity: { kind: 'visitor', value: visitor.id, verified: true },
        name: visitor.name ?? visitor.email ?? placeholderName(visitor.id),
        email: visitor.email,
      },
      body,
      externalId: clientId === undefined ? null : externalIdOf(visitor.id, clientId),
      sentAt: ctx.now(),
    })
    if (visitor.contactId === null) await setVisitorContact(ctx, visitor.id, contactId)
    return toOwnMessage(message, clientId ?? null)
  })
