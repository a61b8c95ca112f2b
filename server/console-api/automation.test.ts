import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { GREETING, makeFlow } from '../../test/make-flow.ts'
import { startConducting } from '../domain/flow-runs/testing/conducted.ts'

const app = await startApp()
const { make } = app
const { place, conductor } = startConducting(app)

const setUp = async () => {
  const here = await place()
  const { name } = await makeFlow(app, here.workspaceId, { definition: GREETING })
  const anna = await make.agent(here.workspaceId, { nickname: `Anna ${here.workspaceId}`, role: 'admin' })
  const { call } = await signIn(app, here.workspaceId, anna.id)
  await here.says('Hello')
  const path = `/conversations/${here.conversationId()}`
  return { ...here, name, anna, call, path }
}

test('a waiting flow is shown, and ends when a person pauses automation until they give it back', async () => {
  const { call, path, name, anna, runs, says, thread, lines } = await setUp()
  const before = await call('GET', `${path}/automation`)
  assert.equal(before.status, 200, before.text)
  assert.equal(before.body.pause, null)
  const [run] = before.body.runs
  assert.deepEqual([run.flowName, run.isDialog, run.waitingFor], [name, true, 'reply'])
  assert.ok(run.wakesAt)

  const paused = await call('POST', `${path}/automation/pause`)
  assert.deepEqual(paused.body, {
    pause: { reason: 'paused', until: null, by: anna.id, byName: anna.nickname },
    runs: [],
  })
  assert.deepEqual((await call('POST', `${path}/automation/pause`)).body, paused.body)
  await conductor.conductDue()
  assert.deepEqual(
    (await runs()).map(({ status, end_reason }) => [status, end_reason]),
    [['cancelled', 'person_took_over']],
  )
  await says('AB-12345')
  assert.deepEqual((await thread()).slice(2), ['customer: AB-12345'])

  assert.deepEqual((await call('POST', `${path}/automation/give-back`)).body, { pause: null, runs: [] })
  assert.deepEqual((await call('POST', `${path}/automation/give-back`)).body, { pause: null, runs: [] })
  const said = (await lines()).filter((line) => line.startsWith(anna.nickname))
  assert.deepEqual(said, [`${anna.nickname} paused automation`, `${anna.nickname} resumed automation`])
})

test('after a person’s message the conversation says until when automation is paused, and by whom', async () => {
  const { call, path, anna } = await setUp()
  await call('POST', `${path}/messages`, { body: 'Hi, Anna here.' })
  const { pause } = (await call('GET', `${path}/automation`)).body
  assert.deepEqual([pause.reason, pause.byName], ['person_took_over', anna.nickname])
  assert.ok(Date.parse(pause.until) > Date.now())
})

test('giving back a conversation of one’s own unassigns it', async () => {
  const { call, path, anna } = await setUp()
  await call('POST', `${path}/assign`, { agentId: anna.id })
  await call('POST', `${path}/automation/give-back`)
  assert.equal((await call('GET', path)).body.conversation.assignment, null)
})
