import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { flowOf, startConducting } from '../domain/flow-runs/testing/conducted.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=1000 is the soak: rounds of conversations until that many were killed. */
const KILLS = Number(process.env.KILLS ?? 3)
const CONVERSATIONS = 20
/** Fewer than would look like a program on the other side. */
const QUESTIONS = 4

const app = await startApp()
const { database, db, make } = app
const { place } = startConducting(app)
type Place = Awaited<ReturnType<typeof place>>
const count = async (from: string): Promise<number> => {
  const { rows } = await sql.raw<{ count: number }>(`select count(*)::int as count from ${from}`).execute(db)
  return rows[0]!.count
}

/** Of 20 conversations in which workers are killed until `killsMax` or until all is said. Returns the kills. */
const playRound = async (places: readonly Place[], killsMax: number): Promise<number> => {
  const before = await count(`flow_runs where status = 'completed'`)
  const isDone = async () => (await count(`flow_runs where status = 'completed'`)) === before + CONVERSATIONS
  let killed = 0
  const killing = (async () => {
    while (killed < killsMax && !(await isDone())) {
      const workers = await Promise.all([
        startKillable(database.connectionString),
        startKillable(database.connectionString),
      ])
      const steps = await count('flow_run_steps')
      await until(async () => (await count('flow_run_steps')) > steps || (await isDone()), 'a sprint')
      await Promise.all(workers.map(kill))
      killed += workers.length
    }
    return startKillable(database.connectionString)
  })()
  await Promise.all(
    places.map(async ({ writes, thread }) => {
      for (let index = 0; index <= QUESTIONS; index++) {
        await writes(`Reply ${index}`)
        // The next one is written when this one was answered, as a person would.
        if (index < QUESTIONS)
          await until(async () => (await thread()).length >= 2 * index + 2, `reply ${index}`, 120_000)
      }
    }),
  )
  const last = await killing
  await until(isDone, 'all runs to end', 120_000)
  await kill(last)
  return killed
}

test('workers killed in the middle of runs lose no message and say nothing twice', async () => {
  const { id: workspaceId } = await make.workspace()
  const places: Place[] = []
  for (let killed = 0; killed < KILLS; ) {
    const round: Place[] = []
    for (let index = 0; index < CONVERSATIONS; index++) round.push(await place({ workspaceId }))
    if (places.length === 0)
      await round[0]!.flow(
        flowOf(
          Array.from({ length: QUESTIONS }, (_, index) => ({
            type: 'ask' as const,
            answer: 'text' as const,
            text: `Question ${index}, after {{message.text}}?`,
          })),
        ),
      )
    killed += await playRound(round, KILLS - killed)
    places.push(...round)
  }
  for (const { thread, runs, lines } of places) {
    assert.deepEqual(
      await thread(),
      Array.from({ length: QUESTIONS + 1 }, (_, index) => [
        `customer: Reply ${index}`,
        ...(index < QUESTIONS ? [`automation: Question ${index}, after Reply ${index}?`] : []),
      ]).flat(),
    )
    assert.equal((await runs()).length, 1)
    assert.equal((await lines()).length, QUESTIONS)
  }
  assert.equal(await count('automation_inputs'), 0)
  // Each step of each run once, and counted once.
  const { rows } = await sql<{ steps: number; counted: number }>`
    select (select count(*) from flow_run_steps where step_id is not null)::int as steps,
      (select sum(count) from flow_step_counts)::int as counted`.execute(db)
  assert.deepEqual(rows[0], {
    steps: places.length * QUESTIONS * 2,
    counted: places.length * QUESTIONS * 2,
  })
})
