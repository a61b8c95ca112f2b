import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { sendReply } from '../ai/drafts/drafts.ts'
import { renewUploads } from '../attachments/upload-queries.ts'
import { lockConversation } from '../conversations/queries.ts'
import type { Message } from '../conversations/schema.ts'
import { closeLocked } from '../conversations/set-conversation-status.ts'
import { sendTemplateIn } from '../templates/send-template-in.ts'
import { carryOut } from './follow-up.ts'
import { findHeld, findSince, type TakenMessage, takeHeld, wasStartedWith } from './queries.ts'
import { requireNoReply } from './require-no-reply.ts'
import type { HeldMessage } from './schema.ts'

/**
 * Sends one of the actor's held messages, exactly once: it is removed in the transaction that sends it, so that whoever
 * undoes it at the same time is too late, or was first. Throws what sending throws, and TOO_LATE_TO_UNDO if it is gone;
 * nothing changes on an error. A conversation in which the customer has written since stays open.
 */
const sendTaken = (
  ctx: Ctx,
  heldId: string,
  { dueBy, requireStillFits }: { dueBy: Date | null; requireStillFits: boolean },
): Promise<Message> =>
  inTransaction(ctx, async (ctx) => {
    const conversationId = (await findHeld(ctx, heldId))?.conversationId
    if (conversationId === undefined) throw new ApiError('TOO_LATE_TO_UNDO')
    // Before the message's own row, because whatever removes a conversation locks that first.
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation)
      throw new ApiError('CONVERSATION_NOT_FOUND', {
        message: 'You no longer have access to this conversation.',
      })
    const taken = await takeHeld(ctx, heldId, { dueBy })
    if (!taken) throw new ApiError('TOO_LATE_TO_UNDO')
    const since = await findSince(ctx, { conversationId, after: taken.lastMessageId })
    // What flows say by themselves doesn't replace a person's reply.
    if (requireStillFits && taken.yields && !since.isFromFlow)
      await requireNoReply(ctx, { replyId: since.replyId, senderAbout: null })
    const message = await deliver(ctx, taken)
    const { after, thenClose } = taken
    await carryOut(ctx, conversation, { after, thenClose, staysOpen: since.hasCustomerWritten })
    return message
  })

const deliver = async (ctx: Ctx, taken: TakenMessage): Promise<Message> => {
  const { conversationId, template, reopens, body, attachmentIds } = taken
  if (template) return (await sendTemplateIn(ctx, { conversationId, reopens, ...template })).message
  if (attachmentIds.length > 0) await renewUploads(ctx, attachmentIds)
  return sendReply(ctx, {
    conversationId,
    body,
    attachmentIds,
    replyTo: taken.replyTo ?? undefined,
    sendTo: taken.sendTo ?? undefined,
    draftId: taken.draftId ?? undefined,
    email: taken.email ?? undefined,
  })
}

/** When its time has come. Throws REPLY_COLLISION if another person or the AI agent has replied meanwhile. */
export const sendDue = (ctx: Ctx, heldId: string): Promise<Message> =>
  sendTaken(ctx, heldId, { dueBy: ctx.now(), requireStillFits: true })

/** At its author's word: before its time, or once more. */
export const sendNow = (ctx: Ctx, heldId: string): Promise<Message> =>
  sendTaken(ctx, heldId, { dueBy: null, requireStillFits: false })

/**
 * Takes it back, for the composer to go on with. A conversation that was started with it and has nothing else is closed;
 * sending the first message after all reopens it. Throws TOO_LATE_TO_UNDO.
 */
export const undoSend = (ctx: Ctx, heldId: string): Promise<HeldMessage> =>
  inTransaction(ctx, async (ctx) => {
    const held = await findHeld(ctx, heldId)
    if (!held) throw new ApiError('TOO_LATE_TO_UNDO')
    // Its author may have lost sight of it.
    const conversation = await lockConversation(ctx, held.conversationId)
    const taken = await takeHeld(ctx, heldId)
    if (!taken) throw new ApiError('TOO_LATE_TO_UNDO')
    if (taken.attachmentIds.length > 0) await renewUploads(ctx, taken.attachmentIds)
    if (conversation && (await wasStartedWith(ctx, held))) await closeLocked(ctx, conversation)
    return held
  })
