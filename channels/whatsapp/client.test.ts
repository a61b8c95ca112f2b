import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { OUTBOUND_ALLOW } from '../../test/outbound.ts'
import { closeConnections } from '../protocol/exchange.ts'
import { configureOutbound } from '../protocol/outbound.ts'
import {
  addressOf,
  downloadMedia,
  type GraphAccount,
  listPhoneNumbers,
  listTemplates,
  markRead,
  mediaInfo,
  sendTemplate,
  sendText,
  uploadMedia,
} from './client.ts'
import { WhatsAppError } from './errors.ts'

const TOKEN = 'EAAtesttoken123456'
const timeoutMs = 5_000

type Seen = {
  method: string
  url: string
  headers: IncomingMessage['headers']
  raw: Buffer
  body: Record<string, unknown>
}
type Handler = (seen: Seen, response: ServerResponse, request: IncomingMessage) => void

configureOutbound({ allow: OUTBOUND_ALLOW })

const servers: (Server | TcpServer)[] = []
after(() => {
  closeConnections()
  for (const server of servers) {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  }
})

const listen = async (server: Server | TcpServer): Promise<string> => {
  servers.push(server)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const accountAt = (apiUrl: string): GraphAccount => ({
  apiUrl,
  accessToken: TOKEN,
  phoneNumberId: '106540352242922',
  businessAccountId: '102290129340398',
})

/** A provider that answers as told and remembers what it was asked. */
const provide = async (handler: Handler) => {
  const seen: Seen[] = []
  const connections = new Set<unknown>()
  const server = createServer(async (request, response) => {
    connections.add(request.socket)
    const raw = await buffer(request)
    const isJson = request.headers['content-type'] === 'application/json'
    const one: Seen = {
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      raw,
      body: isJson ? JSON.parse(raw.toString()) : {},
    }
    seen.push(one)
    handler(one, response, request)
  })
  const url = await listen(server)
  return { account: accountAt(url), seen, connections, url }
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const accepted = {
  messaging_product: 'whatsapp',
  contacts: [{ input: '+16505551234', wa_id: '16505551234' }],
  messages: [{ id: 'wamid.OUT1', message_status: 'accepted' }],
}

const text = { to: '+16505551234', body: 'Hello', callbackData: 'message-1', hasLinkPreview: false }

const failureOf = async (promise: Promise<unknown>): Promise<WhatsAppError> => {
  const error = await promise.then(
    () => assert.fail('it succeeded'),
    (error) => error,
  )
  assert.ok(error instanceof WhatsAppError, String(error))
  return error
}

const outcomeOf = async (promise: Promise<unknown>) => {
  const { outcome, code } = await failureOf(promise)
  return [outcome, code]
}

test('a text is sent with our id, and the token only in a header', async () => {
  const { account, seen } = await provide((_, response) => json(response, 200, accepted))
  const sent = await sendText(account, { ...text, replyTo: 'wamid.IN1' }, { timeoutMs })
  assert.deepEqual(sent, {
    externalId: 'wamid.OUT1',
    waId: '16505551234',
    userId: null,
  })
  assert.equal(seen[0]?.url, '/v25.0/106540352242922/messages')
  assert.equal(seen[0]?.headers.authorization, `Bearer ${TOKEN}`)
  assert.deepEqual(seen[0]?.body, {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: '+16505551234',
    context: { message_id: 'wamid.IN1' },
    type: 'text',
    text: { body: 'Hello', preview_url: false },
    biz_opaque_callback_data: 'message-1',
  })
  await sendText(account, { ...text, hasLinkPreview: true }, { timeoutMs })
  assert.deepEqual(seen[1]?.body.text, { body: 'Hello', preview_url: true })
})

test('a template is sent with its components, or without the key if it has none', async () => {
  const { account, seen } = await provide((_, response) => json(response, 200, accepted))
  const template = { to: '16505551234', callbackData: 'm', name: 'parcel', language: 'en_US' }
  const components = [{ type: 'body' as const, parameters: [{ type: 'text', text: 'Ines' }] }]
  await sendTemplate(account, { ...template, components }, { timeoutMs })
  await sendTemplate(account, { ...template, components: [] }, { timeoutMs })
  assert.deepEqual(seen[0]?.body.template, { name: 'parcel', language: { code: 'en_US' }, components })
  assert.deepEqual(seen[1]?.body.template, { name: 'parcel', language: { code: 'en_US' } })
  assert.equal(seen[1]?.body.to, '16505551234')
})

test('a recipient is a number or a user id, and nothing else', () => {
  assert.deepEqual(addressOf('+1 (650) 555-1234'), { to: '+16505551234' })
  assert.deepEqual(addressOf('5215512345678'), { to: '5215512345678' })
  assert.deepEqual(addressOf('US.13491208655302741918'), { recipient: 'US.13491208655302741918' })
  assert.deepEqual(addressOf('US.ENT.11815799212886844830'), { recipient: 'US.ENT.11815799212886844830' })
  for (const other of ['', '+', 'abc16505551234', 'us.134', 'ines@northwind.example', '16505551234\n99'])
    assert.throws(() => addressOf(other), WhatsAppError, other)
})

test('a send to a user id returns the id from the provider', async () => {
  const id = 'US.13491208655302741918'
  const { account, seen } = await provide((_, response) =>
    json(response, 200, { contacts: [{ input: id, user_id: id }], messages: [{ id: 'wamid.OUT2' }] }),
  )
  const sent = await sendText(account, { ...text, to: id }, { timeoutMs })
  assert.deepEqual([sent.waId, sent.userId], [null, id])
  assert.deepEqual([seen[0]?.body.recipient, 'to' in seen[0]!.body], [id, false])
})

test('consecutive sends use one connection', async () => {
  const { account, connections } = await provide((_, response) => json(response, 200, accepted))
  for (let count = 0; count < 5; count++) await sendText(account, text, { timeoutMs })
  assert.equal(connections.size, 1)
})

test('the API version comes from the URL or the account', async () => {
  const { account, seen, url } = await provide((_, response) => json(response, 200, { success: true }))
  await markRead({ ...account, apiUrl: `${url}/v24.0/` }, 'wamid.IN1', { timeoutMs })
  await markRead({ ...account, apiUrl: `${url}/proxy/`, apiVersion: 'v26.0' }, 'wamid.IN1', { timeoutMs })
  assert.deepEqual(
    seen.map((request) => request.url),
    ['/v24.0/106540352242922/messages', '/proxy/v26.0/106540352242922/messages'],
  )
  assert.deepEqual(seen[0]?.body, { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.IN1' })
})

test('an error with a code is refused or retried according to the code', async () => {
  let answer = { status: 400, body: { error: { code: 131047, message: 'Re-engagement message' } } }
  const { account } = await provide((_, response) => json(response, answer.status, answer.body))
  const closed = await failureOf(sendText(account, text, { timeoutMs }))
  assert.deepEqual([closed.outcome, closed.kind], ['refused', 'windowClosed'])
  answer = { status: 500, body: { error: { code: 131000, message: 'Something went wrong' } } }
  assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs })), ['retry', '131000'])
  answer = { status: 200, body: { error: { code: 130429, message: 'Rate limit hit' } } }
  assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs })), ['retry', '130429'])
})

test('a 429 is retried after its Retry-After', async () => {
  const { account } = await provide((_, response) =>
    json(response, 429, { error: { code: 130429, message: 'Rate limit hit' } }, { 'retry-after': '7' }),
  )
  const error = await failureOf(sendText(account, text, { timeoutMs }))
  assert.deepEqual([error.outcome, error.kind, error.retryAfterMs], ['retry', 'tooFast', 7_000])
})

test('after a 502 in HTML or an empty 500, a send is unknown and a read is retried', async () => {
  let body = '<html><h1>502 Bad Gateway</h1></html>'
  const { account } = await provide((_, response) => response.writeHead(502).end(body))
  for (body of [body, '']) {
    assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs })), ['unknown', 'HTTP_502'])
    assert.deepEqual(await outcomeOf(listTemplates(account, { timeoutMs })), ['retry', 'HTTP_502'])
  }
})

test('a send is unknown if the provider accepts the request and hangs until the time limit', async () => {
  const { account, seen } = await provide(() => {})
  assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs: 600 })), ['unknown', 'TIMEOUT'])
  assert.equal(seen.length, 1)
})

test('a send is unknown if the provider starts its response and hangs', async () => {
  const { account } = await provide((_, response) => {
    response.writeHead(200, { 'content-length': 500 })
    response.write('{"messages":[{"id":"wamid')
  })
  assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs: 600 })), [
    'unknown',
    'ANSWER_UNREADABLE',
  ])
})

test('a send is unknown if the connection is dropped after the request was read', async () => {
  const { account } = await provide((_, __, request) => request.socket.destroy())
  assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs })), ['unknown', 'CONNECTION_LOST'])
})

test('a send is unknown if a reused connection breaks during it', async () => {
  let count = 0
  const { account } = await provide((_, response, request) => {
    if (count++ === 0) json(response, 200, accepted)
    else request.socket.destroy()
  })
  await sendText(account, text, { timeoutMs })
  assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs })), ['unknown', 'CONNECTION_LOST'])
})

test('a send is unknown if the response has no message id', async () => {
  let body = '{}'
  const { account } = await provide((_, response) => response.writeHead(200).end(body))
  for (body of ['{}', '', 'OK', '[]', '{"messages":[]}', '{"messages":[{"id":null}]}'])
    assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs })), [
      'unknown',
      'ANSWER_UNREADABLE',
    ])
})

test('a refused connection may be retried', async () => {
  const server = createTcpServer()
  const url = await listen(server)
  await new Promise((closed) => server.close(closed))
  const error = await failureOf(sendText(accountAt(url), text, { timeoutMs }))
  assert.deepEqual([error.outcome, error.code], ['retry', 'CONNECTION_FAILED'])
  assert.doesNotMatch(error.message, /127\.0\.0\.1/)
})

test('a failed TLS handshake may be retried', async () => {
  const url = await listen(createTcpServer((socket) => socket.on('error', () => {})))
  const account = accountAt(url.replace('http:', 'https:'))
  assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs: 600 })), ['retry', 'TIMEOUT'])
})

test('a token that is not a valid header, or an invalid URL, is refused without a call', async () => {
  const { account, seen } = await provide((_, response) => json(response, 200, accepted))
  const broken = { ...account, accessToken: 'EAA\r\nx-evil: 1' }
  assert.deepEqual(await outcomeOf(sendText(broken, text, { timeoutMs })), ['refused', 'REQUEST_INVALID'])
  for (const apiUrl of ['not a url', 'ftp://127.0.0.1'])
    assert.deepEqual(await outcomeOf(sendText({ ...account, apiUrl }, text, { timeoutMs })), [
      'refused',
      'REQUEST_INVALID',
    ])
  assert.equal(seen.length, 0)
})

test('a redirect is not followed, so that neither the message nor the token reaches another host', async () => {
  const other = await provide((_, response) => json(response, 200, accepted))
  const { account } = await provide((_, response) =>
    response.writeHead(307, { location: `${other.url}/v25.0/1/messages` }).end(),
  )
  assert.deepEqual(await outcomeOf(sendText(account, text, { timeoutMs })), ['refused', 'REDIRECTED'])
  assert.deepEqual(await outcomeOf(listTemplates(account, { timeoutMs })), ['refused', 'REDIRECTED'])
  assert.equal(other.seen.length, 0)
})

const template = (name: string) => ({ name, language: 'en', status: 'APPROVED', category: 'UTILITY' })

test('templates are read from every page, without the token in the URL', async () => {
  const { account, seen, url } = await provide(({ url: asked }, response) => {
    const page = Number(new URL(asked, 'http://x').searchParams.get('page') ?? 1)
    const next = `${url}/v25.0/102290129340398/message_templates?page=${page + 1}&access_token=${TOKEN}`
    json(response, 200, {
      data: [template(`page_${page}`), { name: null }],
      paging: { cursors: { before: 'a', after: 'b' }, ...(page < 3 ? { next } : {}) },
    })
  })
  const templates = await listTemplates(account, { timeoutMs })
  assert.deepEqual(
    templates.map(({ name }) => name),
    ['page_1', 'page_2', 'page_3'],
  )
  for (const { url: asked, headers } of seen) {
    assert.doesNotMatch(asked, /EAA|access_token/)
    assert.equal(headers.authorization, `Bearer ${TOKEN}`)
  }
})

test('a next page on another host is requested from the same host by cursor, or not at all', async () => {
  const other = await provide((_, response) => json(response, 200, { data: [template('stolen')] }))
  let hasCursor = true
  const { account } = await provide(({ url: asked }, response) => {
    const isSecond = new URL(asked, 'http://x').searchParams.get('after') === 'MjQZD'
    json(response, 200, {
      data: [template(isSecond ? 'second' : 'first')],
      paging: isSecond
        ? {}
        : { next: `${other.url}/more`, ...(hasCursor ? { cursors: { after: 'MjQZD' } } : {}) },
    })
  })
  const templates = await listTemplates(account, { timeoutMs })
  assert.deepEqual(
    templates.map(({ name }) => name),
    ['first', 'second'],
  )
  hasCursor = false
  assert.deepEqual(await outcomeOf(listTemplates(account, { timeoutMs })), ['refused', 'REDIRECTED'])
  assert.equal(other.seen.length, 0)
})

test('a list that repeats a page ends, and an endless one stops at the time limit', async () => {
  let isEndless = false
  let count = 0
  const { account, seen, url } = await provide(({ url: asked }, response) => {
    const next = isEndless ? `${url}/v25.0/more?n=${count++}` : `${url}${asked}`
    setTimeout(() => json(response, 200, { data: [template('a')], paging: { next } }), isEndless ? 40 : 0)
  })
  await listTemplates(account, { timeoutMs })
  assert.equal(seen.length, 1)
  isEndless = true
  assert.deepEqual(await outcomeOf(listTemplates(account, { timeoutMs: 400 })), ['retry', 'TIMEOUT'])
})

test('a response larger than any page is not read to its end', async () => {
  const { account } = await provide((_, response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(1024 * 1024, ' ')
    const more = () => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', more)
    }
    more()
  })
  assert.deepEqual(await outcomeOf(listTemplates(account, { timeoutMs })), ['retry', 'ANSWER_UNREADABLE'])
})

test('phone numbers are listed with a plus sign and without punctuation, with exact ids', async () => {
  const { account } = await provide((_, response) =>
    response.writeHead(200).end(`{"data":[
      {"verified_name":"Northwind","display_phone_number":"+1 631-555-5555","quality_rating":"GREEN",
       "code_verification_status":"VERIFIED","throughput":{"level":"STANDARD"},"status":"connected","id":19063852327434512345},
      {"display_phone_number":"no id"}, null]}`),
  )
  assert.deepEqual(await listPhoneNumbers(account, { timeoutMs }), [
    {
      phoneNumberId: '19063852327434512345',
      phone: '+16315555555',
      verifiedName: 'Northwind',
      status: 'CONNECTED',
    },
  ])
})

test('a file is found by id and downloaded with the token, whether its size is text or a number', async () => {
  const bytes = Buffer.from('a picture')
  let fileSize: unknown = '303833'
  const { account, seen, url } = await provide(({ url: asked }, response) => {
    if (asked.startsWith('/file')) response.writeHead(200, { 'content-type': 'image/jpeg' }).end(bytes)
    else
      json(response, 200, {
        url: `${url}/file?mid=1`,
        mime_type: 'image/jpeg',
        sha256: 'ab',
        file_size: fileSize,
      })
  })
  const info = await mediaInfo(account, '1003383421387256', { timeoutMs })
  assert.deepEqual(info, { url: `${url}/file?mid=1`, mimeType: 'image/jpeg', sha256: 'ab', size: 303833 })
  fileSize = 12
  assert.equal((await mediaInfo(account, '1', { timeoutMs })).size, 12)
  const { content, mimeType } = await downloadMedia(account, info.url, { timeoutMs, bytesMax: 9 })
  assert.deepEqual(await buffer(content), bytes)
  assert.equal(mimeType, 'image/jpeg')
  assert.equal(seen.at(-1)?.headers.authorization, `Bearer ${TOKEN}`)
  assert.equal(seen[0]?.url, '/v25.0/1003383421387256?phone_number_id=106540352242922')
})

test('a file that is too large is refused, with or without a declared size', async () => {
  let says = true
  const { account, url } = await provide((_, response) => {
    response.writeHead(200, says ? { 'content-length': 1000 } : {})
    response.end(Buffer.alloc(1000))
  })
  const download = () => downloadMedia(account, `${url}/file`, { timeoutMs, bytesMax: 999 })
  assert.deepEqual(await outcomeOf(download()), ['refused', 'MEDIA_TOO_LARGE'])
  says = false
  const { content } = await download()
  assert.deepEqual(await outcomeOf(buffer(content)), ['refused', 'MEDIA_TOO_LARGE'])
})

test('a download that hangs or breaks off fails with an error that may be retried', async () => {
  let breaks = false
  const { account, url } = await provide((_, response, request) => {
    response.writeHead(200, { 'content-length': 1000 })
    response.write(Buffer.alloc(10), () => {
      if (breaks) request.socket.destroy()
    })
  })
  for (breaks of [false, true]) {
    const { content } = await downloadMedia(account, `${url}/file`, { timeoutMs: 600, bytesMax: 5_000 })
    assert.deepEqual(await outcomeOf(buffer(content)), ['retry', 'CONNECTION_LOST'])
  }
})

test('a file’s redirects are followed a few times, within the provider’s hosts', async () => {
  const { account, seen, url } = await provide(({ url: asked }, response) => {
    if (asked === '/loop') response.writeHead(302, { location: '/loop' }).end()
    else if (asked === '/file') response.writeHead(302, { location: '/elsewhere' }).end('moved')
    else response.writeHead(200).end('here')
  })
  const { content } = await downloadMedia(account, `${url}/file`, { timeoutMs, bytesMax: 100 })
  assert.equal((await buffer(content)).toString(), 'here')
  assert.deepEqual(await outcomeOf(downloadMedia(account, `${url}/loop`, { timeoutMs, bytesMax: 100 })), [
    'refused',
    'REDIRECTED',
  ])
  assert.equal(seen.filter(({ url: asked }) => asked === '/loop').length, 4)
})

test('the token is only sent to the API’s host and the provider’s own', async () => {
  const { account, url } = await provide((_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  )
  const refused = async (account: GraphAccount, address: string) =>
    assert.deepEqual(
      await outcomeOf(downloadMedia(account, address, { timeoutMs, bytesMax: 100 })),
      ['refused', 'REDIRECTED'],
      address,
    )
  await refused(account, `${url}/file`)
  const meta = { ...account, apiUrl: 'https://graph.facebook.com' }
  for (const address of [
    'https://evil.example/file',
    'https://fbsbx.com.evil.example/file',
    'https://evilfbsbx.com/file',
    'http://lookaside.fbsbx.com/file',
    'https://lookaside.fbsbx.com:8443/file',
    'http://127.0.0.1:1/file',
    'file:///etc/passwd',
    'no address',
    '',
  ])
    await refused(meta, address)
})

test('an expired URL may be retried with a new one', async () => {
  const { account, url } = await provide((_, response) => response.writeHead(404).end())
  assert.deepEqual(await outcomeOf(downloadMedia(account, `${url}/file`, { timeoutMs, bytesMax: 100 })), [
    'retry',
    'MEDIA_GONE',
  ])
})

test('a file is uploaded as a form with exact bytes and an escaped name', async () => {
  const { account, seen } = await provide((_, response) => json(response, 200, { id: '4490709327384033' }))
  const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))
  const fileName = 'a"b\r\nx-evil: 1\r\n\r\nç.png'
  const file = {
    name: fileName,
    mimeType: 'image/png',
    size: bytes.length,
    open: async () => Readable.from([bytes]),
  }
  const { mediaId } = await uploadMedia(account, file, { timeoutMs })
  assert.equal(mediaId, '4490709327384033')
  const { raw, headers, url } = seen[0]!
  assert.equal(url, '/v25.0/106540352242922/media')
  assert.equal(Number(headers['content-length']), raw.length)
  const form = await new Response(new Uint8Array(raw), {
    headers: { 'content-type': headers['content-type']! },
  }).formData()
  assert.deepEqual([form.get('messaging_product'), form.get('type')], ['whatsapp', 'image/png'])
  const sent = form.get('file')
  assert.ok(sent instanceof File)
  assert.equal(sent.type, 'image/png')
  const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
  assert.equal(hash(new Uint8Array(await sent.arrayBuffer())), hash(bytes))
})
