// Drafts that people ask for, with and without a model: who gets them, what they are made of, and what becomes of them.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { allowOutbound } from '../../../../channels/protocol/outbound.ts'
import { type AnswerInput, startSandbox } from '../../../../sandbox/sandbox.ts'
import { startApp } from '../../../../test/app.ts'
import { makeMember, signIn } from '../../../../test/console.ts'
import { until } from '../../../../test/until.ts'
import { newId } from '../../../platform/db/id.ts'
import { setAiStopped, updateAiSettings } from '../settings.ts'
import { QUIET_MS, RETURNS, startAssisting } from '../testing/assisted.ts'
import { similarityOf } from './drafts.ts'

const KEY = 'sk-drafts-5b0e1c77d2a94f31'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
after(() => sandbox.stop())
const app = await startApp()
const { conductor, pass, place, thinker } = startAssisting(app)
const { ctxOf, db, make } = app
before(() => allowOutbound(sandbox.url))
beforeEach(() => control.clearModel())
after(async () => {
  await thinker.stop()
  await conductor.stop()
})

const SCRIPTED = { url: sandbox.url, key: KEY, name: 'sandbox-script' }
const FACTS = { ...SCRIPTED, name: 'sandbox-facts' }

const end = (given: Record<string, unknown>): AnswerInput => ({
  calls: [{ name: 'end_turn', arguments: given }],
})
const reply = (text: string, sources: string[] = ['s1']) => end({ action: 'reply', text, sources })

/** A customer's question in a conversation of the team's, and two people who may reply. */
const asked = async (question: string, options: Parameters<typeof place>[0] = {}) => {
  const there = await place(options)
  await there.writes(question)
  await conductor.conductDue()
  const person = async () =>
    signIn(app, there.workspaceId, (await make.agent(there.workspaceId, { role: 'admin' })).id)
  const [ada, bo] = [await person(), await person()]
  const path = `/conversations/${there.conversationId()}`
  const drafts = async (who = ada) => (await who.call('GET', `${path}/reply-drafts`)).body
  const ask = (who = ada) => who.call('POST', `${path}/reply-drafts`)
  /** Asks and waits for it. */
  const suggests = async (who = ada) => {
    const { status, text, body } = await ask(who)
    assert.equal(status, 200, text)
    assert.equal(body.isWriting, true)
    await thinker.thinkDue()
    return drafts(who)
  }
  const sends = async (body: string, draftId: string, who = ada) => {
    const { status, text } = await who.call('POST', `${path}/messages`, { body, draftId })
    assert.equal(status, 200, text)
  }
  const rows = () =>
    db
      .selectFrom('reply_drafts')
      .selectAll()
      .where('workspace_id', '=', there.workspaceId)
      .orderBy('id')
      .execute()
  const states = async () => (await rows()).map(({ state }) => state)
  return { ...there, ada, bo, path, ask, drafts, suggests, sends, rows, states }
}

test('without a model, the answer that fits is proposed word for word, and nothing is sent', async () => {
  const there = await asked('How long do I have to return something?')
  const { drafts, isWriting, isAvailable, hasModel, without } = await there.suggests()
  assert.deepEqual([isWriting, isAvailable, hasModel, without], [false, true, false, null])
  assert.deepEqual(
    drafts.map(({ text, isStale, isForMe }: Record<string, unknown>) => [text, isStale, isForMe]),
    [[RETURNS.body, false, true]],
  )
  assert.deepEqual(
    drafts[0].sources.map(({ title, isInternal }: Record<string, unknown>) => [title, isInternal]),
    [[RETURNS.title, false]],
  )
  assert.deepEqual(await there.thread(), ['customer: How long do I have to return something?'])
  const [row] = await there.rows()
  const [turn] = await there.turns()
  assert.equal(row!.turn_id, turn!.id)
  assert.deepEqual([turn!.kind, turn!.state, turn!.outcome], ['draft', 'ended', 'answered'])
})

test('below the line the nearest are offered to choose from, and without any the reason is told', async () => {
  const there = await asked('Something about a return or a gift or the fee')
  const { drafts } = await there.suggests()
  assert.ok(drafts.length > 1 && drafts.length <= 3, JSON.stringify(drafts))

  const none = await asked('Ouagadougou?')
  const { drafts: nothing, without } = await none.suggests()
  assert.deepEqual([nothing, without], [[], { reason: 'no_knowledge', summary: '' }])
})

test('a model writes from internal knowledge too, changes nothing, and what was sent is on record without secrets', async () => {
  const there = await asked('What are your payment terms for bills? My card is 4111 1111 1111 1111.', {
    model: SCRIPTED,
    items: [{ title: 'Payment terms', body: 'Pay bills within 45 days on request.', isInternal: true }],
    tags: ['VIP'],
    opened: ['VIP'],
  })
  control.scriptModel([reply('You can pay within 45 days on request.')])
  const { drafts, hasModel } = await there.suggests()
  assert.equal(hasModel, true)
  assert.equal(drafts[0].text, 'You can pay within 45 days on request.')
  assert.equal(drafts[0].sources[0].isInternal, true)
  const [request] = await there.requests()
  const sent = JSON.stringify(request!.request)
  assert.doesNotMatch(sent, /4111/)
  assert.doesNotMatch(sent, /"tag"|set_field|start_flow/)
  assert.match(sent, /draft/)
  const usage = await db
    .selectFrom('ai_usage')
    .selectAll()
    .where('workspace_id', '=', there.workspaceId)
    .execute()
  assert.equal(usage.length, 1)
  assert.ok(usage[0]!.settled_at)
})

test('a model that hands over leaves no draft, but why', async () => {
  const there = await asked('Can you make me an offer for ten?', { model: SCRIPTED })
  control.scriptModel([end({ action: 'hand_over', text: '', reason: 'rule', summary: 'Asks for an offer.' })])
  const { drafts, without } = await there.suggests()
  assert.deepEqual([drafts, without], [[], { reason: 'rule', summary: 'Asks for an offer.' }])
  assert.equal((await there.thread()).length, 1)

  const danger = await asked('I want to kill myself.', { model: SCRIPTED })
  assert.equal((await danger.suggests()).without.reason, 'self_harm')
  assert.deepEqual(await danger.requests(), [])
})

test('a provider that fails leaves the saved answer, or says why there is none', async () => {
  control.addModelFault({ kind: 'server', times: 20 })
  const there = await asked('How long do I have to return something?', { model: FACTS })
  assert.equal((await there.suggests()).drafts[0].text, RETURNS.body)
  const none = await asked('Ouagadougou?', { model: FACTS })
  assert.deepEqual((await none.suggests()).without, { reason: 'provider_down', summary: '' })
})

test('a newer message makes a draft stale, asking again replaces it, and any reply removes it', async () => {
  const there = await asked('How long do I have to return something?')
  await there.suggests()
  await there.writes('And how much is shipping?')
  assert.equal((await there.drafts()).drafts[0].isStale, true)
  const { drafts } = await there.suggests()
  assert.ok(drafts.length > 0 && drafts.every(({ isStale }: { isStale: boolean }) => !isStale))
  assert.equal((await there.states())[0], 'stale')
  await there.bo.call('POST', `${there.path}/messages`, { body: 'I am on it.' })
  assert.deepEqual((await there.drafts()).drafts, [])
})

test('asking twice writes one draft, and each person has their own', async () => {
  const there = await asked('How long do I have to return something?')
  await Promise.all([there.ask(), there.ask(), there.ask(there.bo)])
  await thinker.thinkDue()
  assert.equal((await there.turns()).length, 2)
  const [one, other] = [await there.drafts(), await there.drafts(there.bo)]
  assert.notEqual(one.drafts[0].id, other.drafts[0].id)
  const dismiss = `/reply-drafts/${one.drafts[0].id}/dismiss`
  assert.equal((await there.bo.call('POST', dismiss)).status, 404)
  assert.equal((await there.ada.call('POST', dismiss)).status, 200)
  assert.equal((await there.ada.call('POST', dismiss)).status, 200)
  assert.deepEqual((await there.drafts()).drafts, [])
  assert.equal((await there.drafts(there.bo)).drafts.length, 1)
})

test('whoever may not see the conversation, and another workspace, get nothing and change nothing', async () => {
  const there = await asked('How long do I have to return something?')
  const id = (await there.suggests()).drafts[0].id
  const confined = await signIn(app, there.workspaceId, (await makeMember(app, there.workspaceId, [])).id)
  const foreign = (await asked('Hello?')).ada
  for (const who of [confined, foreign]) {
    const missing = await who.call('GET', `/conversations/${newId()}/reply-drafts`)
    const hidden = await who.call('GET', `${there.path}/reply-drafts`)
    assert.deepEqual([hidden.status, hidden.text], [404, missing.text])
    assert.equal((await there.ask(who)).status, 404)
    assert.equal((await who.call('POST', `/reply-drafts/${id}/dismiss`)).status, 404)
    assert.equal((await who.call('POST', `${there.path}/summary`, { language: 'en' })).status, 404)
  }
  assert.equal((await there.turns()).length, 1)
  assert.deepEqual(await there.states(), ['offered'])
})

test('what is sent from a draft says how much of it was kept', async () => {
  for (const [body, state] of [
    [RETURNS.body, 'used'],
    ['You can return everything within 30 days!', 'used'],
    ['Hi Maria, you can return everything within 30 days. Just bring the receipt along.', 'changed'],
    ['Ask the shop where it was bought.', 'dismissed'],
  ] as const) {
    const there = await asked('How long do I have to return something?')
    const [{ id }] = (await there.suggests()).drafts
    await there.sends(body, id)
    const [row] = await there.rows()
    assert.equal(row!.state, state, body)
    assert.ok((await there.thread()).includes(`agent: ${body}`))
    assert.ok(row!.message_id && row!.settled_by && row!.similarity !== null)
    // A second message counts nowhere, and one that names nothing that there is goes out all the same.
    await there.sends('And anything else?', id)
    await there.sends('Goodbye.', newId())
    assert.equal((await there.rows())[0]!.message_id, row!.message_id)
  }
})

test('the choices that were not sent are thrown away with it', async () => {
  const there = await asked('Something about a return or a gift or the fee')
  const { drafts } = await there.suggests()
  await there.sends(drafts[1].text, drafts[1].id)
  const states = await there.states()
  assert.equal(states[1], 'used')
  assert.ok(states.every((state, at) => at === 1 || state === 'dismissed'))
})

test('in the mode drafts, one is there for everyone once the customer has stopped writing', async () => {
  const there = await asked('Hello!')
  await updateAiSettings(ctxOf(there.workspaceId), { speaking: { web: { mode: 'drafts' } } })
  await there.writes('How long do I have to return something?')
  await conductor.conductDue()
  assert.equal((await there.drafts()).isWriting, true)
  await pass(QUIET_MS)
  await thinker.thinkDue()
  for (const who of [there.ada, there.bo]) {
    const { drafts } = await there.drafts(who)
    assert.deepEqual(
      drafts.map(({ text, isForMe }: Record<string, unknown>) => [text, isForMe]),
      [[RETURNS.body, false]],
    )
  }
  const [draft] = (await there.drafts()).drafts
  await there.sends(RETURNS.body, draft.id, there.bo)
  assert.deepEqual(await there.states(), ['used'])
})

test('somebody else’s draft is not counted as theirs', async () => {
  const there = await asked('How long do I have to return something?')
  const [{ id }] = (await there.suggests()).drafts
  await there.sends(RETURNS.body, id, there.bo)
  assert.deepEqual(await there.states(), ['offered'])
})

test('while the agent is stopped there are no drafts, and what it was writing is given up', async () => {
  const there = await asked('May I return everything?', { model: FACTS })
  control.addModelFault({ kind: 'slow', times: 1, delayMs: 5_000 })
  await there.ask()
  const thinking = thinker.thinkDue()
  await until(() => control.modelFaults().length === 0, 'the model to be asked')
  const ctx = ctxOf(there.workspaceId)
  await setAiStopped(ctx, { isStopped: true })
  await thinking
  assert.deepEqual(await there.rows(), [])
  assert.equal((await there.turns()).at(-1)!.outcome, 'discarded')
  const refused = await there.ask()
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'AI_NOT_AVAILABLE'])
  assert.equal((await there.drafts()).isAvailable, false)
  assert.equal((await there.ada.call('POST', `${there.path}/summary`, { language: 'en' })).status, 409)
  await setAiStopped(ctx, { isStopped: false })
  assert.equal((await there.suggests()).drafts.length, 1)
})

test('a summary is answered to whoever asked, and nothing is added to the thread', async () => {
  const there = await asked('May I return everything? My card is 4111 1111 1111 1111.', { model: SCRIPTED })
  const lines = await there.thread()
  control.scriptModel([
    { calls: [{ name: 'end_summary', arguments: { summary: 'Wants to return everything.' } }] },
  ])
  const summarize = () => there.ada.call('POST', `${there.path}/summary`, { language: 'de' })
  const { status, body, text } = await summarize()
  assert.equal(status, 200, text)
  assert.equal(body.text, 'Wants to return everything.')
  const sent = JSON.stringify((await there.requests())[0]!.request)
  assert.match(sent, /May I return everything/)
  assert.match(sent, /German/)
  assert.doesNotMatch(sent, /4111/)
  assert.deepEqual(await there.thread(), lines)
  control.addModelFault({ kind: 'server', times: 20 })
  assert.equal((await summarize()).status, 409)
  assert.deepEqual(
    (await there.turns()).map(({ kind, state }) => [kind, state]),
    [
      ['summary', 'ended'],
      ['summary', 'ended'],
    ],
  )
  const without = await asked('May I return everything?')
  assert.equal((await without.ada.call('POST', `${without.path}/summary`, { language: 'de' })).status, 409)
})

test('similarity disregards case, accents and punctuation, and knows another text', () => {
  assert.equal(similarityOf('Até já!', 'ate ja'), 1)
  assert.ok(similarityOf('You can return it within 30 days.', 'We are closed on Sundays.') < 0.3)
})
