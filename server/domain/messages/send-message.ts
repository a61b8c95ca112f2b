import { layChoices, type OutboundLimits } from '../../../channels/channel.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import { type Actor, actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { Metadata, SenderType } from '../../platform/db/tables.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { bindUploads, findOwnUploads } from '../attachments/attach.ts'
import { copyToMessages } from '../attachments/queries.ts'
import { type LockedConversation, lockConversation } from '../conversations/queries.ts'
import { requireOpenWindow } from '../conversations/reply-window.ts'
import { requireReachable } from '../conversations/require-reachable.ts'
import type { Message } from '../conversations/schema.ts'
import { findMessage, findQuoted } from '../conversations/thread-queries.ts'
import { queueDelivery } from '../deliveries/queue-delivery.ts'
import { type PreparedEmail, prepareEmail } from '../emails/outgoing.ts'
import { insertEmailContent } from '../emails/queries.ts'
import { requireReplyAddress } from '../emails/reply-address.ts'
import type { OutgoingEmail } from '../emails/schema.ts'
import { appendMessage } from './append-message.ts'
import { choicesMetadata, type OfferedChoices, readableBody } from './choices.ts'

/** People and the API write as agents; what the system sends by itself is automation. */
export const senderTypeOf = ({ type }: Actor): Exclude<SenderType, 'system' | 'customer'> =>
  type === 'token' || type === 'agent' ? 'agent' : 'automation'

export type Outgoing = {
  /** May be empty where there are attachments. */
  body: string
  /** The actor's uploads to attach: see storeUpload. */
  attachmentIds?: readonly string[] | undefined
  /** The quoted message, of the same conversation. */
  replyTo?: string | undefined
  /** By email: the sender's address or the Reply-To. */
  sendTo?: string | undefined
  /** Options to choose from; `body` is the question alone, and the message's body has both. Not with files. */
  choices?: OfferedChoices | undefined
  /** Added to the message's metadata, e.g. the flow that sends it. */
  metadata?: Metadata | undefined
  /** By email, as its author addressed it; left out: to the customer, as plain text. */
  email?: OutgoingEmail | undefined
}

/**
 * Sends a message in the conversation, open or closed, without changing its assignment. Messages sent through a
 * provider are first stored with a delivery and go out after the commit. Throws CONVERSATION_NOT_FOUND,
 * CHANNEL_NOT_SUPPORTED, ATTACHMENTS_NOT_SUPPORTED, the errors of requireOpenWindow and requireReachable, and
 * VALIDATION_ERROR for an address that is not one of the conversation's, for files that the actor may not attach, for an
 * email that quotes what is not there, and for anything the channel would not accept.
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

/** What sendMessage checks before it sends, in a conversation that the caller's transaction has locked. */
export const requireSendable = async (
  ctx: Ctx,
  conversation: LockedConversation,
  { body: text, attachmentIds = [], replyTo, sendTo, choices, email: given }: Outgoing,
) => {
  const { channel } = conversation
  const { delivery, attachments: limits, isClosedToApi, bodyMax } = ctx.channels[channel]
  if (delivery === 'none' || (isClosedToApi && ctx.actor.type === 'token'))
    throw new ApiError('CHANNEL_NOT_SUPPORTED')
  await requireReachable(ctx, conversation)
  await requireOpenWindow(ctx, conversation)
  if (bodyMax !== undefined && [...sentText(conversation, text, choices)].length > bodyMax)
    throw invalid({ field: 'body', message: `must have at most ${bodyMax} characters on this channel` })
  if (given && channel !== 'email')
    throw invalid({ field: 'email', message: 'must be left out on this channel' })
  const email = given ? await prepareEmail(ctx, conversation, given, { body: text, attachmentIds }) : null
  const body = email?.body ?? (choices ? readableBody(text, choices) : text)
  const files = email?.files ?? []
  if (attachmentIds.length + files.length > 0)
    await requireFitting(ctx, limits, body, { attachmentIds, files })
  else if (body === '') throw invalid({ field: 'body', message: 'must not be empty without a file' })
  const quoted = replyTo === undefined ? null : await findQuoted(ctx, conversation.id, replyTo)
  if (replyTo !== undefined && !quoted)
    throw invalid({ field: 'replyTo', message: 'must be a message of this conversation' })
  const sentTo = sendTo === undefined ? null : await requireReplyAddress(ctx, conversation.id, sendTo)
  return { delivery, body, quoted, sentTo, email }
}

/** Like sendMessage, in a conversation that the caller's transaction has locked. */
export const sendIn = async (
  ctx: Ctx,
  conversation: LockedConversation,
  outgoing: Outgoing,
): Promise<Message> => {
  const { body: text, attachmentIds = [], choices, metadata: given } = outgoing
  const { delivery, body, quoted, sentTo, email } = await requireSendable(ctx, conversation, outgoing)
  const files = email?.files ?? []
  const metadata = {
    ...given,
    ...email?.metadata,
    ...(sentTo !== null && { sentTo }),
    ...(choices && { choices: choicesMetadata(text, choices) }),
  }
  const senderType = senderTypeOf(ctx.actor)
  const message = await appendMessage(ctx, {
    conversation,
    ...(Object.keys(metadata).length > 0 && { metadata }),
    senderType,
    senderId: actorId(ctx.actor),
    body,
    status: delivery === 'stored' ? 'sent' : 'queued',
    hasAttachments: attachmentIds.length + files.length > 0,
    ...(quoted && { replyToMessageId: quoted.id, replyQuote: quoted.quote }),
  })
  if (delivery === 'sent')
    await queueDelivery(ctx, conversation, message.id, { isAutomated: senderType === 'automation' })
  if (email?.content)
    await insertEmailContent(ctx, {
      ...{ messageId: message.id, conversationId: conversation.id, referenceIds: [], hidden: '' },
      ...email.content,
    })
  if (attachmentIds.length + files.length === 0) return message
  if (attachmentIds.length > 0) await bindUploads(ctx, message.id, attachmentIds)
  await copyToMessages(
    ctx,
    files.map((file) => ({ fromId: file.id, id: ctx.newId(), messageId: message.id })),
  )
  return (await findMessage(ctx, message.id)) ?? message
}

/** What the channel sends as text: the options are part of it unless they are buttons. */
const sentText = (
  { channel }: LockedConversation,
  text: string,
  choices: OfferedChoices | undefined,
): string => {
  if (!choices) return text
  const layout = layChoices(DEFINITIONS[channel].choices, { text, ...choices })
  return layout.as === 'text' ? readableBody(text, choices) : layout.text
}

const MIB = 1024 * 1024

/** Checks that the files are the actor's and that the channel accepts them. */
const requireFitting = async (
  ctx: Ctx,
  limits: OutboundLimits | undefined,
  body: string,
  { attachmentIds: ids, files }: { attachmentIds: readonly string[]; files: PreparedEmail['files'] },
): Promise<void> => {
  if (!limits) throw new ApiError('ATTACHMENTS_NOT_SUPPORTED')
  const refuse = (message: string) => invalid({ field: 'attachmentIds', message })
  if (ids.length > limits.max)
    throw refuse(
      limits.max === 1
        ? 'must have at most one file on this channel'
        : `must have at most ${limits.max} files on this channel`,
    )
  const attachments = [...(ids.length > 0 ? await findOwnUploads(ctx, ids) : []), ...files]
  const large = attachments.find(({ size }) => size > limits.bytesMax)
  if (large)
    throw refuse(
      `${large.name} is larger than this channel’s limit of ${Math.floor(limits.bytesMax / MIB)} MiB`,
    )
  const refusal = limits.refuses?.({ body, attachments })
  if (refusal) throw refuse(refusal)
}
