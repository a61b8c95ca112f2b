import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { makeEventId } from '../domain/feed/event-id.ts'
import { insertFeedRows, takeNumbers } from '../domain/feed/relay-queries.ts'
import { createToken, revokeToken } from '../domain/tokens/tokens.ts'
import { startRelay } from '../jobs/relay-events.ts'
import { sweepOldRows } from '../jobs/sweep-old-rows.ts'
import { runTransaction } from '../platform/db/horizon.ts'
import { makeEventStreams } from '../platform/http/sse.ts'

/** Replaced where a test needs streams with other limits. */
let eventStreams = makeEventStreams()
const opened: ServerResponse[] = []
const app = await startApp({
  stream: true,
  deps: {
    eventStreams: {
      ...eventStreams,
      open: (reply, onClose) => {
        opened.push(reply.raw)
        return eventStreams.open(reply, onClose)
      },
    },
  },
})
const { call, clock, ctxOf, database, db, deps, make, tokens } = app
const { connectionString } = database
const relay = startRelay(
  { now: deps.now, stream: deps.stream, log: { error: () => {}, warn: () => {} } },
  { connectionString, pollMs: 20 },
)
test.after(() => relay.stop())

const list = async (token: string, query = '') => call(token, 'GET', `/events${query}`)

type Recorded = { type?: string; conversationId?: string; contactId?: string; data?: object; actor?: string }

/** Records events as operations do, and waits until they are numbered. */
const record = async (workspaceId: string, ...events: Recorded[]): Promise<void> => {
  const before = await headOf(workspaceId)
  await runTransaction({ db, workspaceId }, false, async (trx) => {
    for (const { type = 'note.created', conversationId, contactId, data = { noteId: 'c1' }, actor } of events)
      await sql`insert into events (workspace_id, type, conversation_id, contact_id, data, actor, created_at)
        values (${workspaceId}, ${type}, ${conversationId ?? null}, ${contactId ?? null}, ${JSON.stringify(data)},
          ${actor ?? 'system'}, ${clock.now()})`.execute(trx)
  })
  deps.stream.wake()
  await until(async () => (await headOf(workspaceId)) >= before + events.length, 'the events to be numbered')
}

const headOf = async (workspaceId: string): Promise<number> =>
  (await db.selectFrom('feed_heads').select('seq').where('workspace_id', '=', workspaceId).executeTakeFirst())
    ?.seq ?? 0

test('a program that follows the feed gets every event once, in order, and can check that by the numbers', async () => {
  const { id, token } = await make.workspace()
  const first = await list(token)
  assert.deepEqual(first.body.events, [])
  assert.deepEqual([first.body.head, first.body.oldest, first.body.hasMore], [0, 1, false])
  await record(id, ...Array.from({ length: 7 }, () => ({})))
  const seen: number[] = []
  let next = 1
  for (let cursor = first.body.cursor, hasMore = true; hasMore; ) {
    const { body } = await list(token, `?cursor=${cursor}&limit=3`)
    assert.equal(body.covers.from, next)
    next = body.covers.to + 1
    seen.push(...body.events.map(({ sequence }: { sequence: number }) => sequence))
    ;({ cursor, hasMore } = body)
  }
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7])
})

test('filters leave out events, never numbers; a cursor goes on with other filters', async () => {
  const { id, token } = await make.workspace()
  const contact = await make.contact(id)
  const conversation = await make.conversation(id, { contactId: contact.id })
  await record(
    id,
    {},
    {
      type: 'conversation.read',
      conversationId: conversation.id,
      data: { conversationId: conversation.id, messageId: 'c1' },
    },
    {},
  )
  const types = async (query: string) => {
    const { body } = await list(token, `?from=oldest&${query}`)
    assert.deepEqual([body.covers.from, body.covers.to], [1, 3])
    return body.events.map(({ type }: { type: string }) => type)
  }
  assert.deepEqual(await types('types=conversation.*'), ['conversation.read'])
  assert.deepEqual(await types('types=note.created,conversation.read&limit=500'), [
    'note.created',
    'conversation.read',
    'note.created',
  ])
  assert.deepEqual(await types(`conversationId=${conversation.id}`), ['conversation.read'])
  assert.deepEqual(await types(`contactId=${contact.id}`), ['conversation.read'])
  assert.deepEqual(await types('channel=web'), ['conversation.read'])
  assert.deepEqual(await types('channel=email'), [])
  const { body } = await list(token, '?from=oldest&types=message.*')
  assert.deepEqual(body.events, [])
  assert.equal((await list(token, `?cursor=${body.cursor}`)).body.covers.from, 4)
})

test('an event says who did it, and can be read by its id and with what it is about', async () => {
  const { id, token } = await make.workspace()
  const agent = await make.agent(id, { nickname: 'Robin' })
  const contact = await make.contact(id, { name: 'Ada' })
  const conversation = await make.conversation(id, { contactId: contact.id })
  const message = await make.message(id, conversation, { body: 'Hello' })
  await record(
    id,
    {
      type: 'contact.updated',
      contactId: contact.id,
      data: { contactId: contact.id, changed: ['name'] },
      actor: `agent:${agent.id}`,
    },
    {
      type: 'message.created',
      conversationId: conversation.id,
      data: { messageId: message.id },
      actor: 'customer',
    },
    { data: { noteId: 'cgone' } },
  )
  const { body } = await list(token, '?from=oldest&include=object')
  assert.deepEqual(
    body.events.map(({ actor }: { actor: unknown }) => actor),
    [
      { type: 'agent', id: agent.id, name: 'Robin' },
      { type: 'customer', id: contact.id, name: 'Ada' },
      { type: 'system', id: null, name: null },
    ],
  )
  const [updated, created, noted] = body.events
  assert.equal(updated.object.name, 'Ada')
  assert.equal(created.object.body, 'Hello')
  assert.equal(noted.object, null)
  const { object: _, cursor: __, ...event } = created
  assert.deepEqual((await call(token, 'GET', `/events/${event.id}`)).body, { event })
  const listed = (await call(token, 'GET', '/event-types')).body.eventTypes
  assert.ok(listed.some(({ type }: { type: string }) => type === 'message.created'))
})

test('a cursor of another workspace, a changed one and one that never was are refused alike', async () => {
  const mine = await make.workspace()
  const theirs = await make.workspace()
  await record(theirs.id, {})
  const { cursor } = (await list(theirs.token, '?from=oldest')).body
  const refusals = await Promise.all(
    [cursor, `${cursor}A`, cursor.slice(0, -1), 'x', 'A'.repeat(300)].map((one) =>
      list(mine.token, `?cursor=${one}`),
    ),
  )
  for (const { status, text } of refusals) assert.deepEqual([status, text], [400, refusals[0]!.text])
  assert.equal((await list(mine.token, `?cursor=${'A'.repeat(10_000)}`)).status, 400)
})

test('values beyond the limits are refused by name', async () => {
  const { token } = await make.workspace()
  const { cursor } = (await list(token)).body
  for (const [query, field] of [
    ['wait=31', 'wait'],
    ['wait=-1', 'wait'],
    ['wait=1e9', 'wait'],
    ['limit=501', 'limit'],
    ['limit=0', 'limit'],
    ['limit=101&include=object', 'limit'],
    [`cursor=${cursor}&from=now`, 'from'],
    ['types=message.created,nonsense.*', 'types[1]'],
    [`types=${'message.created,'.repeat(50)}message.created`, 'types'],
    [`types=${'a,'.repeat(10_000)}`, 'types'],
    ['types=', 'types[0]'],
    ['channel=carrier-pigeon', 'channel'],
  ]) {
    const { status, body } = await list(token, `?${query}`)
    assert.deepEqual([status, body.error.details?.[0].field], [400, field], query)
  }
})

test('after a restore every cursor answers 410, also when another event has its number', async () => {
  const { id, token } = await make.workspace()
  const unread = (await list(token)).body.cursor
  await record(id, {}, {}, {})
  const { cursor } = (await list(token, '?from=oldest')).body
  const expired = async (one: string) => {
    const { status, body } = await list(token, `?cursor=${one}`)
    return status === 410 && body.error.code === 'CURSOR_EXPIRED'
  }
  // A snapshot of the server, restarted in its place: the last event is gone, and then has another successor.
  await sql`delete from feed where workspace_id = ${id} and seq = 3`.execute(db)
  await sql`update feed_heads set seq = 2 where workspace_id = ${id}`.execute(db)
  assert.ok(await expired(cursor))
  await record(id, {}, {})
  assert.ok(await expired(cursor))
  assert.equal((await list(token, `?cursor=${unread}`)).body.events.length, 4)
  const current = (await list(token)).body.cursor
  await sql`update feed_relay set epoch = epoch + 1`.execute(db)
  await sql`update event_epoch set number = number + 1`.execute(db)
  assert.ok(await expired(current))
  await record(id, {})
})

test('events are kept for as long as the operator says; a cursor from before answers 410', async () => {
  const { id, token } = await make.workspace()
  await record(id, {}, {})
  const { cursor } = (await list(token, '?from=oldest&limit=1')).body
  const day = 24 * 3_600_000
  await sql`update feed set numbered_at = numbered_at - interval '2 days' where workspace_id = ${id}`.execute(
    db,
  )
  await record(id, {})
  const sweep = (eventsKeptDays: number) =>
    sweepOldRows({
      db,
      now: () => new Date(clock.now().getTime() + day / 2),
      isStopping: () => false,
      eventsKeptDays,
    })
  await sweep(3)
  assert.equal((await list(token, `?cursor=${cursor}`)).status, 200)
  const [first] = (await list(token, '?from=oldest')).body.events
  await sweep(1)
  assert.equal((await list(token, `?cursor=${cursor}`)).status, 410)
  assert.equal((await call(token, 'GET', `/events/${first.id}`)).status, 404)
  const { body } = await list(token, '?from=oldest')
  assert.deepEqual(
    [body.oldest, body.head, body.events.map(({ sequence }: { sequence: number }) => sequence)],
    [3, 3, [3]],
  )
})

test('`sync` begins a minute back, so that rows that lists still withhold come after it', async () => {
  const { id, token } = await make.workspace()
  await record(id, {})
  await sql`update feed set numbered_at = numbered_at - interval '2 minutes' where workspace_id = ${id}`.execute(
    db,
  )
  await record(id, {}, {})
  const sequences = async (from: string) => {
    const { body } = await list(token, `?from=${from}`)
    return body.events.map(({ sequence }: { sequence: number }) => sequence)
  }
  assert.deepEqual(await sequences('sync'), [2, 3])
  assert.deepEqual(await sequences('now'), [])
})

test('a held call answers with the next event that matches, and holds no connection until then', async () => {
  const { id, token } = await make.workspace()
  const waiting = list(token, '?wait=30&types=contact.*')
  await until(async () => (await heldOf()) === 1, 'the call to be held')
  // It looks once more after it began to listen.
  await until(() => database.pool.totalCount === database.pool.idleCount, 'its connection to be free')
  await record(id, {})
  await record(id, { type: 'contact.updated', data: { contactId: 'c1' } })
  const { body } = await waiting
  assert.deepEqual(
    body.events.map(({ type }: { type: string }) => type),
    ['contact.updated'],
  )
  assert.deepEqual([body.covers.from, body.covers.to], [1, 2])
  assert.equal(await heldOf(), 0)
})

const heldOf = async (): Promise<number> => {
  const { registry } = await import('../platform/metrics.ts')
  const metric = await registry.getSingleMetric('foyer_calls_held')!.get()
  return metric.values[0]?.value ?? 0
}

test('a held call whose time is up answers with where it is', async () => {
  const { token } = await make.workspace()
  const { status, body } = await list(token, '?wait=1')
  assert.equal(status, 200)
  assert.deepEqual([body.events, body.covers.to], [[], 0])
})

test('the eleventh held call of a token is refused, and revoking the token ends the others', async () => {
  const { id, token } = await make.workspace()
  const held = Array.from({ length: 10 }, () => list(token, '?wait=30'))
  await until(async () => (await heldOf()) === 10, 'ten calls to be held')
  const { status, headers } = await list(token, '?wait=30')
  assert.deepEqual([status, headers['retry-after']], [429, '5'])
  assert.equal((await list(token)).status, 200)
  const { id: tokenId } = await db
    .selectFrom('api_tokens')
    .select('id')
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow()
  await revokeToken(ctxOf(id), { tokenId })
  tokens.forget(tokenId)
  await app.app.recheckHolds(tokenId)
  for (const { status, body } of await Promise.all(held))
    assert.deepEqual([status, body.error.code], [401, 'INVALID_API_TOKEN'])
  assert.equal(await heldOf(), 0)
})

test('no event of after a token expired is passed on to a call or a stream that it opened before', async () => {
  const { id } = await make.workspace()
  const expiresAt = '2099-01-01T00:00:00.000Z'
  const { secret } = await createToken(ctxOf(id), { name: 'Ends', expiresAt })
  const held = list(secret, '?wait=30')
  const stream = await follow(secret, '')
  await until(() => stream.frames().length === 1, 'the position')
  await until(async () => (await heldOf()) === 2, 'both to wait')
  const { now } = clock
  clock.now = () => new Date(expiresAt)
  try {
    await record(id, {})
    const { status, body } = await held
    assert.deepEqual([status, body.error?.code], [401, 'INVALID_API_TOKEN'])
    await until(stream.isOver, 'the stream to end')
    assert.deepEqual(
      stream.frames().map(({ event }) => event),
      ['position'],
    )
  } finally {
    clock.now = now
  }
})

/** The stream's frames, read as a client does. */
const follow = async (token: string, query: string, headers: Record<string, string> = {}) => {
  if (!app.app.server.listening) await app.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.app.server.address() as AddressInfo
  const leaving = new AbortController()
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/events/stream${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: leaving.signal,
  })
  let text = ''
  let isOver = false
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
  })()
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  return {
    frames: () =>
      [...text.matchAll(/(?:id: (\S+)\n)?event: (\S+)\ndata: (.*)\n\n/g)].map(([, id, event, data]) => ({
        id,
        event,
        data: JSON.parse(data!),
      })),
    isOver: () => isOver,
    leave: async () => {
      leaving.abort()
      await reading
    },
  }
}

test('a stream sends what matches, and one that resumes after its last event misses nothing', async () => {
  const { id, token } = await make.workspace()
  const stream = await follow(token, '?types=contact.*')
  await until(() => stream.frames().length === 1, 'the position')
  assert.equal(stream.frames()[0]!.event, 'position')
  await record(id, {}, { type: 'contact.updated', data: { contactId: 'c1' } })
  await until(() => stream.frames().length === 2, 'the event')
  const { id: cursor, data } = stream.frames()[1]!
  assert.equal(data.sequence, 2)
  await stream.leave()
  await record(id, { type: 'contact.updated', data: { contactId: 'c2' } })
  const resumed = await follow(token, '?types=contact.*', { 'last-event-id': cursor! })
  await until(() => resumed.frames().length === 1, 'the missed event')
  assert.equal(resumed.frames()[0]!.data.sequence, 3)
  await resumed.leave()
  await until(async () => (await heldOf()) === 0, 'the streams to end')
})

/** Twenty megabytes of events: more than the buffers between a server and a client hold. */
const fillFeed = async (workspaceId: string): Promise<number> => {
  const count = 1_000
  await takeNumbers(db, [{ workspaceId, count }])
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ workspaceId, seq: index + 1, id: makeEventId(index + 1), type: 'contact.updated' },
    ...{ conversationId: null, contactId: 'c1', actor: 'system', requestId: null },
    ...{ data: { changed: ['x'.repeat(20_000)] }, occurredAt: clock.now().toISOString() },
  }))
  await insertFeedRows(db, rows, clock.now())
  return count
}

/** A client that reads when it is told to. */
const connectSlowly = async (token: string) => {
  if (!app.app.server.listening) await app.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(
    'GET /api/v1/events/stream?from=oldest HTTP/1.1\r\nhost: foyer.test\r\n' +
      `authorization: Bearer ${token}\r\n\r\n`,
  )
  return socket
}

test('a stream waits for a client that reads slowly, and disconnects one that never reads without filling up', async () => {
  const { id, token } = await make.workspace()
  const count = await fillFeed(id)
  opened.length = 0
  const slow = await connectSlowly(token)
  await until(() => (opened[0]?.writableLength ?? 0) > 0, 'the buffers to be full')
  let text = ''
  let isPaused = true
  slow.on('data', (chunk) => {
    text += String(chunk).replaceAll(/x+/g, '')
    // It stops again and again, for the server to run into it.
    isPaused = !isPaused
    if (isPaused) {
      slow.pause()
      setImmediate(() => slow.resume())
    }
  })
  slow.resume()
  await until(() => text.includes(`"sequence":${count},`), 'all events')
  const numbers = [...text.matchAll(/"sequence":(\d+)/g)].map(([, number]) => Number(number))
  assert.deepEqual(
    numbers,
    Array.from({ length: count }, (_, index) => index + 1),
  )
  slow.destroy()

  eventStreams = makeEventStreams({ readWithinMs: 100 })
  try {
    const idle = await connectSlowly(token)
    await until(() => opened.length === 2 && opened[1]!.destroyed, 'the connection to be closed')
    assert.ok(opened[1]!.writableLength <= 256 * 1024, `${opened[1]!.writableLength} bytes were kept`)
    idle.destroy()
    await until(async () => (await heldOf()) === 0, 'the streams to end')
  } finally {
    eventStreams = makeEventStreams()
  }
})

test('a stream ends when its token is revoked, and one that comes too late is told to start again', async () => {
  const { id, token } = await make.workspace()
  const stream = await follow(token, '')
  await until(() => stream.frames().length === 1, 'the position')
  const { cursor } = (await list(token)).body
  await record(id, {})
  await sql`update feed_heads set swept_to = 1 where workspace_id = ${id}`.execute(db)
  const late = await follow(token, `?cursor=${cursor}`)
  await until(late.isOver, 'the late stream to end')
  assert.deepEqual(
    late.frames().map(({ event }) => event),
    ['reset'],
  )
  const { id: tokenId } = await db
    .selectFrom('api_tokens')
    .select('id')
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow()
  await revokeToken(ctxOf(id), { tokenId })
  tokens.forget(tokenId)
  await app.app.recheckHolds(tokenId)
  await until(stream.isOver, 'the stream to end')
})

test('a token that is limited to channels gets no events of others', async () => {
  const { id, token } = await make.workspace()
  const [web, email] = [await make.conversation(id), await make.conversation(id, { channel: 'email' })]
  const read = ({ id: conversationId }: { id: string }) => ({
    type: 'conversation.read',
    conversationId,
    data: { conversationId, messageId: 'c1' },
  })
  await record(id, read(web), read(email), {})
  await sql`update api_tokens set channels = '{web}' where workspace_id = ${id}`.execute(db)
  tokens.forgetAll()
  const { body } = await list(token, '?from=oldest')
  assert.deepEqual(
    body.events.map(({ sequence }: { sequence: number }) => sequence),
    [1, 3],
  )
  assert.equal(body.covers.to, 3)
})

test('with include, a token gets only what its scopes and channels show elsewhere', async () => {
  const { id, token: full } = await make.workspace()
  const contact = await make.contact(id, { name: 'Ada' })
  const web = await make.conversation(id, { contactId: contact.id })
  const email = await make.conversation(id, { contactId: contact.id, channel: 'email' })
  const agent = await make.agent(id)
  const note = async (conversationId: string) =>
    (await call(full, 'POST', '/notes', { conversationId, body: 'Note' })).body.note.id
  const [here, there] = [await note(web.id), await note(email.id)]
  await record(
    id,
    { type: 'agent.added', data: { agentId: agent.id } },
    { type: 'contact.updated', contactId: contact.id, data: { contactId: contact.id, changed: ['name'] } },
    { contactId: contact.id, data: { noteId: here } },
    { contactId: contact.id, data: { noteId: there } },
  )
  const { secret } = await createToken(ctxOf(id), {
    name: 'Web',
    scopes: ['events:read', 'conversations:read', 'contacts:read'],
    channels: ['web'],
  })
  const { body } = await list(secret, '?from=oldest&include=object')
  const [added, updated, ofWeb, ofEmail] = body.events.slice(-4)
  assert.ok(!('object' in added), 'without agents:read')
  assert.deepEqual([updated.object.channels, updated.object.conversationCount], [['web'], 1])
  assert.deepEqual([ofWeb.object?.id, ofEmail.object], [here, null])
})

test('with include, an event of a template shows it if it can be sent', async () => {
  const { id, token } = await make.workspace()
  const settings = { phoneNumberId: '1', businessAccountId: id, apiUrl: 'http://127.0.0.1:9' }
  await make.channelAccount(id, 'whatsapp', { settings })
  await make.template(id, id, { name: 'order_ready', components: [{ type: 'BODY', text: 'It is ready.' }] })
  await make.template(id, id, { name: 'old', status: 'REJECTED' })
  const template = (name: string, status: string) => ({
    type: 'template.status',
    data: { name, language: 'en_US', status, reason: null },
  })
  await record(
    id,
    template('order_ready', 'APPROVED'),
    template('old', 'REJECTED'),
    template('gone', 'PAUSED'),
  )
  const { body } = await list(token, '?from=oldest&include=object&types=template.*')
  assert.deepEqual(
    body.events.map(({ type, object }: { type: string; object: { bodyText: string } | null }) => [
      type,
      object && object.bodyText,
    ]),
    [
      ['template.approved', 'It is ready.'],
      ['template.rejected', null],
      ['template.paused', null],
    ],
  )
  const onWeb = await createToken(ctxOf(id), { name: 'Web', channels: ['web'] })
  const hidden = await list(onWeb.secret, '?from=oldest&include=object&types=template.*')
  assert.equal(hidden.body.events.length, 3)
  for (const event of hidden.body.events) assert.ok(!('object' in event))
})
