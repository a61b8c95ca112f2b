// Whoever may enter an address, or name one to us, tries to reach the inside of the network with it. A server on
// loopback stands for the inside: it counts who connects.
import assert from 'node:assert/strict'
import { type LookupAddress, lookup } from 'node:dns'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { type ChannelAccount, DeliveryError, type OutboundMessage } from '../contract/channel.ts'
import { accessTokenOf } from '../email/access-token.ts'
import { checkEmail } from '../email/check.ts'
import { openMailbox } from '../email/mailbox.ts'
import { closeEmail, sendEmail } from '../email/send.ts'
import { facebook } from '../facebook/channel.ts'
import { sms } from '../sms/channel.ts'
import { telegram } from '../telegram/channel.ts'
import { whatsapp } from '../whatsapp/channel.ts'
import { closeConnections } from './exchange.ts'
import {
  allowOutbound,
  configureOutbound,
  guardConnection,
  type OutboundRule,
  type Refusal,
} from './outbound.ts'

const timeoutMs = 2_000

const servers: Server[] = []
after(() => {
  closeConnections()
  closeEmail()
  for (const server of servers) server.close()
})

const listen = async (server: Server, host: string): Promise<number> => {
  servers.push(server)
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The inside. Over IPv4 and IPv6 at the same port, where the machine has both. */
let reached = 0
const inside = createServer((socket) => {
  reached += 1
  socket.on('error', () => {}).end('220 inside\r\n')
})
const insidePort = await listen(inside, '::').catch(() =>
  listen(createServer(inside.listeners('connection')[0] as never), '0.0.0.0'),
)

/** Names that lead inside, or did not a moment ago. */
const NAMES: Record<string, string[]> = {
  'inside.example': ['127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
}
const resolve = (
  host: string,
  options: object,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
): void => {
  const addresses = NAMES[host]
  if (!addresses) return void lookup(host, { ...options, all: true }, callback)
  setImmediate(() =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
  )
}

const refusals: Refusal[] = []
const configure = (...allow: OutboundRule[]): void =>
  configureOutbound({ allow, resolve, onRefused: (refusal) => refusals.push(refusal) })
beforeEach(() => {
  reached = 0
  refusals.length = 0
  configure()
})

/** Hosts as they may be written, all of which lead to this machine or to a private network. */
const HOSTS = [
  '127.0.0.1',
  '127.8.9.10',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '0x7f000001',
  '0177.0.0.1',
  '0.0.0.0',
  '0',
  'localhost',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  'inside.example',
  'metadata.example',
  'six.example',
  'mapped.example',
  '169.254.169.254',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '[fd00::1]',
  '[fe80::1]',
  '[ff02::1]',
]

const accountAt = (apiUrl: string): ChannelAccount => ({
  id: 'c',
  address: '+15550783881',
  settings: { accountSid: 'AC1', phoneNumberId: '1', businessAccountId: '2', pageId: '3', apiUrl },
  secrets: { authToken: 't', accessToken: 't', botToken: '1:t', webhookSecret: 's' },
})
const mailboxWith = (secrets: Record<string, string>): ChannelAccount => ({
  id: `c${Math.random()}`,
  address: 'help@example.com',
  settings: {},
  secrets,
})
const message: OutboundMessage = {
  id: 'm',
  attemptId: 'a',
  conversationId: 'v',
  body: 'Hello',
  subject: null,
  senderName: 'Sam',
  template: null,
  attachments: [],
  to: {
    contactId: 'x',
    name: 'Ada',
    email: 'ada@example.com',
    phone: '+491511234567',
    externalId: '491511234567',
  },
  createdAt: new Date(0).toISOString(),
}
const media = { timeoutMs, bytesMax: 1_000 }
const sending = { timeoutMs, webhookUrl: 'https://foyer.example/webhooks/x' }
const oauth = { oauthClientId: 'i', oauthRefreshToken: 'r' }

/** Everything of ours that connects to an address of somebody's choice. */
const PLACES: Record<string, (host: string) => Promise<unknown>> = {
  'WhatsApp’s API': (host) => whatsapp.send!(accountAt(`http://${host}`), message, sending),
  'WhatsApp’s templates': (host) => whatsapp.listTemplates(accountAt(`https://${host}`), { timeoutMs }),
  'a file of WhatsApp’s': (host) =>
    whatsapp.fetchMedia!(accountAt(`http://${host}`), { url: `http://${host}/x` }, media),
  'Messenger’s API': (host) => facebook.send!(accountAt(`http://${host}`), message, sending),
  'a file of Messenger’s': (host) =>
    facebook.fetchMedia!(accountAt(`http://${host}`), { url: `http://${host}/x` }, media),
  'a profile of Messenger’s': (host) =>
    facebook.fetchProfile!(accountAt(`http://${host}`), '7', { timeoutMs }),
  'Telegram’s API': (host) => telegram.send!(accountAt(`http://${host}`), message, sending),
  'Telegram’s webhook': (host) =>
    telegram.registerWebhook(accountAt(`https://${host}`), sending.webhookUrl, { timeoutMs }),
  'a file of Telegram’s': (host) => telegram.fetchMedia!(accountAt(`http://${host}`), { fileId: 'x' }, media),
  'Twilio’s API': (host) => sms.send!(accountAt(`http://${host}`), message, sending),
  'a file of Twilio’s': (host) =>
    sms.fetchMedia!(accountAt(`http://${host}`), { url: `http://${host}/x` }, media),
  'the mail server': (host) => sendEmail(mailboxWith({ smtpUrl: `smtp://${host}` }), message, { timeoutMs }),
  'the mail server over TLS': (host) =>
    sendEmail(mailboxWith({ smtpUrl: `smtps://u:p@${host}` }), message, { timeoutMs }),
  'the mailbox': (host) =>
    openMailbox(mailboxWith({ imapUrl: `imap://u:p@${host}` }), {
      sizeMax: 0,
      signal: AbortSignal.timeout(timeoutMs),
    }),
  'the mailbox over TLS': (host) =>
    openMailbox(mailboxWith({ imapUrl: `imaps://u:p@${host}` }), {
      sizeMax: 0,
      signal: AbortSignal.timeout(timeoutMs),
    }),
  'the sign-in server': (host) =>
    accessTokenOf({ ...oauth, oauthTokenUrl: `http://${host}/token` }, { timeoutMs }),
  'the sign-in server of a mailbox': (host) =>
    openMailbox(
      mailboxWith({ ...oauth, imapUrl: 'imaps://u@inside.example', oauthTokenUrl: `http://${host}/token` }),
      { sizeMax: 0, signal: AbortSignal.timeout(timeoutMs) },
    ),
}

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'connected',
    (error) =>
      error instanceof DeliveryError ? `${error.outcome} ${error.code} ${error.concerns}` : String(error),
  )
const REFUSED = 'refused ADDRESS_NOT_ALLOWED account'

for (const [place, connectTo] of Object.entries(PLACES))
  test(`${place} can’t reach this machine or a private network, however the host is written`, async () => {
    for (const host of HOSTS) assert.equal(await outcomeOf(connectTo(`${host}:${insidePort}`)), REFUSED, host)
    assert.equal(reached, 0)
    assert.equal(refusals.length, HOSTS.length)
  })

test('a check of a refused address doesn’t reveal whether its port is open, closed or silent', async () => {
  const silent = await listen(
    createServer(() => {}),
    '127.0.0.1',
  )
  const answers = new Set<string>()
  for (const port of [insidePort, silent, 1, 9]) {
    const at = `u:p@127.0.0.1:${port}`
    const account = mailboxWith({ smtpUrl: `smtp://${at}`, imapUrl: `imap://${at}` })
    const apis = [facebook, telegram, sms, whatsapp].map((channel) =>
      channel.check!(accountAt(`http://127.0.0.1:${port}`), { timeoutMs }),
    )
    const checks = await Promise.all([checkEmail(account, { timeoutMs }), ...apis])
    for (const check of checks.flat()) if (!check.ok) answers.add(check.message)
  }
  assert.equal(reached, 0)
  assert.deepEqual(
    [...answers],
    [
      'Connections to this address aren’t allowed. Enter a public address, or ask whoever runs Foyer to add it to OUTBOUND_ALLOW.',
    ],
  )
})

test('only the operator sees which address was refused', async () => {
  const sent = sms.send!(accountAt(`http://inside.example:${insidePort}`), message, sending)
  const error = await sent.then(
    () => assert.fail('it was sent'),
    (error: Error) => error,
  )
  assert.ok(!JSON.stringify([error.message, String(error.cause)]).includes('127.0.0.1'))
  assert.deepEqual(refusals, [{ host: 'inside.example', port: insidePort, addresses: ['127.0.0.1'] }])
})

test('an allowed mail server doesn’t allow another host as its sign-in server', async () => {
  const mail = new SMTPServer({
    authMethods: ['XOAUTH2'],
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    closeTimeout: 100,
  })
  mail.on('error', () => {})
  after(() => new Promise<void>((done) => mail.close(() => done())))
  mail.listen(0, '127.0.0.1')
  await once(mail.server, 'listening')
  const { port } = mail.server.address() as AddressInfo
  configure({ network: '127.0.0.1', prefix: 32, port })
  const smtpUrl = `smtp://me@127.0.0.1:${port}`
  const account = mailboxWith({ ...oauth, smtpUrl, oauthTokenUrl: `http://127.0.0.1:${insidePort}/token` })
  assert.equal(await outcomeOf(sendEmail(account, message, { timeoutMs })), REFUSED)
  assert.equal(reached, 0)
})

test('query parameters in a mail server’s URL are ignored', async () => {
  const ran = join(await mkdtemp(join(tmpdir(), 'foyer-')), 'ran')
  const program = encodeURIComponent('/usr/bin/touch')
  for (const query of [
    `?pool=false&sendmail=true&path=${program}&args=${encodeURIComponent(ran)}`,
    `?proxy=${encodeURIComponent(`http://127.0.0.1:${insidePort}`)}`,
    `?host=127.0.0.1&port=${insidePort}`,
    '?streamTransport=true',
    '?jsonTransport=true',
  ]) {
    const account = mailboxWith({ smtpUrl: `smtp://inside.example:${insidePort}/${query}` })
    assert.equal(await outcomeOf(sendEmail(account, message, { timeoutMs })), REFUSED, query)
  }
  assert.equal(existsSync(ran), false)
  assert.equal(reached, 0)
})

const lookUp = (host: string, port: number): Promise<string[]> =>
  new Promise((resolve, reject) =>
    guardConnection(host, port).lookup(host, { all: true }, (error, found) =>
      error ? reject(error) : resolve((found as LookupAddress[]).map(({ address }) => address)),
    ),
  )

test('for a name with public and private addresses, only the public ones are used', async () => {
  NAMES['mixed.example'] = ['10.0.0.1', '93.184.215.14', '::ffff:10.0.0.1', '2a00:1450::1']
  assert.deepEqual(await lookUp('mixed.example', 443), ['93.184.215.14', '2a00:1450::1'])
})

test('this machine’s own addresses are refused, even public ones', async () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .flatMap((one) => (one ? [one.address] : []))
  assert.ok(own.length > 0)
  for (const address of own)
    assert.throws(() => guardConnection(address, 80), { code: 'ADDRESS_NOT_ALLOWED' })
  assert.doesNotThrow(() => guardConnection('93.184.215.14', 80))
})

test('a name is checked at each connection, which uses the checked address', async () => {
  // 127.0.0.2 stands for a public address.
  const seen: string[] = []
  const outside = createHttpServer((request, response) => {
    seen.push(request.socket.localAddress ?? '')
    response.setHeader('connection', 'close').end('{"ok":true,"result":true}')
  })
  const port = await listen(outside, '127.0.0.2')
  configure({ network: '127.0.0.2', prefix: 32, port: null })
  let asked = 0
  NAMES['rebinding.example'] = new Proxy(['127.0.0.2'], {
    get: (target, key) => {
      if (key === 'map') asked += 1
      return Reflect.get(target, key)
    },
  })
  const account = accountAt(`http://rebinding.example:${port}`)
  const call = () => outcomeOf(telegram.registerWebhook(account, sending.webhookUrl, { timeoutMs }))
  assert.equal(await call(), 'connected')
  assert.deepEqual([asked, seen], [1, ['127.0.0.2']])
  NAMES['rebinding.example'] = ['127.0.0.1']
  assert.equal(await call(), REFUSED)
  assert.equal(seen.length, 1)
})

test('a redirect from a public address to a private one is not followed', async () => {
  const outside = createHttpServer((request, response) => {
    if (request.method === 'POST') return void response.end('{"ok":true,"result":{"file_path":"x"}}')
    response.writeHead(302, { location: `https://inside.example:${insidePort}/x` }).end()
  })
  const port = await listen(outside, '127.0.0.2')
  configure({ network: '127.0.0.2', prefix: 32, port: null })
  NAMES['outside.example'] = ['127.0.0.2']
  const base = `http://outside.example:${port}`
  const source = { url: `${base}/x`, fileId: 'x' }
  for (const channel of [whatsapp, facebook, telegram, sms])
    assert.match(await outcomeOf(channel.fetchMedia!(accountAt(base), source, media)), /^refused/)
  assert.equal(reached, 0)
  assert.ok(refusals.length > 0)
})

test('the operator’s exceptions apply to hosts, addresses and networks, and to a single port if given', async () => {
  const rule = { port: insidePort }
  const reach = () => outcomeOf(PLACES['Twilio’s API']!(`inside.example:${insidePort}`))
  for (const allow of [
    { host: 'inside.example', port: null },
    { host: 'inside.example', ...rule },
    { network: '127.0.0.0', prefix: 8, port: null },
    { network: '127.0.0.1', prefix: 32, ...rule },
  ]) {
    configure(allow)
    assert.doesNotMatch(await reach(), /ADDRESS_NOT_ALLOWED/, JSON.stringify(allow))
  }
  for (const deny of [
    { host: 'other.example', port: null },
    { host: 'example', port: null },
    { host: 'inside.example', port: insidePort - 1 },
    { network: '127.0.0.2', prefix: 32, port: null },
    { network: '::1', prefix: 128, port: null },
  ]) {
    configure(deny)
    assert.equal(await reach(), REFUSED, JSON.stringify(deny))
  }
})

test('the demo only allows the host and port of its own sandbox', async () => {
  allowOutbound(`http://127.0.0.1:${insidePort}`)
  allowOutbound(`smtp://127.0.0.1:${insidePort + 1}`)
  assert.doesNotThrow(() => guardConnection('127.0.0.1', insidePort))
  assert.doesNotThrow(() => guardConnection('127.0.0.1', insidePort + 1))
  assert.throws(() => guardConnection('127.0.0.1', insidePort + 2), { code: 'ADDRESS_NOT_ALLOWED' })
  assert.throws(() => guardConnection('127.0.0.2', insidePort), { code: 'ADDRESS_NOT_ALLOWED' })
})
