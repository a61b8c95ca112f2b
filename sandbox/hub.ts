// What mail, Telegram, Messenger and SMS share, and the files in their messages.
import Type, { type Static } from 'typebox'
import type { Clock } from './clock.ts'
import type { Entry } from './entry.ts'
import type { Failures } from './failures.ts'
import type { Feed } from './feed.ts'
import type { Json } from './http.ts'
import { type Media, type MediaFile, samplePicture } from './media.ts'
import type { People } from './people.ts'
import { closed, FileFields } from './shapes.ts'

export type Hub = {
  clock: Clock
  feed: Feed
  people: People
  media: Media
  failures: Failures
  /** This server's own URL, used in the URLs that it gives out. */
  baseUrl: () => string
  /** The URL to request for one of the business's URLs: a public hostname may not resolve here. */
  reach: (url: string) => string
}

const Coordinate = Type.Optional(Type.Number({ minimum: -180, maximum: 180 }))
/**
 * A customer's message in a chat. An image without data gets a sample image. `tap`: a button of the message with that
 * id, by its text or by what it carries. `reaction`: to the message with that id; an empty emoji takes it away.
 */
export const ChatInput = closed({
  type: Type.Enum(['text', 'image', 'file', 'location', 'tap', 'reaction']),
  text: Type.Optional(Type.String({ maxLength: 20_000 })),
  ...FileFields,
  replyTo: Type.Optional(Type.String({ maxLength: 200 })),
  latitude: Coordinate,
  longitude: Coordinate,
  messageId: Type.Optional(Type.String({ maxLength: 200 })),
  choice: Type.Optional(Type.String({ maxLength: 1000 })),
  emoji: Type.Optional(Type.String({ maxLength: 40 })),
})
export type ChatInput = Static<typeof ChatInput>

/** The business's message whose button is tapped, and the button. */
export type Tap = { entry: Entry; choice: string }

export const shownNow = ({ clock }: Hub): number => clock.shown(clock.now())

/** A customer's message as their phone shows it, with its file if any. */
export const readInput = (
  hub: Hub,
  { type, text, latitude = 52.52191, longitude = 13.413215, ...given }: ChatInput,
): { type: string; content: Json; file: MediaFile | null } => {
  if (type === 'text') return { type, content: { text }, file: null }
  if (type === 'location') return { type, content: { latitude, longitude }, file: null }
  const nowMs = hub.clock.now()
  const bytes = given.data ? Buffer.from(given.data, 'base64') : samplePicture(Math.floor(nowMs / 1000) % 6)
  const mimeType = given.data ? (given.mimeType ?? 'application/octet-stream') : 'image/png'
  const fallback = type === 'image' ? `image.${mimeType === 'image/jpeg' ? 'jpg' : 'png'}` : 'file'
  const file = hub.media.add('inbound', { bytes, mimeType, fileName: given.fileName ?? fallback }, nowMs)
  return {
    type: type === 'file' ? 'document' : type,
    content: { mediaId: file.id, mimeType, fileName: file.fileName, caption: text || undefined },
    file,
  }
}

/** A URL that needs no token, like those of the providers' CDNs. */
export const fileUrlOf = (hub: Hub, id: string): string => {
  const { search } = new URL(hub.media.urlOf(hub.baseUrl(), id, hub.clock.now()))
  return `${hub.baseUrl()}/files/${search}`
}

/** Stores a file that the business uploaded. */
export const keepUpload = async (hub: Hub, file: File) => {
  const mimeType = file.type || 'application/octet-stream'
  const bytes = Buffer.from(await file.arrayBuffer())
  const { id } = hub.media.add('uploaded', { bytes, mimeType, fileName: file.name }, hub.clock.now())
  return { mediaId: id, mimeType, fileName: file.name }
}
