import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { OUTBOUND_ALLOW } from '../../test/outbound.ts'
import { type ChannelAccount, DeliveryError, type FetchedMedia } from '../contract/channel.ts'
import { facebook } from '../facebook/channel.ts'
import { sms } from '../sms/channel.ts'
import { telegram } from '../telegram/channel.ts'
import { configureOutbound } from './outbound.ts'

configureOutbound({ allow: OUTBOUND_ALLOW })

const OPTIONS = { timeoutMs: 2_000, bytesMax: 1_000 }

/** Addresses that a stranger could have us ask: the inside of a network, in every spelling, and names that look right. */
const ELSEWHERE = [
  'http://169.254.169.254/latest/meta-data',
  'https://169.254.169.254/latest/meta-data',
  'http://[::ffff:169.254.169.254]/latest/meta-data',
  'https://[::ffff:a9fe:a9fe]/latest/meta-data',
  'https://[fd00::1]/x',
  'https://2852039166/latest/meta-data',
  'https://0xa9.0xfe.0xa9.0xfe/x',
  'https://0251.0376.0251.0376/x',
  'https://10.0.0.1/x',
  'http://metadata.google.internal/x',
  'file:///etc/passwd',
  'gopher://10.0.0.1/x',
  'ftp://api.twilio.com/x',
]
const LOOKALIKES = [
  'https://api.twilio.com.evil.example/x',
  'https://api.twilio.com@evil.example/x',
  'http://api.twilio.com/x',
  'https://evilfbcdn.net/x',
  'https://fbcdn.net.evil.example/x',
  'https://scontent.fbcdn.net:8443/x',
  'http://scontent.fbcdn.net/x',
  'http://localhost/x',
  'https://127.0.0.1/x',
  'https://0/x',
  'no address',
  '',
]

const accountOf = (settings: Record<string, unknown>): ChannelAccount => ({
  id: 'c',
  address: null,
  settings: { accountSid: 'AC1', ...settings },
  secrets: { authToken: 't', accessToken: 't', botToken: '1:t' },
})

const codeOf = (media: Promise<FetchedMedia>): Promise<string> =>
  media.then(
    ({ content }) => {
      content.destroy()
      return 'fetched'
    },
    (error) => (error instanceof DeliveryError ? `${error.outcome} ${error.code}` : String(error)),
  )

for (const [name, channel] of Object.entries({ facebook, sms }))
  test(`${name}: a file URL on another host is not requested`, async () => {
    for (const url of [...ELSEWHERE, ...LOOKALIKES])
      assert.equal(
        await codeOf(channel.fetchMedia!(accountOf({}), { url }, OPTIONS)),
        'refused REDIRECTED',
        url,
      )
  })

test('a provider’s redirect into a private network is not followed', async () => {
  let location = ''
  const server = createServer((request, response) => {
    if (request.method === 'POST')
      return void response.end(JSON.stringify({ ok: true, result: { file_path: 'x' } }))
    response.writeHead(302, { location }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const account = accountOf({ apiUrl })
  for (location of ELSEWHERE) {
    assert.equal(
      await codeOf(telegram.fetchMedia!(account, { fileId: 'x' }, OPTIONS)),
      'refused REDIRECTED',
      location,
    )
    for (const channel of [facebook, sms])
      assert.equal(
        await codeOf(channel.fetchMedia!(account, { url: `${apiUrl}/x` }, OPTIONS)),
        'refused REDIRECTED',
        location,
      )
  }
})
