import { receiveMessage } from '../../domain/messages/receive-messages.ts'
import { setVisitorContact, type Visitor } from '../../domain/visitors/queries.ts'
import type { SendVisitorMessage, VisitorMessage } from '../../domain/visitors/schema.ts'
import { externalIdOf, toOwnMessage } from '../../domain/visitors/visitor-message.ts'
import { placeholderName } from '../../domain/visitors/visitor-name.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'

/**
 * Stores a visitor's message; their first message makes them a contact. Repeating a clientId changes nothing and
 * returns the stored message.
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
