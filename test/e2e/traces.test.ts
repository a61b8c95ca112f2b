// Traces as a collector gets them: processes with the standard settings, and a small receiver of OTLP over HTTP.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buffer, json } from 'node:stream/consumers'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { SMTPServer } from 'smtp-server'
import { atTheEnd, call, command, makeWorkspace, serve, temporaryDirectory, until } from './foyer.ts'

type Value = { stringValue?: string; intValue?: number | string }
type Attribute = { key: string; value: Value }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attribute[]
  status?: { code?: number }
}
type Export = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[]
}

/** Everything that arrived. */
const startCollector = async () => {
  const spans: Span[] = []
  const bodies: string[] = []
  const services = new Set<string>()
  const headers = new Set<string>()
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8')
    bodies.push(text)
    headers.add(`${request.method} ${request.url} ${request.headers['x-tenant']}`)
    for (const { resource, scopeSpans } of (JSON.parse(text) as Export).resourceSpans) {
      services.add(attributeOf(resource, 'service.name') ?? '')
      spans.push(...scopeSpans.flatMap(({ spans }) => spans))
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atTheEnd(() => server.close())
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return {
    spans,
    bodies,
    services,
    headers,
    stop,
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
  }
}

const attributeOf = ({ attributes }: { attributes: Attribute[] }, key: string): string | undefined => {
  const value = attributes.find((attribute) => attribute.key === key)?.value
  return value && String(value.stringValue ?? value.intValue)
}

/** A Telegram that takes every message. */
const startTelegram = async () => {
  const sent: string[] = []
  const traced: string[] = []
  const server = createServer(async (request, response) => {
    const body = (await json(request).catch(() => ({}))) as { text?: string }
    if (request.headers.traceparent) traced.push(String(request.headers.traceparent))
    if (body.text) sent.push(body.text)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        ok: true,
        result: { message_id: sent.length, username: 'northwind_bot', id: 1, is_bot: true },
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atTheEnd(() => server.close())
  return { sent, traced, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
}

/** A receiver of webhooks, and the types of what it got. */
const startReceiver = async () => {
  const types: string[] = []
  const traced: string[] = []
  const server = createServer(async (request, response) => {
    if (request.headers.traceparent) traced.push(String(request.headers.traceparent))
    types.push(((await json(request)) as { type: string }).type)
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atTheEnd(() => server.close())
  return { types, traced, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
}

/** A mail server that refuses who is gone. */
const startMailServer = async (): Promise<number> => {
  const mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, callback) =>
      callback(address.startsWith('gone.') ? Object.assign(new Error('Gone'), { responseCode: 550 }) : null),
    onData: (stream, _session, callback) => void stream.resume().once('end', () => callback()),
  })
  mail.listen(0, '127.0.0.1')
  await once(mail.server, 'listening')
  atTheEnd(() => mail.close())
  return (mail.server.address() as { port: number }).port
}

const GREETING = {
  format: 'foyer-flow',
  name: 'Greeting',
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [{ on: 'message', isFirst: true }],
    variables: {},
    start: 'hello',
    blocks: { hello: { steps: [{ id: 's1', type: 'send', text: 'Confidential greeting' }], next: 'end' } },
  },
  tests: [],
  names: [],
}

const ANSWER = {
  title: 'Return deadline',
  language: 'en',
  body: 'You can return everything within 30 days.',
  phrasings: ['How long do I have to return something?'],
}

const KNOWN = 'confidentia@customers.example'
const TEXT = 'Confidential 4111-1111'
const TOKEN = '123456789:AAconfidentialAAconfidentialAAconfi'
const HOOK_SECRET = 'confidential-hook-secret'
const CUSTOMER = { id: 35270651, is_bot: false, first_name: 'Confidentia', username: 'confidentia' }

test('one trace has the webhook, the jobs and the deliveries that follow from it, across processes, and nothing confidential', async () => {
  const [collector, telegram] = [await startCollector(), await startTelegram()]
  const place = temporaryDirectory()
  const env = { DATA_DIR: join(place, 'data') }
  const traced = {
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=northwind',
    OTEL_SERVICE_NAME: 'inbox',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  const { workspaceId, secret } = await makeWorkspace(env)
  const { channel } = await command(
    env,
    ...['channel', 'add', 'telegram', '--workspace', workspaceId, '--bot-token', TOKEN],
    ...['--webhook-secret', HOOK_SECRET, '--api-url', telegram.url],
  )
  await command(
    env,
    ...['channel', 'add', 'email', '--workspace', workspaceId, '--address', 'support@northwind.example'],
    ...['--smtp-url', `smtp://127.0.0.1:${await startMailServer()}`],
  )
  const file = join(place, 'greeting.json')
  writeFileSync(file, JSON.stringify(GREETING))
  const { flowId } = await command(env, 'flow', 'import', '--workspace', workspaceId, file)
  await command(env, 'flow', 'publish', '--workspace', workspaceId, flowId)
  const receiver = await startReceiver()
  const { ai } = await command(env, 'ai', 'enable', '--workspace', workspaceId)
  const api = await serve(traced, '--role', 'api')
  const post = async (path: string, body: object) => {
    const answer = await call(api.url, secret, 'POST', `/api/v1${path}`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  await post('/webhook-endpoints', { url: receiver.url, eventTypes: ['message.*'] })
  await post('/knowledge/answers', ANSWER)
  const worker = await serve(traced, '--role', 'worker')

  const customerWrites = async (id: number, content: object) => {
    const from = { from: CUSTOMER, chat: { ...CUSTOMER, type: 'private' }, date: 1_764_000_000 }
    const update = { update_id: id, message: { message_id: id, ...from, ...content } }
    const webhook = await call(api.url, null, 'POST', `/webhooks/telegram/${channel.id}`, update, {
      'x-telegram-bot-api-secret-token': HOOK_SECRET,
      // Nobody outside decides what is traced.
      traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
    })
    assert.equal(webhook.status, 200)
  }
  const photo = [{ file_id: 'confidential-file', file_unique_id: 'a', width: 90, height: 90, file_size: 100 }]
  await customerWrites(1, { caption: TEXT, photo })
  await until('the greeting', () => telegram.sent.length > 0)
  for (const email of [KNOWN, `gone.${KNOWN}`])
    await post('/conversations', { email, channel: 'email', subject: TEXT, message: TEXT })

  const find = (name: string, parent?: Span) =>
    collector.spans.find(
      (span) => span.name === name && (!parent || span.traceId === parent.traceId) && span !== parent,
    )
  const after = (name: string, parent: Span) => until(`${name} in the trace`, () => find(name, parent))
  const received = await until('the webhook', () => find('POST /webhooks/telegram/:channelId'))
  assert.equal(received.parentSpanId || null, null)
  assert.equal(attributeOf(received, 'http.response.status_code'), '200')
  assert.equal((await after('job fetch_media', received)).parentSpanId, received.spanId)
  assert.equal((await after('conduct conversation', received)).parentSpanId, received.spanId)
  const greeting = await after('deliver message', received)
  assert.equal(greeting.parentSpanId, received.spanId)
  assert.equal((await after('send telegram', greeting)).parentSpanId, greeting.spanId)

  // What programs are told of: the customer's message, the greeting, and what became of it.
  const told = await until('the webhooks', () => {
    const found = collector.spans.filter(
      ({ name, traceId }) => name === 'send webhook' && traceId === received.traceId,
    )
    return found.length >= 3 && found
  })
  const parents = new Set(told.map(({ parentSpanId }) => parentSpanId))
  assert.deepEqual(parents, new Set([received.spanId, greeting.spanId]))
  assert.ok(receiver.types.includes('message.created'))

  // The AI agent's reply is in the trace of the question.
  const chats = await call(api.url, secret, 'GET', '/api/v1/conversations?channel=telegram')
  await post(`/conversations/${chats.body.conversations[0].id}/assign`, { agentId: ai.id })
  await customerWrites(2, { text: ANSWER.phrasings[0] })
  await until('the answer', () => telegram.sent.some((text) => text.includes(ANSWER.body)))
  const question = await until('the question', () =>
    collector.spans.find(({ name, spanId }) => name === received.name && spanId !== received.spanId),
  )
  const thinking = await after('think', question)
  assert.equal(thinking.parentSpanId, question.spanId)
  const answer = await after('deliver message', question)
  assert.equal(answer.parentSpanId, thinking.spanId)
  assert.equal((await after('send telegram', answer)).parentSpanId, answer.spanId)

  const replies = await until('the replies', () => {
    const found = collector.spans.filter(({ name }) => name === 'POST /api/v1/conversations')
    return found.length === 2 && found
  })
  const sends = []
  for (const reply of replies) {
    assert.equal(attributeOf(reply, 'foyer.workspace_id'), workspaceId)
    const delivery = await after('deliver message', reply)
    const send = await after('send email', reply)
    assert.deepEqual([delivery.parentSpanId, send.parentSpanId], [reply.spanId, delivery.spanId])
    sends.push(send)
  }
  assert.deepEqual(
    sends
      .map((span) => [span.kind, span.status?.code ?? 0, attributeOf(span, 'error.type') !== undefined])
      .sort(),
    [
      [3, 0, false],
      [3, 2, true],
    ],
  )

  assert.deepEqual([...collector.services], ['inbox'])
  assert.deepEqual([...collector.headers], ['POST /v1/traces northwind'])
  assert.deepEqual([...telegram.traced, ...receiver.traced], [])
  const everything = collector.bodies.join('\n')
  const secrets = [TEXT, 'onfidential', TOKEN, secret, String(CUSTOMER.id), '127.0.0.1', '11111111']
  for (const text of secrets) assert.ok(!everything.includes(text), text)

  // A collector that is gone costs a line in the log.
  collector.stop()
  assert.equal((await call(api.url, secret, 'GET', '/api/v1/me')).status, 200)
  await until('a word about it', () => api.output().includes('traces could not be sent'), 60_000)
  for (const foyer of [api, worker]) {
    assert.equal((await foyer.stop()).code, 0)
    assert.doesNotMatch(foyer.output(), /"level":"(error|fatal)"/)
  }
})
