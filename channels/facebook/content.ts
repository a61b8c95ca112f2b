// Reads a Messenger message: its text, its attachments, and the rest as metadata.
// https://developers.facebook.com/docs/messenger-platform/reference/webhook-events/messages

import type { InboundFile } from '../contract/inbound.ts'
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

const ATTACHMENTS_MAX = 30
const URL_MAX = 4096

export type Content = { kind: string; body: string; files: InboundFile[]; metadata: Record<string, unknown> }

type Part = { kind: string; label: string; file: InboundFile | null; metadata?: Record<string, unknown> }

export const readContent = (message: JsonObject): Content => {
  const text = textOf(message.text)
  const parts = listOf(message.attachments)
    .slice(0, ATTACHMENTS_MAX)
    .map((value) => readAttachment(objectOf(value)))
  const quickReply = textOf(objectOf(message.quick_reply).payload, 2048)
  const referral = readReferral(message.referral)
  const metadata = {
    ...Object.assign({}, ...parts.map((part) => part.metadata ?? {})),
    ...(quickReply !== null && { choice: { kind: 'button', id: quickReply, title: text } }),
    ...(referral && { referral }),
  }
  const files = parts.flatMap(({ file }) => (file ? [file] : []))
  const first = parts[0]
  if (quickReply !== null) return { kind: 'choice', body: text ?? quickReply, files, metadata }
  // A link preview repeats the text.
  const isText = parts.every(({ kind }) => kind === 'link')
  if (text !== null) return { kind: isText ? 'text' : (first?.kind ?? 'text'), body: text, files, metadata }
  if (first) return { kind: first.kind, body: parts.map(({ label }) => label).join('\n'), files, metadata }
  return {
    kind: 'unsupported',
    body: 'Unsupported message',
    files,
    metadata: { ...metadata, raw: JSON.stringify(message).slice(0, RAW_MAX) },
  }
}

const RAW_MAX = 16_384

const LABELS: Record<string, { type: InboundFile['type']; label: string; mimeType: string | null }> = {
  image: { type: 'image', label: 'Image', mimeType: null },
  video: { type: 'video', label: 'Video', mimeType: null },
  audio: { type: 'audio', label: 'Audio', mimeType: null },
  file: { type: 'file', label: 'File', mimeType: null },
}

/** Thumbs up: small, medium and large. */
const THUMBS = ['369239263222822', '369239343222814', '369239383222810']

const readAttachment = (attachment: JsonObject): Part => {
  const type = lineOf(attachment.type, 64) ?? ''
  const payload = objectOf(attachment.payload)
  const url = urlOf(payload.url)
  if (type === 'location') return readLocation(attachment, payload)
  const stickerId = idOf(payload.sticker_id)
  if (stickerId !== null) {
    const label = THUMBS.includes(stickerId) ? '👍' : 'Sticker'
    return {
      kind: 'sticker',
      label,
      file: url === null ? null : fileOf('sticker', url, 'sticker'),
      metadata: { stickerId },
    }
  }
  const known = Object.hasOwn(LABELS, type) ? LABELS[type] : undefined
  if (known && url !== null) {
    const name = nameOf(url)
    return { kind: type, label: name ?? known.label, file: fileOf(known.type, url, name ?? type) }
  }
  const title = lineOf(attachment.title) ?? lineOf(payload.title)
  const link = urlOf(attachment.url) ?? url
  const label = [title, link].filter((part) => part !== null).join('\n')
  if (type === 'fallback' || /reel|story|post|share/.test(type))
    return { kind: 'link', label: label || 'Link', file: null, metadata: { link: { title, url: link } } }
  if (type === 'template') {
    const texts = [
      lineOf(payload.text),
      title,
      ...listOf(payload.elements).map((one) => lineOf(objectOf(one).title)),
    ]
    return {
      kind: 'template',
      label: texts.filter((text) => text !== null).join('\n') || 'Template',
      file: null,
    }
  }
  return {
    kind: 'unsupported',
    label: `Unsupported attachment${type ? ` (${type})` : ''}`,
    file: null,
    metadata: { raw: JSON.stringify(attachment).slice(0, RAW_MAX) },
  }
}

/** Any web URL; the job that downloads it checks the host. */
const urlOf = (value: unknown): string | null => {
  const url = lineOf(value, URL_MAX)
  return url !== null && /^https?:\/\//i.test(url) ? url : null
}

const fileOf = (type: InboundFile['type'], url: string, name: string): InboundFile => ({
  type,
  name,
  mimeType: null,
  size: null,
  source: { url },
  isInline: false,
})

/** The provider's URLs end in the file name. */
const nameOf = (url: string): string | null => {
  if (!URL.canParse(url)) return null
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  if (!/\.[A-Za-z0-9]{1,8}$/.test(last)) return null
  try {
    return lineOf(decodeURIComponent(last), 255)
  } catch {
    return lineOf(last, 255)
  }
}

const readLocation = (attachment: JsonObject, payload: JsonObject): Part => {
  const coordinates = objectOf(payload.coordinates)
  const latitude = numberOf(coordinates.lat)
  const longitude = numberOf(coordinates.long)
  const name = lineOf(attachment.title)
  if (latitude === null || longitude === null)
    return { kind: 'location', label: name ? `Location: ${name}` : 'Location', file: null }
  const location = { latitude, longitude, name, address: null, url: urlOf(attachment.url) }
  return {
    kind: 'location',
    label: `Location: ${[...(name ? [name] : []), `${latitude}, ${longitude}`].join(', ')}`,
    metadata: { location },
    file: makeInlineFile('location', name ?? 'Location', location),
  }
}

/** The link or ad that the customer came from. */
export const readReferral = (value: unknown): JsonObject | null => {
  if (!isObject(value)) return null
  const ad = objectOf(value.ads_context_data)
  const entries = Object.entries({
    sourceType: lineOf(value.source, 64) ?? lineOf(value.type, 64),
    ref: textOf(value.ref, 2048),
    adId: idOf(value.ad_id),
    sourceUrl: urlOf(value.referer_uri),
    headline: lineOf(ad.ad_title),
    mediaUrl: urlOf(ad.photo_url) ?? urlOf(ad.video_url),
  }).filter(([, part]) => part !== null)
  return entries.length > 0 ? Object.fromEntries(entries) : null
}
