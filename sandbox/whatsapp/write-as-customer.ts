// What customers do on their phones, and the webhooks that the business gets of it.
import Type, { type Static } from 'typebox'
import { type Entry, showEntry } from '../entry.ts'
import { samplePicture } from '../media.ts'
import type { Customer } from './customers.ts'
import { newMessageId } from './ids.ts'
import { tellStatus } from './statuses.ts'
import { type BusinessNumber, metadataOf, timestampOf, type World, webhookUrlOf } from './world.ts'

type Json = Record<string, unknown>

const Common = {
  phoneNumberId: Type.Optional(Type.String()),
  /** Quotes a message of the thread. */
  replyTo: Type.Optional(Type.String()),
  referral: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
}
const one = <K extends string, P extends Record<string, Type.TSchema>>(type: K, properties: P) =>
  Type.Object({ type: Type.Literal(type), ...Common, ...properties }, { additionalProperties: false })
const MediaFields = {
  /** Base64. An image without data is a sample picture. */
  data: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String({ pattern: '^[a-z]+/[^\\s]+' })),
  caption: Type.Optional(Type.String({ maxLength: 1024 })),
  fileName: Type.Optional(Type.String({ maxLength: 255 })),
}

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
  /** A tap on a template's quick reply, a reply button or a list's row, by its words or id. */
  one('tap', { messageId: Type.String(), choice: Type.String() }),
  one('reaction', { messageId: Type.String(), emoji: Type.String({ maxLength: 40 }) }),
  one('unsupported', {}),
  /** Any message at all; sender, id and time are added where they are missing. */
  one('raw', { message: Type.Record(Type.String(), Type.Unknown()) }),
])
export type WriteInput = Static<typeof WriteInput>

/** A request that cannot be done; the words are for whoever asked. */
export class ControlError extends Error {
  readonly http: number

  constructor(message: string, http = 400) {
    super(message)
    this.http = http
  }
}

const MIME_DEFAULTS: Record<string, string> = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/pdf',
  sticker: 'image/webp',
}

export const numberOf = (world: World, id: string | undefined): BusinessNumber => {
  const number = id === undefined ? [...world.numbers.values()][0] : world.numbers.get(id)
  if (!number) throw new ControlError(`no such phone number: ${id}`, 404)
  return number
}

export const writeAsCustomer = (world: World, customer: Customer, input: WriteInput): Entry | null => {
  const number = numberOf(world, input.phoneNumberId)
  const atMs = world.clock.now()
  const id = newMessageId(customer.waId ?? customer.userId, 'inbound')
  const { message, shown } = messageOf(world, customer, input)
  const context = contextOf(world, number, input)
  tellMessage(world, number, customer, {
    ...senderOf(customer),
    id,
    timestamp: timestampOf(world),
    ...(context && { context }),
    ...(input.referral && { referral: input.referral }),
    ...message,
  })
  customer.lastWroteAtMs.set(number.id, atMs)

  if (input.type === 'reaction') {
    const { entry } = world.customers.findEntry(input.messageId)!
    if (input.emoji) entry.reactions.customer = input.emoji
    else delete entry.reactions.customer
    world.feed.tell('reaction', () => ({ customerId: customer.id, messageId: entry.id }))
    return null
  }
  const entry: Entry = {
    id: typeof message.id === 'string' ? message.id : id,
    from: 'customer',
    phoneNumberId: number.id,
    atMs,
    type: String(message.type ?? input.type),
    content: shown,
    replyTo: context?.id ?? null,
    status: null,
    error: null,
    reactions: {},
    isReadByBusiness: false,
  }
  world.customers.addEntry(customer, entry)
  world.feed.tell('message', () => ({ customerId: customer.id, entry: showEntry(world.clock, entry) }))
  return entry
}

const messageOf = (world: World, customer: Customer, input: WriteInput): { message: Json; shown: Json } => {
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
      // A removal comes without the emoji.
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
  if (found?.customer !== customer) throw new ControlError(`no such message in this thread: ${id}`, 404)
  return found.entry
}

type Row = { id: string; title: string; description?: string }
type ShownButton = { type?: string; id?: string; text?: string; title?: string; payload?: string }

const tapOf = ({ type, content }: Entry, choice: string): { message: Json; shown: Json } => {
  const buttons = (content.buttons ?? []) as ShownButton[]
  if (type === 'template') {
    const button = buttons.find(({ type, text }) => type === 'QUICK_REPLY' && text === choice)
    if (!button) throw new ControlError(`the template has no quick reply "${choice}"`)
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
  if (!row) throw new ControlError(`the message offers no "${choice}"`)
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
    throw new ControlError(`${input.type} needs data, the bytes in base64`)
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
    ...(world.settings.mediaUrlInWebhooks && {
      url: world.media.urlOf(world.baseUrl(), file.id, nowMs),
    }),
    ...(input.type === 'audio' && { voice: input.isVoice ?? false }),
    ...(input.type === 'sticker' && { animated: false }),
  }
  return {
    message: { type: input.type, [input.type]: media },
    shown: { mediaId: file.id, mimeType, caption: input.caption, fileName: input.fileName },
  }
}

const contextOf = (world: World, number: BusinessNumber, input: WriteInput) => {
  const id = input.type === 'tap' ? input.messageId : input.replyTo
  if (!id) return undefined
  const quoted = world.customers.findEntry(id)
  const isOurs = quoted?.entry.from !== 'customer'
  return {
    from: isOurs ? metadataOf(number).display_phone_number : (quoted?.customer.waId ?? undefined),
    id,
  }
}

const senderOf = (customer: Customer) => ({
  ...(customer.showsPhone && customer.waId && { from: customer.waId }),
  from_user_id: customer.userId,
})

const tellMessage = (world: World, number: BusinessNumber, customer: Customer, message: Json): void =>
  tellValue(world, number, {
    contacts: [
      {
        profile: {
          ...(customer.profileName !== null && { name: customer.profileName }),
          ...(customer.username && { username: customer.username }),
        },
        ...(customer.showsPhone && customer.waId && { wa_id: customer.waId }),
        user_id: customer.userId,
      },
    ],
    messages: [message],
  })

const tellValue = (world: World, number: BusinessNumber, value: Json, field = 'messages'): void =>
  world.webhooks.tell({
    url: webhookUrlOf(world, number),
    businessAccountId: number.businessAccountId,
    field,
    value: { messaging_product: 'whatsapp', metadata: metadataOf(number), ...value },
  })

/** Opens the thread: everything that has arrived is read, unless the customer tells nobody. */
export const readAsCustomer = (world: World, customer: Customer, phoneNumberId?: string): number => {
  customer.unread = 0
  if (customer.receipts === 'off') return 0
  const arrived = new Set(
    customer.thread
      .filter(
        (entry) =>
          entry.from === 'business' &&
          entry.status === 'delivered' &&
          (!phoneNumberId || entry.phoneNumberId === phoneNumberId),
      )
      .map(({ id }) => id),
  )
  if (arrived.size === 0) return 0
  for (const sent of world.sent.listByIds(arrived)) tellStatus(world, { sent, customer }, 'read')
  return arrived.size
}

/** Says that marketing is no longer wanted, or wanted again, as WhatsApp's own switch does. */
export const setOptOut = (world: World, customer: Customer, hasOptedOut: boolean): void => {
  customer.hasOptedOut = hasOptedOut
  for (const number of world.numbers.values()) {
    tellValue(
      world,
      number,
      {
        contacts: [
          {
            profile: { ...(customer.profileName && { name: customer.profileName }) },
            ...(customer.showsPhone && customer.waId && { wa_id: customer.waId }),
            user_id: customer.userId,
          },
        ],
        user_preferences: [
          {
            ...(customer.showsPhone && customer.waId && { wa_id: customer.waId }),
            user_id: customer.userId,
            detail: hasOptedOut
              ? 'User requested to stop marketing messages'
              : 'User requested to resume marketing messages',
            category: 'marketing_messages',
            value: hasOptedOut ? 'stop' : 'resume',
            timestamp: Number(timestampOf(world)),
          },
        ],
      },
      'user_preferences',
    )
  }
}

/** The customer takes a new number; WhatsApp tells it in a message without contacts. */
export const changeNumber = (world: World, customer: Customer, phone: string): void => {
  const before = customer.waId
  if (!before) throw new ControlError('a customer without a number cannot change it')
  if (world.customers.findByPhone(phone.replace(/\D/g, '')))
    throw new ControlError('this number belongs to another customer', 409)
  world.customers.changeNumber(customer, phone)
  for (const number of world.numbers.values())
    if (customer.lastWroteAtMs.has(number.id) || world.numbers.size === 1)
      tellValue(world, number, {
        messages: [
          {
            from: before,
            id: newMessageId(before, 'inbound'),
            timestamp: timestampOf(world),
            type: 'system',
            system: {
              body: `User ${customer.profileName ?? ''} changed from ${before} to ${customer.waId}`,
              wa_id: customer.waId,
              type: 'user_changed_number',
            },
          },
        ],
      })
}

/** A message that the business wrote on a phone of its own, beside this API. */
export const tellEcho = (
  world: World,
  customer: Customer,
  phoneNumberId: string | undefined,
  text: string,
): string => {
  const number = numberOf(world, phoneNumberId)
  const id = newMessageId(customer.waId ?? customer.userId, 'outbound')
  tellValue(
    world,
    number,
    {
      message_echoes: [
        {
          from: metadataOf(number).display_phone_number,
          ...(customer.waId && { to: customer.waId }),
          id,
          timestamp: timestampOf(world),
          type: 'text',
          text: { body: text },
        },
      ],
    },
    'smb_message_echoes',
  )
  return id
}
