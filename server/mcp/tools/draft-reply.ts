import Type from 'typebox'
import { proposeDraft } from '../../domain/ai/drafts/drafts.ts'
import { MESSAGE_BODY_MAX } from '../../domain/conversations/schema.ts'
import { Refused } from '../tool/refused.ts'
import { defineTool, given, IdGiven, WRITES } from '../tool/tool.ts'

/** What customers get: not only spaces. Throws Refused. */
export const wordsOf = (text: string): string => {
  const words = text.replaceAll('\0', '').toWellFormed().trim()
  if (words === '') throw new Refused('text must not be empty.')
  return words
}

export const ReplyText = Type.String({ minLength: 1, maxLength: MESSAGE_BODY_MAX })

export const draftReply = defineTool({
  name: 'draft_reply',
  // Whoever may send may propose.
  scopes: ['messages:draft', 'messages:send'],
  hints: { ...WRITES, idempotentHint: true },
  description:
    'Leave a reply as a draft in the conversation, instead of your last one. Nothing is sent: a person reads, changes and sends it in the console.',
  input: given({ conversationId: IdGiven, text: ReplyText }),
  output: Type.Object({ draftId: Type.String(), isSent: Type.Literal(false) }),
  target: { type: 'conversation', of: 'conversationId' },
  run: async (ctx, { conversationId, text }) => ({
    text: 'The draft is in the conversation, for a person to send.',
    data: { draftId: await proposeDraft(ctx, conversationId, wordsOf(text)), isSent: false },
  }),
})
