import Type from 'typebox'
import { proposeDraft } from '../../domain/ai/drafts/drafts.ts'
import { hasUnknownLinks } from '../../domain/ai/drafts/unknown-links.ts'
import { findConversation } from '../../domain/conversations/list-conversations.ts'
import { lockConversation } from '../../domain/conversations/queries.ts'
import { sendMessage } from '../../domain/messages/send-message.ts'
import { settleMessage } from '../../domain/messages/settle-message.ts'
import { namesOthers } from '../../domain/people/names-others.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { lineOf } from '../tool/customer-text.ts'
import { type Answer, defineTool, given, IdGiven, WRITES } from '../tool/tool.ts'
import { ReplyText, wordsOf } from './draft-reply.ts'

export const sendReply = defineTool({
  name: 'send_reply',
  scopes: ['messages:send'],
  isNamedOnly: true,
  hints: { ...WRITES, openWorldHint: true },
  description:
    'Send a reply to the customer of the conversation, at once. Prefer draft_reply unless the user asked you to send.',
  input: given({ conversationId: IdGiven, text: ReplyText }),
  output: Type.Object({ messageId: Type.String(), status: Type.String() }),
  target: { type: 'conversation', of: 'conversationId' },
  question: async (ctx, { conversationId, text }) => {
    const body = wordsOf(text)
    const conversation = await findConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const { contact, channel } = conversation
    if (await needsDraft(ctx, contact.id, body)) return null
    const known = [contact.name, contact.email, contact.phone].map((part) => lineOf(part)).filter(Boolean)
    return `Send this reply on ${channel} to ${known.join(', ') || 'a customer without a name'}?\n\n${body}`
  },
  run: async (ctx, { conversationId, text }): Promise<Answer> => {
    const body = wordsOf(text)
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const reason = await needsDraft(ctx, conversation.contactId, body)
    if (reason !== null) {
      await proposeDraft(ctx, conversationId, body)
      return {
        refusal: `Not sent: the text has ${reason}. It was left as a draft, for a person to check and send. Tell the user, and don’t try to send it in another form.`,
      }
    }
    const message = await sendMessage(ctx, { conversationId, body })
    const shown = ({ id, status }: typeof message) => ({
      text: status === 'failed' ? 'The channel refused the message.' : `The reply is ${status}.`,
      data: { messageId: id, status },
    })
    return { ...shown(message), settle: async (ctx) => shown(await settleMessage(ctx, message)) }
  },
})

/** What in the text only a person may send; null: nothing. */
const needsDraft = async (ctx: Ctx, contactId: string, text: string): Promise<string | null> => {
  if (await namesOthers(ctx, { contactId, text }))
    return 'an email address or a phone number that may be another customer’s'
  if (await hasUnknownLinks(ctx, text)) return 'a link to a site that the team hasn’t sent to customers'
  return null
}
