// What people do with drafts: ask for one, throw it away, and send it.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { ApiError } from '../../../platform/errors.ts'
import { record } from '../../../platform/events/record.ts'
import { lockConversation } from '../../conversations/queries.ts'
import { requireOpenWindow } from '../../conversations/reply-window.ts'
import { requireReachable } from '../../conversations/require-reachable.ts'
import type { Message } from '../../conversations/schema.ts'
import { type Outgoing, sendMessage } from '../../messages/send-message.ts'
import { partsOf, similarity } from '../guards/similarity.ts'
import {
  dismissDrafts,
  findDrafts,
  insertDraftTurn,
  insertProposedDraft,
  lockDraft,
  settleDraft,
} from './queries.ts'
import type { ReplyDrafts } from './schema.ts'

/** Throws CONVERSATION_NOT_FOUND. */
export const getDrafts = async (ctx: Ctx, conversationId: string): Promise<ReplyDrafts> => {
  const found = await findDrafts(ctx, conversationId)
  if (!found) throw new ApiError('CONVERSATION_NOT_FOUND')
  if (found.isAvailable) return found
  const drafts = found.drafts.filter(({ program }) => program !== null)
  return { ...found, isWriting: false, drafts, without: null }
}

/**
 * Has a draft written for the actor; while one is being written, asking again changes nothing. Drafts that they were
 * offered before are settled. Throws CONVERSATION_NOT_FOUND, AI_NOT_AVAILABLE, and what a reply would throw now:
 * CHANNEL_NOT_SUPPORTED and the errors of requireReachable and requireOpenWindow.
 */
export const askForDraft = (ctx: Ctx, conversationId: string): Promise<ReplyDrafts> =>
  inTransaction(ctx, async (ctx) => {
    await lockForReply(ctx, conversationId)
    if (!(await insertDraftTurn(ctx, conversationId))) throw new ApiError('AI_NOT_AVAILABLE')
    return getDrafts(ctx, conversationId)
  })

/**
 * Leaves a program's draft for everyone who may reply, instead of its last one. Throws what a reply would throw now:
 * CONVERSATION_NOT_FOUND, CHANNEL_NOT_SUPPORTED and the errors of requireReachable and requireOpenWindow.
 */
export const proposeDraft = (ctx: Ctx, conversationId: string, text: string): Promise<string> =>
  inTransaction(ctx, async (ctx) => {
    await lockForReply(ctx, conversationId)
    const id = await insertProposedDraft(ctx, { conversationId, text })
    await record(ctx, { type: 'reply_draft.updated', conversationId, data: { conversationId } })
    return id
  })

const lockForReply = async (ctx: Ctx, conversationId: string): Promise<void> => {
  const conversation = await lockConversation(ctx, conversationId)
  if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
  if (ctx.channels[conversation.channel].delivery === 'none') throw new ApiError('CHANNEL_NOT_SUPPORTED')
  await requireReachable(ctx, conversation)
  await requireOpenWindow(ctx, conversation)
}

/** With the other choices of the same turn. Dismissing again changes nothing. Throws REPLY_DRAFT_NOT_FOUND. */
export const dismissDraft = async (ctx: Ctx, draftId: string): Promise<void> => {
  if (!(await dismissDrafts(ctx, draftId))) throw new ApiError('REPLY_DRAFT_NOT_FOUND')
}

/** From here on, a draft counts as kept; below the second, what was sent has nothing to do with it. */
const KEPT_MIN = 0.9
const CHANGED_MIN = 0.3

/**
 * Sends a message. `draftId`: it was written from this draft, and how much of it was kept is stored with it. A draft
 * that is gone or somebody else's keeps nothing from being sent. Throws what sendMessage throws.
 */
export const sendReply = (
  ctx: Ctx,
  { draftId, ...outgoing }: { conversationId: string; draftId?: string | undefined } & Outgoing,
): Promise<Message> =>
  draftId === undefined
    ? sendMessage(ctx, outgoing)
    : inTransaction(ctx, async (ctx) => {
        const message = await sendMessage(ctx, outgoing)
        const draft = await lockDraft(ctx, { draftId, conversationId: outgoing.conversationId })
        if (!draft) return message
        const kept = similarityOf(draft.text, outgoing.body)
        const state = kept >= KEPT_MIN ? 'used' : kept >= CHANGED_MIN ? 'changed' : 'dismissed'
        await settleDraft(ctx, { draftId, messageId: message.id, state, similarity: kept })
        return message
      })

/** 0 to 1, whatever their case, accents and punctuation. */
export const similarityOf = (draft: string, sent: string): number => {
  const [one, other] = [foldText(draft), foldText(sent)]
  return one === other ? 1 : similarity(partsOf(one), partsOf(other))
}
