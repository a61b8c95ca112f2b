// The S3 store against a small server that checks every signature by its own reading of
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
import assert from 'node:assert/strict'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { makeS3Store } from './s3-store.ts'
import { MissingFileError } from './store.ts'

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

type Seen = { method: string; path: string; query: string; headers: IncomingHttpHeaders }

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** The signature that a request must carry, and the one that it does. */
const signaturesOf = ({ method, path, query, headers }: Seen): [right: string, given: string] => {
  const [, credential, names, given] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\w{64})$/.exec(
      (headers.authorization ?? '').replaceAll(',', ', ').replaceAll(',  ', ', '),
    ) ?? []
  const [, date = '', region = '', service = '', end = ''] = (credential ?? '').split('/')
  const canonicalQuery = [...new URLSearchParams(query)]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const signedNames = (names ?? '').split(';')
  const canonical = [
    method,
    path,
    canonicalQuery,
    ...signedNames.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const toSign = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'],
    [date, region, service, end].join('/'),
    sha256(canonical),
  ]
  const key = hmac(hmac(hmac(hmac(`AWS4${SECRET}`, date), region), service), end)
  return [hmac(key, toSign.join('\n')).toString('hex'), given ?? '']
}

test('the check of signatures that these tests rely upon knows the published example', () => {
  const [right, given] = signaturesOf({
    method: 'GET',
    path: '/test.txt',
    query: '',
    headers: {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'x-amz-date': '20130524T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
  })
  assert.equal(right, given)
})

const objects = new Map<string, { bytes: Buffer; type: string | undefined }>()
const uploads = new Map<string, Map<number, Buffer>>()
const log: string[] = []
let fail: ((response: ServerResponse, label: string) => boolean) | undefined

const server = createServer(async (request, response) => {
  const { method = '', headers } = request
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const body = await buffer(request)
  const say = (status: number, text = '', more: Record<string, string> = {}) =>
    void response.writeHead(status, more).end(text)
  const [right, given] = signaturesOf({ method, path, query, headers })
  if (right !== given || headers['x-amz-content-sha256'] !== sha256(body))
    return say(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>')
  const params = new URLSearchParams(query)
  const uploadId = params.get('uploadId')
  const label = `${method} ${[...params.keys()].join(',')}`.trim()
  log.push(label)
  if (fail?.(response, label)) return
  if (method === 'POST' && params.has('uploads')) {
    uploads.set('up/1+', new Map())
    return say(200, '<R><UploadId>up/1+</UploadId></R>')
  }
  if (uploadId !== null) {
    const parts = uploads.get(uploadId)!
    if (method === 'DELETE') return say(uploads.delete(uploadId) ? 204 : 404)
    if (method === 'PUT') {
      parts.set(Number(params.get('partNumber')), body)
      return say(200, '', { etag: `"${sha256(body).slice(0, 32)}"` })
    }
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"(\w+)"<\/ETag>/g)]
    assert.deepEqual(
      named.map(([, number, etag]) => [Number(number), etag]),
      [...parts].map(([number, bytes]) => [number, sha256(bytes).slice(0, 32)]),
    )
    objects.set(path, { bytes: Buffer.concat([...parts.values()]), type: undefined })
    uploads.delete(uploadId)
    return say(200, '<Done/>')
  }
  if (method === 'PUT') {
    objects.set(path, { bytes: body, type: headers['content-type'] })
    return say(200)
  }
  if (method === 'DELETE') return say(objects.delete(path) ? 204 : 204)
  const object = objects.get(path)
  if (!object) return say(404, '<Error><Code>NoSuchKey</Code></Error>')
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  if (start === undefined) return void response.end(object.bytes)
  response.writeHead(206).end(object.bytes.subarray(Number(start), Number(end) + 1))
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
after(() => {
  server.closeAllConnections()
  server.close()
})

const settings = {
  endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  region: 'eu-central-1',
  bucket: 'foyer-files',
  prefix: 'inbox one/',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: SECRET,
}
const PART = 64 * 1024
const store = makeS3Store(settings, { partBytes: PART, retryWaitMs: 1, answerTimeoutMs: 500 })
const type = { mimeType: 'image/png' }
const read = async (key: string, range?: { start: number; end: number }) =>
  buffer(await store.open(key, range))
/** As the network brings it: pieces that fit nothing. */
const trickle = (bytes: Buffer, step = 1_000) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
    })(),
  )

test('a file comes back as it went, whole and in part, and is gone once removed', async () => {
  const bytes = randomBytes(5_000)
  assert.deepEqual(await store.put('w/ab/one', bytes, type), { size: 5_000 })
  assert.equal(objects.get('/foyer-files/inbox%20one/w/ab/one')?.type, 'image/png')
  assert.deepEqual(await read('w/ab/one'), bytes)
  assert.deepEqual(await read('w/ab/one', { start: 10, end: 19 }), bytes.subarray(10, 20))
  assert.deepEqual(await store.put('w/ab/one', trickle(bytes), type), { size: 5_000 })
  assert.deepEqual(await store.put('w/ab/none', Readable.from([]), type), { size: 0 })
  assert.equal((await read('w/ab/none')).length, 0)
  await store.remove('w/ab/one')
  await store.remove('w/ab/one')
  await assert.rejects(read('w/ab/one'), MissingFileError)
})

test('a stream larger than a part goes in parts, and is one file', async () => {
  for (const size of [PART, PART + 1, 3 * PART, 3 * PART + 777]) {
    const bytes = randomBytes(size)
    assert.deepEqual(await store.put('w/ab/large', trickle(bytes, 10_007), type), { size })
    assert.ok((await read('w/ab/large')).equals(bytes))
  }
  assert.equal(uploads.size, 0)
})

test('a broken stream leaves nothing behind, even after its first parts', async () => {
  for (const whole of [1_000, 2 * PART + 5]) {
    const broken = Readable.from(
      (async function* () {
        yield randomBytes(whole)
        throw new Error('the provider went away')
      })(),
    )
    await assert.rejects(store.put('w/ab/broken', broken, type), /the provider went away/)
  }
  assert.equal(uploads.size, 0)
  await assert.rejects(read('w/ab/broken'), MissingFileError)
})

test('temporary errors are retried, others reported, and a wrong secret is rejected', async () => {
  let left = 2
  fail = (response) => left-- > 0 && Boolean(response.writeHead(503).end())
  log.length = 0
  await store.put('w/ab/again', Buffer.from('again'), type)
  assert.deepEqual(log, ['PUT', 'PUT', 'PUT'])
  // It hangs, once.
  left = 1
  fail = () => left-- > 0
  assert.equal(String(await read('w/ab/again')), 'again')
  fail = (response) =>
    Boolean(response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>No.</Message></Error>'))
  log.length = 0
  await assert.rejects(store.put('w/ab/no', Buffer.from('x'), type), /AccessDenied No\./)
  assert.equal(log.length, 1)
  // Completing says 200 and fails in its body.
  fail = (response, label) =>
    label === 'POST uploadId' && Boolean(response.end('<Error><Code>InternalError</Code></Error>'))
  await assert.rejects(store.put('w/ab/no', trickle(randomBytes(2 * PART)), type), /InternalError/)
  assert.equal(uploads.size, 0)
  fail = undefined
  const stranger = makeS3Store({ ...settings, secretAccessKey: 'not it' }, { retryWaitMs: 1 })
  await assert.rejects(stranger.open('w/ab/again'), /SignatureDoesNotMatch/)
})

test('a storage that hangs is given up, and a larger body is given longer', async () => {
  const slow: NodeJS.Timeout[] = []
  fail = () => true
  const impatient = makeS3Store(settings, { retryWaitMs: 1, answerTimeoutMs: 50 })
  await assert.rejects(impatient.put('w/ab/hangs', Buffer.from('x'), type), /cannot be reached/)
  fail = (response) => Boolean(slow.push(setTimeout(() => response.writeHead(200).end(), 500)))
  const large = randomBytes(4 * 1024 * 1024)
  assert.deepEqual(await impatient.put('w/ab/large', large, type), { size: large.length })
  fail = undefined
  for (const timer of slow) clearTimeout(timer)
})
