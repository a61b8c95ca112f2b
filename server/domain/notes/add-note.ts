import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { bindToNote } from '../attachments/attach.ts'
import { touchActivity } from '../contacts/counters.ts'
import { toE164 } from '../contacts/phone.ts'
import type { Note } from '../contacts/schema.ts'
import { lockConversation, touchConversation } from '../conversations/queries.ts'
import { findNote, findWhatsappConversationId, insertNote } from './queries.ts'
import { saveMentions } from './save-mentions.ts'

/** The shortest numbers in use have 7 digits with their calling code (Niue), the longest 15. */
const PHONE_PATTERN = /^\+\d{7,15}$/

type AddNoteInput = {
  body: string
  conversationId?: string
  phone?: string
  /** In the console. */
  mentionedIds?: readonly string[]
  attachmentIds?: readonly string[]
}

/**
 * Adds an internal note to a conversation and its contact, by the conversation's id or by a WhatsApp number. Never
 * visible to the customer. Throws CONVERSATION_NOT_FOUND for an unknown id, VALIDATION_ERROR for an invalid phone
 * number, CONTACT_NOT_FOUND for a number without a WhatsApp conversation; and VALIDATION_ERROR as in saveMentions, or for
 * a file that the actor may not attach.
 */
export const addNote = (ctx: Ctx, input: AddNoteInput): Promise<Note> =>
  inTransaction(ctx, async (ctx) => {
    const conversationId = input.conversationId ?? (await findByPhone(ctx, input.phone ?? ''))
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const id = ctx.newId()
    const at = ctx.now()
    const authorId = actorId(ctx.actor)
    await insertNote(ctx, {
      id,
      contactId: conversation.contactId,
      conversationId,
      authorId,
      body: input.body,
      at,
    })
    if (input.mentionedIds)
      await saveMentions(ctx, {
        noteId: id,
        conversationId,
        body: input.body,
        mentionedIds: input.mentionedIds,
        isNew: true,
      })
    if (input.attachmentIds?.length) await bindToNote(ctx, id, input.attachmentIds)
    await touchConversation(ctx, conversationId, at)
    await touchActivity(ctx, {
      contactId: conversation.contactId,
      conversationId,
      agentId: conversation.agentId,
      at,
    })
    await record(ctx, {
      type: 'note.created',
      conversationId,
      contactId: conversation.contactId,
      data: { noteId: id },
    })
    const note = await findNote(ctx, id)
    if (!note) throw new Error(`note ${id} was added and is not there`)
    return note
  })

const findByPhone = async (ctx: Ctx, text: string): Promise<string> => {
  const phone = toE164(text)
  if (!phone || !PHONE_PATTERN.test(phone))
    throw invalid({ field: 'phone', message: 'must be a phone number in international format' })
  const conversationId = await findWhatsappConversationId(ctx, ctx.channels.whatsapp.phoneVariants(phone))
  if (!conversationId) throw new ApiError('CONTACT_NOT_FOUND')
  return conversationId
}
