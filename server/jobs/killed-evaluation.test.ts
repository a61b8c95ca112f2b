import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allowOutbound } from '../../channels/protocol/outbound.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { createTest } from '../domain/ai/evaluation/keep-test.ts'
import { startRun } from '../domain/ai/evaluation/run-tests.ts'
import { startAssisting } from '../domain/ai/testing/assisted.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=1000 is the soak. */
const KILLS = Number(process.env.KILLS ?? 3)
const TESTS = 8

const KEY = 'sk-killed-tests-7ae1b04c93f2'
const sandbox = await startSandbox({ modelKey: KEY })
after(() => sandbox.stop())
const app = await startApp()
allowOutbound(sandbox.url)
const { database, db } = app
const { place } = startAssisting(app)

test('a run whose workers are killed goes on where it was, and ends with a result for each test', async () => {
  sandbox.control.addModelFault({ kind: 'slow', times: 1_000, delayMs: 200 })
  const { ctx } = await place({ model: { url: sandbox.url, key: KEY, name: 'sandbox-facts' } })
  for (let number = 1; number <= TESTS; number++)
    await createTest(ctx, {
      scenario: {
        name: `Test ${number}`,
        channel: 'web',
        contact: {},
        turns: [{ customer: ['How much is shipping?'] }],
        expect: { has: 'ai', mustSay: ['50 euros'] },
      },
    })
  const own = await db.selectFrom('ai_tests').select('id').execute()
  const { id } = await startRun(ctx, { guidance: ['live'], testIds: own.map(({ id }) => id) })
  const results = () =>
    db.selectFrom('ai_test_results').select(['state', 'tries']).where('run_id', '=', id).execute()
  const progress = async () =>
    JSON.stringify((await results()).map(({ state, tries }) => `${state} ${tries}`).sort())
  const isOver = async () =>
    (await db.selectFrom('ai_test_runs').select('state').where('id', '=', id).executeTakeFirst())!.state ===
    'ended'
  for (let killed = 0; killed < KILLS && !(await isOver()); killed++) {
    const worker = await startKillable(database.connectionString)
    const before = await progress()
    await until(async () => (await progress()) !== before || (await isOver()), 'a step of the run', 120_000)
    await kill(worker)
  }
  const last = await startKillable(database.connectionString)
  await until(isOver, 'the run to end', 180_000)
  await kill(last)
  const states = (await results()).map(({ state }) => state)
  assert.deepEqual(
    states,
    Array.from({ length: TESTS }, () => 'passed'),
  )
})
