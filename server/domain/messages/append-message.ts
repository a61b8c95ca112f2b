import { actorId, isPerson } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { MessageStatus, Metadata, SenderType } from '../../platform/db/tables.ts'
import { interruptAutomation } from '../automation/interrupt.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import type { Message } from '../conversations/schema.ts'
import { toMessage } from '../conversations/thread-queries.ts'
import { bigramsOf } from '../search/bigrams.ts'
import { asShown, insertMessages, placeIn } from './insert-messages.ts'

type MessageInput = {
  /** Locked by the caller, in this transaction. */
  conversation: LockedConversation
  senderType: Exclude<SenderType, 'system'>
  senderId: string
  body: string
  status: MessageStatus
  replyToMessageId?: string | null
  replyQuote?: string | null
  metadata?: Metadata | null
  /** The provider's id of an inbound message; unique on its channel account. */
  externalId?: string | null
  /** When the customer wrote it, by the provider's clock. Given for inbound messages only. */
  inboundAt?: Date
  /** The conversation was reopened for this message. */
  isReopening?: boolean
  hasAttachments?: boolean
}

/**
 * Appends a message to a conversation, with all side effects, in the caller's transaction, and returns it as shown. A
 * person's message silences automation there.
 */
export const appendMessage = async (ctx: Ctx, { conversation, ...input }: MessageInput): Promise<Message> => {
  if (isPerson(ctx.actor)) await speakAsPerson(ctx, conversation)
  const [row] = await insertMessages(
    ctx,
    [{ ...placeIn(ctx, conversation), ...input, grams: bigramsOf(input.body) }],
    { answer: asShown(ctx) },
  )
  return toMessage(ctx, row!)
}

/** A person speaks in the conversation, so automation doesn't. */
export const speakAsPerson = async (
  ctx: Ctx,
  { id, automationRevision }: LockedConversation,
): Promise<void> => {
  if (automationRevision !== null)
    await interruptAutomation(ctx, [id], {
      by: actorId(ctx.actor),
      reason: 'person_took_over',
      pause: 'start',
    })
}
