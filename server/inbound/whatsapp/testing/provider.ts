// WhatsApp for tests: signed webhooks, and a small Graph API whose responses a test sets.
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, json } from 'node:stream/consumers'
import type { TestApp } from '../../../../test/app.ts'
import { addChannelAccount } from '../../../domain/channel-accounts/add-channel-account.ts'

export const APP_SECRET = 'app-secret'
export const VERIFY_TOKEN = 'verify-token'
export const PHONE_NUMBER_ID = '106540352242922'

type Connection = {
  phoneNumber?: string
  phoneNumberId?: string
  businessAccountId?: string
  apiUrl?: string
  appSecret?: string
}

/** Connects a number as an operator does, and returns its channel id. */
export const connect = async (app: TestApp, workspaceId: string, more: Connection = {}): Promise<string> => {
  const { id } = await addChannelAccount(
    { ...app.ctxOf(workspaceId), publicUrl: 'http://foyer.test' },
    {
      channel: 'whatsapp',
      fields: {
        phoneNumber: '+15550783881',
        phoneNumberId: PHONE_NUMBER_ID,
        businessAccountId: '102290129340398',
        accessToken: 'EAAtest',
        appSecret: APP_SECRET,
        verifyToken: VERIFY_TOKEN,
        apiUrl: 'http://127.0.0.1:9',
        ...more,
      },
    },
  )
  return id
}

type Payload = Record<string, unknown>

export const sign = (raw: string, secret = APP_SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

/** Delivers a body unchanged, signed by default. */
export const deliverRaw = async (
  { app }: TestApp,
  channelId: string,
  raw: string,
  headers: Record<string, string> = { 'x-hub-signature-256': sign(raw) },
) => {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: `/webhooks/whatsapp/${channelId}`,
    payload: raw,
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { status: statusCode, body }
}

export const deliver = (app: TestApp, channelId: string, payload: unknown) =>
  deliverRaw(app, channelId, JSON.stringify(payload))

export const change = (value: Payload, field = 'messages', phoneNumberId = PHONE_NUMBER_ID) => ({
  field,
  value: {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550783881', phone_number_id: phoneNumberId },
    ...value,
  },
})

export const webhook = (...changes: object[]) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '102290129340398', changes }],
})

let count = 0

export type Sender = { waId?: string; userId?: string; name?: string; username?: string }

/** A change with one message from that sender; `more` overrides fields of a text message. */
export const messageOf = (sender: Sender, body: string, more: Payload = {}) =>
  change({
    contacts: [
      {
        profile: {
          ...(sender.name && { name: sender.name }),
          ...(sender.username && { username: sender.username }),
        },
        ...(sender.waId && { wa_id: sender.waId }),
        ...(sender.userId && { user_id: sender.userId }),
      },
    ],
    messages: [
      {
        ...(sender.waId && { from: sender.waId }),
        ...(sender.userId && { from_user_id: sender.userId }),
        id: `wamid.${count++}`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body },
        ...more,
      },
    ],
  })

export const statusOf = (externalId: string, status: string, more: Payload = {}) =>
  change({
    statuses: [
      {
        id: externalId,
        status,
        timestamp: String(Math.floor(Date.now() / 1000)),
        recipient_id: '1650',
        ...more,
      },
    ],
  })

/** JSON, or a form with a file, of which it keeps the bytes as text. */
const read = async (request: IncomingMessage): Promise<Payload> =>
  request.headers['content-type']?.startsWith('multipart/')
    ? { form: (await buffer(request)).toString('latin1') }
    : ((await json(request)) as Payload)

export type Asked = { method: string; url: string; body: Payload }

/** A Graph API on its own port. `answer` decides the response to a send; by default it is accepted. */
export const startGraph = async () => {
  const graph = {
    url: '',
    asked: [] as Asked[],
    templates: [] as Payload[],
    answer: undefined as ((asked: Asked, response: ServerResponse) => void) | undefined,
    stop: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
    sent: () =>
      graph.asked.filter(({ method, body }) => method === 'POST' && !body.form).map(({ body }) => body),
    /** Files that were uploaded, or tried to be. */
    uploads: () => graph.asked.filter(({ body }) => body.form),
  }
  const server = createServer(async (request, response) => {
    const asked: Asked = {
      method: request.method ?? '',
      url: request.url ?? '',
      body: request.method === 'POST' ? await read(request) : {},
    }
    graph.asked.push(asked)
    if (graph.answer) return graph.answer(asked, response)
    accept(graph, asked, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  graph.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return graph
}

let accepted = 0

export const accept = (
  graph: { templates: Payload[] },
  { method, url, body }: Asked,
  response: ServerResponse,
): void => {
  response.setHeader('content-type', 'application/json')
  if (method === 'GET') return void response.end(JSON.stringify({ data: graph.templates }))
  if (/\/media$/.test(url)) return void response.end(JSON.stringify({ id: `media.${accepted++}` }))
  const to = String(body.to ?? body.recipient)
  response.end(
    JSON.stringify({
      messaging_product: 'whatsapp',
      contacts: [body.to ? { input: to, wa_id: to.replace('+', '') } : { input: to, user_id: to }],
      messages: [{ id: `wamid.out.${accepted++}` }],
    }),
  )
}

export const refuse =
  (code: number, status = 400) =>
  (_: Asked, response: ServerResponse) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: `(#${code})`, code, error_data: { details: 'no' } } }))
