import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allowOutbound } from '../../channels/protocol/outbound.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { startAssisting } from '../domain/ai/testing/assisted.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=1000 is the soak. */
const KILLS = Number(process.env.KILLS ?? 3)
const CONVERSATIONS = 10

const KEY = 'sk-killed-1f0c7ab29d3e5846'
const sandbox = await startSandbox({ modelKey: KEY })
after(() => sandbox.stop())
const app = await startApp()
allowOutbound(sandbox.url)
const { database, db } = app
const { place } = startAssisting(app)
/** Of each turn, how far it is: any change is a step of some process. */
const progress = async (): Promise<string> => {
  const turns = await db.selectFrom('ai_turns').select(['state', 'revision', 'tries']).orderBy('id').execute()
  return JSON.stringify(turns)
}

test('workers killed in the middle of turns leave no customer without a reply, and reply once', async () => {
  sandbox.control.addModelFault({ kind: 'slow', times: 1_000, delayMs: 300 })
  const places = []
  for (let index = 0; index < CONVERSATIONS; index++) {
    // Every second one has a model that takes its time, so that some are killed while they wait for it.
    const model = { url: sandbox.url, key: KEY, name: 'sandbox-facts' }
    const there = await place(index % 2 === 0 ? {} : { model })
    await there.writes('How much is shipping?')
    await there.send('POST', '/assign', { agentId: 'ai' })
    places.push(there)
  }
  const isDone = async () => {
    const turns = await db.selectFrom('ai_turns').select('state').execute()
    return turns.length === CONVERSATIONS && turns.every(({ state }) => state === 'ended')
  }
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
  for (const { thread } of places) {
    const [question, reply, ...more] = await thread()
    assert.equal(question, 'customer: How much is shipping?')
    // Whoever is killed too often while they think about it leaves it to people.
    assert.match(reply!, /Shipping is free|our team will reply/)
    assert.deepEqual(more, [])
  }
})
