// Sends messages on Telegram: text, one file, or several as an album, always in a single call, so that a message is
// never sent in part.

import {
  type Accepted,
  type ChannelAccount,
  DeliveryError,
  type OutboundAttachment,
  type OutboundLimits,
  type OutboundMessage,
} from '../contract/channel.ts'
import { multipart } from '../protocol/multipart.ts'
import { idOf, type JsonObject, objectOf } from '../protocol/read-json.ts'
import { callMethod, callWith } from './client.ts'
import { externalIdOf } from './parse.ts'

const MIB = 1024 * 1024
/** https://core.telegram.org/bots/api#sending-files */
const FILE_BYTES_MAX = 50 * MIB
const PHOTO_BYTES_MAX = 10 * MIB
const CAPTION_MAX = 1024
const ALBUM_MAX = 10

export const attachments: OutboundLimits = {
  max: ALBUM_MAX,
  bytesMax: FILE_BYTES_MAX,
  refuses: ({ body }) =>
    [...body].length > CAPTION_MAX
      ? `On Telegram, text sent with a file can have at most ${CAPTION_MAX} characters.`
      : undefined,
}

type Kind = { method: string; field: string }

const DOCUMENT: Kind = { method: 'sendDocument', field: 'document' }

const kindOf = ({ type, mimeType, size }: OutboundAttachment, hasText: boolean): Kind => {
  if (type === 'image' && /^image\/(jpeg|png|webp)$/.test(mimeType) && size <= PHOTO_BYTES_MAX)
    return { method: 'sendPhoto', field: 'photo' }
  if (type === 'video' && mimeType === 'video/mp4') return { method: 'sendVideo', field: 'video' }
  if (type === 'audio' && /^audio\/(mpeg|mp4|x-m4a)$/.test(mimeType))
    return { method: 'sendAudio', field: 'audio' }
  if (type === 'audio' && /^audio\/ogg\b/.test(mimeType)) return { method: 'sendVoice', field: 'voice' }
  // Stickers can't have text.
  if (type === 'sticker' && mimeType === 'image/webp' && !hasText)
    return { method: 'sendSticker', field: 'sticker' }
  return DOCUMENT
}

export const send = async (
  account: ChannelAccount,
  message: OutboundMessage,
  { timeoutMs }: { timeoutMs: number },
): Promise<Accepted> => {
  const chatId = message.to.externalId
  if (!chatId) throw new DeliveryError('refused', 'NO_ADDRESS', 'The contact has no Telegram chat.')
  const result = await sendIn(account, chatId, message, timeoutMs)
  const first = objectOf(Array.isArray(result) ? result[0] : result)
  const messageId = idOf(first.message_id)
  return { externalId: messageId === null ? null : externalIdOf(chatId, messageId) }
}

const sendIn = (
  account: ChannelAccount,
  chatId: string,
  { body, attachments, replyToExternalId }: OutboundMessage,
  timeoutMs: number,
): Promise<unknown> => {
  const options = { timeoutMs, isRepeatable: false }
  const common: JsonObject = { chat_id: chatId, ...replyOf(chatId, replyToExternalId ?? null) }
  const [only, ...others] = attachments
  if (!only) return callMethod(account, 'sendMessage', { ...common, text: body }, options)
  if (others.length === 0) {
    const { method, field } = kindOf(only, body !== '')
    const caption = body ? { caption: body } : {}
    const form = multipart(textFields({ ...common, ...caption }), [{ field, ...only }])
    return callWith(account, method, form, options)
  }
  const media = albumOf(attachments).map((type, index) => ({
    type,
    media: `attach://file${index}`,
    ...(index === 0 && body && { caption: body }),
  }))
  const form = multipart(
    textFields({ ...common, media }),
    attachments.map((file, index) => ({ field: `file${index}`, ...file })),
  )
  return callWith(account, 'sendMediaGroup', form, options)
}

/** Photos and videos can be mixed; audio only with audio; otherwise all are sent as documents. */
const albumOf = (files: readonly OutboundAttachment[]): string[] => {
  const fields = files.map((file) => kindOf(file, true).field)
  const isOneOf = (...allowed: string[]) => fields.every((field) => allowed.includes(field))
  return isOneOf('photo', 'video') || isOneOf('audio') ? fields : fields.map(() => 'document')
}

/** If the quoted message was deleted, the reply is sent without a quote. */
const replyOf = (chatId: string, externalId: string | null): JsonObject => {
  const prefix = `${chatId}:`
  const messageId = externalId?.startsWith(prefix) ? Number(externalId.slice(prefix.length)) : Number.NaN
  return Number.isSafeInteger(messageId)
    ? { reply_parameters: { message_id: messageId, allow_sending_without_reply: true } }
    : {}
}

/** Values as form fields: anything but text becomes JSON. */
const textFields = (values: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
