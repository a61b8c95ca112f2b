// Reads a Telegram message of any kind: its text, its files, and the rest as metadata.
// https://core.telegram.org/bots/api#message

import type { InboundFile } from '../contract/inbound.ts'
import { readableAnswers } from '../protocol/form-answers.ts'
import { makeInlineFile } from '../protocol/inbound-items.ts'
import {
  idOf,
  isObject,
  type JsonObject,
  lineOf,
  listOf,
  numberOf,
  objectOf,
  textOf,
} from '../protocol/read-json.ts'

export type Content = {
  kind: string
  body: string
  files: InboundFile[]
  metadata: Record<string, unknown>
}

const content = (kind: string, body: string, parts: Partial<Content> = {}): Content => ({
  kind,
  body,
  files: [],
  metadata: {},
  ...parts,
})

type Reader = (value: unknown, message: JsonObject) => Content | undefined

/** Undefined if it isn't a message by the customer: a pinned message, a changed timer. */
export const readContent = (message: JsonObject): Content | undefined => {
  for (const [key, read] of READERS)
    if (message[key] !== undefined) {
      const found = read(message[key], message)
      if (found) return found
    }
  if (SERVICE_KEYS.some((key) => message[key] !== undefined)) return undefined
  const kind = Object.keys(message).find((key) => !ENVELOPE_KEYS.has(key))
  return content('unsupported', `Unsupported message${kind ? ` (${lineOf(kind, 64)})` : ''}`, {
    metadata: { raw: JSON.stringify(message).slice(0, RAW_MAX) },
  })
}

const RAW_MAX = 16_384

/** Fields that any message may have besides its content. */
const ENVELOPE_KEYS = new Set([
  ...['message_id', 'message_thread_id', 'from', 'sender_chat', 'sender_boost_count', 'sender_business_bot'],
  ...['date', 'edit_date', 'business_connection_id', 'chat', 'forward_origin', 'is_topic_message'],
  ...['is_automatic_forward', 'reply_to_message', 'external_reply', 'quote', 'reply_to_story', 'via_bot'],
  ...['has_protected_content', 'is_from_offline', 'media_group_id', 'author_signature', 'paid_star_count'],
  ...['entities', 'caption', 'caption_entities', 'link_preview_options', 'effect_id', 'reply_markup'],
  ...['show_caption_above_media', 'has_media_spoiler', 'forward_from', 'forward_date'],
])

/** About the chat or its settings; not messages. */
const SERVICE_KEYS = [
  'pinned_message',
  'message_auto_delete_timer_changed',
  'write_access_allowed',
  'chat_background_set',
  'boost_added',
  'new_chat_members',
  'left_chat_member',
  'new_chat_title',
  'new_chat_photo',
  'delete_chat_photo',
  'group_chat_created',
  'migrate_to_chat_id',
  'migrate_from_chat_id',
  'connected_website',
  'proximity_alert_triggered',
  'forum_topic_created',
  'video_chat_started',
  'video_chat_ended',
]

type FileKind = {
  type: InboundFile['type']
  kind: string
  label: string
  mimeType: string | null
  name: string
}

const readFile =
  ({ type, kind, label, mimeType, name }: FileKind): Reader =>
  (value, message) => {
    const file = objectOf(value)
    const fileId = idOf(file.file_id)
    if (fileId === null) return undefined
    const fileName = lineOf(file.file_name, 255)
    return content(kind, textOf(message.caption) ?? fileName ?? label, {
      files: [
        {
          type,
          name: fileName ?? name,
          mimeType: lineOf(file.mime_type, 128) ?? mimeType,
          size: numberOf(file.file_size),
          source: { fileId },
          isInline: false,
        },
      ],
    })
  }

/** Several sizes of one photo; picks the largest. */
const readPhoto: Reader = (value, message) => {
  const sizes = listOf(value).map(objectOf)
  const area = (size: JsonObject) => (numberOf(size.width) ?? 0) * (numberOf(size.height) ?? 0)
  const largest = sizes.reduce<JsonObject | undefined>(
    (best, size) => (best === undefined || area(size) >= area(best) ? size : best),
    undefined,
  )
  return readFile({
    type: 'image',
    kind: 'image',
    label: 'Image',
    mimeType: 'image/jpeg',
    name: 'image.jpg',
  })(largest, message)
}

const readSticker: Reader = (value, message) => {
  const sticker = objectOf(value)
  const emoji = lineOf(sticker.emoji, 64)
  const isVideo = sticker.is_video === true
  const isAnimated = sticker.is_animated === true
  const [mimeType, name] = isVideo
    ? ['video/webm', 'sticker.webm']
    : isAnimated
      ? ['application/x-tgsticker', 'sticker.tgs']
      : ['image/webp', 'sticker.webp']
  const read = readFile({ type: 'sticker', kind: 'sticker', label: 'Sticker', mimeType, name })(
    sticker,
    message,
  )
  return (
    read && { ...read, body: emoji ? `Sticker ${emoji}` : 'Sticker', metadata: { ...(emoji && { emoji }) } }
  )
}

const readVoice: Reader = (value, message) => {
  const read = readFile({
    type: 'audio',
    kind: 'audio',
    label: 'Voice message',
    mimeType: 'audio/ogg',
    name: 'voice.ogg',
  })(value, message)
  return read && { ...read, metadata: { isVoice: true } }
}

const readAudio: Reader = (value, message) => {
  const audio = objectOf(value)
  const title = [lineOf(audio.performer), lineOf(audio.title)].filter((part) => part !== null).join(' – ')
  return readFile({
    type: 'audio',
    kind: 'audio',
    label: title || 'Audio',
    mimeType: 'audio/mpeg',
    name: 'audio.mp3',
  })(audio, message)
}

const placeOf = (value: unknown, labels: (string | null)[] = []): Content | undefined => {
  const place = objectOf(value)
  const latitude = numberOf(place.latitude)
  const longitude = numberOf(place.longitude)
  if (latitude === null || longitude === null) return undefined
  const [name = null, address = null] = labels
  const location = { latitude, longitude, name, address, url: null }
  const isLive = numberOf(place.live_period) !== null
  const words = [...labels.filter((label) => label !== null), `${latitude}, ${longitude}`].join(', ')
  return content('location', `${isLive ? 'Live location' : 'Location'}: ${words}`, {
    metadata: { location, ...(isLive && { isLive }) },
    files: [makeInlineFile('location', name ?? 'Location', location)],
  })
}

const readVenue: Reader = (value) => {
  const venue = objectOf(value)
  return placeOf(venue.location, [lineOf(venue.title), lineOf(venue.address)])
}

/**
 * A card from the customer's address book. Even their own can be edited before sending, so it doesn't prove who they
 * are.
 */
const readContact: Reader = (value, { from }) => {
  const card = objectOf(value)
  const phone = lineOf(card.phone_number, 64)
  const name = lineOf([card.first_name, card.last_name].filter(Boolean).join(' '), 200)
  if (phone === null && name === null) return undefined
  const contacts = [
    { name, company: null, phones: phone ? [{ phone, waId: null, label: null }] : [], emails: [] },
  ]
  const isOwn = idOf(card.user_id) !== null && idOf(card.user_id) === idOf(objectOf(from).id)
  return content('contacts', `Contact: ${[name, phone].filter((part) => part !== null).join(', ')}`, {
    metadata: { contacts, ...(isOwn && { isOwnContact: true }) },
    files: [makeInlineFile('contacts', name ?? phone ?? 'Contact', { contacts })],
  })
}

const OPTIONS_MAX = 20

const readPoll: Reader = (value) => {
  const poll = objectOf(value)
  const question = textOf(poll.question, 1024)
  if (question === null) return undefined
  const options = listOf(poll.options)
    .slice(0, OPTIONS_MAX)
    .map((option) => lineOf(objectOf(option).text))
    .filter((text) => text !== null)
  return content('poll', [`Poll: ${question}`, ...options.map((option) => `– ${option}`)].join('\n'), {
    metadata: { poll: { question, options } },
  })
}

const readDice: Reader = (value) => {
  const dice = objectOf(value)
  const emoji = lineOf(dice.emoji, 16) ?? '🎲'
  const result = numberOf(dice.value)
  return content('dice', result === null ? emoji : `${emoji} ${result}`)
}

const readText: Reader = (value) => {
  const body = textOf(value)
  return body === null ? undefined : content('text', body)
}

const readPayment: Reader = (value) => {
  const { currency, total_amount } = objectOf(value)
  const amount = numberOf(total_amount)
  return content(
    'payment',
    `Paid${amount === null ? '' : `: ${amount} in the smallest unit of ${lineOf(currency, 8) ?? 'its currency'}`}`,
  )
}

const readWebApp: Reader = (value) => {
  const { data, button_text } = objectOf(value)
  const title = lineOf(button_text)
  const answers = textOf(data, 8192)
  const body = [title ?? 'Form', readableAnswers(answers)].filter((part) => part !== null).join(': ')
  return content('choice', body, { metadata: { choice: { kind: 'form', id: null, title, answers } } })
}

const labelled =
  (kind: string, text: string): Reader =>
  (value) =>
    isObject(value) ? content(kind, text) : undefined

/** In order of precedence: an animation is also a document. */
const READERS: [key: string, read: Reader][] = [
  ['text', readText],
  ['photo', readPhoto],
  [
    'animation',
    readFile({
      type: 'video',
      kind: 'video',
      label: 'Animation',
      mimeType: 'video/mp4',
      name: 'animation.mp4',
    }),
  ],
  [
    'video',
    readFile({ type: 'video', kind: 'video', label: 'Video', mimeType: 'video/mp4', name: 'video.mp4' }),
  ],
  [
    'video_note',
    readFile({
      type: 'video',
      kind: 'video',
      label: 'Video message',
      mimeType: 'video/mp4',
      name: 'video-message.mp4',
    }),
  ],
  ['voice', readVoice],
  ['audio', readAudio],
  ['sticker', readSticker],
  [
    'document',
    readFile({ type: 'file', kind: 'document', label: 'Document', mimeType: null, name: 'document' }),
  ],
  ['venue', readVenue],
  ['location', (value) => placeOf(value)],
  ['contact', readContact],
  ['poll', readPoll],
  ['dice', readDice],
  ['game', (value) => content('game', `Game: ${lineOf(objectOf(value).title) ?? 'a game'}`)],
  ['story', labelled('story', 'Shared a story')],
  ['paid_media', labelled('unsupported', 'Paid media')],
  ['checklist', (value) => content('checklist', `Checklist: ${lineOf(objectOf(value).title) ?? ''}`.trim())],
  ['successful_payment', readPayment],
  ['web_app_data', readWebApp],
]
