// Sends messages on Messenger. A file and its text are two messages there. The file, which is more likely to be
// refused, is sent first; if the text then fails, the file is not sent again.
import { setTimeout as delay } from 'node:timers/promises'
import { layChoices } from '../choices.ts'
import {
  type Accepted,
  type ChannelAccount,
  DeliveryError,
  type OutboundAttachment,
  type OutboundLimits,
  type OutboundMessage,
} from '../contract/channel.ts'
import { multipart } from '../protocol/multipart.ts'
import { idOf, type JsonObject } from '../protocol/read-json.ts'
import { call } from './client.ts'
import { facebook } from './definition.ts'

const MIB = 1024 * 1024
const IMAGE_BYTES_MAX = 8 * MIB
/** https://developers.facebook.com/docs/messenger-platform/send-messages#attachment_types */
const FILE_BYTES_MAX = 25 * MIB
const TEXT_TRIES_MAX = 3
const TEXT_WAIT_MS = 500

export const attachments: OutboundLimits = { max: 1, bytesMax: FILE_BYTES_MAX }

const typeOf = ({ type, mimeType, size }: OutboundAttachment): string => {
  if ((type === 'image' || type === 'sticker') && /^image\/(jpeg|png|gif|webp)$/.test(mimeType))
    return size <= IMAGE_BYTES_MAX ? 'image' : 'file'
  return type === 'video' || type === 'audio' ? type : 'file'
}

export const send = async (
  account: ChannelAccount,
  message: OutboundMessage,
  { timeoutMs }: { timeoutMs: number },
): Promise<Accepted> => {
  const recipient = message.to.externalId
  if (!recipient) throw new DeliveryError('refused', 'NO_ADDRESS', 'The contact has no Messenger ID.')
  const endMs = performance.now() + timeoutMs
  const common = { recipient: { id: recipient }, messaging_type: 'RESPONSE' }
  const text = { ...common, message: { ...textOf(message), metadata: message.attemptId } }
  const [file] = message.attachments
  if (!file) return { externalId: await sendText(account, text, timeoutMs) }
  const externalId = await sendFile(account, common, message.attemptId, file, timeoutMs)
  if (!message.body) return { externalId }
  for (let tries = 1; ; tries++)
    try {
      await sendText(account, text, Math.max(1, endMs - performance.now()))
      return { externalId }
    } catch (error) {
      const isTemporary = error instanceof DeliveryError && error.outcome === 'retry'
      const waitMs = TEXT_WAIT_MS * tries
      if (!isTemporary || tries === TEXT_TRIES_MAX || performance.now() + waitMs > endMs)
        throw new DeliveryError('refused', 'PARTLY_SENT', 'The file was sent, but its text was not.', {
          cause: error,
        })
      await delay(waitMs)
    }
}

/** The text, with quick replies for options that fit. They disappear with the next message. */
const textOf = ({ body, choices }: OutboundMessage): JsonObject => {
  const layout = choices && layChoices(facebook.choices, { ...choices, more: choices.more.title })
  if (layout?.as !== 'buttons') return { text: body }
  const replies = layout.options.map(({ id, title }) => ({ content_type: 'text', title, payload: id }))
  return { text: layout.text, quick_replies: replies }
}

const sendText = async (account: ChannelAccount, body: JsonObject, timeoutMs: number): Promise<string> =>
  accepted(
    await call(account, {
      path: 'me/messages',
      content: { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json' },
      timeoutMs,
      isRepeatable: false,
    }),
  )

const sendFile = async (
  account: ChannelAccount,
  { recipient, messaging_type }: { recipient: object; messaging_type: string },
  id: string,
  file: OutboundAttachment,
  timeoutMs: number,
): Promise<string> => {
  const message = { attachment: { type: typeOf(file), payload: { is_reusable: false } }, metadata: id }
  const content = multipart(
    { recipient: JSON.stringify(recipient), messaging_type, message: JSON.stringify(message) },
    [{ field: 'filedata', ...file }],
  )
  return accepted(await call(account, { path: 'me/messages', content, timeoutMs, isRepeatable: false }))
}

const accepted = (answer: JsonObject): string => {
  const externalId = idOf(answer.message_id)
  if (externalId) return externalId
  throw new DeliveryError('unknown', 'ANSWER_UNREADABLE', 'Facebook’s response has no message ID.')
}
