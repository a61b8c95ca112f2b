import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { allowOutbound } from '../../channels/protocol/outbound.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { startAssisting } from '../domain/ai/testing/assisted.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=1000 is the soak. */
const KILLS = Number(process.env.KILLS ?? 1)
const CONVERSATIONS = 6

const KEY = 'sk-killed-1f0c7ab29d3e5846'
const sandbox = await startSandbox({ modelKey: KEY })
after(() => sandbox.stop())
const app = await startApp()
allowOutbound(sandbox.url)
const { database, db } = app
const { place } = startAssisting(app)
const facts = { url: sandbox.url, key: KEY, name: 'sandbox-facts' }
/** Of each turn, how far it is: any change is a step of some process. */
const progress = async (): Promise<string> => {
  const turns = await db.selectFrom('ai_turns').select(['state', 'revision', 'tries']).orderBy('id').execute()
  return JSON.stringify(turns)
}

const areEnded = async (conversationIds: readonly string[]): Promise<boolean> => {
  const turns = await db
    .selectFrom('ai_turns')
    .select('state')
    .where('conversation_id', 'in', conversationIds)
    .execute()
  return turns.length === conversationIds.length && turns.every(({ state }) => state === 'ended')
}

test('workers killed in the middle of turns leave no customer without a reply, and reply once', async () => {
  sandbox.control.addModelFault({ kind: 'slow', times: 1_000, delayMs: 300 })
  const places = []
  for (let index = 0; index < CONVERSATIONS; index++) {
    // Every second one has a model that takes its time, so that some are killed while they wait for it.
    const there = await place(index % 2 === 0 ? {} : { model: facts })
    await there.writes('How much is shipping?')
    await there.send('POST', '/assign', { agentId: 'ai' })
    places.push(there)
  }
  const ids = places.map(({ conversationId }) => conversationId())
  const isDone = () => areEnded(ids)
  for (let killed = 0; killed < KILLS && !(await isDone()); killed++) {
    const worker = await startKillable(database.connectionString)
    const before = await progress()
    await until(async () => (await progress()) !== before || (await isDone()), 'a step of a turn', 120_000)
    await kill(worker)
  }
  const last = await startKillable(database.connectionString)
  await until(isDone, 'all turns to end', 180_000)
  await kill(last)
  assert.ok(sandbox.control.modelCalls().length > 0)
  sandbox.control.clearModel()
  for (const { thread } of places) {
    const [question, reply, ...more] = await thread()
    assert.equal(question, 'customer: How much is shipping?')
    // Whoever is killed too often while they think about it leaves it to people.
    assert.match(reply!, /Shipping is free|our team will reply/)
    assert.deepEqual(more, [])
  }
})

// At a named moment ------------------------------------------------------------------------------------------------

/** A moment of a turn. Whoever is there stays there: a lock of ours, or a provider that doesn't answer, holds them up. */
type Phase = {
  name: string
  /** Before the turn is due. */
  hold: (conversationId: string) => Promise<unknown>
  isThere: (conversationId: string) => Promise<boolean>
}

/** Held until the worker is dead. */
let locks: (() => Promise<void>)[] = []
const hold = async (statement: RawBuilder<unknown>): Promise<void> => {
  const transaction = await db.startTransaction().execute()
  await statement.execute(transaction)
  locks.push(async () => void (await transaction.rollback().execute()))
}
const letGo = async (): Promise<void> => {
  for (const release of locks) await release()
  locks = []
}

const holdTable = (table: string, mode: 'access exclusive' | 'share row exclusive') => () =>
  hold(sql`lock table ${sql.table(table)} in ${sql.raw(mode)} mode`)

const isHeldAt = (table: string) => async (): Promise<boolean> => {
  const { rows } = await sql`select from pg_locks
    where not granted and relation = ${table}::regclass and database = (
      select oid from pg_database where datname = current_database())`.execute(db)
  return rows.length > 0
}

const stateIn = async (conversationId: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom('ai_turns')
      .select('state')
      .where('conversation_id', '=', conversationId)
      .executeTakeFirst()
  )?.state

const NOTHING = async () => {}

/** The last first: what holds up an early one would hold up those that come after it. */
const phases = (): Phase[] => [
  { name: 'carried out', hold: NOTHING, isThere: async (id) => (await stateIn(id)) === 'ended' },
  {
    name: 'decision stored',
    // The conductor writes them, a thinker only reads them.
    hold: holdTable('messages', 'share row exclusive'),
    isThere: async (id) => (await stateIn(id)) === 'thought' && isHeldAt('messages')(),
  },
  {
    name: 'checks done',
    hold: (id) => hold(sql`select from conversations where id = ${id} for update`),
    isThere: async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')`.execute(
        db,
      )
      return rows.length > 0
    },
  },
  {
    name: 'answer received',
    hold: holdTable('ai_requests', 'share row exclusive'),
    isThere: isHeldAt('ai_requests'),
  },
  {
    name: 'request sent',
    hold: async () => sandbox.control.addModelFault({ kind: 'hang', times: 1 }),
    isThere: async () => sandbox.control.modelFaults().length === 0,
  },
  { name: 'prepared', hold: holdTable('ai_usage', 'share row exclusive'), isThere: isHeldAt('ai_usage') },
  {
    name: 'claimed',
    hold: holdTable('ai_guidance', 'access exclusive'),
    isThere: isHeldAt('ai_guidance'),
  },
]
/** What one worker is stuck in has a connection of its. */
const PER_WORKER = 4

test('whoever is killed at any moment of a turn leaves it to others, who end it once, with one reply', async () => {
  const places = []
  for (const phase of phases()) {
    const there = await place({ model: facts })
    await there.writes('How much is shipping?')
    await there.assign()
    places.push({ ...there, phase })
  }
  const ids = places.map(({ conversationId }) => conversationId())
  const due = (conversationIds: readonly string[], after: string) =>
    sql`update ai_turns set due_at = now() + ${after}::interval
      where conversation_id = any(${conversationIds}::text[]) and state in ('waiting', 'thinking')`.execute(
      db,
    )
  await due(ids, '1 day')
  for (let from = 0; from < places.length; from += PER_WORKER) {
    const worker = await startKillable(database.connectionString)
    try {
      for (const { conversationId, phase } of places.slice(from, from + PER_WORKER)) {
        await phase.hold(conversationId())
        await due([conversationId()], '0')
        await until(() => phase.isThere(conversationId()), `a turn to be at: ${phase.name}`)
        // Whoever finds out that the worker is dead leaves it alone until all have been there.
        await due([conversationId()], '1 day')
      }
    } finally {
      await kill(worker)
      await letGo()
    }
  }
  const last = await startKillable(database.connectionString)
  const isOver = async () => {
    await due(ids, '0')
    return areEnded(ids)
  }
  await until(isOver, 'all turns to end', 60_000)
  await kill(last)
  for (const { thread, turns, phase } of places) {
    const said = await thread()
    assert.equal(said.length, 2, `${phase.name}: ${said}`)
    assert.match(said[1]!, /Shipping is free from 50 euros/, phase.name)
    assert.deepEqual(
      (await turns()).map(({ outcome }) => outcome),
      ['answered'],
      phase.name,
    )
  }
})
