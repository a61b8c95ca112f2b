import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { requireChannel, requireScope } from '../../platform/ctx/scopes.ts'
import { ApiError } from '../../platform/errors.ts'
import { addConversationEvent } from '../automation/conversation-events.ts'
import { listChannelAccounts } from '../channel-accounts/queries.ts'
import { openConversation, originOf } from '../conversations/open-conversations.ts'
import { lockOpenOnChannel } from '../conversations/queries.ts'
import type { CreatedConversation } from '../conversations/schema.ts'
import { setEmailThread } from '../emails/queries.ts'
import { resolveContact } from '../people/resolve-contact.ts'
import { sendIn } from './send-message.ts'

type CreateInput = {
  email: string
  name?: string
  channel: 'email' | 'web'
  subject?: string
  message?: string
}

/**
 * Opens a conversation with the contact who has the email, or continues the open one on that channel. Creates the
 * contact if there is none; `name` applies only then. `subject` applies to a new email conversation. Throws
 * CHANNEL_NOT_CONNECTED, and INSUFFICIENT_SCOPE for a token that may not use the channel or send the message.
 */
export const createConversation = (ctx: Ctx, input: CreateInput): Promise<CreatedConversation> =>
  inTransaction(ctx, async (ctx) => {
    const { email, channel, message } = input
    requireChannel(ctx.actor, channel)
    if (message !== undefined) requireScope(ctx.actor, 'messages:send')
    const [account] = await listChannelAccounts(ctx, channel)
    if (!account) throw new ApiError('CHANNEL_NOT_CONNECTED')
    const contact = await resolveContact(ctx, {
      identity: { kind: 'email', value: email, verified: true, confirmed: true },
      name: input.name ?? null,
    })
    const known = await lockOpenOnChannel(ctx, contact.id, channel)
    const conversation =
      known ??
      (await openConversation(ctx, channel, {
        channelAccountId: account.id,
        contact,
        subject: channel === 'email' ? (input.subject ?? null) : null,
        origin: originOf(ctx.actor),
      }))
    if (!known && channel === 'email')
      await setEmailThread(ctx, conversation.id, {
        address: email.toLowerCase(),
        replyTo: null,
        subject: null,
      })
    if (!known) await addConversationEvent(ctx, conversation.id, { on: 'opened' })
    return {
      created: !known,
      conversation: {
        id: conversation.id,
        channel,
        status: 'open' as const,
        createdAt: conversation.createdAt,
      },
      contact: { id: contact.id, name: contact.name, email: contact.email },
      message: message === undefined ? null : await sendIn(ctx, conversation, { body: message }),
    }
  })
