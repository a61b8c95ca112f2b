// Standard output: a JSON line for each request, without credentials or anything that a person wrote.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, command, freePort, makeWorkspace, ROOT, serve, temporaryDirectory, until } from './foyer.ts'

const env = { DATA_DIR: temporaryDirectory(), LOG_LEVEL: 'trace' }
const foyer = await serve(env)
const { workspaceId, tokenId, secret, channelId } = await makeWorkspace(env)

type Line = Record<string, unknown>
const lines = (): Line[] =>
  foyer
    .output()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

test('after a busy run the log has no tokens, texts, addresses or credentials', async () => {
  const email = `${randomUUID()}@customers.example`
  const text = `private-${randomUUID()}`
  const smtpPassword = `hunter2-${randomUUID()}`
  const phone = '+4915123456789'
  await command(
    env,
    ...['channel', 'add', 'email', '--workspace', workspaceId, '--address', 'support@northwind.example'],
    ...['--smtp-url', `smtp://user:${smtpPassword}@127.0.0.1:${await freePort()}`],
  )

  const botToken = `123456789:${randomUUID().replaceAll('-', '')}abc`
  const hookSecret = `hook-${randomUUID()}`
  const { channel: bot } = await command(
    env,
    ...['channel', 'add', 'telegram', '--workspace', workspaceId, '--bot-token', botToken],
    ...['--webhook-secret', hookSecret, '--api-url', `http://127.0.0.1:${await freePort()}`],
  )

  const api = (method: string, path: string, body?: unknown, headers = {}) =>
    call(foyer.url, secret, method, `/api/v1${path}`, body, headers)
  const opened = await api('POST', '/conversations', { email, name: text, channel: 'web', message: text })
  assert.equal(opened.status, 200)
  const conversationId = opened.body.conversation.id
  const statuses = await Promise.all(
    [
      api('POST', '/conversations', { email, channel: 'email', subject: text, message: text }),
      api('POST', `/conversations/${conversationId}/messages`, { body: text }, { 'idempotency-key': text }),
      api('POST', `/conversations/${conversationId}/messages`, { body: { text } }),
      api('POST', '/notes', { conversationId, body: text }),
      api('POST', '/notes', { phone, body: text }),
      api('PATCH', `/contacts/${opened.body.contact.id}`, { name: text, customFields: { [text]: text } }),
      api('POST', '/agents', { email: `agent-${email}` }),
      api('GET', `/conversations?q=${text}`),
      api('GET', `/contacts?search=${encodeURIComponent(email)}`),
      api('GET', `/${text}?email=${email}`),
      call(foyer.url, `${secret}x`, 'GET', '/api/v1/me'),
      call(foyer.url, null, 'GET', `/api/v1/me?token=${secret}`),
      call(foyer.url, null, 'GET', `/${text}`),
      call(foyer.url, null, 'POST', `/mcp?token=${secret}`, {}),
      call(foyer.url, secret, 'POST', `/mcp?token=${secret}`, {}),
    ].map(async (answer) => (await answer).status),
  )
  assert.deepEqual(statuses, [200, 200, 400, 200, 404, 200, 200, 200, 200, 404, 401, 401, 404, 400, 400])
  const broken = await fetch(`${foyer.url}/api/v1/conversations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: `{"email": "${email}", ${text}`,
  })
  assert.equal(broken.status, 400)

  const session = await call(foyer.url, null, 'POST', `/widget/${channelId}/session`, { name: text, email })
  const visitor = session.body.token
  await call(foyer.url, visitor, 'POST', `/widget/${channelId}/messages`, { body: text })
  const stream = await fetch(`${foyer.url}/widget/${channelId}/events`, {
    headers: { authorization: `Bearer ${visitor}` },
  })
  await stream.body?.cancel()

  // A message to the bot. The sender's photo is requested from a URL that contains the bot's token.
  const update = {
    chat: { id: 77, type: 'private' },
    from: { id: 77, is_bot: false, first_name: text },
    text,
  }
  for (const given of [hookSecret, `${hookSecret}x`])
    await call(
      foyer.url,
      null,
      'POST',
      `/webhooks/telegram/${bot.id}`,
      { update_id: 1, message: { message_id: 1, date: Math.floor(Date.now() / 1000), ...update } },
      { 'x-telegram-bot-api-secret-token': given },
    )
  await until(
    'the telegram message',
    async () => (await api('GET', '/conversations?channel=telegram')).body.conversations.length === 1,
  )
  const signature = randomUUID()
  await call(foyer.url, null, 'GET', `/files/${conversationId}?e=1900000000&s=${signature}`)
  const origin = { 'x-foyer-console': '1' }
  await call(foyer.url, null, 'POST', '/console/api/sign-in/code', { email }, origin)
  await call(foyer.url, null, 'POST', '/console/api/sign-in', { email, code: '734912' }, origin)
  const link = randomUUID()
  await call(foyer.url, null, 'GET', `/console/sign-in?secret=${link}`)

  // Values tend to get into logs through errors, so the database is stopped during all of this.
  const pid = Number(readFileSync(join(env.DATA_DIR, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(pid, 'SIGKILL')
  await until(
    'the recovery',
    async () =>
      (await api('POST', `/conversations/${conversationId}/messages`, { body: text })).status === 200,
    30_000,
  )

  await until('the line of the stream', () =>
    lines().some(({ route }) => route === '/widget/:channelId/events'),
  )
  // Where it was written, not where the bundle has it.
  const places = lines().flatMap(({ err }) => (err as { at?: string[] } | undefined)?.at ?? [])
  assert.ok(places.length > 0)
  for (const place of places) {
    const [, file, line] = /([a-z][\w/-]*\.ts):(\d+)\)?$/.exec(place) ?? []
    assert.ok(file && Number(line) <= readFileSync(join(ROOT, file), 'utf8').split('\n').length, place)
  }
  const key = readFileSync(join(env.DATA_DIR, 'secret.key'), 'utf8').trim()
  const log = foyer.output() + foyer.errors()
  const hidden = {
    secret,
    visitor,
    key,
    text,
    email,
    smtpPassword,
    phone,
    botToken,
    hookSecret,
    signature,
    link,
  }
  for (const [what, value] of Object.entries(hidden))
    assert.ok(!log.includes(value), `the log holds the ${what}`)
})

test('every line is JSON, and each request has one with its route, status and time', async () => {
  const id = randomUUID()
  // The previous test stopped the database for a moment.
  await until('readiness', async () => (await fetch(`${foyer.url}/readyz`)).status === 200)
  await call(foyer.url, secret, 'GET', '/api/v1/contacts?search=anna', undefined, { 'x-request-id': id })
  const line = await until('the line', () => lines().find(({ reqId }) => reqId === id))
  assert.equal(line.level, 'info')
  assert.match(String(line.time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  assert.equal(line.method, 'GET')
  assert.equal(line.route, '/api/v1/contacts')
  assert.equal(line.status, 200)
  assert.equal(typeof line.ms, 'number')
  assert.equal(line.ip, '127.0.0.1')
  assert.equal(line.workspaceId, workspaceId)
  assert.equal(line.tokenId, tokenId)
  assert.equal(lines().filter(({ reqId }) => reqId === id).length, 1)
})

test('the metrics have routes and counts, but no tenants', async () => {
  // The database was killed a moment ago, and metrics that can't be read are omitted.
  const { status, headers, body } = await until('the metrics', async () => {
    const answer = await call(foyer.url, null, 'GET', '/metrics')
    return /^foyer_jobs_due /m.test(answer.body) && answer
  })
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/plain/)
  for (const name of [
    'http_request_duration_seconds_count\\{method="GET",route="/api/v1/contacts",status="2xx"\\} [1-9]',
    'foyer_messages_accepted_total\\{sender="agent"\\} [1-9]',
    'foyer_messages_accepted_total\\{sender="customer"\\} [1-9]',
    'foyer_jobs_due \\d',
    'foyer_jobs_oldest_seconds \\d',
    // The email of the busy run is waiting for its next attempt, for which no job is due.
    'foyer_deliveries_waiting\\{channel="email"\\} [1-9]',
    'foyer_deliveries_oldest_seconds\\{channel="email"\\} [1-9]',
    'foyer_event_streams_open 0',
    'foyer_database_connections_in_use \\d',
    'foyer_database_requests_waiting \\d',
    'foyer_migration_version [1-9]',
    'foyer_receives_revocations [01]',
    'process_resident_memory_bytes \\d',
    'nodejs_eventloop_lag_seconds \\d',
  ])
    assert.ok(new RegExp(`^${name}`, 'm').test(body), name)
  for (const tenant of [workspaceId, tokenId, channelId, 'northwind'])
    assert.ok(!body.toLowerCase().includes(tenant))
})
