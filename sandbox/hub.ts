// What mail, Telegram, Messenger and SMS share, and how a thread of theirs grows.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from './clock.ts'
import { type Entry, showEntry } from './entry.ts'
import type { Failures } from './failures.ts'
import type { Feed } from './feed.ts'
import { readBody } from './http.ts'
import { type Media, samplePicture } from './media.ts'
import type { ChatApp, People, Person } from './people.ts'

export type Hub = {
  clock: Clock
  feed: Feed
  people: People
  media: Media
  failures: Failures
  /** Where this server is reached, for the addresses that it hands out. */
  baseUrl: () => string
  /** Where an address of the business is really reached: a public name may not lead here. */
  reach: (url: string) => string
}

/** What a customer writes in a chat. */
export type ChatInput = {
  type: 'text' | 'image' | 'file' | 'location'
  text?: string
  /** Base64. An image without data is a sample picture. */
  data?: string
  mimeType?: string
  fileName?: string
  replyTo?: string
  latitude?: number
  longitude?: number
}

/** A request that was deliberately not answered. */
export class Unanswered extends Error {}

const BODY_MAX_BYTES = 60 * 1024 * 1024

export const tellEntry = (hub: Hub, person: Person, app: ChatApp, entry: Entry): void =>
  hub.feed.tell('chat', () => ({ personId: person.id, app, entry: showEntry(hub.clock, entry) }))

export const addEntry = (
  hub: Hub,
  person: Person,
  app: ChatApp,
  {
    id,
    from,
    type,
    content,
    replyTo = null,
    status = null,
  }: Partial<Entry> & Pick<Entry, 'id' | 'from' | 'type' | 'content'>,
): Entry => {
  const entry: Entry = {
    id,
    from,
    type,
    content,
    replyTo,
    status,
    phoneNumberId: '',
    atMs: hub.clock.now(),
    error: null,
    reactions: {},
    isReadByBusiness: false,
  }
  hub.people.addEntry(person, app, entry)
  tellEntry(hub, person, app, entry)
  return entry
}

/** The file of a picture or document that a customer sends. */
export const takeFile = (hub: Hub, { type, data, mimeType, fileName }: ChatInput) => {
  const nowMs = hub.clock.now()
  const bytes = data ? Buffer.from(data, 'base64') : samplePicture(Math.floor(nowMs / 1000) % 6)
  const mime = data ? (mimeType ?? 'application/octet-stream') : 'image/png'
  const name = fileName ?? (type === 'image' ? `picture.${mime === 'image/jpeg' ? 'jpg' : 'png'}` : 'file')
  return hub.media.add('inbound', { bytes, mimeType: mime, fileName: name }, nowMs)
}

/** An address for a file that asks for no token, as the providers' own networks give out. */
export const fileUrlOf = (hub: Hub, id: string): string => {
  const { search } = new URL(hub.media.urlOf(hub.baseUrl(), id, hub.clock.now()))
  return `${hub.baseUrl()}/files/${search}`
}

export const answerFile = async (
  { media, clock }: Hub,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const query = new URL(request.url!, 'http://sandbox').searchParams
  const file = media.find(query.get('mid') ?? '', clock.now())
  if (!file || !media.isUrlValid(query, clock.now())) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, { 'content-type': file.mimeType, 'content-length': file.bytes.length })
  response.end(file.bytes)
}

/** What was sent, as JSON, a form or a form with files. */
export const readParameters = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const raw = await readBody(request, BODY_MAX_BYTES)
  const type = request.headers['content-type'] ?? ''
  if (raw.length === 0) return {}
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': type } }).formData()
    return Object.fromEntries(form)
  }
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const form = new URLSearchParams(raw.toString())
    return Object.fromEntries(
      [...new Set(form.keys())].map((name) => {
        const values = form.getAll(name)
        return [name, values.length > 1 ? values : values[0]]
      }),
    )
  }
  try {
    const parsed: unknown = JSON.parse(raw.toString())
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Keeps what the business uploaded, and says where the phone finds it. */
export const keepUpload = async (
  hub: Hub,
  file: File,
): Promise<{ mediaId: string; mimeType: string; fileName: string }> => {
  const mimeType = file.type || 'application/octet-stream'
  const bytes = Buffer.from(await file.arrayBuffer())
  const { id } = hub.media.add('uploaded', { bytes, mimeType, fileName: file.name }, hub.clock.now())
  return { mediaId: id, mimeType, fileName: file.name }
}
