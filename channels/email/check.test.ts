import assert from 'node:assert/strict'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { OUTBOUND_ALLOW } from '../../test/outbound.ts'
import { configureOutbound } from '../protocol/outbound.ts'
import { checkEmail } from './check.ts'

configureOutbound({ allow: OUTBOUND_ALLOW })

const accountOf = (secrets: Record<string, string>) => ({
  id: 'c1',
  address: 'help@example.com',
  settings: {},
  secrets,
})

test('a silent server times out, over SMTP and IMAP at the same time', async (t) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const startedMs = performance.now()
  const checks = await checkEmail(
    accountOf({ smtpUrl: `smtp://127.0.0.1:${port}`, imapUrl: `imap://me:pw@127.0.0.1:${port}` }),
    { timeoutMs: 200 },
  )
  assert.ok(performance.now() - startedMs < 3_000)
  assert.deepEqual(
    checks.map(({ message }) => message),
    ['The mail server did not respond in time.', 'The mail server did not respond in time.'],
  )
})

test('a rejected sign-in and an unreachable server get different messages, without the password', async (t) => {
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    allowInsecureAuth: true,
    onAuth: ({ password }, _, done) =>
      password === 'right' ? done(null, { user: 'me' }) : done(new Error('535 no such user')),
  })
  server.on('error', () => {})
  t.after(() => server.close())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.server.address() as AddressInfo
  const check = async (smtpUrl: string) =>
    (await checkEmail(accountOf({ smtpUrl, inboundSecret: 'x' }), { timeoutMs: 5_000 }))[0]!
  assert.equal((await check(`smtp://me:right@127.0.0.1:${port}`)).ok, true)
  const wrong = await check(`smtp://me:wrong@127.0.0.1:${port}`)
  assert.equal(wrong.ok, false)
  assert.match(wrong.message, /rejected the sign-in/)
  assert.ok(!wrong.message.includes('wrong'))
  await new Promise<void>((done) => server.close(() => done()))
  assert.equal(
    (await check(`smtp://me:right@127.0.0.1:${port}`)).message,
    'The mail server cannot be reached.',
  )
})
