// Validates messages other than templates as WhatsApp does, and returns what the phone shows.

import type { Json } from '../http.ts'
import { MEDIA_KINDS } from '../media.ts'
import { GraphError, isInvalid, isMissing, isRefused, isUnfit } from './graph-error.ts'
import type { World } from './world.ts'

export const MESSAGE_TYPES = [
  'audio',
  'contacts',
  'document',
  'image',
  'interactive',
  'location',
  'reaction',
  'sticker',
  'template',
  'text',
  'video',
]
const TEXT_MAX = 4096
const CAPTION_MAX = 1024
const CONTACTS_MAX = 5

/** Returns the content as the phone shows it. Throws the GraphError that Meta would return. */
export const checkContent = (world: World, type: string, message: Json): Json => {
  const content = message[type]
  if (!content || typeof content !== 'object') throw isMissing(type)
  if (type === 'contacts') return { contacts: checkContacts(content) }
  const given = content as Json
  if (type === 'text') return checkText(given)
  if (type === 'location') return checkLocation(given)
  if (type === 'interactive') return checkInteractive(given)
  if (type === 'reaction') return checkReaction(given)
  return checkMedia(world, type, given)
}

const checkText = ({ body, preview_url }: Json): Json => {
  if (typeof body !== 'string' || body.trim() === '') throw isMissing("text['body']")
  if ([...body].length > TEXT_MAX)
    throw isRefused(`Param text['body'] must be at most ${TEXT_MAX} characters long.`)
  if (preview_url !== undefined && typeof preview_url !== 'boolean')
    throw isInvalid("Param text['preview_url'] must be a boolean")
  return { text: body }
}

const checkMedia = (world: World, type: string, media: Json): Json => {
  checkMediaReference(world, type, media)
  const { caption, filename } = media
  if (caption !== undefined && (type === 'audio' || type === 'sticker'))
    throw isInvalid(`Param ${type} does not take a caption`)
  if (caption !== undefined && (typeof caption !== 'string' || [...caption].length > CAPTION_MAX))
    throw isRefused(`Param ${type}['caption'] must be at most ${CAPTION_MAX} characters long.`)
  if (filename !== undefined && typeof filename !== 'string')
    throw isInvalid(`Param ${type}['filename'] must be a string`)
  const file = typeof media.id === 'string' ? world.media.find(media.id, world.clock.now()) : undefined
  return {
    ...(media.id !== undefined ? { mediaId: media.id, mimeType: file?.mimeType } : { link: media.link }),
    ...(caption !== undefined && { caption }),
    ...(filename !== undefined && { fileName: filename }),
  }
}

/** Requires either an uploaded id or a public URL, not both; an id must have the right kind and size. */
export const checkMediaReference = (world: World, type: string, { id, link }: Json): void => {
  if (id !== undefined && link !== undefined)
    throw isInvalid(`Only one of ${type}['id'] and ${type}['link'] may be given`)
  if (id === undefined && link === undefined) throw isMissing(`${type}['link'] or ${type}['id']`)
  if (link !== undefined) {
    if (typeof link !== 'string' || !/^https?:\/\/[^\s]+$/i.test(link) || !URL.canParse(link))
      throw isRefused(`Param ${type}['link'] is not a valid URL.`)
    return
  }
  const file = world.media.find(String(id), world.clock.now())
  if (!file)
    throw isRefused(`Param ${type}['id'] is not a valid whatsapp business account media attachment ID`)
  const kind = MEDIA_KINDS[type]!
  if (!kind.mimeTypes.test(file.mimeType) || file.bytes.length > kind.maxBytes)
    throw new GraphError(131053, {
      details: `Media of type ${file.mimeType} and ${file.bytes.length} bytes cannot be sent as ${type}.`,
    })
}

const checkLocation = ({ latitude, longitude, name, address }: Json): Json => {
  const isDegree = (value: unknown, max: number): boolean =>
    (typeof value === 'number' || (typeof value === 'string' && value !== '')) &&
    Math.abs(Number(value)) <= max
  if (!isDegree(latitude, 90)) throw isInvalid("Param location['latitude'] must be a number from -90 to 90")
  if (!isDegree(longitude, 180))
    throw isInvalid("Param location['longitude'] must be a number from -180 to 180")
  return { latitude: Number(latitude), longitude: Number(longitude), name, address }
}

const checkContacts = (contacts: unknown): unknown[] => {
  if (!Array.isArray(contacts) || contacts.length === 0 || contacts.length > CONTACTS_MAX)
    throw isInvalid(`Param contacts must be an array of 1 to ${CONTACTS_MAX}`)
  for (const [at, contact] of contacts.entries())
    if (typeof contact?.name?.formatted_name !== 'string')
      throw isMissing(`contacts[${at}]['name']['formatted_name']`)
  return contacts
}

const checkReaction = ({ message_id, emoji }: Json): Json => {
  if (typeof message_id !== 'string' || !message_id) throw isMissing("reaction['message_id']")
  if (typeof emoji !== 'string') throw isMissing("reaction['emoji']")
  if (emoji !== '' && !/^\p{RGI_Emoji}$/v.test(emoji))
    throw isUnfit("reaction['emoji'] is not a single emoji")
  return { messageId: message_id, emoji }
}

const checkInteractive = ({ type, header, body, footer, action }: Json): Json => {
  const text = (body as Json | undefined)?.text
  const asked = (action ?? {}) as Json
  if (typeof type !== 'string') throw isMissing("interactive['type']")
  if (!action || typeof action !== 'object') throw isMissing("interactive['action']")
  if (typeof text !== 'string' || !text) throw isMissing("interactive['body']['text']")
  checkLength(text, type === 'list' ? 4096 : 1024, 'Body text')
  const footerText = (footer as Json | undefined)?.text
  if (footerText !== undefined) checkLength(footerText, 60, 'Footer text')
  const headerText = (header as Json | undefined)?.text
  if (headerText !== undefined) checkLength(headerText, 60, 'Header text')
  const shown = { kind: type, header: headerText, body: text, footer: footerText }

  if (type === 'button') return { ...shown, buttons: checkReplyButtons(asked.buttons) }
  if (type === 'list') {
    checkLength(asked.button, 20, 'Button label')
    return { ...shown, listLabel: asked.button, sections: checkSections(asked.sections) }
  }
  if (type === 'cta_url') {
    const { display_text, url } = (asked.parameters ?? {}) as Json
    checkLength(display_text, 20, 'Display text')
    if (typeof url !== 'string' || !URL.canParse(url)) throw isInvalid('Param url is not a valid URL.')
    return { ...shown, buttons: [{ title: display_text, url }] }
  }
  if (['flow', 'location_request_message', 'address_message', 'product', 'product_list'].includes(type))
    return shown
  throw isInvalid(
    `Param interactive['type'] must be one of {BUTTON, CTA_URL, FLOW, LIST, ...} - got "${type}".`,
  )
}

const checkReplyButtons = (buttons: unknown): Json[] => {
  if (!Array.isArray(buttons) || buttons.length < 1 || buttons.length > 3)
    throw isUnfit('Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3')
  const replies = buttons.map((button: Json) => {
    const { id, title } = (button?.reply ?? {}) as Json
    checkLength(title, 20, 'Button title')
    checkLength(id, 256, 'Button id')
    return { id, title }
  })
  for (const key of ['id', 'title'] as const)
    if (new Set(replies.map((reply) => reply[key])).size < replies.length)
      throw isUnfit(`Duplicated button ${key}`)
  return replies
}

const checkSections = (sections: unknown): Json[] => {
  if (!Array.isArray(sections) || sections.length < 1 || sections.length > 10)
    throw isUnfit('Invalid sections count. Min allowed: 1, Max allowed: 10')
  if (sections.some((section) => !section || typeof section !== 'object'))
    throw isUnfit('A section is no object')
  const rows = sections.flatMap((section: Json) =>
    Array.isArray(section?.rows) ? (section.rows as Json[]) : [],
  )
  if (rows.length < 1 || rows.length > 10) throw isUnfit('Total row count exceed max allowed count: 10')
  for (const row of rows) {
    const { id, title, description } = row ?? {}
    checkLength(id, 200, 'Row id')
    checkLength(title, 24, 'Row title')
    if (description !== undefined && description !== '') checkLength(description, 72, 'Row description')
  }
  for (const { title } of sections as Json[]) if (sections.length > 1) checkLength(title, 24, 'Section title')
  for (const key of ['id', 'title'] as const)
    if (new Set(rows.map((row) => row?.[key])).size < rows.length) throw isUnfit(`Duplicated row ${key}`)
  return sections as Json[]
}

const checkLength = (text: unknown, max: number, what: string): void => {
  if (typeof text !== 'string' || text.length === 0 || [...text].length > max)
    throw isUnfit(`${what} length invalid. Min length: 1, Max length: ${max}`)
}
