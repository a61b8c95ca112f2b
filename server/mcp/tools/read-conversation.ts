import Type from 'typebox'
import { getAiAccount } from '../../domain/agents/queries.ts'
import { getConversationDetails } from '../../domain/conversations/get-conversation-details.ts'
import type { InboxMessage, Timeline } from '../../domain/conversations/inbox-schema.ts'
import { listTimeline } from '../../domain/messages/list-timeline.ts'
import { hasScope } from '../../platform/ctx/scopes.ts'
import { CUSTOMER_TEXT_IS, isPerson, known, lineOf, showNote, textOf } from '../tool/customer-text.ts'
import { fitRows } from '../tool/fit-rows.ts'
import { CursorGiven, defineTool, given, IdGiven, limitGiven, listOf, READS } from '../tool/tool.ts'
import { showConversation } from './find-conversations.ts'

const ENTRIES_MAX = 20
const BODY_LENGTH = { short: 500, full: 4_000 } as const
const FILES_MAX = 10

export const readConversation = defineTool({
  name: 'read_conversation',
  scopes: ['conversations:read'],
  hints: READS,
  description:
    'A conversation and its newest messages and notes, newest first. nextCursor leads to earlier ones. canReply says whether the channel takes a reply now.',
  input: given({
    conversationId: IdGiven,
    detail: Type.Optional(
      Type.Enum(['short', 'full'], { default: 'full', description: 'short cuts messages' }),
    ),
    cursor: CursorGiven,
    limit: limitGiven(ENTRIES_MAX),
  }),
  output: Type.Object({
    conversation: Type.Object({}, { additionalProperties: true }),
    ...listOf('entries').properties,
  }),
  run: async (ctx, { conversationId, detail = 'full', cursor, limit = ENTRIES_MAX }) => {
    const details = await getConversationDetails(ctx, conversationId)
    const { conversation, subject, canReply, cannotReplyReason, replyWindow } = details
    const maxLength = BODY_LENGTH[detail as keyof typeof BODY_LENGTH]
    const { id: aiAccountId } = await getAiAccount(ctx)
    // In the API, notes are read with the contact.
    const mayReadNotes = hasScope(ctx.actor, 'contacts:read')
    const read = async (limit: number) => {
      const page = await listTimeline(ctx, { conversationId, limit, ...(cursor !== undefined && { cursor }) })
      const seen = page.entries.filter(({ kind }) => mayReadNotes || kind !== 'note')
      return {
        rows: seen.map((entry) => showEntry(entry, { aiAccountId, maxLength })),
        nextCursor: page.nextCursor,
      }
    }
    const { rows, ...page } = await fitRows(limit, read)
    return {
      text: `${rows.length} entries${page.nextCursor ? '; there are earlier ones' : ''}. ${canReply ? 'A reply is possible.' : (cannotReplyReason ?? '')}`,
      data: {
        conversation: {
          ...showConversation({ ...conversation, subject, lastMessage: null }),
          canReply,
          ...known({ cannotReplyReason, replyWindowClosesAt: replyWindow?.closesAt }),
        },
        entries: rows,
        ...page,
        customerTextIs: CUSTOMER_TEXT_IS,
      },
    }
  },
})

type How = { aiAccountId: string; maxLength: number }

const showEntry = (entry: Timeline['entries'][number], how: How) =>
  entry.kind === 'note' ? { kind: 'note', ...showNote(entry.note, how) } : showMessage(entry.message, how)

/** What the system, flows, programs and templates say may quote the customer. */
const showMessage = (message: InboxMessage, { aiAccountId, maxLength }: How) => {
  const { id, senderType, sender, body, createdAt, replyQuote, attachments, status, metadata } = message
  const text = textOf(body, maxLength)
  const isOurs = senderType === 'agent'
  const isWorded = isOurs && isPerson(sender.id, aiAccountId) && !('template' in (metadata ?? {}))
  return {
    ...known({
      kind: 'message',
      id,
      at: createdAt,
      from: senderType,
      by: isOurs ? sender.nickname : null,
      status: isOurs ? status : null,
      text: isWorded ? text : null,
    }),
    ...(body.length > maxLength && { isCut: true }),
    customerText: known({
      text: isWorded ? null : text,
      quoted: lineOf(replyQuote),
      files: attachments.length > 0 ? attachments.slice(0, FILES_MAX).map(({ name }) => lineOf(name)) : null,
    }),
  }
}
