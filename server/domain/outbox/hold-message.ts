import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { sendReply } from '../ai/drafts/drafts.ts'
import { type LockedConversation, lockConversation } from '../conversations/queries.ts'
import { MESSAGE_BODY_MAX } from '../conversations/schema.ts'
import { reopenConversation } from '../conversations/set-conversation-status.ts'
import { requireSendable } from '../messages/send-message.ts'
import { requireSendableTemplate, sendTemplateIn } from '../templates/send-template-in.ts'
import { carryOut, closesOf, requireCarryOut } from './follow-up.ts'
import { findHeld, findSince, insertHeld, type NewHeld } from './queries.ts'
import { requireNoReply } from './require-no-reply.ts'
import type { Held, HoldableReply, HoldableTemplate, SentOrHeld } from './schema.ts'

type In = { conversationId: string }

/**
 * Sends a person's reply, or holds it for `undoSeconds`. Throws what sendMessage and requireCarryOut throw, in both
 * cases at once, and REPLY_COLLISION if somebody else has replied since `seenMessageId`, or is about to.
 */
export const sendOrHoldReply = (
  ctx: Ctx,
  {
    conversationId,
    undoSeconds = 0,
    seenMessageId,
    thenClose = false,
    after,
    clientId: _,
    ...reply
  }: In & HoldableReply,
): Promise<SentOrHeld> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockAsSeen(ctx, conversationId, seenMessageId)
    const outgoing = { ...reply, body: reply.body ?? '' }
    requireLength(conversation, outgoing.body)
    if (after) await requireCarryOut(ctx, conversation, after)
    // It was closed because its first message was undone.
    if (conversation.status === 'closed' && conversation.lastMessageId === null)
      await reopenConversation(ctx, conversationId)
    if (undoSeconds === 0) {
      const message = await sendReply(ctx, { conversationId, ...outgoing })
      await carryOut(ctx, conversation, { after, thenClose })
      return { message }
    }
    await requireSendable(ctx, conversation, outgoing)
    return hold(ctx, conversation, {
      ...outgoing,
      undoSeconds,
      seenMessageId,
      thenClose: closesOf({ after, thenClose }),
      after,
    })
  })

/** The same for a template. Throws what sendTemplateIn throws. */
export const sendOrHoldTemplate = (
  ctx: Ctx,
  { conversationId, undoSeconds = 0, seenMessageId, ...template }: In & HoldableTemplate,
): Promise<SentOrHeld> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockAsSeen(ctx, conversationId, seenMessageId)
    if (undoSeconds === 0) return sendTemplateIn(ctx, { conversationId, ...template })
    const { definition, values } = await requireSendableTemplate(ctx, conversation, template)
    const body = ctx.channels.whatsapp.renderBody(definition, values.parameters)
    return hold(ctx, conversation, { body, template, undoSeconds, seenMessageId, thenClose: false })
  })

/** The text of an email may be longer. */
const requireLength = ({ channel }: LockedConversation, body: string): void => {
  if (channel !== 'email' && [...body].length > MESSAGE_BODY_MAX)
    throw invalid({ field: 'body', message: `must have at most ${MESSAGE_BODY_MAX} characters` })
}

const lockAsSeen = async (
  ctx: Ctx,
  conversationId: string,
  seenMessageId: string | null | undefined,
): Promise<LockedConversation> => {
  const conversation = await lockConversation(ctx, conversationId)
  if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
  if (seenMessageId !== undefined)
    await requireNoReply(ctx, await findSince(ctx, { conversationId, after: seenMessageId }))
  return conversation
}

type Holding = Omit<NewHeld, 'conversationId' | 'lastMessageId' | 'yields' | 'reopens'> & {
  seenMessageId?: string | null | undefined
}

const hold = async (
  ctx: Ctx,
  { id: conversationId, status, lastMessageId }: LockedConversation,
  { seenMessageId, ...held }: Holding,
): Promise<Held> => {
  const id = await insertHeld(ctx, {
    ...held,
    conversationId,
    lastMessageId,
    yields: seenMessageId !== undefined,
    reopens: status === 'closed',
  })
  const stored = await findHeld(ctx, id)
  if (!stored) throw new Error(`the held message ${id} was stored and is not there`)
  return { held: stored }
}
