// How long customers wait for an answer, and what is late.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { makeTeam } from '../../../test/make-team.ts'
import { countStatements } from '../../../test/statements.ts'
import { announceOverdueAnswers } from '../../jobs/announce-overdue.ts'
import { wakeSnoozed } from '../../jobs/wake-snoozed.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { toPublic } from '../feed/catalogue.ts'
import { requireFitting } from '../feed/testing/require-fitting.ts'
import { insertMessages, placeIn, THEIR_IDS } from '../messages/insert-messages.ts'
import { receiveMessage } from '../messages/receive-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import type { AnswerTargets } from '../teams/schema.ts'
import { saveTargets } from '../teams/teams.ts'
import { lockConversation } from './queries.ts'

const app = await startApp()
const { call, clock, ctxOf, db, deps, make } = app
const jobDeps = { ...deps, log: app.app.log, isStopping: () => false } as never
const MINUTE_MS = 60_000
const TARGETS: AnswerTargets = {
  firstAnswerMinutes: 10,
  nextAnswerMinutes: 30,
  hoursId: null,
  aiCounts: true,
}

const makeWorld = async (targets: Partial<AnswerTargets> | null = {}) => {
  const workspace = await make.workspace()
  const w = workspace.id
  const admin = await make.agent(w, { role: 'admin' })
  const robin = await signIn(app, w, admin.id)
  if (targets) await saveTargets(ctxOf(w), { ...TARGETS, ...targets })
  const account = await make.channelAccount(w, 'web')
  const write = async (name: string): Promise<string> => {
    const { conversationId } = await receiveMessage(ctxOf(w), {
      channel: 'web',
      channelAccountId: account,
      from: { identity: { kind: 'visitor', value: `${w} ${name}`, verified: true }, name },
      body: 'Hello',
      externalId: null,
      sentAt: clock.now(),
    })
    return conversationId
  }
  const api = async (path: string, body?: unknown) => {
    const answer = await call(workspace.token, 'POST', path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const answer = (id: string) => api(`/conversations/${id}/messages`, { body: 'Yes?' })
  const change = async (id: string, body: object) => {
    const { body: done } = await robin.call('POST', '/conversations/bulk', { ids: [id], ...body })
    assert.deepEqual(done.results, [{ id, ok: true }])
  }
  const dueOf = async (id: string): Promise<string | null> =>
    (await robin.call('GET', `/conversations/${id}`)).body.conversation.answerDueAt
  const waitsOf = (id: string) =>
    db.selectFrom('waits').selectAll().where('conversation_id', '=', id).orderBy('id').execute()
  const list = async (query: string): Promise<string[]> => {
    const answer = await robin.call('GET', `/conversations?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.conversations.map(({ id }: { id: string }) => id)
  }
  const overdueEvents = () =>
    db
      .selectFrom('events')
      .select(['data', 'actor'])
      .where('workspace_id', '=', w)
      .where('type', '=', 'conversation.answer_overdue')
      .execute()
  return { ...workspace, w, admin, robin, write, api, answer, change, dueOf, waitsOf, list, overdueEvents }
}

const later = async (ms: number, work: () => Promise<unknown>): Promise<void> => {
  const { now } = clock
  clock.now = () => new Date(now().getTime() + ms)
  try {
    await work()
  } finally {
    clock.now = now
  }
}
const minutesBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / MINUTE_MS

test('a customer is to be answered within the first target, and later within the next one', async () => {
  const { write, answer, dueOf, waitsOf, api } = await makeWorld()
  const id = await write('Ada')
  const due = await dueOf(id)
  // What they add changes nothing.
  await write('Ada')
  assert.equal(await dueOf(id), due)
  const [first] = await waitsOf(id)
  assert.deepEqual([first!.kind, first!.due_at, minutesBetween(first!.started_at, due!)], ['first', due, 10])
  const { message } = await answer(id)
  assert.equal(await dueOf(id), null)
  await answer(id)
  await write('Ada')
  const [met, next] = await waitsOf(id)
  assert.deepEqual([met!.answered_at, met!.answered_by], [message.createdAt, message.senderId])
  assert.deepEqual([next!.kind, minutesBetween(next!.started_at, next!.due_at)], ['next', 30])
  // Closing ends it without an answer.
  await api(`/conversations/${id}/close`)
  const [, ended] = await waitsOf(id)
  assert.deepEqual([await dueOf(id), ended!.answered_at, ended!.ended_at !== null], [null, null, true])
  await write('Ada')
  assert.equal((await waitsOf(id)).length, 3)
  assert.notEqual(await dueOf(id), null)
})

test('a team has targets of its own, which count from when the customer began to wait', async () => {
  const { w, write, api, dueOf, waitsOf, answer } = await makeWorld({ nextAnswerMinutes: null })
  const fast = await makeTeam(app, w, { name: 'Fast', firstAnswerMinutes: 2, nextAnswerMinutes: 5 })
  const id = await write('Bob')
  await api(`/conversations/${id}/team`, { teamId: fast })
  const [wait] = await waitsOf(id)
  assert.deepEqual([wait!.team_id, minutesBetween(wait!.started_at, (await dueOf(id))!)], [fast, 2])
  await answer(id)
  await api(`/conversations/${id}/team`, { teamId: null })
  await write('Bob')
  assert.equal(await dueOf(id), null)
  await api(`/conversations/${id}/team`, { teamId: fast })
  const [, next] = await waitsOf(id)
  assert.deepEqual([next!.kind, minutesBetween(next!.started_at, (await dueOf(id))!)], ['next', 5])
  // The workspace has no target for later answers.
  await api(`/conversations/${id}/team`, { teamId: null })
  assert.equal(await dueOf(id), null)
})

test('assigning and moving to a team say when the customer has to be answered after that', async () => {
  const { w, admin, write, api, dueOf, answer } = await makeWorld()
  const fast = await makeTeam(app, w, { name: 'Faster', firstAnswerMinutes: 2, nextAnswerMinutes: 5 })
  const id = await write('Eve')
  const before = await dueOf(id)
  const assigned = await api(`/conversations/${id}/assign`, { agentId: admin.id })
  assert.notEqual(before, null)
  assert.equal(assigned.answerDueAt, before)
  const moved = await api(`/conversations/${id}/team`, { teamId: fast })
  assert.notEqual(moved.answerDueAt, before)
  assert.equal(moved.answerDueAt, await dueOf(id))
  const both = await api(`/conversations/${id}/assign`, { agentId: admin.id, teamId: null })
  assert.equal(both.answerDueAt, before)
  await answer(id)
  assert.equal((await api(`/conversations/${id}/assign`, { agentId: admin.id })).answerDueAt, null)
})

test('the time stands still while a conversation is snoozed', async () => {
  const { write, change, dueOf, waitsOf } = await makeWorld()
  for (const how of ['wake', 'unsnooze', 'write'] as const) {
    const id = await write(how)
    const due = await dueOf(id)
    await change(id, {
      action: 'snooze',
      until: new Date(clock.now().getTime() + 60 * MINUTE_MS).toISOString(),
    })
    assert.equal(await dueOf(id), null)
    await later(61 * MINUTE_MS, async () => {
      await announceOverdueAnswers(jobDeps)
      if (how === 'wake') await wakeSnoozed(jobDeps)
      else if (how === 'unsnooze') await change(id, { action: 'unsnooze' })
      else await write(how)
    })
    const shift = minutesBetween(due!, (await dueOf(id))!)
    assert.ok(shift > 60.9 && shift < 61.5, `${how}: ${shift}`)
    const [wait, ...others] = await waitsOf(id)
    assert.deepEqual([wait!.overdue_at, others.length], [null, 0])
  }
})

test('what is late is announced once, listed as overdue, and first among what is due', async () => {
  const { w, admin, write, api, answer, list, overdueEvents, robin, waitsOf } = await makeWorld()
  const team = await makeTeam(app, w, { nextAnswerMinutes: 60, firstAnswerMinutes: 60 })
  const [late, answered, slow] = [await write('Late'), await write('Answered'), await write('Slow')]
  await api(`/conversations/${late}/assign`, { agentId: admin.id })
  await api(`/conversations/${slow}/team`, { teamId: team })
  await answer(answered)
  assert.deepEqual(await list('status=open&sort=due&snoozed=false'), [late, slow])
  assert.deepEqual(await list('overdue=true&sort=due'), [])
  await later(11 * MINUTE_MS, async () => {
    await Promise.all([announceOverdueAnswers(jobDeps), announceOverdueAnswers(jobDeps)])
    await announceOverdueAnswers(jobDeps)
    for (const query of [
      'sort=due',
      'sort=waiting',
      'sort=inbox',
      'status=open&snoozed=false',
      `agentId=${admin.id}`,
    ])
      assert.deepEqual(await list(`overdue=true&${query}`), [late], query)
    assert.equal((await robin.call('GET', '/listed-count?overdue=true')).body.count, 1)
    assert.deepEqual(await list(`overdue=true&teamId=${team}`), [])
  })
  for (const { data, actor } of await overdueEvents())
    requireFitting(toPublic({ type: 'conversation.answer_overdue', actor, data: data as never })!)
  const [{ due_at: dueAt, overdue_at: overdueAt } = {}] = await waitsOf(late)
  assert.ok(overdueAt)
  assert.deepEqual(await overdueEvents(), [
    {
      actor: 'system',
      data: { conversationId: late, agentId: admin.id, teamId: null, answer: 'first', dueAt },
    },
  ])
})

test('a reply of the AI agent is an answer unless the workspace says otherwise, and a flow’s is none', async () => {
  for (const aiCounts of [true, false]) {
    const { w, write, dueOf, answer } = await makeWorld({ aiCounts })
    const accountId = await make.enableAi(w)
    const id = await write('Bot')
    const say = (actor: object) =>
      sendMessage({ ...ctxOf(w), actor: actor as never }, { conversationId: id, body: 'Hello, I am here.' })
    await say({ type: 'flow', flowId: 'f', runId: 'r' })
    assert.notEqual(await dueOf(id), null)
    await inTransaction(ctxOf(w), async (ctx) => {
      const conversation = (await lockConversation(ctx, id))!
      const message = {
        ...placeIn(ctx, conversation),
        senderType: 'agent' as const,
        senderId: accountId,
        actor: `ai:${accountId}`,
        status: 'sent' as const,
        body: 'An answer.',
        grams: [],
      }
      await insertMessages(ctx, [message], { answer: THEIR_IDS })
    })
    assert.equal((await dueOf(id)) === null, aiCounts)
    await answer(id)
    assert.equal(await dueOf(id), null)
  }
})

test('a workspace without targets pays nothing, and one with targets no statement more for a message', async () => {
  const [plain, timed] = [await makeWorld(null), await makeWorld()]
  const sending = async ({ token, write }: Awaited<ReturnType<typeof makeWorld>>) => {
    const id = await write('Ada')
    return countStatements(app.database, () =>
      call(token, 'POST', `/conversations/${id}/messages`, { body: 'Hello' }),
    )
  }
  assert.equal(await sending(plain), await sending(timed))
})
