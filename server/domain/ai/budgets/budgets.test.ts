// What the AI agent may use of a model: each limit, at once and one after the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ModelError } from '../../../../models/contract.ts'
import { startApp } from '../../../../test/app.ts'
import { warnOfSpending } from '../../../jobs/warn-of-spending.ts'
import { makeCircuit } from '../../../platform/circuit.ts'
import type { Mail } from '../../../platform/mail.ts'
import { setAiAgent } from '../../agents/set-ai-agent.ts'
import { updateAiSettings } from '../settings.ts'
import { callProvider } from './call-provider.ts'
import {
  CONTACT_TURNS_PER_DAY_MAX,
  DAY_MS,
  HOUR_MS,
  REQUEST_MAX_MS,
  REQUESTS_AT_ONCE_MAX,
  REQUESTS_PER_MINUTE_MAX,
  TEST_REQUESTS_AT_ONCE_MAX,
  TEST_REQUESTS_PER_MINUTE_MAX,
  TOKENS_PER_DAY_MAX,
  TURNS_PER_HOUR_MAX,
} from './limits.ts'
import { deleteOldUsage, listSpending } from './queries.ts'
import { reserve, settle } from './reserve.ts'

const { app, clock, ctxOf, db, deps, make } = await startApp()
const START = Date.parse('2026-11-23T10:00:00Z')
/** A dollar for a million tokens in, ten for a million out. */
const PRICES = { input_price: 1_000_000, output_price: 10_000_000 }

const pass = (ms: number): void => {
  const now = clock.now().getTime() + ms
  clock.now = () => new Date(now)
}

const place = async ({ day = null as number | null, month = null as number | null } = {}) => {
  clock.now = () => new Date(START)
  const { id: workspaceId } = await make.workspace()
  const ctx = ctxOf(workspaceId)
  await setAiAgent(ctx, { isEnabled: true })
  await updateAiSettings(ctx, { budget: { day, month } })
  await db
    .insertInto('ai_providers')
    .values({
      workspace_id: workspaceId,
      kind: 'messages',
      base_url: 'https://models.test',
      model: 'm',
      ...PRICES,
      updated_by: 'system',
      updated_at: clock.now(),
    })
    .execute()
  const { id: conversationId, contactId } = await make.conversation(workspaceId)
  let turns = 0
  const ask = (
    tokens = 1_000,
    { turnId = `turn${++turns}`, conversation = conversationId as string | null } = {},
  ) => reserve(ctx, { turnId, conversationId: conversation, tokens })
  /** Makes a request and settles it. */
  const use = async (
    tokens = 100,
    cost = 0,
    where: { turnId?: string; conversation?: string | null } = {},
  ) => {
    const reserved = await ask(tokens, where)
    if (reserved.isGranted) await settle(ctx, reserved, { tokens, cost })
    return reserved.isGranted ? 'granted' : reserved.bound
  }
  const spent = async () => Object.fromEntries((await listSpending(ctx)).map((one) => [one.period, one.cost]))
  return { ctx, workspaceId, conversationId, contactId, ask, use, spent }
}

const boundOf = (answer: Awaited<ReturnType<typeof reserve>>): string =>
  answer.isGranted ? 'granted' : answer.bound

test('of two turns that race for the last tokens of a conversation, one gets them', async () => {
  for (let round = 0; round < 5; round++) {
    const { ask, use } = await place()
    await use(TOKENS_PER_DAY_MAX - 1_500)
    const answers = await Promise.all([ask(1_000), ask(1_000), ask(1_000)])
    assert.deepEqual(answers.map(boundOf).sort(), ['dayTokens', 'dayTokens', 'granted'])
  }
})

test('of two turns that race for the last money, one gets it, in another conversation too', async () => {
  const { ask, workspaceId, ctx } = await place({ day: 15_000 })
  const { id: other } = await make.conversation(workspaceId)
  // 1,000 tokens at the dearer price are 10,000 millionths.
  const answers = await Promise.all([ask(1_000), ask(1_000, { conversation: other })])
  assert.deepEqual(answers.map(boundOf).sort(), ['dayMoney', 'granted'])
  const granted = answers.find(({ isGranted }) => isGranted)
  assert.ok(granted?.isGranted)
  await settle(ctx, granted, { tokens: 300, cost: 700 })
  assert.equal(boundOf(await ask(1_000)), 'granted', 'what was not used is free again')
})

test('what was used replaces what was reserved, once', async () => {
  const { ctx, ask, spent } = await place()
  const reserved = await ask(1_000)
  assert.ok(reserved.isGranted)
  assert.deepEqual(await spent(), { day: 10_000, month: 10_000 })
  await Promise.all([
    settle(ctx, reserved, { tokens: 200, cost: 450 }),
    settle(ctx, reserved, { tokens: 200, cost: 450 }),
  ])
  assert.deepEqual(await spent(), { day: 450, month: 450 })
})

test('a day’s money is free again the next day, a month’s the next month', async () => {
  const { use } = await place({ day: 10_000, month: 15_000 })
  assert.equal(await use(1_000, 10_000), 'granted')
  assert.equal(await use(1), 'dayMoney')
  pass(DAY_MS)
  assert.equal(await use(1_000), 'monthMoney')
  assert.equal(await use(500, 5_000), 'granted')
  pass(8 * DAY_MS)
  assert.equal(await use(1_000), 'granted')
})

test('a conversation has twelve turns an hour, whose requests count once', async () => {
  const { use } = await place()
  for (let turn = 0; turn < TURNS_PER_HOUR_MAX; turn++)
    for (let request = 0; request < 3; request++)
      assert.equal(await use(10, 0, { turnId: `own${turn}` }), 'granted')
  assert.equal(await use(10), 'hourTurns')
  assert.equal(await use(10, 0, { turnId: 'own3' }), 'granted', 'a turn under way goes on')
  pass(HOUR_MS)
  assert.equal(await use(10), 'granted')
})

test('a conversation has thirty turns and 60,000 tokens a day, a contact sixty turns in all', async () => {
  const { use, workspaceId, contactId } = await place()
  const turns = async (count: number, conversation?: string) => {
    const seen = []
    for (let turn = 0; turn < count; turn++) {
      pass(6 * 60_000)
      seen.push(await use(10, 0, conversation === undefined ? {} : { conversation }))
    }
    return new Set(seen)
  }
  assert.deepEqual([...(await turns(30))], ['granted'])
  assert.equal(await use(10), 'dayTurns')
  const { id: second } = await make.conversation(workspaceId, { contactId, status: 'closed' })
  assert.deepEqual([...(await turns(CONTACT_TURNS_PER_DAY_MAX - 30, second))], ['granted'])
  const { id: third } = await make.conversation(workspaceId, { contactId, status: 'closed' })
  assert.equal(await use(10, 0, { conversation: third }), 'contactTurns')
  const { id: stranger } = await make.conversation(workspaceId)
  assert.equal(await use(TOKENS_PER_DAY_MAX + 1, 0, { conversation: stranger }), 'dayTokens')
  pass(DAY_MS)
  assert.equal(await use(10), 'granted')
})

test('a workspace makes eight requests at once; those of a process that died count for a minute', async () => {
  const { ask, use, workspaceId } = await place()
  const somewhere = async () => (await make.conversation(workspaceId)).id
  for (let at = 0; at < REQUESTS_AT_ONCE_MAX; at++)
    assert.equal(boundOf(await ask(1, { conversation: await somewhere() })), 'granted')
  const refused = await ask(1)
  assert.ok(!refused.isGranted && refused.bound === 'atOnce' && refused.retryAfterMs !== null)
  const elsewhere = await place()
  assert.equal(await elsewhere.use(), 'granted', 'another workspace has its own')
  pass(REQUEST_MAX_MS)
  assert.equal(await use(), 'granted')
})

test('a workspace makes sixty requests a minute', async () => {
  const { use, workspaceId } = await place()
  for (let at = 0; at < REQUESTS_PER_MINUTE_MAX / 10; at++) {
    const { id: conversation } = await make.conversation(workspaceId)
    for (let turn = 0; turn < 10; turn++) assert.equal(await use(1, 0, { conversation }), 'granted')
  }
  assert.equal(await use(1), 'requests')
  pass(60_000)
  assert.equal(await use(1), 'granted')
})

test('tests of the agent leave customers the larger part of the requests', async () => {
  const { ask, use } = await place()
  const forTest = { conversation: null }
  for (let at = 0; at < TEST_REQUESTS_PER_MINUTE_MAX; at++) assert.equal(await use(1, 0, forTest), 'granted')
  assert.deepEqual(await ask(1, forTest), { isGranted: false, bound: 'requests', retryAfterMs: 1_000 })
  assert.equal(await use(1), 'granted')
  pass(60_000)
  for (let at = 0; at < TEST_REQUESTS_AT_ONCE_MAX; at++)
    assert.equal(boundOf(await ask(1, forTest)), 'granted')
  assert.equal(boundOf(await ask(1, forTest)), 'atOnce')
  assert.equal(boundOf(await ask(1)), 'granted')
})

test('without prices nothing costs anything, and a conversation of another workspace is nobody’s', async () => {
  const { ctx, ask, workspaceId, spent } = await place({ day: 0 })
  await db
    .updateTable('ai_providers')
    .set({ input_price: null, output_price: null })
    .where('workspace_id', '=', workspaceId)
    .execute()
  assert.equal(boundOf(await ask(1_000)), 'granted')
  assert.deepEqual(await spent(), { day: 0, month: 0 })
  const other = await place()
  await assert.rejects(reserve(ctx, { turnId: 'foreign', conversationId: other.conversationId, tokens: 1 }))
})

test('the admins are told once that most of the money is spent', async () => {
  const { use, workspaceId } = await place({ day: 10_000 })
  const admin = await make.agent(workspaceId, { role: 'admin' })
  await make.agent(workspaceId, { role: 'agent' })
  const jobs = async () => {
    const { rows } = await sql<{ payload: { workspaceId: string; period: 'day' | 'month' } }>`
      select payload from graphile_worker._private_jobs where payload ->> 'workspaceId' = ${workspaceId}`.execute(
      db,
    )
    return rows.map(({ payload }) => payload)
  }
  await use(100, 7_999)
  assert.deepEqual(await jobs(), [])
  await use(100, 1)
  const [job, ...more] = await jobs()
  assert.deepEqual([job?.period, more], ['day', []])
  await use(100, 10)
  assert.equal((await jobs()).length, 1)
  const mails: Mail[] = []
  const mail = {
    send: async (one: Mail) => void mails.push(one),
    onlyWorkspaceId: null,
    close: async () => {},
  }
  await warnOfSpending({ ...deps, log: app.log, mail, timing: {} as never, isStopping: () => false }, job!)
  assert.deepEqual(
    mails.map(({ to }) => to),
    [admin.email],
  )
  assert.match(mails[0]!.text, /has cost 0\.01 USD today, of 0\.01 USD/)
})

test('usage is kept for as long as it counts', async () => {
  const { use } = await place()
  for (let turn = 0; turn < TURNS_PER_HOUR_MAX; turn++) await use(1)
  await deleteOldUsage(db, new Date(START), 1_000)
  assert.equal(await use(1), 'hourTurns')
  assert.ok((await deleteOldUsage(db, new Date(START + 1), 1_000)) >= TURNS_PER_HOUR_MAX)
  assert.equal(await use(1), 'granted')
})

test('a provider that fails five times in a row is left alone, one that says no is not', async () => {
  const ctx = { workspaceId: 'w' }
  let requests = 0
  const fails = (problem: 'temporary' | 'badRequest' | 'cancelled', baseUrl: string) =>
    assert.rejects(
      callProvider(ctx, { baseUrl }, async () => {
        requests++
        throw new ModelError(problem, problem)
      }),
      ModelError,
    )
  for (let at = 0; at < 7; at++) await fails('badRequest', 'https://no.test')
  for (let at = 0; at < 7; at++) await fails('cancelled', 'https://no.test')
  assert.equal(requests, 14)
  for (let at = 0; at < 7; at++) await fails('temporary', 'https://down.test')
  assert.equal(requests, 14 + 5)
  assert.equal(
    await callProvider({ workspaceId: 'other' }, { baseUrl: 'https://down.test' }, async () => 1),
    1,
  )
})

test('the circuit lets one trial through after its time, and forgets failures that are far apart', () => {
  let now = 0
  const circuit = makeCircuit(
    { silencesMax: 5, withinMs: 30_000, probeMinMs: 60_000, probeMaxMs: 60_000 },
    () => now,
  )
  for (let at = 0; at < 10; at++) {
    circuit.silent()
    now += 8_000
  }
  assert.equal(circuit.isOpen(), false)
  for (let at = 0; at < 5; at++) circuit.silent()
  assert.equal(circuit.isOpen(), true)
  assert.equal(circuit.probeInMs(), 60_000)
  now += 60_000
  assert.equal(circuit.probeInMs(), 0)
  circuit.takeProbe()
  assert.equal(circuit.probeInMs(), 60_000)
  circuit.answered()
  assert.equal(circuit.isOpen(), false)
})
