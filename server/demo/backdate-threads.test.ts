import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { flowOf, startConducting } from '../domain/flow-runs/testing/conducted.ts'
import { saveTargets } from '../domain/teams/teams.ts'
import { backdateThreads } from './backdate-threads.ts'

const app = await startApp()

test('when a day passes in the demo, questions time out, waits end and silences are noticed, and nothing else moves', async () => {
  const { place, conductor } = startConducting(app)
  const asking = await place({ name: 'Asked' })
  await asking.flow(flowOf([{ type: 'ask', answer: 'text', text: 'How many?' }]))
  await asking.says('Hello')
  const waiting = await place({ name: 'Waits' })
  await waiting.flow(
    flowOf([
      { type: 'wait', for: 'P1D' },
      { type: 'send', text: 'A day later' },
      { type: 'wait', for: 'P1D' },
      { type: 'send', text: 'Two days later' },
    ]),
  )
  await waiting.says('Hello')
  const silent = await place({ name: 'Silent' })
  await silent.flow(
    flowOf([{ type: 'send', text: 'Sorry' }], { triggers: [{ on: 'team_silent', after: 'PT23H' }] }),
  )
  await saveTargets(silent.ctx, {
    firstAnswerMinutes: 60,
    nextAnswerMinutes: null,
    hoursId: null,
    aiCounts: true,
  })
  await silent.says('Hello')
  const due = () =>
    app.db
      .selectFrom('waits as w')
      .innerJoin('conversations as c', 'c.wait_id', 'w.id')
      .select(['w.due_at as wait', 'c.answer_due_at as conversation'])
      .where('w.workspace_id', '=', silent.workspaceId)
      .executeTakeFirstOrThrow()
  const { wait: before } = await due()

  const pass = async (hours: number) => {
    for (const { ctx } of [asking, waiting, silent]) await backdateThreads(ctx, hours)
    await conductor.conductDue()
  }
  await pass(19)
  const { wait, conversation } = await due()
  assert.deepEqual([wait, Date.parse(before) - Date.parse(wait)], [conversation, 19 * 3_600_000])
  assert.equal((await asking.runs())[0]!.status, 'running')
  assert.deepEqual(await waiting.thread(), ['customer: Hello'])
  await pass(5)
  assert.equal((await asking.runs())[0]!.end_reason, 'no_answer')
  assert.deepEqual(await waiting.thread(), ['customer: Hello', 'automation: A day later'])
  assert.deepEqual(await silent.thread(), ['customer: Hello', 'automation: Sorry'])
  await pass(24)
  assert.equal((await waiting.thread()).at(-1), 'automation: Two days later')
})
