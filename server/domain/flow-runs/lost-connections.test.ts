// A process that dies is, for the database, a connection that ends: here it ends at each statement of a sprint in turn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { startApp } from '../../../test/app.ts'
import { atTheEnd } from '../../../test/at-the-end.ts'
import { makeConductor } from '../../jobs/conduct.ts'
import { makeDb, makePool } from '../../platform/db/pool.ts'
import { conductConversations } from './conduct-conversations.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const app = await startApp()
const { database, db, deps, make } = app
const { conductor, place } = startConducting(app)

/** Enough for a sprint that tags, assigns, notes, asks and sends. */
const POINTS_MIN = 12
const POINTS_MAX = 200

/** A database whose connection ends right before or after its statement of that number is sent. */
const makeDying = (at: number, when: 'before' | 'after') => {
  const pool = makePool({ connectionString: database.connectionString, max: 1 })
  const seen = { statements: 0, isDead: false }
  pool.on('connect', (client) => {
    const { connection } = client as pg.PoolClient & { connection: { stream: { destroy: () => void } } }
    client.on('error', () => {})
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const dying = (...given: unknown[]): unknown => {
      seen.statements++
      const dies = seen.statements === at
      if (dies) seen.isDead = true
      if (dies && when === 'before') connection.stream.destroy()
      const answer = query(...given)
      if (dies && when === 'after') setImmediate(() => connection.stream.destroy())
      return answer
    }
    // The overloads are those of query itself.
    client.query = dying as typeof client.query
  })
  return { db: makeDb(pool), seen }
}

test('a sprint whose connection ends at any statement happens once, whole', async () => {
  const { id: workspaceId } = await make.workspace()
  const [tagId, agent] = [await make.tag(workspaceId), await make.agent(workspaceId)]
  const first = await place({ workspaceId })
  await first.flow(
    flowOf([
      { type: 'tag', add: [tagId] },
      { type: 'set', set: [{ to: 'contact.fields.plan', value: 'pro' }] },
      { type: 'note', text: 'Asked.' },
      { type: 'send', text: 'Hello.' },
      { type: 'people', assign: agent.id, text: 'One moment.' },
    ]),
  )
  for (const when of ['before', 'after'] as const) {
    let points = 0
    for (let isOver = false; !isOver && points < POINTS_MAX; points++) {
      const here = await place({ workspaceId })
      const { conversationId, contactId } = await here.writes('Hello')
      const dying = makeDying(points + 1, when)
      await conductConversations({ ...here.ctx, db: dying.db }, [conversationId]).catch(() => {})
      await dying.db.destroy().catch(() => {})
      isOver = !dying.seen.isDead
      const told = await here.thread()
      assert.ok(told.length === 1 || told.length === 3, `${when} ${points + 1}: ${told.join(', ')}`)
      await conductor.conductDue()
      await conductor.conductDue()
      const name = `${when} statement ${points + 1}`
      assert.deepEqual(
        await here.thread(),
        ['customer: Hello', 'automation: Hello.', 'automation: One moment.'],
        name,
      )
      const [run, ...more] = await here.runs()
      assert.deepEqual(
        [run?.end_reason, more.length, (await here.lines()).length],
        ['handed_over', 0, 2],
        name,
      )
      const rows = async (table: 'notes' | 'contact_tags') =>
        (await db.selectFrom(table).select('contact_id').where('contact_id', '=', contactId).execute()).length
      assert.deepEqual([await rows('notes'), await rows('contact_tags')], [1, 1], name)
    }
    assert.ok(points > POINTS_MIN && points < POINTS_MAX, `${points} statements`)
  }
  const waiting = await db.selectFrom('automation_inputs').select('id').execute()
  assert.deepEqual(waiting, [])
})

test('while the database is out nothing is lost, and what waited is done once it is back', async () => {
  const here = await place()
  await here.flow(flowOf([{ type: 'ask', answer: 'text', text: 'Which order?' }]))
  await here.writes('Hello')
  const out = makeDb(makePool({ connectionString: 'postgres://foyer@127.0.0.1:9/foyer', max: 1 }))
  atTheEnd(() => out.destroy())
  const cut = makeConductor({ ...deps, db: out, log: app.app.log })
  cut.add({ workspaceId: here.workspaceId, conversationId: here.conversationId() })
  await cut.conductDue()
  await cut.stop()
  assert.deepEqual(await here.thread(), ['customer: Hello'])
  await conductor.conductDue()
  assert.deepEqual(await here.thread(), ['customer: Hello', 'automation: Which order?'])
})
