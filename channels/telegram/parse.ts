// Parses an update of Telegram's Bot API into items. Never throws, whatever the JSON.
// https://core.telegram.org/bots/api#update

import type { InboundItem, InboundPerson, MessageItem } from '../contract/inbound.ts'
import { fullNameOf, makeMessage, makePerson, makeUnknown } from '../protocol/inbound-items.ts'
import {
  idOf,
  isObject,
  type JsonObject,
  lineOf,
  listOf,
  objectOf,
  readJson,
  textOf,
  timeOf,
} from '../protocol/read-json.ts'
import { readContent } from './content.ts'

const NAME_MAX = 200
const QUOTE_MAX = 500
const ENTITIES_MAX = 100

/** The response to a callback query, which stops the button's spinner. */
type Answer = { method: 'answerCallbackQuery'; callback_query_id: string } | Record<string, never>

export type ParsedUpdate = { items: InboundItem[]; answer: Answer }

const nothing = (...items: InboundItem[]): ParsedUpdate => ({ items, answer: {} })

export const parseUpdate = (body: string): ParsedUpdate => {
  const read = readJson(body)
  if ('refusal' in read) return nothing(makeUnknown(read.refusal, body))
  const update = objectOf(read.value)
  if (isObject(update.message)) return nothing(...readMessage(update.message))
  if (isObject(update.edited_message)) return nothing(...readEdit(update.edited_message))
  if (isObject(update.callback_query)) return readCallback(update.callback_query)
  if (isObject(update.message_reaction)) return nothing(...readReaction(update.message_reaction))
  if (isObject(update.my_chat_member)) return nothing(...readMembership(update.my_chat_member))
  return nothing(makeUnknown(idOf(update.update_id) === null ? 'shape' : 'field', body))
}

/** Ids are unique within a chat only. */
export const externalIdOf = (chatId: string, messageId: string): string => `${chatId}:${messageId}`

type Place = { chatId: string; person: InboundPerson }

/** The customer of a chat; `other` for groups, channels and bots, which the inbox ignores. */
const placeOf = (chat: JsonObject, from: JsonObject): Place | 'other' | undefined => {
  const chatId = idOf(chat.id)
  if (chatId === null || typeof chat.type !== 'string') return undefined
  if (chat.type !== 'private' || from.is_bot === true) return 'other'
  const name = fullNameOf(lineOf(from.first_name, NAME_MAX), lineOf(from.last_name, NAME_MAX))
  return { chatId, person: makePerson(chatId, { name, username: lineOf(from.username, NAME_MAX) }) }
}

const readMessage = (message: JsonObject): InboundItem[] => {
  const read = toMessage(message)
  if (read === 'other') return []
  return [read ?? makeUnknown('shape', JSON.stringify(message))]
}

/** Undefined if it isn't a message by a customer. */
const toMessage = (message: JsonObject): MessageItem | 'other' | undefined => {
  const chat = objectOf(message.chat)
  // If the sender is missing: a private chat has the customer's name.
  const place = placeOf(chat, isObject(message.from) ? message.from : chat)
  const messageId = idOf(message.message_id)
  if (place === 'other') return 'other'
  if (place === undefined || messageId === null) return undefined
  const content = readContent(message)
  if (!content) return undefined
  const sentAt = timeOf(message.date)
  const entries = Object.entries({
    type: content.kind === 'text' ? null : content.kind,
    sentAt: sentAt?.toISOString() ?? null,
    ...content.metadata,
    entities: entitiesOf(message),
    albumId: idOf(message.media_group_id),
    forwarded: isObject(message.forward_origin) || message.forward_date !== undefined || null,
    forwardedFrom: forwardedFromOf(message),
    quotedExternalId: quotedIdOf(message, place.chatId),
    startPayload: startPayloadOf(message),
  })
  return makeMessage({
    sentAt,
    externalId: externalIdOf(place.chatId, messageId),
    person: place.person,
    body: content.body,
    metadata: Object.fromEntries(entries.filter(([, value]) => value !== null)),
    replyTo: readReply(message, place.chatId),
    files: content.files,
  })
}

/** Links, formatting and mentions in the text. */
const entitiesOf = (message: JsonObject): JsonObject[] | null => {
  const entities = listOf(message.entities ?? message.caption_entities)
    .slice(0, ENTITIES_MAX)
    .map((value) => {
      const { type, offset, length, url } = objectOf(value)
      return {
        type: lineOf(type, 64),
        offset: typeof offset === 'number' ? offset : null,
        length: typeof length === 'number' ? length : null,
        ...(typeof url === 'string' && { url: textOf(url, 2048) }),
      }
    })
  return entities.length > 0 ? entities : null
}

const START = /^\/start(?:@\w+)?\s+(\S.*)$/s

/** The payload of the link that the customer came from: t.me/bot?start=… */
const startPayloadOf = ({ text }: JsonObject): string | null =>
  typeof text === 'string' ? lineOf(START.exec(text)?.[1], 512) : null

const forwardedFromOf = (message: JsonObject): string | null => {
  const { sender_user, sender_user_name, sender_chat, chat } = objectOf(message.forward_origin)
  const user = objectOf(sender_user)
  const where = objectOf(sender_chat ?? chat)
  return (
    lineOf(sender_user_name, NAME_MAX) ??
    lineOf([user.first_name, user.last_name].filter(Boolean).join(' '), NAME_MAX) ??
    lineOf(where.title, NAME_MAX)
  )
}

const quotedIdOf = (message: JsonObject, chatId: string): string | null => {
  const messageId = idOf(objectOf(message.reply_to_message).message_id)
  return messageId === null ? null : externalIdOf(chatId, messageId)
}

/** The message replied to. A part that the customer selected is quoted rather than the whole. */
const readReply = (message: JsonObject, chatId: string): MessageItem['replyTo'] => {
  const target = objectOf(message.reply_to_message)
  const quote =
    textOf(objectOf(message.quote).text, QUOTE_MAX) ??
    textOf(target.text, QUOTE_MAX) ??
    textOf(target.caption, QUOTE_MAX)
  const externalId = quotedIdOf(message, chatId)
  return externalId === null && quote === null ? null : { externalId, quote }
}

const readEdit = (message: JsonObject): InboundItem[] => {
  const whole = toMessage(message)
  if (whole === 'other') return []
  if (!whole) return [makeUnknown('shape', JSON.stringify(message))]
  const sentAt = timeOf(message.edit_date) ?? whole.sentAt
  return [
    {
      type: 'edit',
      accountName: null,
      sentAt,
      targetId: whole.externalId,
      body: whole.body,
      isEcho: false,
      whole,
    },
  ]
}

/** The customer tapped a button below one of the bot's messages. */
const readCallback = (query: JsonObject): ParsedUpdate => {
  const id = idOf(query.id)
  const message = objectOf(query.message)
  const from = objectOf(query.from)
  const chat = isObject(message.chat) ? message.chat : { id: from.id, type: 'private' }
  const place = placeOf(chat, from)
  // A tap below a message that was sent through the bot into another chat, or by somebody else than the customer.
  const isElsewhere =
    query.inline_message_id !== undefined || (place !== 'other' && place && idOf(from.id) !== place.chatId)
  if (place === 'other' || isElsewhere) return { items: [], answer: id === null ? {} : answerTo(id) }
  if (place === undefined || id === null) return nothing(makeUnknown('shape', JSON.stringify(query)))
  const payload = textOf(query.data, 512)
  const title = buttonTitleOf(message, payload)
  const targetId = idOf(message.message_id)
  const quotedExternalId = targetId === null ? null : externalIdOf(place.chatId, targetId)
  // Without a time: that of the tap isn't given, and the message may be from another day.
  const item = makeMessage({
    externalId: `callback:${id}`,
    person: place.person,
    body: title ?? payload ?? 'Tapped a button',
    metadata: {
      type: 'choice',
      choice: { kind: 'button', id: payload, title },
      ...(quotedExternalId && { quotedExternalId }),
    },
    replyTo: quotedExternalId === null ? null : { externalId: quotedExternalId, quote: null },
  })
  return { items: [item], answer: answerTo(id) }
}

const answerTo = (id: string): Answer => ({ method: 'answerCallbackQuery', callback_query_id: id })

const buttonTitleOf = (message: JsonObject, payload: string | null): string | null => {
  const rows = listOf(objectOf(message.reply_markup).inline_keyboard).slice(0, 100)
  const button = rows.flatMap(listOf).find((one) => objectOf(one).callback_data === payload)
  return payload === null ? null : lineOf(objectOf(button).text)
}

/** A custom emoji has an id only. */
const CUSTOM_EMOJI = '❔'

/** The customer's reactions to a message, all of them: we keep the last. */
const readReaction = (change: JsonObject): InboundItem[] => {
  const place = placeOf(objectOf(change.chat), objectOf(change.user))
  const messageId = idOf(change.message_id)
  if (place === 'other') return []
  if (!place || messageId === null || !Array.isArray(change.new_reaction))
    return [makeUnknown('shape', JSON.stringify(change))]
  const last = change.new_reaction.at(-1)
  return [
    {
      type: 'reaction',
      accountName: null,
      sentAt: timeOf(change.date),
      targetId: externalIdOf(place.chatId, messageId),
      emoji: last === undefined ? null : (lineOf(objectOf(last).emoji, 64) ?? CUSTOM_EMOJI),
      isEcho: false,
    },
  ]
}

const readMembership = (change: JsonObject): InboundItem[] => {
  const place = placeOf(objectOf(change.chat), objectOf(change.from))
  if (place === 'other') return []
  const status = objectOf(change.new_chat_member).status
  if (!place || typeof status !== 'string') return [makeUnknown('shape', JSON.stringify(change))]
  return [
    {
      type: 'reach',
      accountName: null,
      sentAt: timeOf(change.date),
      person: place.person,
      isBlocked: status === 'kicked' || status === 'left',
    },
  ]
}
