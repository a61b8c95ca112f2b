// Why the AI agent said something, what was sent for it, and who may read that.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { RETURNS, SHIPPING, startAssisting } from '../domain/ai/testing/assisted.ts'
import { getTurn, getTurnRequests } from '../domain/ai/turn-log.ts'
import { sweepOldRows, TURNS_KEPT_MS } from '../jobs/sweep-old-rows.ts'
import { newId } from '../platform/db/id.ts'

const app = await startApp()
const { conductor, place, settle, thinker } = startAssisting(app)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})
const { db, make, clock } = app

const SECRET = 'exactly this was sent'

/** An answer, and a request to a model that belongs to its turn. */
const answered = async () => {
  const there = await place({ items: [RETURNS, SHIPPING] })
  await there.writes('How much is shipping?')
  await there.assign()
  await settle()
  const { metadata } = (await there.shown()).find(({ sender }) => sender.role === 'ai')!
  const turnId: string = metadata.ai.turnId
  await db
    .insertInto('ai_requests')
    .values({
      workspace_id: there.workspaceId,
      turn_id: turnId,
      id: newId(),
      model: 'sandbox-1',
      request: JSON.stringify({ system: SECRET, turns: [{ role: 'customer', text: 'How much?' }] }),
      response: JSON.stringify({ is: 'end' }),
      problem: null,
      provider_request_id: 'req_1',
      tries: 1,
      input_tokens: 120,
      output_tokens: 8,
      cost: 42,
      duration_ms: 350,
      created_at: clock.now(),
    })
    .execute()
  await db
    .updateTable('ai_turns')
    .set({ input_tokens: 120, output_tokens: 8, cost: 42, version: 3 })
    .where('id', '=', turnId)
    .execute()
  const admin = await make.agent(there.workspaceId, { role: 'admin' })
  const ada = await signIn(app, there.workspaceId, admin.id)
  return { ...there, metadata, turnId, ada }
}

test('a reply opens to its question, its source with the sentence, its version, tokens, cost and what was sent', async () => {
  const { ada, turnId, metadata, conversationId } = await answered()
  assert.equal(metadata.ai.sources[0].title, SHIPPING.title)
  const { turn } = (await ada.call('GET', `/ai-turns/${turnId}`)).body
  const { sources, createdAt, durationMs, ...rest } = turn
  assert.ok(createdAt && durationMs >= 0)
  assert.deepEqual(
    sources.map(({ title, quote }: { title: string; quote: string }) => [title, quote]),
    [[SHIPPING.title, SHIPPING.body]],
  )
  assert.deepEqual(rest, {
    id: turnId,
    conversationId: conversationId(),
    question: 'How much is shipping?',
    outcome: 'answered',
    reason: null,
    confidence: null,
    version: 3,
    inputTokens: 120,
    cachedTokens: 0,
    outputTokens: 8,
    cost: 42,
    currency: null,
    requestCount: 1,
    wrong: null,
  })
  const { requests } = (await ada.call('GET', `/ai-turns/${turnId}/requests`)).body
  assert.equal(requests.length, 1)
  assert.deepEqual(requests[0].request, {
    system: SECRET,
    turns: [{ role: 'customer', text: 'How much?' }],
  })
  assert.deepEqual([requests[0].response, requests[0].problem], [{ is: 'end' }, null])
})

test('a hand-over’s line opens to its turn, with the reason', async () => {
  const there = await place({ items: [] })
  await there.writes('How much is shipping?')
  await there.assign()
  await settle()
  const line = (await there.messages()).find(
    ({ sender_type, metadata }) => sender_type === 'system' && metadata?.ai,
  )
  const { turnId, handedOver } = line!.metadata!.ai as { turnId: string; handedOver: string }
  assert.equal(handedOver, 'no_knowledge')
  const admin = await make.agent(there.workspaceId, { role: 'admin' })
  const ada = await signIn(app, there.workspaceId, admin.id)
  const { turn } = (await ada.call('GET', `/ai-turns/${turnId}`)).body
  assert.deepEqual([turn.outcome, turn.reason, turn.sources], ['handed_over', 'no_knowledge', []])
})

test('another workspace, and a role without the right, get nothing of a turn', async () => {
  const { turnId, workspaceId } = await answered()
  const other = await answered()
  const nobody = newId()
  for (const path of ['', '/requests']) {
    const foreign = await other.ada.call('GET', `/ai-turns/${turnId}${path}`)
    const missing = await other.ada.call('GET', `/ai-turns/${nobody}${path}`)
    assert.equal(foreign.status, 404)
    assert.equal(foreign.text, missing.text)
  }
  const marked = await other.ada.call('PUT', `/ai-turns/${turnId}/mark`, { isWrong: true })
  assert.equal(marked.status, 404)
  const sees = await makeMember(app, workspaceId, ['see_all_conversations'])
  const withoutRight = await signIn(app, workspaceId, sees.id)
  assert.equal((await withoutRight.call('GET', `/ai-turns/${turnId}`)).status, 200)
  const refused = await withoutRight.call('GET', `/ai-turns/${turnId}/requests`)
  assert.equal(refused.status, 403)
  assert.ok(!refused.text.includes(SECRET))
  const manages = await makeMember(app, workspaceId, ['manage_automation'])
  const confined = await signIn(app, workspaceId, manages.id)
  for (const path of ['', '/requests'])
    assert.equal(
      (await confined.call('GET', `/ai-turns/${turnId}${path}`)).status,
      404,
      'not their conversation',
    )
})

test('what a person calls wrong is no resolution, until they take it back', async () => {
  const { ada, turnId, workspaceId, taps } = await answered()
  await taps('Yes, that helped')
  await settle()
  const outcome = async () => {
    const { confirmed_by, wrong } = await db
      .selectFrom('ai_outcomes')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow()
    return [confirmed_by, wrong]
  }
  assert.deepEqual(await outcome(), ['tap', 0])
  const { turn } = (await ada.call('PUT', `/ai-turns/${turnId}/mark`, { isWrong: true })).body
  assert.ok(turn.wrong.at && turn.wrong.by)
  assert.deepEqual(await outcome(), [null, 1])
  assert.equal((await ada.call('PUT', `/ai-turns/${turnId}/mark`, { isWrong: false })).body.turn.wrong, null)
  assert.deepEqual(await outcome(), ['tap', 0])
})

const DAY_MS = 24 * 3_600_000
const AI_REQUESTS_KEPT_MS = 30 * DAY_MS

test('what was sent is kept for as many days as the workspace says', async () => {
  const { ada, ctx, turnId } = await answered()
  const { status } = await ada.call('PATCH', '/ai-settings', {
    privacy: { hidesContacts: false, requestsKeptDays: 60 },
  })
  assert.equal(status, 200)
  const sweepAfter = (days: number) => {
    const now = new Date(clock.now().getTime() + days * DAY_MS)
    return sweepOldRows({ db, now: () => now, isStopping: () => false })
  }
  await sweepAfter(59)
  assert.equal((await getTurnRequests(ctx, turnId)).length, 1)
  await sweepAfter(61)
  assert.deepEqual(await getTurnRequests(ctx, turnId), [])
})

test('what was sent is kept for 30 days, the turn for 90, and the counts for good', async () => {
  const { ada, ctx, turnId, workspaceId, conversationId } = await answered()
  await ada.call('PUT', `/ai-turns/${turnId}/mark`, { isWrong: false })
  const sweepAfter = (ms: number) => {
    const now = new Date(clock.now().getTime() + ms)
    return sweepOldRows({ db, now: () => now, isStopping: () => false })
  }
  await sweepAfter(AI_REQUESTS_KEPT_MS - 60_000)
  assert.equal((await getTurnRequests(ctx, turnId)).length, 1)
  await sweepAfter(AI_REQUESTS_KEPT_MS + 60_000)
  assert.deepEqual(await getTurnRequests(ctx, turnId), [])
  const turn = await getTurn(ctx, turnId)
  assert.deepEqual([turn.inputTokens, turn.cost, turn.requestCount], [120, 42, 0])
  await sweepAfter(TURNS_KEPT_MS + 60_000)
  await assert.rejects(getTurn(ctx, turnId), { code: 'AI_TURN_NOT_FOUND' })
  const outcome = await db
    .selectFrom('ai_outcomes')
    .select(['answered', 'cost', 'input_tokens'])
    .where('workspace_id', '=', workspaceId)
    .where('conversation_id', '=', conversationId())
    .executeTakeFirstOrThrow()
  assert.deepEqual([outcome.answered, Number(outcome.cost), Number(outcome.input_tokens)], [1, 42, 120])
})
