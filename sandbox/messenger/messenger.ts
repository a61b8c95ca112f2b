// Messenger's side of the Graph API for one page, and the people who write to it.
import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Entry } from '../entry.ts'
import { answerJson } from '../http.ts'
import {
  addEntry,
  type ChatInput,
  fileUrlOf,
  type Hub,
  keepUpload,
  readParameters,
  takeFile,
  tellEntry,
  Unanswered,
} from '../hub.ts'
import { samplePicture } from '../media.ts'
import { makeOutbox } from '../outbox.ts'
import type { Person } from '../people.ts'
import { newTraceId } from '../whatsapp/ids.ts'

export type MessengerConnection = {
  pageId: string
  pageName: string
  accessToken: string
  appSecret: string
  verifyToken: string
  webhookUrl: string | null
}

type Json = Record<string, unknown>

const TEXT_MAX = 2000
const WINDOW_MS = 24 * 3_600_000
const HUMAN_AGENT_MS = 7 * WINDOW_MS
const DELIVERED_AFTER_MS = 300
const APP_ID = 1517776481860111

class GraphRefusal extends Error {
  readonly code: number
  readonly subcode: number | undefined
  readonly http: number

  constructor(
    code: number,
    message: string,
    { subcode, http = 400 }: { subcode?: number; http?: number } = {},
  ) {
    super(message)
    this.code = code
    this.subcode = subcode
    this.http = http
  }
}

const REFUSALS: Record<number, () => GraphRefusal> = {
  10: () =>
    new GraphRefusal(10, '(#10) This message is sent outside of allowed window.', { subcode: 2018278 }),
  100: () => new GraphRefusal(100, '(#100) No matching user found', { subcode: 2018001 }),
  190: () => new GraphRefusal(190, 'Invalid OAuth access token - Cannot parse access token', { http: 401 }),
  551: () => new GraphRefusal(551, "(#551) This person isn't available right now.", { subcode: 1545041 }),
  613: () => new GraphRefusal(613, '(#613) Calls to this api have exceeded the rate limit.', { http: 429 }),
  1200: () =>
    new GraphRefusal(1200, 'Temporary send message failure. Please try again later.', { http: 500 }),
}

export type Messenger = ReturnType<typeof makeMessenger>

export const makeMessenger = (hub: Hub) => {
  const outbox = makeOutbox('messenger', hub)
  const connection: MessengerConnection = {
    pageId: '108242318712345',
    pageName: 'Hollow & Kiln',
    accessToken: 'sandbox-page-token',
    appSecret: 'sandbox-app-secret',
    verifyToken: 'sandbox-verify-token',
    webhookUrl: null,
  }
  let made = Date.now()
  const newMid = (): string => `m_${Buffer.from(`${++made}`).toString('base64url')}AtoSandbox`
  const nowMs = (): number => hub.clock.shown(hub.clock.now())

  const tell = (...messaging: Json[]): void => {
    const { webhookUrl, pageId, appSecret } = connection
    if (!webhookUrl) return
    const body = Buffer.from(
      JSON.stringify({ object: 'page', entry: [{ id: pageId, time: nowMs(), messaging }] }),
    )
    outbox.tell({
      url: hub.reach(webhookUrl),
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'facebookexternalua',
        'x-hub-signature-256': `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`,
      },
    })
  }
  const between = ({ psid }: Person): Json => ({
    sender: { id: psid },
    recipient: { id: connection.pageId },
    timestamp: nowMs(),
  })

  const lastWroteAtMs = ({ chats }: Person): number | undefined =>
    chats.messenger.entries.findLast(({ from }) => from === 'customer')?.atMs

  const recipientOf = (parameters: Json): Person => {
    const recipient = objectOf(parameters.recipient)
    const person = hub.people.byPsid(String(recipient.id ?? ''))
    const wroteAtMs = person && lastWroteAtMs(person)
    if (!person || wroteAtMs === undefined) throw REFUSALS[100]!()
    if (person.blocked.has('messenger')) throw REFUSALS[551]!()
    const windowMs = parameters.tag === 'HUMAN_AGENT' ? HUMAN_AGENT_MS : WINDOW_MS
    if (hub.clock.now() - wroteAtMs > windowMs) throw REFUSALS[10]!()
    return person
  }

  const contentOf = async (message: Json, parameters: Json): Promise<{ type: string; content: Json }> => {
    const attachment = objectOf(message.attachment)
    if (typeof attachment.type === 'string') {
      const payload = objectOf(attachment.payload)
      const type = attachment.type === 'file' ? 'document' : attachment.type
      if (parameters.filedata instanceof File)
        return { type, content: await keepUpload(hub, parameters.filedata) }
      if (typeof payload.url !== 'string')
        throw new GraphRefusal(100, '(#100) param message[attachment] must have a url')
      return { type, content: { link: payload.url } }
    }
    const { text } = message
    if (typeof text !== 'string' || !text)
      throw new GraphRefusal(100, '(#100) Message cannot be empty, must provide valid attachment or text')
    if (text.length > TEXT_MAX)
      throw new GraphRefusal(
        100,
        `(#100) Length of param message[text] must be less than or equal to ${TEXT_MAX}`,
      )
    return { type: 'text', content: { text } }
  }

  const send = async (parameters: Json): Promise<Json> => {
    const person = recipientOf(parameters)
    if (typeof parameters.sender_action === 'string') {
      if (parameters.sender_action === 'typing_on')
        hub.feed.tell('typing', () => ({ personId: person.id, app: 'messenger' }))
      if (parameters.sender_action === 'mark_seen') markSeen(person)
      return { recipient_id: person.psid }
    }
    const { type, content } = await contentOf(objectOf(parameters.message), parameters)
    const failure = hub.failures.take('messenger', person.id)
    if (failure && (failure.kind === 'refuse' || failure.kind === 'fail'))
      throw (REFUSALS[failure.code ?? 551] ?? REFUSALS[551]!)()
    if (failure && !failure.isAccepted) throw new Unanswered(failure.kind)
    const mid = newMid()
    const entry = addEntry(hub, person, 'messenger', {
      id: mid,
      from: 'business',
      type,
      content,
      status: 'sent',
    })
    tell({
      sender: { id: connection.pageId },
      recipient: { id: person.psid },
      timestamp: nowMs(),
      message: {
        mid,
        is_echo: true,
        app_id: APP_ID,
        ...(type === 'text' && { text: content.text }),
        ...(typeof objectOf(parameters.message).metadata === 'string' && {
          metadata: objectOf(parameters.message).metadata,
        }),
      },
    })
    hub.clock.after(DELIVERED_AFTER_MS, () => {
      entry.status = 'delivered'
      tellEntry(hub, person, 'messenger', entry)
      tell({ ...between(person), delivery: { mids: [mid], watermark: nowMs() } })
    })
    if (failure) throw new Unanswered(failure.kind)
    return { recipient_id: person.psid, message_id: mid }
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

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '', search] = request.url!.split('?', 2)
    try {
      const picture = /^\/profile-pictures\/(\d+)\.png$/.exec(path)
      if (picture) {
        const bytes = samplePicture(Number(picture[1]) % 6, 128, 128)
        response.writeHead(200, { 'content-type': 'image/png', 'content-length': bytes.length })
        response.end(bytes)
        return
      }
      const query = Object.fromEntries(new URLSearchParams(search))
      const parameters: Json = { ...query, ...(await readParameters(request)) }
      // In a form with a file, the parts are JSON as text.
      for (const name of ['recipient', 'message'])
        if (typeof parameters[name] === 'string') parameters[name] = parse(parameters[name])
      answerJson(response, 200, await work(request, path, parameters))
    } catch (error) {
      if (error instanceof Unanswered) {
        if (error.message === 'drop') request.socket.destroy()
        return
      }
      if (!(error instanceof GraphRefusal)) throw error
      hub.feed.tell('refused', () => ({ app: 'messenger', code: error.code, message: error.message }))
      answerJson(response, error.http, {
        error: {
          message: error.message,
          type: 'OAuthException',
          code: error.code,
          ...(error.subcode && { error_subcode: error.subcode }),
          fbtrace_id: newTraceId(),
        },
      })
    }
  }

  const work = async (
    { method, headers }: IncomingMessage,
    path: string,
    parameters: Json,
  ): Promise<Json> => {
    const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? parameters.access_token
    if (token !== connection.accessToken) throw REFUSALS[190]!()
    const [, , node = '', edge] = path.split('/')
    const isPage = node === 'me' || node === connection.pageId
    if (isPage && method === 'POST' && edge === 'messages') return send(parameters)
    if (isPage && edge === 'subscribed_apps')
      return method === 'POST' ? { success: true } : { data: [{ id: String(APP_ID), name: 'Sandbox' }] }
    if (isPage && method === 'GET' && !edge) return { id: connection.pageId, name: connection.pageName }
    const person = hub.people.byPsid(node)
    if (person && method === 'GET' && !edge) return profileOf(person)
    throw new GraphRefusal(
      100,
      `Unsupported ${method?.toLowerCase()} request. Object with ID '${node}' does not exist`,
      {
        subcode: 33,
      },
    )
  }

  return {
    connection,
    answer,
    /** Whether a call of the Graph API is about this page or somebody who wrote to it. */
    isMine: (path: string): boolean => {
      const [, , node = ''] = path.split('/')
      return node === 'me' || node === connection.pageId || hub.people.byPsid(node) !== undefined
    },
    write: (person: Person, input: ChatInput): Entry => {
      const mid = newMid()
      const { message, content } = messageOf(input)
      tell({
        ...between(person),
        message: { mid, ...message, ...(input.replyTo && { reply_to: { mid: input.replyTo } }) },
      })
      const type = input.type === 'file' ? 'document' : input.type
      return addEntry(hub, person, 'messenger', {
        id: mid,
        from: 'customer',
        type,
        content,
        replyTo: input.replyTo ?? null,
      })
    },
    /** Opens the thread: everything up to now is seen. */
    read: (person: Person): void => {
      const seen = person.chats.messenger.entries.filter(
        ({ from, status }) => from === 'business' && status !== 'read' && status !== 'failed',
      )
      if (seen.length === 0) return
      for (const entry of seen) {
        entry.status = 'read'
        tellEntry(hub, person, 'messenger', entry)
      }
      tell({ ...between(person), read: { watermark: nowMs() } })
    },
    stop: outbox.stop,
  }

  function messageOf(input: ChatInput): { message: Json; content: Json } {
    if (input.type === 'text') return { message: { text: input.text }, content: { text: input.text } }
    if (input.type === 'location') {
      const { latitude: lat = 52.52191, longitude: long = 13.413215 } = input
      const payload = { coordinates: { lat, long } }
      return {
        message: { attachments: [{ type: 'location', title: 'Pinned location', payload }] },
        content: { latitude: lat, longitude: long },
      }
    }
    const { id, mimeType, fileName } = takeFile(hub, input)
    const url = fileUrlOf(hub, id)
    return {
      message: {
        ...(input.text && { text: input.text }),
        attachments: [{ type: input.type, payload: { url } }],
      },
      content: { mediaId: id, mimeType, fileName, caption: input.text },
    }
  }
}

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
