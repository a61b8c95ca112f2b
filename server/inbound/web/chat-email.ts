// The address that a visitor leaves in the chat, and the links in the emails that it gets.

import { findChatBox } from '../../domain/chat-boxes/queries.ts'
import { findLinked, setShown } from '../../domain/chat-emails/queries.ts'
import { saveAddress } from '../../domain/chat-emails/save-address.ts'
import { readLinkToken } from '../../domain/chat-emails/tokens.ts'
import { insertIdentities, listIdentities } from '../../domain/contacts/people-queries.ts'
import { confirmIdentity } from '../../domain/contacts/queries.ts'
import { listVisitorConversations, type Visitor } from '../../domain/visitors/queries.ts'
import type { LeaveEmail } from '../../domain/visitors/schema.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { languageOf } from './language-of.ts'

/**
 * Stores the address that a visitor left, or that they would rather not. Throws VALIDATION_ERROR before they have
 * written, and where nobody is asked.
 */
export const leaveEmail = async (
  ctx: Ctx,
  visitor: Visitor,
  { email, language }: LeaveEmail,
): Promise<{ success: true }> => {
  const { contactId, channelAccountId } = visitor
  const { settings } = await findChatBox(ctx, channelAccountId)
  if (!settings.asksEmail) throw invalid({ field: 'email', message: 'is not asked for on this channel' })
  const [conversation] = contactId ? await listVisitorConversations(ctx, { contactId, channelAccountId }) : []
  if (!conversation || contactId === null)
    throw invalid({ field: 'email', message: 'can be given once there is a conversation' })
  await saveAddress(ctx, {
    conversation: { id: conversation.id, channelAccountId },
    visitor: { ...visitor, contactId },
    address: email,
    language: language ?? languageOf(settings.language, visitor.locale),
  })
  return { success: true }
}

/**
 * The link in an email was followed in a visitor's browser. In the browser that the chat is in, that proves the address
 * to be theirs; anywhere else it throws VALIDATION_ERROR, and nothing is shown. Repeating it changes nothing.
 */
export const followLink = (ctx: Ctx, visitor: Visitor, token: string): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const { contactId, channelAccountId } = visitor
    const mailId = readLinkToken(ctx, token)
    const linked = mailId === undefined ? undefined : await findLinked(ctx, mailId)
    if (contactId === null || linked?.contactId !== contactId || linked.channelAccountId !== channelAccountId)
      throw invalid({ field: 'token', message: 'must be from an email about your conversation' })
    if (!(await setShown(ctx, linked))) return { success: true }
    const email = { kind: 'email' as const, value: linked.address }
    const held = await listIdentities(ctx, [contactId])
    if (!held.some(({ kind, value }) => kind === 'email' && value === email.value)) {
      // What another contact has stays theirs.
      await insertIdentities(ctx, [{ ...email, contactId, confirmed: true }])
      await record(ctx, { type: 'contact.updated', contactId, data: { contactId, changed: ['identities'] } })
    } else await confirmIdentity(ctx, contactId, email)
    return { success: true }
  })
