// SIGTERM and SIGINT: running work is finished, idle connections are closed, and a second signal ends it immediately.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import {
  atTheEnd,
  call,
  command,
  makeWorkspace,
  type Running,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'

/** Longer than the time in which a second signal counts as the same Ctrl-C. */
const BETWEEN_SIGNALS_MS = 700

/** A mail server that accepts a message on command. */
const held: (() => void)[] = []
const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, _session, callback) => {
    stream.resume()
    stream.once('end', () => held.push(() => callback()))
  },
})
mail.listen(0, '127.0.0.1')
await once(mail.server, 'listening')
mail.on('error', () => {})
const address = mail.server.address()
assert.ok(address && typeof address === 'object')
const smtpUrl = `smtp://127.0.0.1:${address.port}`
atTheEnd(() => {
  for (const release of held) release()
  mail.close()
})

/** Lets a test cause an uncaught error. */
const BROKEN = "process.on('SIGUSR2', () => { throw new Error('somebody@customers.example broke it') })"
const env = {
  DATA_DIR: temporaryDirectory(),
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(BROKEN)}`,
}
let foyer: Running = await serve(env)
const { workspaceId, secret, channelId } = await makeWorkspace(env)
await command(
  env,
  ...['channel', 'add', 'email', '--workspace', workspaceId, '--address', 'support@northwind.example'],
  ...['--smtp-url', smtpUrl],
)

const send = () =>
  call(foyer.url, secret, 'POST', '/api/v1/conversations', {
    email: 'ada@customers.example',
    channel: 'email',
    message: 'On its way.',
  })

const assertQuiet = ({ output, errors }: Running): void => {
  assert.doesNotMatch(output(), /"level":"(warn|error|fatal)"/)
  assert.equal(errors(), '')
}

test('open streams and idle connections don’t delay it, and a clean stop logs no warning', async () => {
  const session = await call(foyer.url, null, 'POST', `/widget/${channelId}/session`, {})
  const stream = await fetch(`${foyer.url}/widget/${channelId}/events`, {
    headers: { authorization: `Bearer ${session.body.token}` },
  })
  assert.equal(stream.status, 200)
  const { port } = new URL(foyer.url)
  // Browsers open spare connections like this.
  const unused = connect(Number(port), '127.0.0.1')
  await once(unused, 'connect')
  unused.on('error', () => {})

  const began = performance.now()
  const { code } = await foyer.stop('SIGTERM')
  console.log(`stopped in ${Math.round(performance.now() - began)} ms`)
  assert.equal(code, 0)
  assert.ok(performance.now() - began < 5_000)
  assertQuiet(foyer)
  for await (const _ of stream.body as unknown as AsyncIterable<Uint8Array>);
  unused.destroy()
  foyer = await serve(env)
})

test('a running call gets its response before it stops', async () => {
  const answer = send()
  await until('the message at the mail server', () => held.length > 0)
  foyer.process.kill('SIGTERM')
  await until('the stop', () => foyer.output().includes('"msg":"stopping"'))
  await assert.rejects(call(foyer.url, secret, 'GET', '/api/v1/me'), 'nothing new is taken')
  held.shift()?.()
  const { status, body } = await answer
  assert.equal(status, 200)
  assert.equal(body.message.status, 'sent')
  assert.equal((await foyer.ended).code, 0)
  foyer = await serve(env)
})

test('a second signal ends it immediately, and the next start finds everything', async () => {
  const answer = send().catch(() => null)
  await until('the message at the mail server', () => held.length > 0)
  foyer.process.kill('SIGINT')
  await until('the stop', () => foyer.output().includes('"msg":"stopping"'))
  await delay(BETWEEN_SIGNALS_MS)
  const began = performance.now()
  foyer.process.kill('SIGINT')
  assert.equal((await foyer.ended).code, 130)
  assert.ok(performance.now() - began < 2_000)
  await answer

  foyer = await serve(env)
  const { body } = await call(foyer.url, secret, 'GET', '/api/v1/messages?direction=outbound')
  assert.equal(body.messages.length, 2)
})

test('an uncaught error is logged, ends it with exit code 1, and releases the database', async () => {
  foyer.process.kill('SIGUSR2')
  assert.equal((await foyer.ended).code, 1)
  const fatal = foyer
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ level }) => level === 'fatal')
  assert.equal(fatal.err.message, '[email] broke it')
  assert.equal(existsSync(join(env.DATA_DIR, 'postgres', 'postmaster.pid')), false)
  foyer = await serve(env)
})
