import type { OutboundLimits } from '../../../channels/channel.ts'
import { type Actor, actorId, type Ctx, inTransaction } from '../../ctx.ts'
import type { SenderType } from '../../db/tables.ts'
import { ApiError, invalid } from '../../errors.ts'
import { bindUploads, findOwnUploads } from '../attachments/attach.ts'
import { appendMessage } from './append-message.ts'
import { type LockedConversation, lockConversation } from './queries.ts'
import { queueDelivery } from './queue-delivery.ts'
import { requireOpenWindow } from './reply-window.ts'
import { requireReachable } from './require-reachable.ts'
import type { Message } from './schema.ts'
import { findMessage } from './thread-queries.ts'

/** People and the API write as agents; what the system sends by itself is automation. */
export const senderTypeOf = ({ type }: Actor): Exclude<SenderType, 'system' | 'customer'> =>
  type === 'token' || type === 'agent' ? 'agent' : 'automation'

export type Outgoing = {
  /** May be empty where there are attachments. */
  body: string
  /** Uploads of the actor's, which the message takes: see storeUpload. */
  attachmentIds?: readonly string[]
}

/**
 * Sends a message in the conversation, open or closed, without touching its assignment. What is delivered by a provider
 * is stored with its delivery first and goes out after the commit. Throws CONVERSATION_NOT_FOUND,
 * CHANNEL_NOT_SUPPORTED, ATTACHMENTS_NOT_SUPPORTED, what requireOpenWindow and requireReachable throw, and
 * VALIDATION_ERROR for files that are not the actor's to give and for what the channel would not take.
 */
export const sendMessage = (
  ctx: Ctx,
  { conversationId, ...outgoing }: { conversationId: string } & Outgoing,
): Promise<Message> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    return sendIn(ctx, conversation, outgoing)
  })

/** The same in a conversation that the caller's transaction has locked. */
export const sendIn = async (
  ctx: Ctx,
  conversation: LockedConversation,
  { body, attachmentIds = [] }: Outgoing,
): Promise<Message> => {
  const { delivery, attachments: limits, isClosedToApi, bodyMax } = ctx.channels[conversation.channel]
  if (delivery === 'none' || (isClosedToApi && ctx.actor.type === 'token'))
    throw new ApiError('CHANNEL_NOT_SUPPORTED')
  await requireReachable(ctx, conversation)
  await requireOpenWindow(ctx, conversation)
  if (bodyMax !== undefined && [...body].length > bodyMax)
    throw invalid({ field: 'body', message: `must have at most ${bodyMax} characters on this channel` })
  if (attachmentIds.length > 0) await requireFitting(ctx, limits, body, attachmentIds)
  else if (body === '') throw invalid({ field: 'body', message: 'must not be empty without a file' })
  const message = await appendMessage(ctx, {
    conversation,
    senderType: senderTypeOf(ctx.actor),
    senderId: actorId(ctx.actor),
    body,
    status: delivery === 'stored' ? 'sent' : 'queued',
  })
  if (delivery === 'sent') await queueDelivery(ctx, conversation, message.id)
  if (attachmentIds.length === 0) return message
  await bindUploads(ctx, message.id, attachmentIds)
  return (await findMessage(ctx, message.id)) ?? message
}

const MIB = 1024 * 1024

/** The files are the actor's, and the channel would take them. */
const requireFitting = async (
  ctx: Ctx,
  limits: OutboundLimits | undefined,
  body: string,
  ids: readonly string[],
): Promise<void> => {
  if (!limits) throw new ApiError('ATTACHMENTS_NOT_SUPPORTED')
  const refuse = (message: string) => invalid({ field: 'attachmentIds', message })
  if (ids.length > limits.max)
    throw refuse(
      limits.max === 1 ? 'may name one file on this channel' : `may name ${limits.max} files on this channel`,
    )
  const attachments = await findOwnUploads(ctx, ids)
  const large = attachments.find(({ size }) => size > limits.bytesMax)
  if (large)
    throw refuse(
      `${large.name} is larger than the ${Math.floor(limits.bytesMax / MIB)} MiB that this channel takes`,
    )
  const refusal = limits.refuses?.({ body, attachments })
  if (refusal) throw refuse(refusal)
}
