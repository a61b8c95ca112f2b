import { DEFINITIONS } from '../../../channels/definitions.ts'
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { actorName } from '../conversations/actor-name.ts'
import type { InboxMessage } from '../conversations/inbox-schema.ts'
import { type LockedConversation, lockConversation } from '../conversations/queries.ts'
import { requireOpenWindow } from '../conversations/reply-window.ts'
import { requireReachable } from '../conversations/require-reachable.ts'
import { findInboxMessage } from '../conversations/thread-queries.ts'
import { reactionOf, withReaction } from './reaction.ts'
import { findPlace, lockTarget, putWanted, setMetadata } from './reaction-queries.ts'

/**
 * Gives the team's reaction to a customer's message, in place of one that is there, or takes it away with null. What is
 * there already stays as it is, so that a repeat sends nothing; one that failed is tried again. Throws MESSAGE_NOT_FOUND
 * for what a customer has not written, CHANNEL_NOT_SUPPORTED, VALIDATION_ERROR for an emoji that the channel does not
 * have, and the errors of requireReachable and requireOpenWindow.
 */
export const react = (
  ctx: Ctx,
  { messageId, emoji }: { messageId: string; emoji: string | null },
): Promise<InboxMessage> =>
  inTransaction(ctx, async (ctx) => {
    const place = await findPlace(ctx, messageId)
    const conversation = place && (await lockConversation(ctx, place.conversationId))
    const target = conversation && (await lockTarget(ctx, messageId))
    if (!target || target.senderType !== 'customer') throw new ApiError('MESSAGE_NOT_FOUND')
    const { metadata, externalId } = target
    const before = reactionOf(metadata, 'business')
    const isThere = before ? before.emoji === emoji && !before.error : emoji === null
    if (!isThere) {
      requireReaction(ctx, conversation, { externalId, metadata, emoji })
      await requireReachable(ctx, conversation)
      await requireOpenWindow(ctx, conversation)
      const isSent = ctx.channels[conversation.channel].delivery === 'sent'
      const accountId = actorId(ctx.actor)
      const reaction = emoji !== null && {
        ...{ emoji, at: ctx.now().toISOString(), agentId: accountId, name: await actorName(ctx) },
        ...(isSent && { status: 'queued' as const }),
      }
      await setMetadata(ctx, messageId, withReaction(metadata, 'business', reaction || null))
      if (isSent) await send(ctx, conversation, { messageId, accountId, emoji, before })
      await record(ctx, {
        type: 'message.updated',
        conversationId: conversation.id,
        contactId: conversation.contactId,
        data: { messageId, changed: ['reactions'] },
      })
    }
    const message = await findInboxMessage(ctx, messageId)
    if (!message) throw new Error(`message ${messageId} was there and is not`)
    return message
  })

const characters = new Intl.Segmenter()

/** One character that is drawn as a picture, or a flag. */
const isEmoji = (text: string): boolean =>
  [...characters.segment(text)].length === 1 && /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(text)

const requireReaction = (
  ctx: Ctx,
  { channel }: LockedConversation,
  {
    externalId,
    metadata,
    emoji,
  }: { externalId: string | null; metadata: Record<string, unknown> | null; emoji: string | null },
): void => {
  const { reactions } = DEFINITIONS[channel]
  const isSent = ctx.channels[channel].delivery === 'sent'
  if (reactions.length === 0 || (isSent && externalId === null)) throw new ApiError('CHANNEL_NOT_SUPPORTED')
  if (emoji === null) return
  if (metadata?.deletedAt) throw new ApiError('MESSAGE_NOT_FOUND')
  const isOffered = reactions === 'any' ? isEmoji(emoji) : reactions.includes(emoji)
  if (!isOffered) throw invalid({ field: 'emoji', message: 'must be one emoji that the channel has' })
}

const send = async (
  ctx: Ctx,
  { id: conversationId, channelAccountId }: LockedConversation,
  {
    messageId,
    accountId,
    emoji,
    before,
  }: {
    messageId: string
    accountId: string
    emoji: string | null
    before: ReturnType<typeof reactionOf>
  },
): Promise<void> => {
  // One from the business's phone is at the provider already.
  const reached = before && !before.agentId ? before.emoji : null
  await putWanted(ctx, { messageId, conversationId, channelAccountId, accountId, emoji, reached })
  await addJob(ctx, 'send_reaction', { workspaceId: ctx.workspaceId, channelAccountId, reactedId: messageId })
}
