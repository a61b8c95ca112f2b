// What becomes of live events when the database is not the one it was.
import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { makeDatabase } from '../../../test/database.ts'
import { makeFactory } from '../../../test/make.ts'
import { until } from '../../../test/until.ts'
import type { LiveEvent } from './replay.ts'
import { type Stream, startStream } from './stream.ts'

const database = await makeDatabase()
const { db } = database
const make = makeFactory(db, () => new Date())
const workspace = await make.workspace()
const log = { error: () => {}, warn: () => {} }

const streams: Stream[] = []
afterEach(async () => {
  for (const stream of streams.splice(0)) await stream.close()
})
after(database.drop)

const start = (): Stream => {
  const stream = startStream({ db, log, now: () => new Date(), pollMs: 20 })
  streams.push(stream)
  return stream
}

const follow = (stream: Stream) => {
  const heard: LiveEvent[] = []
  let breaks = 0
  stream.subscribe(
    (event) => heard.push(event),
    () => {
      breaks++
    },
  )
  return { heard, breaks: () => breaks }
}

/** An event of the transaction that writes it, or of one with a number that this server has not come to. */
const record = async (type: string, transactionsAhead: number | null = null): Promise<void> => {
  await sql`
    insert into events (tx, workspace_id, type, conversation_id, data, created_at)
    values (pg_current_xact_id()::text::bigint + coalesce(${transactionsAhead}::bigint, 0), ${workspace.id}, ${type},
      'c1', '{}', now())`.execute(db)
}

/** As a restore leaves it: what was stored is of another server. */
const changeServer = () => sql`update event_epoch set system_identifier = 'another'`.execute(db)

test('after a restore new events are delivered at once, and transaction numbers of the old server withhold nothing', async () => {
  await record('restored.old', 1_000_000)
  await changeServer()
  const { heard } = follow(start())
  await record('restored.new')
  await until(() => heard.some(({ type }) => type === 'restored.new'), 'the new event')
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from events where type = 'restored.old'`.execute(db)
  assert.equal(rows[0]!.count, 0)
})

test("a cursor from before a restore can't be resumed, one from after it can", async () => {
  const before = start()
  const { heard } = follow(before)
  await record('cursor.before')
  const find = () => heard.find(({ type }) => type === 'cursor.before')
  await until(() => find() !== undefined, 'the event')
  const { cursor } = find()!
  assert.deepEqual(await before.replay(workspace.id, 'c1', cursor), [])
  await changeServer()
  const restarted = start()
  assert.equal(await restarted.replay(workspace.id, 'c1', cursor), null)
  assert.equal(await restarted.replay(workspace.id, null, cursor), null)
  const head = await restarted.head()
  assert.ok(head !== null && head > cursor)
  await record('cursor.after')
  assert.deepEqual(
    (await restarted.replay(workspace.id, 'c1', head))?.map(({ type }) => type),
    ['cursor.after'],
  )
})

test('when a lagging standby takes over, listeners in every process are notified and receive later events', async () => {
  const [one, other] = [follow(start()), follow(start())]
  await record('failover.before')
  for (const { heard } of [one, other])
    await until(() => heard.some(({ type }) => type === 'failover.before'), 'the first event')
  await sql`update event_epoch set timeline = '0000000F'`.execute(db)
  await until(() => one.breaks() === 1 && other.breaks() === 1, 'both to be told')
  await record('failover.after')
  for (const { heard } of [one, other])
    await until(() => heard.some(({ type }) => type === 'failover.after'), 'the event after it')
  assert.deepEqual([one.breaks(), other.breaks()], [1, 1])
})

test("another program's long transaction withholds no event, and one of ours does", async () => {
  const { heard } = follow(start())
  const client = await database.pool.connect()
  await client.query("set application_name = 'a program that builds an index'")
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  await record('foreign.past')
  await until(() => heard.some(({ type }) => type === 'foreign.past'), 'the event')
  await client.query('commit')
  await client.query('begin; select pg_advisory_xact_lock_shared(1, 1)')
  await client.query('select pg_current_xact_id()')
  await record('ours.withheld')
  const before = database.statements.length
  await until(() => database.statements.length >= before + 6, 'some looks')
  assert.equal(
    heard.some(({ type }) => type === 'ours.withheld'),
    false,
  )
  await client.query('commit')
  await client.query('reset application_name')
  client.release()
  await until(() => heard.some(({ type }) => type === 'ours.withheld'), 'the event')
})
