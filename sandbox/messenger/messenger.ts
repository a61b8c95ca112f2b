// Messenger's part of the Graph API for one page, and the people who write to it.
import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Entry } from '../entry.ts'
import { type App, type Json, objectOf, parametersOf } from '../http.ts'
import {
  acceptSend,
  addEntry,
  type ChatInput,
  fileUrlOf,
  type Hub,
  keepUpload,
  readInput,
  shownNow,
  tellEntry,
} from '../hub.ts'
import { samplePicture } from '../media.ts'
import { makeOutbox } from '../outbox.ts'
import type { Person } from '../people.ts'
import { Address } from '../shapes.ts'
import { GraphError } from '../whatsapp/graph-error.ts'

export const MessengerConnection = Type.Object({
  pageId: Type.String(),
  pageName: Type.String(),
  accessToken: Type.String(),
  appSecret: Type.String(),
  verifyToken: Type.String(),
  webhookUrl: Address,
})

const TEXT_MAX = 2000
const WINDOW_MS = 24 * 3_600_000
const HUMAN_AGENT_MS = 7 * WINDOW_MS
const DELIVERED_AFTER_MS = 300
const APP_ID = 1517776481860111
const PICTURE_PX = 128

const REFUSALS: Record<number, { message: string; subcode?: number; http?: number }> = {
  10: { message: '(#10) This message is sent outside of allowed window.', subcode: 2018278 },
  100: { message: '(#100) No matching user found', subcode: 2018001 },
  190: { message: 'Invalid OAuth access token - Cannot parse access token', http: 401 },
  551: { message: "(#551) This person isn't available right now.", subcode: 1545041 },
  613: { message: '(#613) Calls to this api have exceeded the rate limit.', http: 429 },
  1200: { message: 'Temporary send message failure. Please try again later.', http: 500 },
}
const refusalOf = (code: number, message?: string, subcode?: number): GraphError => {
  const row = REFUSALS[code]!
  return new GraphError(code, { app: 'messenger', http: 400, ...(message ? { message, subcode } : row) })
}

export type Messenger = ReturnType<typeof makeMessenger>

export const makeMessenger = (hub: Hub) => {
  const outbox = makeOutbox('messenger', hub)
  const connection: Static<typeof MessengerConnection> = {
    pageId: '108242318712345',
    pageName: 'Hollow & Kiln',
    accessToken: 'sandbox-page-token',
    appSecret: 'sandbox-app-secret',
    verifyToken: 'sandbox-verify-token',
    webhookUrl: null,
  }
  let made = Date.now()
  const newMid = (): string => `m_${Buffer.from(`${++made}`).toString('base64url')}AtoSandbox`
  const isPage = (node: string): boolean => node === 'me' || node === connection.pageId

  const tell = (messaging: Json): void => {
    const { webhookUrl, pageId, appSecret } = connection
    const entry = [
      { id: pageId, time: shownNow(hub), messaging: [{ timestamp: shownNow(hub), ...messaging }] },
    ]
    const body = Buffer.from(JSON.stringify({ object: 'page', entry }))
    outbox.tell(webhookUrl, body, {
      'content-type': 'application/json',
      'user-agent': 'facebookexternalua',
      'x-hub-signature-256': `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`,
    })
  }
  const tellFrom = ({ psid }: Person, what: Json): void =>
    tell({ sender: { id: psid }, recipient: { id: connection.pageId }, ...what })

  const recipientOf = (parameters: Json): Person => {
    const person = hub.people.byPsid(String(objectOf(parameters.recipient).id ?? ''))
    const last = person?.chats.messenger.entries.findLast(({ from }) => from === 'customer')
    if (!person || !last) throw refusalOf(100)
    if (person.blocked.has('messenger')) throw refusalOf(551)
    const windowMs = parameters.tag === 'HUMAN_AGENT' ? HUMAN_AGENT_MS : WINDOW_MS
    if (hub.clock.now() - last.atMs > windowMs) throw refusalOf(10)
    return person
  }

  const contentOf = async (
    { attachment: attached, text }: Json,
    filedata: unknown,
  ): Promise<Pick<Entry, 'type' | 'content'>> => {
    const attachment = objectOf(attached)
    if (typeof attachment.type === 'string') {
      const { url } = objectOf(attachment.payload)
      const type = attachment.type === 'file' ? 'document' : attachment.type
      if (filedata instanceof File) return { type, content: await keepUpload(hub, filedata) }
      if (typeof url !== 'string') throw refusalOf(100, '(#100) param message[attachment] must have a url')
      return { type, content: { link: url } }
    }
    if (typeof text !== 'string' || !text)
      throw refusalOf(100, '(#100) Message cannot be empty, must provide valid attachment or text')
    if (text.length > TEXT_MAX)
      throw refusalOf(100, `(#100) Length of param message[text] must be less than or equal to ${TEXT_MAX}`)
    return { type: 'text', content: { text } }
  }

  const send = async (parameters: Json): Promise<Json> => {
    const person = recipientOf(parameters)
    const { sender_action: action } = parameters
    if (typeof action === 'string') {
      if (action === 'typing_on') hub.feed.tell('typing', () => ({ personId: person.id, app: 'messenger' }))
      if (action === 'mark_seen') markSeen(person)
      return { recipient_id: person.psid }
    }
    const message = objectOf(parameters.message)
    const shown = await contentOf(message, parameters.filedata)
    const refuse = (code = 551) => refusalOf(REFUSALS[code] ? code : 551)
    return acceptSend(hub, { app: 'messenger', person, refuse }, () => {
      const mid = newMid()
      const entry = addEntry(hub, person, 'messenger', {
        id: mid,
        from: 'business',
        status: 'sent',
        ...shown,
      })
      const { text, metadata } = message
      tell({
        sender: { id: connection.pageId },
        recipient: { id: person.psid },
        message: {
          mid,
          is_echo: true,
          app_id: APP_ID,
          ...(shown.type === 'text' && { text }),
          ...(typeof metadata === 'string' && { metadata }),
        },
      })
      hub.clock.after(DELIVERED_AFTER_MS, () => {
        entry.status = 'delivered'
        tellEntry(hub, person, 'messenger', entry)
        tellFrom(person, { delivery: { mids: [mid], watermark: shownNow(hub) } })
      })
      return { recipient_id: person.psid, message_id: mid }
    })
  }

  const markSeen = (person: Person): void => {
    for (const entry of person.chats.messenger.entries)
      if (entry.from === 'customer' && !entry.isReadByBusiness) {
        entry.isReadByBusiness = true
        tellEntry(hub, person, 'messenger', entry)
      }
  }

  const profileOf = ({ psid, name }: Person): Json => {
    const [first, ...rest] = name.split(' ')
    return {
      id: psid,
      first_name: first,
      last_name: rest.join(' '),
      name,
      profile_pic: `${hub.baseUrl()}/profile-pictures/${psid}.png`,
    }
  }

  return {
    connection,
    register: (app: App): void => {
      app.get<{ Params: { psid: string } }>('/profile-pictures/:psid(^\\d+).png', ({ params }, reply) =>
        reply.type('image/png').send(samplePicture(Number(params.psid) % 6, PICTURE_PX, PICTURE_PX)),
      )
    },
    /** Whether a Graph API call is about this page or a person who wrote to it. */
    isMine: (node: string): boolean => isPage(node) || hub.people.byPsid(node) !== undefined,
    answer: async (request: FastifyRequest, node: string, edge: string | undefined): Promise<Json> => {
      const { method, headers } = request
      const parameters = await parametersOf(request)
      // In a multipart form, these parts are JSON strings.
      for (const name of ['recipient', 'message'])
        if (typeof parameters[name] === 'string') parameters[name] = parse(parameters[name])
      const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? parameters.access_token
      if (token !== connection.accessToken) throw refusalOf(190)
      if (isPage(node) && method === 'POST' && edge === 'messages') return send(parameters)
      if (isPage(node) && edge === 'subscribed_apps')
        return method === 'POST' ? { success: true } : { data: [{ id: String(APP_ID), name: 'Sandbox' }] }
      if (method === 'GET' && !edge) {
        const person = hub.people.byPsid(node)
        return person ? profileOf(person) : { id: connection.pageId, name: connection.pageName }
      }
      const words = `Unsupported ${method.toLowerCase()} request. Object with ID '${node}' does not exist`
      throw refusalOf(100, words, 33)
    },
    write: (person: Person, input: ChatInput): Entry => {
      const mid = newMid()
      const { type, content, file } = readInput(hub, input)
      const { latitude: lat, longitude: long } = content
      const attachment =
        type === 'location'
          ? { type, title: 'Pinned location', payload: { coordinates: { lat, long } } }
          : file && { type: input.type, payload: { url: fileUrlOf(hub, file.id) } }
      tellFrom(person, {
        message: {
          mid,
          ...(input.text && { text: input.text }),
          ...(attachment && { attachments: [attachment] }),
          ...(input.replyTo && { reply_to: { mid: input.replyTo } }),
        },
      })
      return addEntry(hub, person, 'messenger', {
        id: mid,
        from: 'customer',
        type,
        content,
        replyTo: input.replyTo ?? null,
      })
    },
    /** Opens the thread, which marks everything so far as seen. */
    read: (person: Person): void => {
      const seen = person.chats.messenger.entries.filter(
        ({ from, status }) => from === 'business' && status !== 'read' && status !== 'failed',
      )
      if (seen.length === 0) return
      for (const entry of seen) {
        entry.status = 'read'
        tellEntry(hub, person, 'messenger', entry)
      }
      tellFrom(person, { read: { watermark: shownNow(hub) } })
    },
    stop: outbox.stop,
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
