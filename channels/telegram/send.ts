// Sends messages on Telegram: text, one file, or several as an album, always in a single call, so that a message is
// never sent in part.

import { layChoices } from '../choices.ts'
import {
  type Accepted,
  type ChannelAccount,
  DeliveryError,
  type OutboundAttachment,
  type OutboundLimits,
  type OutboundMessage,
  type OutboundReaction,
} from '../contract/channel.ts'
import { multipart } from '../protocol/multipart.ts'
import { idOf, type JsonObject, objectOf } from '../protocol/read-json.ts'
import { callMethod, callWith } from './client.ts'
import { telegram } from './definition.ts'
import { externalIdOf } from './parse.ts'

const MIB = 1024 * 1024
/** https://core.telegram.org/bots/api#sending-files */
const FILE_BYTES_MAX = 50 * MIB
const PHOTO_BYTES_MAX = 10 * MIB
const CAPTION_MAX = 1024
const ALBUM_MAX = 10
/** In Latin letters, on a narrow phone. */
const ROW_WIDTH = 36
const BUTTON_MARGIN = 2
const ROW_BUTTONS_MAX = 5

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
  message: OutboundMessage,
  timeoutMs: number,
): Promise<unknown> => {
  const { body, attachments, replyToExternalId } = message
  const options = { timeoutMs, isRepeatable: false }
  const common: JsonObject = { chat_id: chatId, ...replyOf(chatId, replyToExternalId ?? null) }
  const [only, ...others] = attachments
  if (!only)
    return callMethod(
      account,
      'sendMessage',
      { ...common, ...textOf(message), ...previewOf(account) },
      options,
    )
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

/** Telegram shows previews unless it is told not to. https://core.telegram.org/bots/api#linkpreviewoptions */
const previewOf = ({ settings }: ChannelAccount): JsonObject =>
  settings.linkPreviews === true ? {} : { link_preview_options: { is_disabled: true } }

/** The text, with an inline keyboard for options that fit. */
const textOf = ({ body, choices }: OutboundMessage): JsonObject => {
  const layout = choices && layChoices(telegram.choices, { ...choices, more: choices.more.title })
  if (layout?.as !== 'buttons') return { text: body }
  const buttons = layout.options.map(({ id, title }) => ({ text: title, callback_data: id }))
  return { text: layout.text, reply_markup: { inline_keyboard: inRows(buttons) } }
}

/** Wide scripts take twice the room of Latin letters. */
const widthOf = (text: string): number =>
  [...text].reduce((width, character) => width + (/[\p{Script=Latin}\d\s\p{P}]/u.test(character) ? 1 : 2), 0)

/**
 * Buttons of a row are equally wide, and a phone cuts what doesn't fit. A row is filled while each of its buttons
 * has room for the widest of them.
 */
const inRows = <B extends { text: string }>(buttons: readonly B[]): B[][] => {
  const rows: B[][] = []
  for (const button of buttons) {
    const row = rows.at(-1)
    const count = (row?.length ?? 0) + 1
    const widest = Math.max(...[...(row ?? []), button].map(({ text }) => widthOf(text)))
    if (row && count <= ROW_BUTTONS_MAX && (widest + BUTTON_MARGIN) * count <= ROW_WIDTH) row.push(button)
    else rows.push([button])
  }
  return rows
}

/** Photos and videos can be mixed; audio only with audio; otherwise all are sent as documents. */
const albumOf = (files: readonly OutboundAttachment[]): string[] => {
  const fields = files.map((file) => kindOf(file, true).field)
  const isOneOf = (...allowed: string[]) => fields.every((field) => allowed.includes(field))
  return isOneOf('photo', 'video') || isOneOf('audio') ? fields : fields.map(() => 'document')
}

/** Null if it isn't a message of this chat, but a tap on a button. */
const messageIdOf = (chatId: string, externalId: string | null): number | null => {
  const prefix = `${chatId}:`
  const messageId = externalId?.startsWith(prefix) ? Number(externalId.slice(prefix.length)) : Number.NaN
  return Number.isSafeInteger(messageId) ? messageId : null
}

/** If the quoted message was deleted, the reply is sent without a quote. */
const replyOf = (chatId: string, externalId: string | null): JsonObject => {
  const messageId = messageIdOf(chatId, externalId)
  return messageId === null
    ? {}
    : { reply_parameters: { message_id: messageId, allow_sending_without_reply: true } }
}

/** https://core.telegram.org/bots/api#setmessagereaction */
export const react = async (
  account: ChannelAccount,
  { messageExternalId, emoji, to }: OutboundReaction,
  { timeoutMs }: { timeoutMs: number },
): Promise<void> => {
  const chatId = to.externalId
  if (!chatId) throw new DeliveryError('refused', 'NO_ADDRESS', 'The contact has no Telegram chat.')
  const messageId = messageIdOf(chatId, messageExternalId)
  if (messageId === null)
    throw new DeliveryError('refused', 'NOT_A_MESSAGE', 'Telegram has no reactions to taps on buttons.')
  const reaction = emoji === null ? [] : [{ type: 'emoji', emoji: emoji.replaceAll('\u{FE0F}', '') }]
  await callMethod(
    account,
    'setMessageReaction',
    { chat_id: chatId, message_id: messageId, reaction },
    { timeoutMs, isRepeatable: true },
  )
}

/** Values as form fields: anything but text becomes JSON. */
const textFields = (values: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
