// Conductors whose clocks are wrong: the database's clock decides when a run is woken.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startApp, TEST_SECRET_KEY } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { flowOf, startConducting } from '../domain/flow-runs/testing/conducted.ts'

const SHIFT_MS = 3_600_000
const WORKER = new URL('./testing/worker-process.ts', import.meta.url).pathname
const SHIFTED = new URL('../../test/shifted-clock.ts', import.meta.url).pathname
const WAIT_MAX_MS = 120_000

const app = await startApp()
const { database, db } = app
const { place } = startConducting(app)
type Place = Awaited<ReturnType<typeof place>>

const startWorker = async (shiftMs: number): Promise<ChildProcess> => {
  const child = spawn(
    process.execPath,
    ['--import', SHIFTED, WORKER, database.connectionString, TEST_SECRET_KEY, '{}'],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, CLOCK_SHIFT_MS: String(shiftMs) } },
  )
  after(() => child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

const stopWorker = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const has = ({ thread }: Place, line: string) =>
  until(async () => (await thread()).includes(line), line, WAIT_MAX_MS)

/** The time of its question is over. */
const letTimeBeOver = ({ conversationId }: Place) =>
  sql`update flow_runs set wakes_at = now() - interval '1 second',
      state = jsonb_set(state::jsonb, '{wait,until}', to_jsonb((extract(epoch from now()) * 1000)::bigint - 1000))::json
    where conversation_id = ${conversationId()} and status = 'running'`.execute(db)

test('a conductor whose clock is an hour ahead wakes nothing early, and one an hour behind wakes what is due', async () => {
  const early = await place()
  await early.flow({
    ...flowOf([]),
    blocks: {
      start: {
        steps: [
          {
            id: 's1',
            type: 'ask',
            answer: 'text',
            text: 'Which?',
            // biome-ignore lint/suspicious/noThenProperty: that is what the format calls it.
            timeout: { after: 'PT30M', then: 'late' },
          },
        ],
      },
      late: { steps: [{ id: 's2', type: 'send', text: 'Too late.' }] },
    },
  })
  const due = await place({ workspaceId: early.workspaceId })
  const ahead = await startWorker(SHIFT_MS)
  for (const here of [early, due]) {
    await here.writes('Hello')
    await has(here, 'automation: Which?')
  }
  await letTimeBeOver(due)
  await has(due, 'automation: Too late.')
  assert.deepEqual(await early.thread(), ['customer: Hello', 'automation: Which?'])
  await stopWorker(ahead)
  const behind = await startWorker(-SHIFT_MS)
  await letTimeBeOver(early)
  await has(early, 'automation: Too late.')
  await stopWorker(behind)
})
