// The API and the jobs as separate processes on one database, with and without Redis.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import {
  atTheEnd,
  call,
  command,
  freePort,
  makeWorkspace,
  type Running,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'

const LIMIT_PER_IP = 100

const redisProgram = ['redis-server', 'valkey-server'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})
const WITHOUT_REDIS = redisProgram === undefined && 'there is no redis-server or valkey-server'

const delivered: string[] = []
const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, _session, callback) => {
    let text = ''
    stream.on('data', (chunk) => {
      text += chunk
    })
    stream.once('end', () => {
      delivered.push(text)
      callback()
    })
  },
})
mail.listen(0, '127.0.0.1')
await once(mail.server, 'listening')
atTheEnd(() => mail.close())
const address = mail.server.address()
assert.ok(address && typeof address === 'object')

const env = { DATA_DIR: temporaryDirectory() }
const { workspaceId, secret, channelId } = await makeWorkspace(env)
await command(
  env,
  ...['channel', 'add', 'email', '--workspace', workspaceId, '--address', 'support@northwind.example'],
  ...['--smtp-url', `smtp://127.0.0.1:${address.port}`],
)

const sendEmail = (to: Running, message: string) =>
  call(to.url, secret, 'POST', '/api/v1/conversations', {
    email: 'ada@customers.example',
    channel: 'email',
    message,
  })

/** A visitor on one process, with the events of its stream. */
const visit = async (foyer: Running) => {
  const { body } = await call(foyer.url, null, 'POST', `/widget/${channelId}/session`, {})
  const visitor = { authorization: `Bearer ${body.token}` }
  const first = await call(foyer.url, body.token, 'POST', `/widget/${channelId}/messages`, { body: 'Hello' })
  const stream = await fetch(`${foyer.url}/widget/${channelId}/events`, { headers: visitor })
  let text = ''
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>)
      text += decoder.decode(chunk, { stream: true })
  })().catch(() => {})
  return { conversationId: first.body.message.conversationId as string, heard: () => text }
}

const answerTo = async (foyer: Running, conversationId: string, body: string): Promise<void> => {
  const path = `/api/v1/conversations/${conversationId}/messages`
  assert.equal((await call(foyer.url, secret, 'POST', path, { body })).status, 200)
}

test('without Redis the API stores, a worker delivers, and streams get events of other processes', async () => {
  const api = await serve(env, '--role', 'api')
  const queued = await sendEmail(api, 'Before there is a worker')
  assert.equal(queued.status, 200)
  assert.equal(queued.body.message.status, 'queued')
  assert.equal(delivered.length, 0)

  const worker = await serve(env, '--role', 'worker')
  assert.equal((await call(worker.url, null, 'GET', '/readyz')).status, 200)
  assert.match((await call(worker.url, null, 'GET', '/metrics')).body, /foyer_jobs_due/)
  assert.equal((await call(worker.url, null, 'GET', '/api/v1/me')).status, 404)
  await until('the delivery', () => delivered.length === 1)
  const sent = await sendEmail(api, 'With a worker')
  assert.equal(sent.body.message.status, 'sent')

  const other = await serve(env, '--role', 'api')
  const visitor = await visit(api)
  await answerTo(other, visitor.conversationId, 'From the other process')
  await until('the event', () => visitor.heard().includes('From the other process'))
  for (const foyer of [other, worker, api]) assert.equal((await foyer.stop()).code, 0)
})

test('with Redis, processes share limits, and keep working while it is down', {
  skip: WITHOUT_REDIS,
}, async () => {
  const port = await freePort()
  let redis: ChildProcess
  const startRedis = () => {
    redis = spawn(redisProgram as string, ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
      stdio: 'ignore',
      cwd: '/tmp',
    })
  }
  const stopRedis = async (): Promise<void> => {
    const ended = once(redis, 'exit')
    redis.kill('SIGKILL')
    await ended
  }
  startRedis()
  atTheEnd(() => redis.kill('SIGKILL'))

  const shared = { ...env, REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMITS: 'on' }
  const one = await serve(shared)
  const two = await serve(shared, '--role', 'api')
  const me = (foyer: Running) => call(foyer.url, secret, 'GET', '/api/v1/me')

  const visitor = await visit(one)
  await answerTo(two, visitor.conversationId, 'Over Redis')
  await until('the event', () => visitor.heard().includes('Over Redis'))

  // Redis counts for both processes; separate counters would allow all of these.
  const statuses: number[] = []
  for (let count = 0; count < LIMIT_PER_IP + 20; count++)
    statuses.push((await me(count % 2 ? one : two)).status)
  assert.equal(statuses.filter((status) => status === 200).length, LIMIT_PER_IP)
  assert.equal(statuses.at(-1), 429)

  await stopRedis()
  await until('an answer without Redis', async () => (await me(one)).status === 200)
  await answerTo(two, visitor.conversationId, 'While Redis is away')
  await until('the event without Redis', () => visitor.heard().includes('While Redis is away'))

  startRedis()
  // After a restart, Redis has lost the window, and both processes count there again.
  await until(
    'Redis',
    async () =>
      one.output().includes('Redis is responding again') &&
      (await me(one)).headers.get('ratelimit-remaining') !== null,
  )
  const answer = await me(two)
  assert.equal(answer.status, 200)
  for (const foyer of [two, one]) assert.equal((await foyer.stop()).code, 0)
})
