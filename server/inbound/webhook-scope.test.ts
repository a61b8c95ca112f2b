import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { newId } from '../platform/db/id.ts'
import { connectFresh } from './items/testing/provider.ts'
import { connect as connectWhatsapp, sign } from './whatsapp/testing/provider.ts'

const MIB = 1024 * 1024
const app = await startApp({ deps: { bodies: { totalMaxBytes: 8 * MIB, perAddressMaxBytes: 4 * MIB } } })
const workspace = await app.make.workspace()
const whatsapp = await connectWhatsapp(app, workspace.id)
const TWILIO = {
  phoneNumber: '+15005550006',
  accountSid: 'AC0123456789abcdef0123456789abcdef',
  authToken: 'auth-token',
}
const sms = await connectFresh(app, 'sms', TWILIO)

await app.app.listen({ host: '127.0.0.1', port: 0 })
const address = app.app.server.address()
assert.ok(address && typeof address === 'object')
const { port } = address
/** Sends the headers of a delivery and no byte of its body. */
const announce = (path: string, bytes: number, headers: Record<string, string> = {}) => {
  const socket = connect(port, '127.0.0.1')
  const seen = { answer: '', socket }
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    seen.answer += chunk
  })
  const lines = Object.entries({ host: 'x', 'content-length': String(bytes), ...headers }).map((pair) =>
    pair.join(': '),
  )
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return seen
}

const statusOf = async (seen: { answer: string; socket: Socket }) => {
  await until(async () => seen.answer !== '', 'an answer')
  seen.socket.destroy()
  return Number(seen.answer.split(' ', 2)[1])
}

test('no body is read for an unknown channel, a delivery without a signature, or an unknown path', async () => {
  const signed = { 'x-hub-signature-256': 'sha256=00', 'x-twilio-signature': 'x' }
  const cases: [path: string, headers: Record<string, string>, status: number][] = [
    [`/webhooks/whatsapp/${newId()}`, signed, 404],
    [`/webhooks/sms/${newId()}`, signed, 404],
    [`/webhooks/facebook/${newId()}`, signed, 404],
    [`/webhooks/telegram/${newId()}`, { 'x-telegram-bot-api-secret-token': 'x' }, 404],
    [`/webhooks/whatsapp/${whatsapp}`, {}, 401],
    [`/webhooks/sms/${sms.channelId}`, {}, 401],
    ['/webhooks/whatsapp', signed, 404],
    ['/nothing', {}, 404],
    ['/widget/nothing', {}, 404],
    ['/files/nothing', {}, 405],
    ['/api/v1/me', {}, 401],
  ]
  for (const [path, headers, status] of cases)
    assert.equal(await statusOf(announce(path, MIB, headers)), status, path)
})

test('memory for large bodies is limited per address and in total, and freed afterwards', async () => {
  const path = `/webhooks/whatsapp/${whatsapp}`
  const headersFrom = (from: string) => ({ 'x-hub-signature-256': 'sha256=00', 'x-forwarded-for': from })
  const hold = (from: string) => announce(path, 2 * MIB, headersFrom(from))
  /** The response to a complete delivery: 401 for its wrong signature, if there is room for it. */
  const probe = async (from: string, bytes = MIB) => {
    const url = `http://127.0.0.1:${port}${path}`
    const body = Buffer.alloc(bytes)
    return (await fetch(url, { method: 'POST', headers: headersFrom(from), body })).status
  }
  const held = [hold('192.0.2.1'), hold('192.0.2.1')]
  await until(async () => (await probe('192.0.2.1')) === 429, 'the address is full')
  assert.equal(await probe('192.0.2.1', 1_000), 401)
  assert.equal(await probe('192.0.2.2'), 401)
  held.push(hold('2001:db8::1'), hold('2001:db8::2'))
  await until(async () => (await probe('2001:db8::3')) === 429, 'the network is full')
  assert.equal(await probe('192.0.2.2'), 503)
  for (const { socket, answer } of held) {
    assert.equal(answer, '')
    socket.destroy()
  }
  await until(async () => (await probe('192.0.2.1', 3 * MIB)) === 401, 'there is room again')
})

test('a body sent in small chunks is accepted', async () => {
  const body = JSON.stringify({ object: 'none', entry: [], padding: 'x'.repeat(40_000) })
  const socket = connect(port, '127.0.0.1')
  const seen = { answer: '', socket }
  socket.on('data', (chunk) => {
    seen.answer += chunk
  })
  socket.write(
    `POST /webhooks/whatsapp/${whatsapp} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nx-hub-signature-256: ${sign(body)}\r\n\r\n`,
  )
  const chunks = body.match(/.{1,20}/gs)!.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  socket.write(`${chunks.join('')}0\r\n\r\n`)
  assert.equal(await statusOf(seen), 200)
})

test('a form with too many keys is rejected before it is sorted', async () => {
  const form = Array.from({ length: 30_000 }, (_, at) => `k${at}=`).join('&')
  const deliver = (payload: string) =>
    app.app.inject({
      method: 'POST',
      url: `/webhooks/sms/${sms.channelId}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'x' },
      payload,
    })
  assert.equal((await deliver(form)).statusCode, 401)
  assert.equal((await deliver(form.padEnd(256 * 1024 + 1, '&'))).statusCode, 413)
})
