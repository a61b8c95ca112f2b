// What an admin enters as the address of an action, or a customer as a parameter, must reach nothing inside, and what
// answers must not hurt us. Servers on 127.0.0.2 stand for the outside, on 127.0.0.1 for the inside.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { after, beforeEach, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { type GuardedRequest, refuseUrl, requestGuarded } from './guarded-request.ts'
import { configureOutbound, type OutboundRule, type Refusal } from './outbound.ts'

const BYTES_MAX = 64 * 1024

const servers: { close: () => void; closeAllConnections?: () => void }[] = []
after(() => {
  for (const server of servers) {
    server.closeAllConnections?.()
    server.close()
  }
})

const listen = async (server: Pick<Server, 'listen' | 'address' | 'once' | 'close'>, host: string) => {
  servers.push(server)
  server.listen(0, host)
  await once(server as Server, 'listening')
  return (server.address() as AddressInfo).port
}

const OUTSIDE = '127.0.0.2'
const outside = (answer: RequestListener) => listen(createServer(answer), OUTSIDE)

let reached = 0
const countReached: RequestListener = (_, response) => {
  reached += 1
  response.end('{}')
}
const insidePort = await listen(createServer(countReached), '127.0.0.1')

/** What each look-up of a name answers, the last one for good. */
let names: Record<string, string[][]> = {}
const refusals: Refusal[] = []
const configure = (allow: OutboundRule[], own: { host: string; port: number }[] = []) =>
  configureOutbound({
    allow,
    own,
    onRefused: (refusal) => refusals.push(refusal),
    resolve: (host, _, callback) => {
      const answers = names[host]
      const found = answers && answers.length > 1 ? answers.shift()! : (answers?.[0] ?? [])
      setImmediate(() =>
        found.length === 0
          ? callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), [])
          : callback(
              null,
              found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
            ),
      )
    },
  })

const LISTED: OutboundRule = { network: OUTSIDE, prefix: 32, port: null }

beforeEach(() => {
  names = { 'shop.example': [[OUTSIDE]] }
  reached = 0
  refusals.length = 0
  configure([LISTED])
})

const ask = (url: string, more: Partial<GuardedRequest> = {}) =>
  requestGuarded({
    method: 'GET',
    url: new URL(url),
    headers: {},
    body: null,
    timeoutMs: 2_000,
    bytesMax: BYTES_MAX,
    isRepeatable: true,
    ...more,
  })

/** The status, or the code of what went wrong. */
const outcomeOf = async (url: string, more: Partial<GuardedRequest> = {}) => {
  const result = await ask(url, more)
  return result.problem?.code ?? (result.is === 'answered' ? result.status : null)
}

const REFUSED = 'ADDRESS_NOT_ALLOWED'

test('no spelling of an inner address is connected to, with TLS or without', async () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '0.0.0.0',
    '169.254.169.254',
    '10.0.0.1',
    '100.64.0.1',
    '192.168.0.1',
    '203.0.113.7',
    '１２７.０.０.１',
    '[::1]',
    '[::]',
    '[::ffff:7f00:1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[2001:db8::1]',
    '[fd00::1]',
    '[fe80::1]',
  ])
    for (const protocol of ['http', 'https'])
      assert.equal(await outcomeOf(`${protocol}://${host}:${insidePort}/`), REFUSED, `${protocol} ${host}`)
  assert.equal(reached, 0)
})

test('a name is refused if any of its addresses is not public', async () => {
  names = {
    'mixed.example': [['93.184.215.14', '10.0.0.1']],
    'six.example': [['93.184.215.14', '::ffff:10.0.0.1']],
    'cname.example': [['169.254.169.254']],
  }
  for (const name of Object.keys(names)) assert.equal(await outcomeOf(`https://${name}/`), REFUSED, name)
  assert.equal(refusals.length, 3)
  // Without spelling it out for whoever entered it.
  const result = await ask('https://cname.example/')
  assert.ok(!JSON.stringify(result).includes('169.254'))
})

test('a name is looked up once, and the connection goes to what was checked, with the name as Host and for TLS', async () => {
  const hosts: (string | undefined)[] = []
  const port = await outside((request, response) => {
    hosts.push(request.headers.host)
    response.end('{}')
  })
  names['rebinding.example'] = [[OUTSIDE], ['127.0.0.1']]
  assert.equal(await outcomeOf(`http://rebinding.example:${port}/`), 200)
  assert.equal(await outcomeOf(`http://rebinding.example:${port}/`), REFUSED)
  assert.deepEqual(hosts, [`rebinding.example:${port}`])

  let hello = Buffer.alloc(0)
  const secure = await listen(
    createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .once('data', (data) => {
          hello = data
          socket.destroy()
        }),
    ) as unknown as Server,
    OUTSIDE,
  )
  assert.equal(await outcomeOf(`https://shop.example:${secure}/`), 'CONNECTION_FAILED')
  assert.ok(hello.includes('shop.example'))
})

test('without TLS, only what the operator listed is called', async () => {
  const port = await outside((_, response) => response.end('{}'))
  assert.equal(await outcomeOf(`http://shop.example:${port}/`), 200)
  configure([{ host: 'shop.example', port }])
  assert.equal(await outcomeOf(`http://shop.example:${port}/`), 200)
  configure([])
  names['public.example'] = [['93.184.215.14']]
  assert.equal(await outcomeOf('http://public.example/'), REFUSED)
})

test('Foyer’s own address and its stores are refused, even where the operator allows the network', async () => {
  const port = await outside(countReached)
  configure([LISTED], [{ host: 'shop.example', port }])
  assert.equal(await outcomeOf(`http://shop.example:${port}/`), REFUSED)
  names['shop.example.'] = [[OUTSIDE]]
  assert.equal(await outcomeOf(`http://SHOP.example.:${port}/`), REFUSED)
  configure([LISTED], [{ host: OUTSIDE, port: port - 1 }])
  assert.equal(await outcomeOf(`http://${OUTSIDE}:${port}/`), 200)
  assert.equal(reached, 1)
})

test('a redirect is an answer and is not followed, inside or in a circle', async () => {
  let asked = 0
  for (const status of [301, 302, 307, 308]) {
    const port = await outside((_, response) => {
      asked += 1
      response.writeHead(status, { location: `http://127.0.0.1:${insidePort}/` }).end()
    })
    for (const method of ['GET', 'POST'] as const)
      assert.equal(await outcomeOf(`http://shop.example:${port}/`, { method, body: '{}' }), status)
  }
  assert.deepEqual([asked, reached], [8, 0])
})

test('addresses with user names, other protocols or the ports of other services are not called', async () => {
  const refused = {
    'ftp://shop.example/': 'must begin with https://',
    'file:///etc/passwd': 'must begin with https://',
    'https://user@shop.example/': 'must not contain a user name or password',
    'https://shop.example@127.0.0.1/': 'must not contain a user name or password',
    'https://shop.example:25/': 'must use port 80, 443, or 1024 and above',
  }
  for (const [url, reason] of Object.entries(refused)) {
    assert.equal(refuseUrl(new URL(url)), reason)
    assert.equal(await outcomeOf(url), 'REQUEST_INVALID')
  }
  for (const url of ['https://shop.example/', 'http://shop.example:8080/', 'https://shop.example:1024/'])
    assert.equal(refuseUrl(new URL(url)), undefined)
})

test('a proxy of the environment is not used', async () => {
  const port = await outside((_, response) => response.end('{"direct":true}'))
  process.env.HTTP_PROXY = process.env.http_proxy = `http://127.0.0.1:${insidePort}`
  process.env.NODE_USE_ENV_PROXY = '1'
  try {
    const result = await ask(`http://shop.example:${port}/`)
    assert.equal(result.is === 'answered' && result.text, '{"direct":true}')
  } finally {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY']) delete process.env[name]
  }
  assert.equal(reached, 0)
})

test('a header that would end the header is refused, and nothing is sent', async () => {
  let asked = 0
  const port = await outside((_, response) => {
    asked += 1
    response.end()
  })
  for (const value of ['a\r\nx-admin: 1', 'a\nb', 'a\0b'])
    assert.equal(
      await outcomeOf(`http://shop.example:${port}/`, { headers: { 'x-key': value } }),
      'REQUEST_INVALID',
    )
  assert.equal(asked, 0)
})

test('what is sent is what was asked: method, headers and JSON', async () => {
  const seen: object[] = []
  const port = await outside((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { authorization, 'content-type': type, 'idempotency-key': key } = request.headers
      seen.push({ method: request.method, url: request.url, authorization, type, key, body })
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":7}')
    })
  })
  const headers = { authorization: 'Bearer s', 'idempotency-key': 'r.1' }
  const url = `http://shop.example:${port}/orders?x=1`
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const result = await ask(url, { method, headers, body: '{"n":"Ä"}' })
    assert.ok(result.is === 'answered')
    assert.equal(result.headers['content-type'], 'application/json')
    const { status, contentType, text, problem } = result
    assert.deepEqual(
      { status, contentType, text, problem },
      { status: 201, contentType: 'application/json', text: '{"id":7}', problem: null },
    )
  }
  assert.deepEqual(
    seen,
    ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({
      method,
      url: '/orders?x=1',
      authorization: 'Bearer s',
      type: 'application/json',
      key: 'r.1',
      body: '{"n":"Ä"}',
    })),
  )
})

/** A server that answers with these bytes and then does what it is told with the connection. */
const raw = (answer: (socket: Socket) => void) =>
  listen(
    createTcpServer((socket) =>
      socket.on('error', () => {}).once('data', () => answer(socket)),
    ) as unknown as Server,
    OUTSIDE,
  )

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

test('a body of one byte now and then ends with the time limit', async () => {
  const port = await raw((socket) => {
    socket.write(`${HEAD}content-length: 1000\r\n\r\n`)
    const timer = setInterval(() => socket.write('1'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  assert.equal(await outcomeOf(`http://shop.example:${port}/`, { timeoutMs: 200 }), 'TIMEOUT')
})

test('headers that never end, and no answer at all, end with the time limit', async () => {
  const drip = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('x-a: 1\r\n'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  const silent = await raw(() => {})
  for (const port of [drip, silent]) {
    const url = `http://shop.example:${port}/`
    const result = await ask(url, { timeoutMs: 200, isRepeatable: false, method: 'POST', body: '{}' })
    assert.deepEqual([result.problem?.code, result.is === 'unanswered' && result.isSent], ['TIMEOUT', true])
  }
})

test('a body that is too large ends at the limit, as it is or decompressed, declared or endless', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
  const bodies: ((response: Parameters<RequestListener>[1]) => void)[] = [
    (response) => response.end('x'.repeat(BYTES_MAX + 1)),
    (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    (response) =>
      response
        .writeHead(200, { 'content-encoding': 'br' })
        .end(brotliCompressSync(Buffer.alloc(BYTES_MAX + 1))),
    (response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) {}
      }
      response.on('drain', more)
      more()
    },
  ]
  for (const send of bodies) {
    const port = await outside((_, response) => send(response))
    assert.equal(await outcomeOf(`http://shop.example:${port}/`), 'RESPONSE_TOO_LARGE')
  }
  const port = await outside((_, response) => response.end('x'.repeat(BYTES_MAX)))
  assert.equal(await outcomeOf(`http://shop.example:${port}/`), 200)
})

test('compressed answers are read, and broken or unknown compression is named', async () => {
  const text = '{"a":"é"}'
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
  ] as const) {
    const port = await outside((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    )
    const result = await ask(`http://shop.example:${port}/`)
    assert.equal(result.is === 'answered' && result.text, text)
  }
  const answers = { 'gzip, gzip': 'RESPONSE_ENCODED', zstd: 'RESPONSE_ENCODED', gzip: 'RESPONSE_INVALID' }
  for (const [encoding, code] of Object.entries(answers)) {
    const port = await outside((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end('not compressed'),
    )
    assert.equal(await outcomeOf(`http://shop.example:${port}/`), code, encoding)
  }
})

test('an answer that breaks off, is no HTTP, or is no UTF-8 is told apart', async () => {
  const cut = await raw((socket) => socket.end(`${HEAD}content-length: 100\r\n\r\n{"a"`))
  assert.equal(await outcomeOf(`http://shop.example:${cut}/`), 'CONNECTION_LOST')
  const noHttp = await raw((socket) => socket.end('220 smtp.example ready\r\n'))
  assert.equal(await outcomeOf(`http://shop.example:${noHttp}/`), 'CONNECTION_LOST')
  const port = await outside((_, response) => response.end(Buffer.from([0x22, 0xff, 0xfe, 0x22])))
  assert.equal(await outcomeOf(`http://shop.example:${port}/`), 'RESPONSE_INVALID')
  names['gone.example'] = [[]]
  assert.equal(await outcomeOf('https://gone.example/'), 'CONNECTION_FAILED')
})

test('an empty answer is an answer, and a body that nobody wants is not read', async () => {
  const empty = await outside((_, response) => response.writeHead(204).end())
  const result = await ask(`http://shop.example:${empty}/`)
  assert.deepEqual([result.is === 'answered' && result.text, result.problem], ['', null])
  const endless = await outside((_, response) => void response.write('x'))
  assert.equal(await outcomeOf(`http://shop.example:${endless}/`, { bytesMax: null }), 200)
})
