// What mail, Telegram, Messenger and SMS share, and how messages are added to their threads.
import Type, { type Static } from 'typebox'
import type { Clock } from './clock.ts'
import { type ChatApp, type Entry, newEntry, showEntry } from './entry.ts'
import type { Failures } from './failures.ts'
import type { Feed } from './feed.ts'
import { type Json, type Refusal, Unanswered } from './http.ts'
import { type Media, type MediaFile, samplePicture } from './media.ts'
import type { People, Person } from './people.ts'
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
/** A customer's message in a chat. An image without data gets a sample image. */
export const ChatInput = closed({
  type: Type.Enum(['text', 'image', 'file', 'location']),
  text: Type.Optional(Type.String({ maxLength: 20_000 })),
  ...FileFields,
  replyTo: Type.Optional(Type.String({ maxLength: 200 })),
  latitude: Coordinate,
  longitude: Coordinate,
})
export type ChatInput = Static<typeof ChatInput>

export const shownNow = ({ clock }: Hub): number => clock.shown(clock.now())

export const tellEntry = (hub: Hub, person: Person, app: ChatApp, entry: Entry): void =>
  hub.feed.tell('chat', () => ({ personId: person.id, app, entry: showEntry(hub.clock, entry) }))

export const addEntry = (
  hub: Hub,
  person: Person,
  app: ChatApp,
  given: Partial<Entry> & Pick<Entry, 'id' | 'from' | 'type' | 'content'>,
): Entry => {
  const entry = newEntry({ atMs: hub.clock.now(), ...given })
  hub.people.addEntry(person, app, entry)
  tellEntry(hub, person, app, entry)
  return entry
}

type Accepting = {
  app: ChatApp
  person: Person
  /** The provider's own error for this code, or its usual one. */
  refuse: (code: number | undefined) => Refusal
  /** Whether the provider reports failures after accepting the message; otherwise it rejects the call. */
  failsLater?: boolean
}

/** Accepts a message from the business, unless a failure rejects the call or withholds the response. */
export const acceptSend = <T>(
  hub: Hub,
  { app, person, refuse, failsLater = false }: Accepting,
  accept: (failsWith: number | null | undefined) => T,
): T => {
  const failure = hub.failures.take(app, person.id)
  if (failure?.kind === 'refuse' || (failure?.kind === 'fail' && !failsLater)) throw refuse(failure.code)
  if (!failure || failure.kind === 'fail') return accept(failure && (failure.code ?? null))
  if (failure.isAccepted) accept(undefined)
  throw new Unanswered(failure.kind)
}

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
