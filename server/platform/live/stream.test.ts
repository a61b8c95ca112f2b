import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { Redis } from 'ioredis'
import pg from 'pg'
import { makeDatabase, urlOf } from '../../../test/database.ts'
import { makeFactory } from '../../../test/make.ts'
import { until } from '../../../test/until.ts'
import { sweepOldRows } from '../../jobs/sweep-old-rows.ts'
import { type LiveEvent, REPLAY_MAX } from './replay.ts'
import { type Stream, startStream } from './stream.ts'

const database = await makeDatabase()
const { db, pool, statements } = database
const make = makeFactory(db, () => new Date())
const workspace = await make.workspace()
const other = await make.workspace()
const log = { error: () => {}, warn: () => {} }
const now = () => new Date()

const streams: Stream[] = []
afterEach(async () => {
  for (const stream of streams.splice(0)) await stream.close()
})
after(database.drop)
const start = (options: { pollMs?: number } = {}) => {
  const stream = startStream({ db, log, now, ...options })
  streams.push(stream)
  return stream
}

const INSERT = `insert into events (workspace_id, type, conversation_id, data, created_at)
  values ($1, $2, $3, '{}', coalesce($4, now())) returning tx, id`

const record = async (
  type: string,
  { workspaceId = workspace.id, conversationId = 'c1', at = null as Date | null } = {},
) => {
  await pool.query(INSERT, [workspaceId, type, conversationId, at])
}

let count = 0
const follow = (stream: Stream) => {
  const heard: LiveEvent[] = []
  const stop = stream.subscribe((event) => heard.push(event))
  return {
    heard,
    stop,
    /** What was heard of the types that a test made itself. */
    of: (prefix: string) => heard.map(({ type }) => type).filter((type) => type.startsWith(prefix)),
  }
}

test('an event that commits late is not skipped, and comes in its place', async () => {
  const stream = start()
  const { of } = follow(stream)
  const early = await pool.connect()
  const late = await pool.connect()
  await early.query('begin')
  await early.query(INSERT, [workspace.id, 'late.first', 'c1', null])
  await late.query('begin')
  await late.query(INSERT, [workspace.id, 'late.second', 'c1', null])
  await late.query('commit')
  late.release()
  const before = statements.length
  stream.wake()
  // It has looked several times, and tells nothing while the first may still come.
  await until(() => statements.length >= before + 3, 'a few looks')
  assert.deepEqual(of('late.'), [])
  await early.query('commit')
  early.release()
  await until(() => of('late.').length === 2, 'both events')
  assert.deepEqual(of('late.'), ['late.first', 'late.second'])
})

test('a transaction that runs in another database of the server holds nothing up', async (t) => {
  const elsewhere = new pg.Client({ connectionString: urlOf('postgres') })
  await elsewhere.connect()
  t.after(() => elsewhere.end())
  await elsewhere.query('begin')
  await elsewhere.query('select pg_current_xact_id()')
  const stream = start()
  const { heard, of } = follow(stream)
  const conversationId = `elsewhere${count++}`
  await record('elsewhere.1', { conversationId })
  await record('elsewhere.2', { conversationId })
  stream.wake()
  await until(() => of('elsewhere.').length === 2, 'the events')
  const { cursor } = heard.find(({ type }) => type === 'elsewhere.1')!
  assert.equal((await stream.replay(workspace.id, conversationId, cursor))?.length, 1)
  await elsewhere.query('rollback')
})

test('with a hundred concurrent writers, everything is delivered once, in the order of the cursors', async () => {
  const stream = start()
  const { heard, of } = follow(stream)
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      await record(`many.${index}`)
      stream.wake()
    }),
  )
  await until(() => of('many.').length >= 100, 'all events')
  assert.equal(new Set(of('many.')).size, 100)
  const cursors = heard.map(({ cursor }) => cursor)
  assert.deepEqual(cursors, cursors.toSorted())
  assert.equal(new Set(cursors).size, cursors.length)
})

test('events of another process are delivered without a wake-up', async () => {
  const { of } = follow(start({ pollMs: 20 }))
  await record('silent.event')
  await until(() => of('silent.').length === 1, 'the event')
})

test('without listeners the table is not read; concurrent wake-ups cause one read', async () => {
  const stream = start({ pollMs: 5 })
  const before = statements.length
  for (let round = 0; round < 10; round++) {
    stream.wake()
    await pool.query('select pg_sleep(0.005)')
  }
  assert.equal(statements.length, before)
  const calm = start()
  const { of } = follow(calm)
  await record('calm.event')
  for (let wake = 0; wake < 100; wake++) calm.wake()
  await until(() => of('calm.').length === 1, 'the event')
  assert.ok(statements.length - before <= 5, `${statements.length - before} statements`)
})

test('a listener receives what is recorded from then on, also after a pause without listeners', async () => {
  const stream = start({ pollMs: 20 })
  for (const round of ['pause.1', 'pause.2', 'pause.3']) {
    const { of, stop } = follow(stream)
    await record(round)
    await until(() => of(round).length === 1, round)
    stop()
  }
})

test('a failing listener does not affect others, and unsubscribing ends delivery', async () => {
  const stream = start()
  stream.subscribe(() => {
    throw new Error('on purpose')
  })
  const gone = follow(stream)
  gone.stop()
  const { of } = follow(stream)
  await record('throw.event')
  stream.wake()
  await until(() => of('throw.').length === 1, 'the event')
  assert.deepEqual(gone.of('throw.'), [])
})

test('a conversation is replayed from a cursor, without what belongs to others', async () => {
  const stream = start()
  const { heard, of } = follow(stream)
  const conversationId = `replay${count++}`
  await record('replay.0', { conversationId })
  await record('replay.other', { conversationId: 'another' })
  await record('replay.foreign', { conversationId, workspaceId: other.id })
  await record('replay.1', { conversationId })
  await record('replay.2', { conversationId })
  stream.wake()
  await until(() => of('replay.').length === 5, 'the events')
  const cursorOf = (type: string) => heard.find((event) => event.type === type)!.cursor
  const types = async (cursor: string) =>
    (await stream.replay(workspace.id, conversationId, cursor))?.map(({ type }) => type)
  assert.deepEqual(await types(cursorOf('replay.0')), ['replay.1', 'replay.2'])
  assert.deepEqual(await types(cursorOf('replay.other')), ['replay.1', 'replay.2'])
  assert.deepEqual(await types(cursorOf('replay.2')), [])
  const [first] = (await stream.replay(workspace.id, conversationId, cursorOf('replay.1'))) ?? []
  assert.deepEqual(
    first,
    heard.find(({ type }) => type === 'replay.2'),
  )
})

test('a cursor that is malformed, from the future or too far back is not resumed from', async () => {
  const stream = start()
  const conversationId = `gap${count++}`
  const { heard, of } = follow(stream)
  await record('gap.0', { conversationId })
  stream.wake()
  await until(() => of('gap.').length === 1, 'the event')
  const { cursor } = heard.find(({ type }) => type === 'gap.0')!
  for (const wrong of [
    '',
    'x',
    '0',
    cursor.slice(1),
    `${cursor}0`,
    'z'.repeat(33),
    `${cursor.slice(0, 11)}${'0'.repeat(21)}1`,
    "' or 1=1 --",
  ])
    assert.equal(await stream.replay(workspace.id, conversationId, wrong), null)
  await pool.query(
    `insert into events (workspace_id, type, conversation_id, data, created_at)
     select $1, 'bulk', $2, '{}', now() from generate_series(1, $3::int)`,
    [workspace.id, conversationId, REPLAY_MAX],
  )
  assert.equal((await stream.replay(workspace.id, conversationId, cursor))?.length, REPLAY_MAX)
  await record('bulk', { conversationId })
  assert.equal(await stream.replay(workspace.id, conversationId, cursor), null)
})

test('events and idempotency keys are kept for a day, and no longer', async () => {
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000)
  await record('old.gone', { at: hours(24.1) })
  await record('old.kept', { at: hours(23.9) })
  for (const [key, at] of [
    ['gone', hours(24.1)],
    ['kept', hours(23.9)],
  ] as const)
    await db
      .insertInto('idempotency_keys')
      .values({
        workspace_id: workspace.id,
        operation: 'o',
        key,
        request_hash: Buffer.of(1),
        response: '{}',
        created_at: at,
      })
      .execute()
  await sweepOldRows({ db, now, isStopping: () => false })
  const events = await db.selectFrom('events').select('type').where('type', 'like', 'old.%').execute()
  assert.deepEqual(events, [{ type: 'old.kept' }])
  assert.deepEqual(await db.selectFrom('idempotency_keys').select('key').execute(), [{ key: 'kept' }])
})

const hasRedis = spawnSync('redis-server', ['--version']).status === 0

test('over Redis another process is woken at once', {
  skip: hasRedis ? false : 'redis-server is not installed',
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'foyer-redis-'))
  const path = join(directory, 'socket')
  const server = spawn('redis-server', [
    '--port',
    '0',
    '--unixsocket',
    path,
    '--save',
    '',
    '--dir',
    directory,
  ])
  const redis = new Redis({ path, maxRetriesPerRequest: null, retryStrategy: () => 20 })
  redis.on('error', () => {})
  try {
    await redis.ping()
    const never = 3_600_000
    const here = startStream({ db, log, now, pollMs: never, redis })
    const there = startStream({ db, log, now, pollMs: never, redis })
    streams.push(here, there)
    const { of } = follow(there)
    await until(async () => (await redis.pubsub('NUMSUB', 'foyer:wake'))[1] === 2, 'both to listen')
    await record('redis.event')
    here.wake()
    await until(() => of('redis.').length === 1, 'the event')
  } finally {
    redis.disconnect()
    server.kill('SIGKILL')
    rmSync(directory, { recursive: true })
  }
})
