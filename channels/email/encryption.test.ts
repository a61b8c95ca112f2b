import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { DeliveryError } from '../contract/channel.ts'
import { configureOutbound } from '../protocol/outbound.ts'
import { checkEmail } from './check.ts'
import { openMailbox } from './mailbox.ts'
import { closeEmail, sendEmail } from './send.ts'

const timeoutMs = 5_000

/** Loopback needs no encryption, so the servers are reached by a host name. */
configureOutbound({
  allow: [{ host: 'mail.example', port: null }],
  resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
})

const accountOf = (secrets: Record<string, string>) => ({
  id: 'c1',
  address: 'help@example.com',
  settings: {},
  secrets,
})
const message = {
  id: 'm',
  attemptId: 'a',
  conversationId: 'v',
  body: 'Hello',
  subject: null,
  senderName: 'Sam',
  template: null,
  attachments: [],
  to: { contactId: 'x', name: 'Ada', email: 'ada@example.com', phone: null, externalId: null },
  createdAt: new Date(0).toISOString(),
}
const NO_TLS = /doesn’t support encryption \(STARTTLS\), so the password was not sent/

test('a password is not sent to a mail server without encryption, and the check says why', async (t) => {
  let signIns = 0
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authOptional: true,
    closeTimeout: 100,
    onAuth: (_auth, _session, done) => {
      signIns += 1
      done(null, { user: 'me' })
    },
    onData: (stream, _session, done) => stream.on('end', () => done()).resume(),
  })
  server.on('error', () => {})
  t.after(() => {
    closeEmail()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo

  const account = accountOf({ smtpUrl: `smtp://me:secret@mail.example:${port}`, inboundSecret: 'x' })
  const [outgoing] = await checkEmail(account, { timeoutMs })
  assert.equal(outgoing!.ok, false)
  assert.match(outgoing!.message, NO_TLS)
  await assert.rejects(
    sendEmail(account, message, { timeoutMs }),
    (error) =>
      error instanceof DeliveryError &&
      error.outcome === 'refused' &&
      error.concerns === 'account' &&
      NO_TLS.test(error.message),
  )
  assert.equal(signIns, 0)

  // Without a password there is nothing to protect, and loopback traffic can't be intercepted.
  await sendEmail(accountOf({ smtpUrl: `smtp://mail.example:${port}` }), message, { timeoutMs })
  configureOutbound({ allow: [{ network: '127.0.0.1', prefix: 32, port: null }] })
  await sendEmail(accountOf({ smtpUrl: `smtp://me:secret@127.0.0.1:${port}` }), message, { timeoutMs })
  assert.equal(signIns, 1)
})

test('a password is not sent to a mailbox without encryption', async (t) => {
  configureOutbound({
    allow: [{ host: 'mail.example', port: null }],
    resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  const heard: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n')
    socket.on('data', (data) => {
      for (const line of data.toString().split('\r\n').filter(Boolean)) {
        heard.push(line)
        socket.write(`${line.split(' ')[0]} OK done\r\n`)
      }
    })
  })
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const opened = openMailbox(accountOf({ imapUrl: `imap://me:secret@mail.example:${port}` }), {
    sizeMax: 0,
    signal: AbortSignal.timeout(timeoutMs),
  })
  await assert.rejects(opened, (error) => error instanceof DeliveryError && NO_TLS.test(error.message))
  assert.ok(!heard.some((line) => /secret|LOGIN|AUTHENTICATE/.test(line)), heard.join('\n'))
})
