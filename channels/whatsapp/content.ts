// Reads a WhatsApp message of any kind: the parts to store and a readable text.

import { readableAnswers } from '../protocol/form-answers.ts'
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
import { classifyErrors } from './errors.ts'
import type { Choice, Content, Location, Media, OrderItem, SharedContact } from './items.ts'

const CONTACTS_MAX = 50
const PHONES_MAX = 20
const ITEMS_MAX = 200

const content = (kind: Content['kind'], body: string, parts: Partial<Content> = {}): Content => ({
  kind,
  body,
  media: null,
  location: null,
  contacts: [],
  choice: null,
  order: null,
  failure: null,
  raw: null,
  ...parts,
})

/** The content of a message, or of an edit's new version. Unknown kinds are kept as they are. */
export const readContent = (message: JsonObject): Content => {
  switch (message.type) {
    case 'text':
      return readText(message)
    case 'image':
    case 'audio':
    case 'voice':
    case 'video':
    case 'document':
    case 'sticker':
      return readMedia(message, message.type)
    case 'location':
      return readLocation(message)
    case 'contacts':
      return readContacts(message)
    case 'interactive':
      return readInteractive(message)
    case 'button':
      return readTemplateButton(message)
    case 'order':
      return readOrder(message)
    case 'request_welcome':
      return content('welcome', 'Opened the chat')
    default:
      return unsupported(message)
  }
}

const unsupported = (message: JsonObject): Content => {
  const failure = classifyErrors(message.errors)
  const type =
    lineOf(objectOf(message.unsupported).type) ??
    (message.type === 'unsupported' ? null : lineOf(message.type, 64))
  const reason = failure?.detail ?? null
  const kind = type === null ? '' : ` (${type})`
  return content('unsupported', `Unsupported message${kind}${reason ? `: ${reason}` : ''}`, {
    failure,
    raw: JSON.stringify(message),
  })
}

const readText = (message: JsonObject): Content => {
  const body = textOf(objectOf(message.text).body)
  return body === null ? unsupported(message) : content('text', body)
}

const MEDIA_NAMES = {
  image: 'Image',
  audio: 'Audio',
  video: 'Video',
  document: 'Document',
  sticker: 'Sticker',
}

const readMedia = (message: JsonObject, key: keyof typeof MEDIA_NAMES | 'voice'): Content => {
  const file = message[key]
  if (!isObject(file)) return unsupported(message)
  const type = key === 'voice' ? 'audio' : key
  const media: Media = {
    type,
    mediaId: idOf(file.id),
    mimeType: lineOf(file.mime_type),
    fileName: lineOf(file.filename),
    sha256: lineOf(file.sha256),
    isVoice: key === 'voice' || file.voice === true,
    url: lineOf(file.url, 4096) ?? lineOf(file.link, 4096),
  }
  const name = media.isVoice ? 'Voice message' : MEDIA_NAMES[type]
  return content(type, textOf(file.caption) ?? media.fileName ?? name, { media })
}

const readLocation = (message: JsonObject): Content => {
  const place = objectOf(message.location)
  const latitude = numberOf(place.latitude)
  const longitude = numberOf(place.longitude)
  if (latitude === null || longitude === null) return unsupported(message)
  const location: Location = {
    latitude,
    longitude,
    name: lineOf(place.name),
    address: lineOf(place.address),
    url: lineOf(place.url, 4096),
  }
  const labels = [location.name, location.address].filter((label) => label !== null)
  const body = [...labels, `${latitude}, ${longitude}`].join(', ')
  return content('location', `Location: ${body}`, { location })
}

const readContacts = (message: JsonObject): Content => {
  const cards = listOf(message.contacts)
    .slice(0, CONTACTS_MAX)
    .map((card) => readCard(objectOf(card)))
  if (cards.length === 0) return unsupported(message)
  const labels = cards.map((card) =>
    [card.name ?? card.company, card.phones[0]?.phone ?? card.emails[0]].filter(Boolean).join(', '),
  )
  const known = labels.map((label) => label || '(unnamed)')
  return content('contacts', `${cards.length === 1 ? 'Contact' : 'Contacts'}: ${known.join('; ')}`, {
    contacts: cards,
  })
}

const readCard = (card: JsonObject): SharedContact => {
  const name = objectOf(card.name)
  const parts = [lineOf(name.first_name), lineOf(name.middle_name), lineOf(name.last_name)].filter(Boolean)
  return {
    name: lineOf(name.formatted_name) ?? lineOf(parts.join(' ')),
    company: lineOf(objectOf(card.org).company),
    phones: listOf(card.phones)
      .slice(0, PHONES_MAX)
      .flatMap((value) => {
        const entry = objectOf(value)
        const waId = idOf(entry.wa_id)
        const phone = lineOf(entry.phone, 64) ?? (waId === null ? null : `+${waId}`)
        return phone === null ? [] : [{ phone, waId, label: lineOf(entry.type, 64) }]
      }),
    emails: listOf(card.emails)
      .slice(0, PHONES_MAX)
      .flatMap((value) => lineOf(objectOf(value).email) ?? []),
  }
}

const choice = (kind: Choice['kind'], parts: Partial<Choice>): Choice => ({
  kind,
  id: null,
  title: null,
  description: null,
  answers: null,
  ...parts,
})

const readInteractive = (message: JsonObject): Content => {
  const interactive = objectOf(message.interactive)
  switch (interactive.type) {
    case 'button_reply':
    case 'list_reply': {
      const reply = objectOf(interactive[interactive.type])
      const id = textOf(reply.id, 512)
      const title = lineOf(reply.title)
      const kind = interactive.type === 'list_reply' ? 'list' : 'button'
      if (id === null && title === null) return unsupported(message)
      const parts = { id, title, description: lineOf(reply.description) }
      return content('choice', title ?? id ?? '', { choice: choice(kind, parts) })
    }
    case 'nfm_reply': {
      const reply = objectOf(interactive.nfm_reply)
      const title = lineOf(reply.body)
      const answers = textOf(reply.response_json)
      const summary = readableAnswers(answers)
      return content('choice', summary ? `Form: ${summary}` : (title ?? 'Form'), {
        choice: choice('form', { id: lineOf(reply.name), title, answers }),
      })
    }
    case 'call_permission_reply': {
      const reply = objectOf(interactive.call_permission_reply)
      const id = lineOf(reply.response, 64)
      const body =
        id === 'accept' ? 'Calls allowed' : id === 'reject' ? 'Calls not allowed' : 'Reply about calls'
      return content('choice', body, { choice: choice('callPermission', { id }) })
    }
    default:
      return unsupported(message)
  }
}

const readTemplateButton = (message: JsonObject): Content => {
  const button = objectOf(message.button)
  const title = lineOf(button.text)
  const id = textOf(button.payload, 512)
  if (title === null && id === null) return unsupported(message)
  return content('choice', title ?? id ?? '', { choice: choice('templateButton', { id, title }) })
}

const readOrder = (message: JsonObject): Content => {
  if (!isObject(message.order)) return unsupported(message)
  const { order } = message
  const items: OrderItem[] = listOf(order.product_items)
    .slice(0, ITEMS_MAX)
    .map((value) => {
      const item = objectOf(value)
      return {
        productId: idOf(item.product_retailer_id),
        quantity: numberOf(item.quantity),
        price: numberOf(item.item_price),
        currency: lineOf(item.currency, 8),
      }
    })
  const lines = items.map(({ productId, quantity, price, currency }) => {
    const cost = price === null ? '' : ` at ${[price, currency].filter((part) => part !== null).join(' ')}`
    return `${quantity ?? 1} × ${productId ?? 'an item'}${cost}`
  })
  const text = textOf(order.text)
  return content('order', `Order: ${lines.join(', ') || 'empty'}${text ? `\n${text}` : ''}`, {
    order: { catalogId: idOf(order.catalog_id), items },
  })
}
