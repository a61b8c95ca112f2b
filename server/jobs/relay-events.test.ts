import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { makeDatabase } from '../../test/database.ts'
import { makeFactory } from '../../test/make.ts'
import { until } from '../../test/until.ts'
import { runTransaction } from '../platform/db/horizon.ts'
import { silentStream, startStream } from '../platform/live/stream.ts'
import { type Relay, startRelay } from './relay-events.ts'

const database = await makeDatabase()
const { db, connectionString } = database
const now = () => new Date()
const make = makeFactory(db, now)
const log = { error: () => {}, warn: () => {} }
after(database.drop)

type Options = Partial<Parameters<typeof startRelay>[1]>
const relays: Relay[] = []
const start = (options: Options = {}, { stream = silentStream, at = now } = {}): Relay => {
  const relay = startRelay({ now: at, stream, log }, { connectionString, pollMs: 10, ...options })
  relays.push(relay)
  return relay
}
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
})

const record = (workspaceId: string, at = new Date(), type = 'note.created', data: object = {}) =>
  sql`insert into events (workspace_id, type, data, actor, created_at)
    values (${workspaceId}, ${type}, ${JSON.stringify(data)}, 'system', ${at})`

const listFeed = (workspaceId: string) =>
  db
    .selectFrom('feed')
    .select(['seq', 'data', 'type', 'numbered_at as numberedAt'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('seq')
    .execute()

const dense = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

test('under writers that commit late or roll back, two relays number each event once, without a hole, in order', async () => {
  const workspaces = [await make.workspace(), await make.workspace()]
  const [first] = [start(), start()]
  const committed = new Map<string, string[]>(workspaces.map(({ id }) => [id, []]))
  const writer = async (name: number): Promise<void> => {
    for (let round = 0; round < 15; round++) {
      const workspaceId = workspaces[(name + round) % 2]!.id
      const key = `${name}.${round}`
      const isRolledBack = (name * 7 + round) % 10 === 0
      const work = async (trx: typeof db) => {
        await record(workspaceId, now(), 'note.created', { key }).execute(trx)
        await delay((name * 13 + round * 5) % 20)
        await record(workspaceId, now(), 'agent.seen', { key }).execute(trx)
        if (isRolledBack) throw new Error('on purpose')
      }
      await runTransaction({ db, workspaceId }, false, work).then(
        () => committed.get(workspaceId)!.push(key),
        (error) => assert.equal(error.message, 'on purpose'),
      )
    }
  }
  const others = async (): Promise<void> => {
    // A relay that goes away leaves the rest to the other.
    await delay(100)
    await first!.stop()
    start()
  }
  await Promise.all([others(), ...Array.from({ length: 7 }, (_, name) => writer(name))])
  for (const { id } of workspaces) {
    const expected = committed.get(id)!
    await until(async () => (await listFeed(id)).length >= expected.length, 'all events')
    const rows = await listFeed(id)
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      dense(expected.length),
    )
    const order = await db
      .selectFrom('events')
      .select('data')
      .where('workspace_id', '=', id)
      .where('type', '=', 'note.created')
      .orderBy('tx')
      .orderBy('id')
      .execute()
    assert.deepEqual(
      rows.map(({ data }) => data),
      order.map(({ data }) => data),
    )
    assert.deepEqual(new Set(rows.map(({ data }) => data.key)), new Set(expected))
  }
})

test('what follows from an event is written with its number, or both are done again', async () => {
  const { id } = await make.workspace()
  let failures = 2
  const seen: number[][] = []
  const relay = start({
    onNumbered: async (trx, rows) => {
      await sql`insert into tags (workspace_id, id, name, name_key, color, created_at)
        values (${id}, ${rows[0]!.id}, 'Tag', ${`tag ${rows[0]!.seq}`}, '#2f80ed', now())`.execute(trx)
      seen.push(rows.map(({ seq }) => seq))
      if (failures-- > 0) throw new Error('on purpose')
    },
  })
  await record(id).execute(db)
  const countTags = async () =>
    (await db.selectFrom('tags').select('name').where('workspace_id', '=', id).execute()).length
  await until(async () => (await countTags()) > 0, 'the tag')
  await relay.stop()
  assert.deepEqual(seen, [[1], [1], [1]])
  assert.equal(await countTags(), 1)
  assert.equal((await listFeed(id)).length, 1)
})

test('a commit in the same process is numbered without waiting for the next check', async (t) => {
  const { id } = await make.workspace()
  const stream = startStream({ db, log, now })
  t.after(stream.close)
  start({ pollMs: 3_600_000 }, { stream })
  await record(id).execute(db)
  await until(async () => {
    stream.wake()
    return (await listFeed(id)).length === 1
  }, 'the event')
})

test('an event has the channel and the contact of its conversation', async () => {
  const { id } = await make.workspace()
  const contact = await make.contact(id)
  const conversation = await make.conversation(id, { contactId: contact.id })
  await sql`insert into events (workspace_id, type, conversation_id, data, actor, request_id, created_at)
    values (${id}, 'conversation.read', ${conversation.id}, '{}', 'token:c1', 'r1', now())`.execute(db)
  const relay = start()
  await until(async () => (await listFeed(id)).length === 1, 'the event')
  await relay.stop()
  const rows = await db
    .selectFrom('feed')
    .select(['channel', 'contact_id', 'actor', 'request_id'])
    .where('workspace_id', '=', id)
    .execute()
  assert.deepEqual(rows, [{ channel: 'web', contact_id: contact.id, actor: 'token:c1', request_id: 'r1' }])
})

test('numbering never goes back in time, even if the clock does', async () => {
  const { id } = await make.workspace()
  let at = new Date('2030-01-01T00:00:00Z')
  const relay = start({}, { at: () => at })
  await record(id).execute(db)
  await until(async () => (await listFeed(id)).length === 1, 'the first')
  at = new Date('2029-12-31T23:00:00Z')
  await record(id).execute(db)
  await until(async () => (await listFeed(id)).length === 2, 'the second')
  await relay.stop()
  const [first, second] = await listFeed(id)
  assert.equal(second!.numberedAt, first!.numberedAt)
  await sql`update feed_relay set numbered_at = now()`.execute(db)
})

test('an event of a workspace that is gone holds up nothing', async () => {
  const { id } = await make.workspace()
  const relay = start()
  await record('cgone0000000000000000000000'.slice(0, 25)).execute(db)
  await record(id).execute(db)
  await until(async () => (await listFeed(id)).length === 1, 'the event')
  await relay.stop()
})

test('in a restored database nothing is numbered twice, and nothing is left out', async () => {
  const { id } = await make.workspace()
  let relay = start()
  await record(id, now(), 'note.created', { key: 'before' }).execute(db)
  await until(async () => (await listFeed(id)).length === 1, 'the first')
  await relay.stop()
  // As a restore leaves it: transaction numbers of another server, which this one will come to or has passed.
  await sql`update feed_relay set tx = tx + 1000000`.execute(db)
  await sql`update event_epoch set system_identifier = 'another'`.execute(db)
  const { epoch } = await db.selectFrom('feed_relay').select('epoch').executeTakeFirstOrThrow()
  await record(id, now(), 'note.created', { key: 'after' }).execute(db)
  relay = start()
  await until(async () => (await listFeed(id)).length === 2, 'the second')
  await record(id, now(), 'note.created', { key: 'later' }).execute(db)
  await until(async () => (await listFeed(id)).length === 3, 'the third')
  await relay.stop()
  assert.deepEqual(
    (await listFeed(id)).map(({ seq, data }) => [seq, data.key]),
    [
      [1, 'before'],
      [2, 'after'],
      [3, 'later'],
    ],
  )
  const later = await db.selectFrom('feed_relay').select('epoch').executeTakeFirstOrThrow()
  assert.ok(later.epoch! > epoch!)
})

test('a restore that only the relay’s place shows is noticed', async () => {
  const { id } = await make.workspace()
  const { epoch } = await db.selectFrom('feed_relay').select('epoch').executeTakeFirstOrThrow()
  await sql`delete from events`.execute(db)
  await sql`update feed_relay set tx = tx + 1000000`.execute(db)
  const relay = start()
  await record(id).execute(db)
  await until(async () => (await listFeed(id)).length === 1, 'the event')
  await relay.stop()
  const later = await db.selectFrom('feed_relay').select('epoch').executeTakeFirstOrThrow()
  assert.ok(later.epoch! > epoch!)
})
