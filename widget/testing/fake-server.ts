// The widget's API in memory, and a host page, for developing and testing the browser side: it can drop
// connections, reject sends and write as the agent. It is not the product's server.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Choice, Message } from '../types.ts'

type Visitor = {
  id: string
  token: string
  name: string | null
  email: string | null
  /** Whom the site has signed in. */
  person: string | null
  conversation: { id: string; status: string } | null
  leftEmail: { address: string | null } | null
  messages: Message[]
  byClientId: Map<string, Message>
  events: { id: number; text: string }[]
  streams: Set<ServerResponse>
}
type SendFault = 'before' | 'after' | 'refuse'
type SeenSend = { clientId: string; body: string; choice?: Choice; fileIds?: string[] }

const channelId = 'chn_demo'
const eventsKeptMax = 100
const messagesGiven = 50
const distribution = new URL('../../dist/widget/', import.meta.url)

export type FakeServer = Awaited<ReturnType<typeof startFakeServer>>

export const startFakeServer = async (options: { port?: number; origin?: string } = {}) => {
  const fake: Fake = {
    chats: makeChats(),
    sends: [],
    reads: [],
    emails: [],
    uploads: [],
    uploadFaults: [],
    paths: [],
    sendFaults: [],
    areStreamsRefused: false,
    areStreamsMute: false,
    isOnline: true,
    baseUrl: options.origin ?? '',
    host: {},
    config: {},
  }
  const { chats, sends, reads, emails, paths, sendFaults } = fake
  const server = createServer((request, response) => respond(fake, request, response))
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const ownUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  fake.baseUrl ||= ownUrl

  return {
    ownUrl,
    baseUrl: fake.baseUrl,
    channelId,
    sends,
    reads,
    /** What was answered when an email address was asked for, and the links followed. */
    emails,
    uploads: fake.uploads,
    failUploads: (...faults: number[]) => void fake.uploadFaults.push(...faults),
    /** Every requested path, with its query string. */
    paths,
    visitors: chats.visitors,
    sessionCount: chats.sessionCount,
    /** What each session call was signed with. */
    identities: chats.identities,
    say: (draft: Partial<Message> | string): Message =>
      chats.store(chats.latest(), {
        senderType: 'agent',
        sender: { nickname: 'Mara' },
        ...(typeof draft === 'string' ? { body: draft } : draft),
      }),
    publish: (event: string, data: object) => chats.publish(chats.latest(), event, data),
    publishAll: (event: string, data: object) => {
      for (const visitor of chats.visitors.values()) chats.publish(visitor, event, data)
    },
    /**
     * The next sends fail with 503 before the message is stored, lose their response after it, or are
     * rejected for good.
     */
    failSends: (...faults: SendFault[]) => void sendFaults.push(...faults),
    dropStreams: chats.dropStreams,
    streamCount: () => [...chats.visitors.values()].reduce((sum, { streams }) => sum + streams.size, 0),
    refuseStreams: (refuse: boolean) => {
      fake.areStreamsRefused = refuse
      if (refuse) chats.dropStreams()
    },
    /** Streams open but write nothing, as behind a proxy that buffers. */
    muteStreams: () => {
      fake.areStreamsMute = true
    },
    forgetVisitors: () => {
      chats.dropStreams()
      chats.visitors.clear()
    },
    /** The channel's settings from now on. */
    setConfig: (config: object) => {
      fake.config = config
    },
    /** The page at /host from now on. */
    setHost: (host: HostPage) => {
      fake.host = host
    },
    /** Nobody of the team is online, for streams from now on. */
    setOnline: (isOnline: boolean) => {
      fake.isOnline = isOnline
    },
    /** Past events can no longer be replayed. */
    forgetEvents: () => {
      for (const visitor of chats.visitors.values()) visitor.events.length = 0
    },
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** What a host page has besides the script tag. */
type HostPage = { language?: string; attributes?: string; script?: string }

type Fake = {
  chats: ReturnType<typeof makeChats>
  sends: SeenSend[]
  reads: string[]
  uploads: { clientId: string; name: string; size: number }[]
  /** A status, or 0: the connection breaks. */
  uploadFaults: number[]
  emails: { email?: string | null; token?: string }[]
  paths: string[]
  sendFaults: SendFault[]
  areStreamsRefused: boolean
  areStreamsMute: boolean
  isOnline: boolean
  baseUrl: string
  host: HostPage
  config: object
}

/** The visitors, with their messages and open streams. */
const makeChats = () => {
  const visitors = new Map<string, Visitor>()
  let lastEventId = 0
  let clockMs = Date.now()
  let sessions = 0
  const identities: (string | undefined)[] = []

  const publish = (visitor: Visitor, event: string, data: object): void => {
    const id = ++lastEventId
    const text = `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
    visitor.events.push({ id, text })
    if (visitor.events.length > eventsKeptMax) visitor.events.shift()
    for (const stream of visitor.streams) stream.write(text)
  }

  /** Everything of a person is in each of their browsers. */
  const join = (visitor: Visitor, person: string): void => {
    const other = [...visitors.values()].find((one) => one.person === person)
    visitor.person = person
    if (!other || other === visitor) return
    other.messages.push(...visitor.messages)
    visitor.messages = other.messages
    visitor.conversation = other.conversation ??= visitor.conversation
  }

  return {
    visitors,
    publish,
    sessionCount: () => sessions,
    of: (request: IncomingMessage): Visitor | undefined =>
      visitors.get(request.headers.authorization?.replace('Bearer ', '') ?? ''),
    latest: (): Visitor => {
      const visitor = [...visitors.values()].at(-1)
      if (!visitor) throw new Error('nobody has opened the chat yet')
      return visitor
    },
    identities,
    startSession: (body: SessionBody): object | undefined => {
      sessions++
      identities.push(body.identity)
      const person = body.identity === undefined ? undefined : readIdentity(body.identity)
      if (person === null) return undefined
      const known = visitors.get(body.token ?? '')
      const isOthers = person && known?.person && known.person !== person
      const visitor = (isOthers ? undefined : known) ?? newVisitor()
      if (person) join(visitor, person)
      visitors.set(visitor.token, visitor)
      visitor.name = body.name ?? visitor.name
      visitor.email = body.email ?? visitor.email
      const { id, name, email, token, conversation, messages } = visitor
      return {
        ...{ token, visitor: { id, name, email }, conversation, email: visitor.leftEmail },
        messages: messages.slice(-messagesGiven),
      }
    },
    store: (visitor: Visitor, draft: Partial<Message>): Message => {
      visitor.conversation ??= { id: randomUUID(), status: 'open' }
      clockMs = Math.max(clockMs + 1, Date.now())
      const message: Message = {
        id: randomUUID(),
        conversationId: visitor.conversation.id,
        body: '',
        senderType: 'customer',
        sender: { nickname: visitor.name },
        status: 'sent',
        createdAt: new Date(clockMs).toISOString(),
        attachments: [],
        ...draft,
      }
      visitor.messages.push(message)
      publish(visitor, 'message', { message })
      return message
    },
    dropStreams: (): void => {
      for (const { streams } of visitors.values()) for (const stream of streams) stream.destroy()
    },
  }
}

type SessionBody = { token?: string; name?: string; email?: string; identity?: string }

/** Null if it is refused. */
const readIdentity = (token: string): string | null => {
  const [, payload = '', signature = ''] = token.split('.')
  if (Buffer.from(signature, 'base64url').toString() === 'bad') return null
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}').sub ?? null
}

const newVisitor = (): Visitor => ({
  id: randomUUID(),
  token: randomUUID(),
  name: null,
  email: null,
  person: null,
  conversation: null,
  leftEmail: null,
  messages: [],
  byClientId: new Map(),
  events: [],
  streams: new Set(),
})

const respond = async (fake: Fake, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { chats, baseUrl } = fake
  const path = request.url ?? '/'
  fake.paths.push(path)
  if (request.method === 'OPTIONS') return void response.writeHead(204, cors).end()
  if (path === '/widget.js') return serveScript(response, 'widget.js')
  if (path === '/widget/chat.js') return serveScript(response, 'chat.js')
  if (path.startsWith('/widget/words/')) return serveWords(response, path)
  if (path === '/demo') {
    const page = await readFile(new URL('../demo.html', import.meta.url), 'utf8')
    const html = page.replaceAll('__CHANNEL_ID__', channelId).replaceAll('__BASE_URL__', baseUrl)
    return void response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
  }
  if (path.startsWith('/host')) {
    if (path.endsWith('/strict')) response.setHeader('Content-Security-Policy', strictPolicy(baseUrl))
    return void response
      .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
      .end(hostPage(fake, path))
  }
  if (path.startsWith('/files/'))
    return void response.writeHead(200, { ...cors, 'Content-Type': 'image/png' }).end(pixel)
  const [, resource, channel, action] = path.split('/')
  if (resource !== 'widget') return answer(response, 404, failure('NOT_FOUND'))
  if (channel !== channelId) return answer(response, 404, failure('CHANNEL_NOT_FOUND'))
  if (action === 'config') return answer(response, 200, fake.config)
  if (action === 'session') {
    const session = chats.startSession(await readJson(request))
    return session ? answer(response, 200, session) : answer(response, 403, failure('IDENTITY_REFUSED'))
  }
  const visitor = chats.of(request)
  if (action === 'messages') {
    const send = await readJson<SeenSend>(request)
    fake.sends.push(send)
    if (visitor) return receive(fake, visitor, response, send)
  }
  if (!visitor) return answer(response, 401, failure('INVALID_VISITOR_TOKEN'))
  if (action?.startsWith('files')) {
    const query = new URL(path, baseUrl).searchParams
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    fake.uploads.push({
      clientId: query.get('clientId')!,
      name: query.get('name')!,
      size: Buffer.concat(parts).length,
    })
    const fault = fake.uploadFaults.shift()
    if (fault !== undefined)
      return fault === 0 ? void request.socket.destroy() : answer(response, fault, failure('X'))
    return answer(response, 200, { file: fileOf(query.get('clientId')!, query.get('name')!) })
  }
  if (action === 'email') {
    const given = await readJson<{ email?: string | null; token?: string }>(request)
    fake.emails.push(given)
    if (given.email === 'refused@shop.example') return answer(response, 400, failure('VALIDATION_ERROR'))
    if (given.token === undefined) visitor.leftEmail = { address: given.email ?? null }
    else for (const message of visitor.messages) if (message.byEmail) showEmail(message)
    return answer(response, 200, { success: true })
  }
  if (action === 'events') return openStream(fake, visitor, request, response)
  const { messageId } = await readJson<{ messageId?: string }>(request)
  if (action === 'read') fake.reads.push(String(messageId))
  answer(response, 200, { success: true })
}

/** Every file is one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const fileOf = (clientId: string, name: string) => {
  const isImage = name.endsWith('.png')
  return {
    ...{ id: clientId, type: isImage ? 'image' : 'file', name, size: 70 },
    ...{ mimeType: isImage ? 'image/png' : 'text/plain', url: `/files/${clientId}` },
  }
}

/** The link in an email was followed in this browser. */
const showEmail = (message: Message): void => {
  message.byEmail = 'shown'
  message.body = 'What was written by email'
}

const serveScript = async (response: ServerResponse, file: string): Promise<void> => {
  try {
    const content = await readFile(new URL(file, distribution))
    response.writeHead(200, { 'Content-Type': 'text/javascript', 'Cache-Control': 'no-store' }).end(content)
  } catch {
    answer(response, 404, failure('NOT_FOUND'))
  }
}

const serveWords = async (response: ServerResponse, path: string): Promise<void> => {
  try {
    answer(
      response,
      200,
      JSON.parse(await readFile(new URL(`..${path.slice('/widget'.length)}`, import.meta.url), 'utf8')),
    )
  } catch {
    answer(response, 404, failure('NOT_FOUND'))
  }
}

const receive = (
  fake: Fake,
  visitor: Visitor,
  response: ServerResponse,
  { clientId, body = '', choice, fileIds = [] }: SeenSend,
): void => {
  const { chats, sendFaults } = fake
  const fault = sendFaults.shift()
  const offered = visitor.messages.find(({ id }) => id === choice?.messageId)?.choices?.options
  const tapped = offered?.find(({ number }) => number === choice?.number)
  if (fault === 'before' || fault === 'refuse' || (choice && !tapped)) {
    if (fault === 'before') answer(response, 503, failure('UNAVAILABLE'))
    else answer(response, 400, failure('VALIDATION_ERROR'))
    return
  }
  const message =
    visitor.byClientId.get(clientId) ??
    chats.store(visitor, {
      body: tapped?.title ?? body,
      choice: choice ?? null,
      attachments: fileIds.map((id) =>
        fileOf(id, fake.uploads.find(({ clientId }) => clientId === id)!.name),
      ),
    })
  visitor.byClientId.set(clientId, message)
  if (fault === 'after') {
    // Once the headers are out, the browser can't retry the request on its own.
    response.writeHead(200, { ...cors, 'Content-Length': '1000' })
    response.write('{', () => response.destroy())
  } else answer(response, 200, { message })
}

const openStream = (
  fake: Fake,
  visitor: Visitor,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const { areStreamsRefused, areStreamsMute } = fake
  if (areStreamsRefused) return void request.socket.destroy()
  response.writeHead(200, { ...cors, 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  if (areStreamsMute) {
    response.flushHeaders()
    return
  }
  response.write(': hello\n\n')
  const from = request.headers['last-event-id']
  if (from !== undefined) {
    for (const { id, text } of visitor.events) if (id > Number(from)) response.write(text)
  }
  response.write(`event: presence\ndata: {"isOnline":${fake.isOnline}}\n\n`)
  visitor.streams.add(response)
  response.on('close', () => visitor.streams.delete(response))
}

const cors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'authorization, content-type, last-event-id',
  'Access-Control-Expose-Headers': 'Retry-After',
  'Access-Control-Allow-Methods': 'GET, POST',
}

const failure = (code: string) => ({ error: { code, message: code } })

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { ...cors, 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

const readJson = async <T>(request: IncomingMessage): Promise<T> => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text || '{}')
}

const strictPolicy = (baseUrl: string): string =>
  `default-src 'none'; script-src 'nonce-once'; connect-src ${baseUrl}; img-src ${baseUrl}`

/** A host page whose styles would break a widget that they could reach. */
const hostPage = ({ baseUrl, host }: Fake, path: string): string => `<!doctype html>
<html lang="${host.language ?? 'en'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Host</title><style>
* { font-family: "Comic Sans MS", cursive; letter-spacing: 3px }
div, section, button { display: inline !important; background: hotpink; text-transform: uppercase }
</style></head><body><p class="bubble">The host page's own text.</p>
<script>${host.script ?? ''}</script>
<script>addEventListener('keydown', (event) => { window.hostKeys = (window.hostKeys ?? 0) + 1 })</script>
<script async nonce="once" src="${baseUrl}/widget.js" data-channel="${path.endsWith('/unknown') ? 'nowhere' : channelId}"
${path.endsWith('/open') ? 'data-open="true"' : ''} ${host.attributes ?? ''}></script>
</body></html>`

// Run directly, it serves the demo page and replies to whatever the visitor writes.
if (import.meta.main) {
  const server = await startFakeServer({ port: Number(process.env.PORT ?? 8099) })
  let answered = 0
  setInterval(() => {
    if (server.sends.length > answered) server.say(`You wrote: ${server.sends[answered++]!.body}`)
  }, 1_000)
  console.log(`${server.baseUrl}/demo`)
}
