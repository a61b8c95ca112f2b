// A push service on loopback, and browsers that subscribed with it: it decrypts as a browser would (RFC 8291, RFC 8188).
import assert from 'node:assert/strict'
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { PushPayload } from '../push-payload.ts'
import type { NewSubscription } from '../schema.ts'

export type Pushed = { name: string; headers: IncomingHttpHeaders; payload: PushPayload; atMs: number }
type Browser = { ecdh: ECDH; auth: Buffer; subscription: NewSubscription }
/** A status, or nothing to leave the request hanging. */
type Behaviour = (pushed: Pushed, response: ServerResponse) => number | undefined

const TAG_BYTES = 16
const SALT_BYTES = 16
const LENGTH_AT = 20

const derive = (key: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length))

const decrypt = (body: Buffer, { ecdh, auth }: Browser): string => {
  const salt = body.subarray(0, SALT_BYTES)
  const keyLength = body[LENGTH_AT]!
  const sender = body.subarray(LENGTH_AT + 1, LENGTH_AT + 1 + keyLength)
  const sealed = body.subarray(LENGTH_AT + 1 + keyLength)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const secret = derive(ecdh.computeSecret(sender), auth, info, 32)
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-TAG_BYTES))
  const record = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  // The padding begins with 2.
  return record.subarray(0, record.lastIndexOf(2)).toString()
}

/** Whether it is signed for this service by the key that browsers subscribed with. */
const isSigned = (authorization: string, publicKey: string, audience: string): boolean => {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url')
  const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) }
  const { aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string }
  return (
    key === publicKey &&
    aud === audience &&
    verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
  )
}

/** Until the tests of the file are over. */
export const startPushService = async (pushKey: () => string) => {
  const service = await openPushService(pushKey)
  after(service.stop)
  return service
}

export const openPushService = async (pushKey: () => string) => {
  const browsers = new Map<string, Browser>()
  const received: Pushed[] = []
  let behave: Behaviour = () => 201
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    response.on('error', () => {})
    request.on('error', () => {})
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const name = request.url!.slice(1)
      const payload = JSON.parse(decrypt(Buffer.concat(chunks), browsers.get(name)!)) as PushPayload
      assert.ok(isSigned(String(request.headers.authorization), pushKey(), origin()))
      const pushed = { name, headers: request.headers, payload, atMs: performance.now() }
      received.push(pushed)
      const status = behave(pushed, response)
      if (status !== undefined) response.writeHead(status).end()
    })
  })
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    received,
    stop: (): void => {
      server.closeAllConnections()
      server.close()
    },
    to: (name: string): PushPayload[] =>
      received.filter((one) => one.name === name).map(({ payload }) => payload),
    behave: (next: Behaviour): void => {
      behave = next
    },
    /** A browser that has just subscribed. */
    subscribe: (name: string): NewSubscription => {
      const ecdh = createECDH('prime256v1')
      const p256dh = ecdh.generateKeys('base64url')
      const auth = randomBytes(16)
      const subscription = {
        endpoint: `${origin()}/${name}`,
        keys: { p256dh, auth: auth.toString('base64url') },
      }
      browsers.set(name, { ecdh, auth, subscription })
      return subscription
    },
  }
}
