// The messages that customers can send, and what the business receives.
import Type, { type Static } from 'typebox'
import type { Entry } from '../entry.ts'
import { ControlError, type Json } from '../http.ts'
import { samplePicture } from '../media.ts'
import { closed, FileFields } from '../shapes.ts'
import type { Customer } from './customers.ts'
import type { World } from './world.ts'

const Common = {
  phoneNumberId: Type.Optional(Type.String()),
  /** The message in the thread to quote. */
  replyTo: Type.Optional(Type.String()),
  referral: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
}
const one = <K extends string, P extends Record<string, Type.TSchema>>(type: K, properties: P) =>
  closed({ type: Type.Literal(type), ...Common, ...properties })
/** An image without data gets a sample image. */
const MediaFields = { ...FileFields, caption: Type.Optional(Type.String({ maxLength: 1024 })) }

export const WriteInput = Type.Union([
  one('text', { text: Type.String({ minLength: 1, maxLength: 4096 }) }),
  one('image', MediaFields),
  one('video', MediaFields),
  one('audio', { ...MediaFields, isVoice: Type.Optional(Type.Boolean()) }),
  one('document', MediaFields),
  one('sticker', MediaFields),
  one('location', {
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
    name: Type.Optional(Type.String()),
    address: Type.Optional(Type.String()),
  }),
  one('contacts', { contacts: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1 }) }),
  /** A tap on a template's quick reply, a reply button or a list row, by its text or id. */
  one('tap', { messageId: Type.String(), choice: Type.String() }),
  one('reaction', { messageId: Type.String(), emoji: Type.String({ maxLength: 40 }) }),
  one('unsupported', {}),
  /** Any message at all; sender, id and time are added if missing. */
  one('raw', { message: Type.Record(Type.String(), Type.Unknown()) }),
])
export type WriteInput = Static<typeof WriteInput>

const MIME_DEFAULTS: Record<string, string> = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/pdf',
  sticker: 'image/webp',
}

export const messageOf = (
  world: World,
  customer: Customer,
  input: WriteInput,
): { message: Json; shown: Json } => {
  switch (input.type) {
    case 'text':
      return { message: { type: 'text', text: { body: input.text } }, shown: { text: input.text } }
    case 'location': {
      const { latitude, longitude, name, address } = input
      const location = { latitude, longitude, ...(name && { name }), ...(address && { address }) }
      return { message: { type: 'location', location }, shown: location }
    }
    case 'contacts':
      return {
        message: { type: 'contacts', contacts: input.contacts },
        shown: { contacts: input.contacts },
      }
    case 'unsupported':
      return {
        message: {
          type: 'unsupported',
          errors: [
            {
              code: 131051,
              title: 'Message type unknown',
              message: 'Message type unknown',
              error_data: { details: 'Message type is currently not supported.' },
            },
          ],
        },
        shown: {},
      }
    case 'reaction': {
      entryOf(world, customer, input.messageId)
      const { messageId: message_id, emoji } = input
      // Removing a reaction is sent without an emoji.
      return { message: { type: 'reaction', reaction: { message_id, ...(emoji && { emoji }) } }, shown: {} }
    }
    case 'tap':
      return tapOf(entryOf(world, customer, input.messageId), input.choice)
    case 'raw':
      return { message: input.message, shown: { raw: input.message } }
    default:
      return mediaOf(world, input)
  }
}

const entryOf = (world: World, customer: Customer, id: string): Entry => {
  const found = world.customers.findEntry(id)
  if (found?.customer !== customer) throw new ControlError(`Message not found in this thread: ${id}`, 404)
  return found.entry
}

type Row = { id: string; title: string; description?: string }
type ShownButton = { type?: string; id?: string; text?: string; title?: string; payload?: string }

const tapOf = ({ type, content }: Entry, choice: string): { message: Json; shown: Json } => {
  const buttons = (content.buttons ?? []) as ShownButton[]
  if (type === 'template') {
    const button = buttons.find(({ type, text }) => type === 'QUICK_REPLY' && text === choice)
    if (!button) throw new ControlError(`The template has no quick reply "${choice}".`)
    const { text, payload } = button
    return { message: { type: 'button', button: { payload: payload ?? text, text } }, shown: { text } }
  }
  const button = buttons.find(({ id, title }) => id && (id === choice || title === choice))
  if (button) {
    const { id, title } = button
    return interactive('button_reply', { id, title }, { text: title })
  }
  const rows = ((content.sections ?? []) as { rows: Row[] }[]).flatMap(({ rows }) => rows)
  const row = rows.find(({ id, title }) => id === choice || title === choice)
  if (!row) throw new ControlError(`The message has no choice "${choice}".`)
  const { id, title, description } = row
  return interactive(
    'list_reply',
    { id, title, ...(description && { description }) },
    { text: title, description },
  )
}

const interactive = (type: string, reply: Json, shown: Json) => ({
  message: { type: 'interactive', interactive: { type, [type]: reply } },
  shown,
})

type MediaInput = Extract<WriteInput, { type: 'image' | 'video' | 'audio' | 'document' | 'sticker' }>

const mediaOf = (world: World, input: MediaInput): { message: Json; shown: Json } => {
  if (!input.data && input.type !== 'image')
    throw new ControlError(`${input.type} needs data: the bytes in base64.`)
  const nowMs = world.clock.now()
  const bytes = input.data ? Buffer.from(input.data, 'base64') : samplePicture(Math.floor(nowMs / 1000) % 6)
  const mimeType = (input.data && input.mimeType) || MIME_DEFAULTS[input.type]!
  const file = world.media.add('inbound', { bytes, mimeType, fileName: input.fileName }, nowMs)
  const media = {
    ...(input.caption && { caption: input.caption }),
    ...(input.type === 'document' && input.fileName && { filename: input.fileName }),
    mime_type: mimeType,
    sha256: file.sha256.toString('base64'),
    id: file.id,
    url: world.media.urlOf(world.baseUrl(), file.id, nowMs),
    ...(input.type === 'audio' && { voice: input.isVoice ?? false }),
    ...(input.type === 'sticker' && { animated: false }),
  }
  return {
    message: { type: input.type, [input.type]: media },
    shown: { mediaId: file.id, mimeType, caption: input.caption, fileName: input.fileName },
  }
}
