import { isPerson } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { addConversationEvent } from '../automation/conversation-events.ts'
import { findChannelAccount } from '../channel-accounts/queries.ts'
import { toE164 } from '../contacts/phone.ts'
import { assignConversation } from '../conversations/assign-conversation.ts'
import { openConversation, originOf } from '../conversations/open-conversations.ts'
import { findContinuable } from '../conversations/open-queries.ts'
import { reopen } from '../conversations/reopen.ts'
import { setEmailThread } from '../emails/queries.ts'
import type { OutgoingEmail } from '../emails/schema.ts'
import { resolveContact } from '../people/resolve-contact.ts'
import { resolvePeople } from '../people/resolve-people.ts'
import { sendOrHoldReply } from './hold-message.ts'
import type { StartConversation, StartedConversation } from './start-schema.ts'

/**
 * Starts a conversation with what a person wrote, sent or held for `undoSeconds`. An email is always a thread of its own,
 * with its first recipient; an SMS goes into the conversation that the number has with this one. A new conversation is
 * assigned to whoever starts it. Throws CHANNEL_NOT_FOUND, VALIDATION_ERROR, and what sending throws.
 */
export const startConversation = (
  ctx: Ctx,
  { channelId, email, phone, name, ...written }: StartConversation,
): Promise<StartedConversation> =>
  inTransaction(ctx, async (ctx) => {
    const account = await findChannelAccount(ctx, channelId)
    if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
    const { channel } = account
    if (channel !== (email ? 'email' : 'sms'))
      throw invalid({ field: 'channelId', message: `must be ${email ? 'a mailbox' : 'an SMS number'}` })
    const started = email
      ? await startEmail(ctx, account.id, email, name)
      : await startSms(ctx, account.id, phone ?? '', name)
    const { conversationId, created } = started
    if (created && isPerson(ctx.actor))
      await assignConversation(ctx, { conversationId, agentId: ctx.actor.accountId })
    await sendOrHoldReply(ctx, { conversationId, ...written, ...(email && { email }) })
    return started
  })

const startEmail = async (
  ctx: Ctx,
  channelAccountId: string,
  { to, subject }: OutgoingEmail,
  name: string | undefined,
): Promise<StartedConversation> => {
  // The schema requires one.
  const [first] = to as [OutgoingEmail['to'][number]]
  const contact = await resolveContact(ctx, {
    identity: { kind: 'email', value: first.address, verified: true, confirmed: true },
    name: name ?? (first.name || null),
  })
  const conversation = await openConversation(ctx, 'email', {
    ...{ channelAccountId, contact, subject: subject ?? null },
    origin: originOf(ctx.actor),
  })
  await setEmailThread(ctx, conversation.id, {
    ...{ address: first.address.toLowerCase(), replyTo: null, subject: null },
  })
  await addConversationEvent(ctx, conversation.id, { on: 'opened' })
  return { conversationId: conversation.id, created: true }
}

const startSms = async (
  ctx: Ctx,
  channelAccountId: string,
  given: string,
  name: string | undefined,
): Promise<StartedConversation> => {
  const phone = toE164(given)
  if (phone === null)
    throw invalid({ field: 'phone', message: 'must be a phone number in international format' })
  const [contact] = await resolvePeople(ctx, [
    {
      ...{ phone, userId: null, waId: null, name: null, username: null, nameIfNew: name ?? null },
      own: { kind: 'sms', value: phone },
    },
  ])
  if (!contact) throw new Error('a number without a contact')
  const [known] = await findContinuable(ctx, [{ contactId: contact.id, channelAccountId }])
  if (known) {
    if (known.status === 'closed')
      await reopen(ctx, known, ctx.actor.type === 'agent' ? ctx.actor.accountId : undefined)
    return { conversationId: known.id, created: false }
  }
  const conversation = await openConversation(ctx, 'sms', {
    ...{ channelAccountId, contact },
    origin: originOf(ctx.actor),
  })
  await addConversationEvent(ctx, conversation.id, { on: 'opened' })
  return { conversationId: conversation.id, created: true }
}
