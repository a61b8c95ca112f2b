// Tests of the AI agent in the console: written, kept from a turn, run against what is live and the draft, compared.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { allowOutbound } from '../../channels/protocol/outbound.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import type { TestDetails, TestList } from '../domain/ai/evaluation/schema.ts'
import { DEFAULT_GUIDANCE } from '../domain/ai/guidance/default-guidance.ts'
import { startAssisting } from '../domain/ai/testing/assisted.ts'
import { DELIVERY_TIMING } from '../jobs/delivery-timing.ts'
import { evaluateAgent } from '../jobs/evaluate-agent.ts'
import type { Guidance } from '../platform/db/tables.ts'

const KEY = 'sk-console-tests-6f20d9e14b73'
const sandbox = await startSandbox({ modelKey: KEY })
const app = await startApp()
const { place, settle, conductor, thinker } = startAssisting(app)
before(() => allowOutbound(sandbox.url))
after(async () => {
  await thinker.stop()
  await conductor.stop()
  await sandbox.stop()
})
const { make, db } = app
const jobs = { ...app.deps, log: app.app.log, timing: DELIVERY_TIMING, isStopping: () => false }

const asks = (name: string, expect: object, question = 'How much is shipping?') => ({
  name,
  channel: 'web',
  contact: {},
  turns: [{ customer: [question] }],
  expect,
})

const workspaceWith = async (options: Parameters<typeof place>[0] = {}) => {
  const there = await place(options)
  const admin = await make.agent(there.workspaceId, { role: 'admin' })
  const { call } = await signIn(app, there.workspaceId, admin.id)
  const list = async (): Promise<TestList> => (await call('GET', '/ai-tests')).body
  const details = async (id: string): Promise<TestDetails> => {
    const { status, body, text } = await call('GET', `/ai-tests/${id}`)
    assert.equal(status, 200, text)
    return body
  }
  const create = async (scenario: object): Promise<string> => {
    const { status, body, text } = await call('POST', '/ai-tests', { scenario })
    assert.equal(status, 200, text)
    return body.test.id
  }
  const start = (guidance: string[], testIds?: string[]) =>
    call('POST', '/ai-test-runs', { guidance, ...(testIds && { testIds }) })
  /** Plays a run to its end, as the worker does. */
  const run = async (guidance: string[], testIds?: string[]) => {
    const { status, body, text } = await start(guidance, testIds)
    assert.equal(status, 200, text)
    await evaluateAgent(jobs, { workspaceId: there.workspaceId, runId: body.run.id })
    const { run } = await list()
    assert.equal(run!.state, 'ended')
    return run!
  }
  const draft = async (change: Partial<Guidance>) => {
    const { revision } = (await call('GET', '/ai-guidance')).body
    const saved = await call('PUT', '/ai-guidance/draft', {
      guidance: { ...DEFAULT_GUIDANCE, ...change },
      revision,
    })
    assert.equal(saved.status, 200, saved.text)
  }
  const review = async () => (await call('GET', '/ai-guidance/review')).body
  return { ...there, call, list, details, create, start, run, draft, review }
}

test('what was expected and what happened is said in plain words, without a model as well', async () => {
  const { create, run, list, details } = await workspaceWith()
  const good = await create(
    asks('Says the price', { has: 'ai', mustUse: ['Shipping cost'], mustSay: ['50 euros'] }),
  )
  const bad = await create(asks('Hands over', { has: 'team', never: ['50 euros'] }))
  const { total, done, passed, failed } = await run(['live'], [good, bad])
  assert.deepEqual({ total, done, passed, failed }, { total: 2, done: 2, passed: 1, failed: 1 })
  const { tests, hasModel } = await list()
  assert.equal(hasModel, false)
  assert.deepEqual(
    tests.filter(({ isOwn }) => isOwn).map(({ name, live, draft }) => [name, live?.state, draft]),
    [
      ['Hands over', 'failed', null],
      ['Says the price', 'passed', null],
    ],
  )
  const { live } = await details(bad)
  assert.deepEqual(
    live!.checks.map(({ expected, isMet }) => [expected, isMet]),
    [
      ['The conversation goes to the team', false],
      ['Doesn’t say “50 euros”', false],
    ],
  )
  assert.equal(live!.checks[0]!.happened, 'The agent keeps the conversation')
  assert.match(live!.said.join('\n'), /Shipping is free from 50 euros/)
})

test('what can’t be tried is neither passed nor failed', async () => {
  const { run, list, details, create } = await workspaceWith()
  const { tests } = await list()
  const needsModel = tests.find(({ kind }) => kind === 'grounded-answers')!
  const word = tests.find(({ kind }) => kind === 'no-provider')!
  const { passed, failed, skipped } = await run(['live'], [needsModel.id, word.id])
  assert.deepEqual({ passed, failed, skipped }, { passed: 1, failed: 0, skipped: 1 })
  assert.equal((await details(needsModel.id)).live!.skipped, 'needs a model')

  // It expects a hand-over; that the model is gone is no proof of one.
  const gone = await workspaceWith({ model: { url: sandbox.url, key: KEY, name: 'sandbox-facts' } })
  const id = await gone.create(asks('Hands over', { has: 'team' }, 'Do you have a branch in Ouagadougou?'))
  sandbox.control.addModelFault({ kind: 'server', times: 10 })
  assert.equal((await gone.run(['live'], [id])).skipped, 1)
  assert.equal((await gone.details(id)).live!.skipped, 'the model couldn’t be used')
  sandbox.control.clearModel()
  assert.equal((await create(asks('One', { has: 'ai' }))).length > 0, true)
})

test('a draft that does worse is named before it is published, and so is one that was never run', async () => {
  const { create, run, draft, list, review, call, details } = await workspaceWith()
  const id = await create(asks('Says the price', { mustSay: ['50 euros'] }))
  const other = await create(
    asks('Says the deadline', { mustSay: ['30 days'] }, 'How long do I have to return something?'),
  )
  assert.deepEqual(await review(), { worse: [], isOutdated: false }, 'nothing was ever tested')
  await draft({ sensitiveTopics: ['shipping'] })
  await run(['live', 'draft'], [id, other])
  const changes = async () =>
    (await list()).tests.filter(({ isOwn }) => isOwn).map(({ name, change }) => [name, change])
  assert.deepEqual(await changes(), [
    ['Says the deadline', 'same'],
    ['Says the price', 'worse'],
  ])
  assert.deepEqual(await review(), { worse: [{ id, name: 'Says the price' }], isOutdated: false })
  const both = await details(id)
  assert.deepEqual([both.live!.state, both.draft!.state], ['passed', 'failed'])

  await draft({ sensitiveTopics: ['shipping', 'returns'] })
  assert.deepEqual(await review(), { worse: [], isOutdated: true }, 'the draft has changed since')
  assert.equal((await details(id)).draft!.isCurrent, false)
  const { revision } = (await call('GET', '/ai-guidance')).body
  assert.equal((await call('POST', '/ai-guidance/publish', { revision })).status, 200, 'it never blocks')
})

test('a test that was changed since has no current result', async () => {
  const { create, run, call, list } = await workspaceWith()
  const id = await create(asks('Says the price', { mustSay: ['50 euros'] }))
  await run(['live'], [id])
  const changed = await call('PUT', `/ai-tests/${id}`, {
    scenario: asks('Says a price', { mustSay: ['90'] }),
  })
  assert.equal(changed.status, 200, changed.text)
  const { name, live } = (await list()).tests.find((one) => one.id === id)!
  assert.deepEqual([name, live!.state, live!.isCurrent], ['Says a price', 'passed', false])
  assert.equal((await call('DELETE', `/ai-tests/${id}`)).status, 200)
  for (const [method, path] of [
    ['GET', `/ai-tests/${id}`],
    ['DELETE', `/ai-tests/${id}`],
  ] as const)
    assert.equal((await call(method, path)).body.error.code, 'AI_TEST_NOT_FOUND')
  const gone = await call('PUT', `/ai-tests/${id}`, { scenario: asks('x', { has: 'ai' }) })
  assert.equal(gone.body.error.code, 'AI_TEST_NOT_FOUND')
})

test('a workspace has one run at a time, and a cancelled one stores nothing more', async () => {
  const { start, call, list, workspaceId, create } = await workspaceWith()
  const id = await create(asks('Says the price', { has: 'ai' }))
  const started = await Promise.all([start(['live'], [id]), start(['live'], [id])])
  assert.deepEqual(started.map(({ status }) => status).sort(), [200, 409])
  const { run } = started.find(({ status }) => status === 200)!.body
  const refused = started.find(({ status }) => status === 409)!
  assert.equal(refused.body.error.code, 'AI_TESTS_RUNNING')
  const cancelled = await call('POST', `/ai-test-runs/${run.id}/cancel`)
  assert.deepEqual([cancelled.status, cancelled.body.run.state], [200, 'cancelled'])
  await evaluateAgent(jobs, { workspaceId, runId: run.id })
  assert.deepEqual([(await list()).run!.state, (await list()).run!.done], ['cancelled', 0])
  assert.equal((await start(['live'], [id])).status, 200)
  assert.equal((await start(['live'], ['none'])).status, 400)
  assert.equal((await call('POST', '/ai-test-runs/none/cancel')).body.error.code, 'AI_TEST_RUN_NOT_FOUND')
})

test('a turn becomes a test without what says who the customer is', async () => {
  const there = await workspaceWith({ name: 'Wilhelmina Ortega' })
  await there.writes('Hi, I am Wilhelmina, wil@ortega.example, my card is 4111 1111 1111 1111.')
  await there.assign()
  await settle()
  await there.asks('How much is shipping?')
  const turnId = (await there.turns()).at(-1)!.id
  await there.writes('And this came later.')
  const proposed = await there.call('GET', `/ai-turns/${turnId}/test`)
  assert.equal(proposed.status, 200, proposed.text)
  assert.deepEqual(proposed.body.scenario, {
    name: 'How much is shipping?',
    channel: 'web',
    contact: {},
    turns: [
      { customer: ['Hi, I am [name], [email 1], my card is [card 1].'] },
      { customer: ['How much is shipping?'] },
    ],
    expect: { has: 'ai', mustUse: ['Shipping cost'] },
  })
  const kept = await there.call('POST', '/ai-tests', { scenario: proposed.body.scenario, turnId })
  assert.equal(kept.status, 200, kept.text)
  assert.equal((await there.run(['live'], [kept.body.test.id])).passed, 1)
  const gone = await there.call('GET', '/ai-turns/none/test')
  assert.equal(gone.body.error.code, 'AI_TURN_NOT_FOUND')
})

test('tests, runs and results of another workspace don’t exist', async () => {
  const own = await workspaceWith()
  const other = await workspaceWith()
  const id = await other.create(asks('Theirs', { has: 'ai' }))
  const run = await other.run(['live'], [id])
  assert.equal((await own.list()).tests.filter(({ isOwn }) => isOwn).length, 0)
  assert.equal((await own.list()).run, null)
  assert.equal((await own.call('GET', `/ai-tests/${id}`)).body.error.code, 'AI_TEST_NOT_FOUND')
  assert.equal((await own.call('DELETE', `/ai-tests/${id}`)).body.error.code, 'AI_TEST_NOT_FOUND')
  assert.equal((await own.start(['live'], [id])).status, 400)
  const cancel = await own.call('POST', `/ai-test-runs/${run.id}/cancel`)
  assert.equal(cancel.body.error.code, 'AI_TEST_RUN_NOT_FOUND')
  const member = await makeMember(app, other.workspaceId, ['manage_knowledge'])
  const { call } = await signIn(app, other.workspaceId, member.id)
  assert.equal((await call('GET', '/ai-tests')).status, 403)
  // A job that names the wrong workspace finds nothing to play.
  await evaluateAgent(jobs, { workspaceId: own.workspaceId, runId: run.id })
  const rows = await db
    .selectFrom('ai_test_results')
    .select('workspace_id')
    .where('test_id', '=', id)
    .execute()
  assert.deepEqual(rows, [{ workspace_id: other.workspaceId }])
})
