// Actions with two keys: a model proposes, somebody confirms, and what was confirmed is called once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../../test/app.ts'
import { until } from '../../../../test/until.ts'
import type { Metadata } from '../../../platform/db/tables.ts'
import { deleteAction, updateAction } from '../../actions/save-action.ts'
import { publishGuidance, saveDraft } from '../guidance/edit-guidance.ts'
import { findGuidance } from '../guidance/find-guidance.ts'
import { setAiStopped } from '../settings.ts'
import { cancelOrder, proposes, QUESTION, startProposing } from '../testing/proposing.ts'

const HOUR_MS = 3_600_000

const app = await startApp()
const { conductor, control, makePlace, neighborOf, offered, pass, settle, shop, tapOn } =
  await startProposing(app)
const { make } = app

type There = Awaited<ReturnType<typeof offered>>

const reply = (text: string, sources: string[] = []) => ({
  calls: [{ name: 'end_turn', arguments: { action: 'reply', text, sources } }],
})

const stateOf = async ({ proposals }: There): Promise<string> => (await proposals()).at(-1)!.state

/** Nothing was called, and nothing waits to be. */
const assertNotCalled = async ({ calls }: There): Promise<void> => {
  assert.deepEqual(await calls(), [])
  assert.deepEqual(shop.called, [])
}

test('an action is called after the customer’s tap, and its result is a fact of the next turn', async () => {
  const there = await offered()
  const asked = await there.lastSaid()
  await assertNotCalled(there)
  assert.deepEqual(
    asked.choices.options.map(({ title }: { title: string }) => title),
    ['Yes', 'No', 'Talk to a person'],
  )
  const { id, action_id: actionId, turn_id: turnId } = (await there.proposals())[0]!
  const action = { proposalId: id, actionId, name: 'Cancel order', parameters: { number: 'AB-12345' } }
  assert.deepEqual(asked.ai.action, { ...action, state: 'offered', confirmedBy: null })

  await there.taps('Yes')
  await there.finish()
  assert.deepEqual(shop.called, [{ key: id, path: '/orders/AB-12345/cancel', body: {} }])
  assert.equal(await there.last(), 'agent: Done.\n\nCancel order: number AB-12345')
  assert.equal(
    (await there.lines()).at(-1),
    'AI agent: done, confirmed by the customer: Cancel order: number AB-12345',
  )
  const confirmedBy = (await there.send('GET', '')).body.conversation.contact.id
  const said = { turnId, action: { ...action, state: 'done', confirmedBy } }
  const messages = await there.messages()
  const aiOf = (start: string) => messages.find(({ body }) => body.startsWith(start))!.metadata!.ai
  assert.deepEqual(aiOf('Done.'), { ...said, sources: [] })
  assert.deepEqual(aiOf('AI agent: done'), said)

  control.scriptModel([reply('You get back 20 EUR.')])
  const before = control.modelCalls().length
  await there.asks('What do I get back?')
  const heard = JSON.stringify(control.modelCalls()[before]!.heard)
  assert.match(
    heard,
    /“Cancel order” was done\. Its result: .*20 EUR.*Asked for: Cancel order: number AB-12345/,
  )
})

test('a typed yes counts as the very next message after the question, and nowhere else', async () => {
  const there = await offered()
  await there.says('yes')
  await there.finish()
  assert.equal(shop.called.length, 1)

  const other = await offered()
  control.scriptModel([reply('Shipping is free from 50 euros.', ['s1', 's2', 's3'])])
  await other.asks('How much is shipping?')
  control.scriptModel([
    { calls: [{ name: 'end_turn', arguments: { action: 'ask', text: 'What would you like to know?' } }] },
  ])
  await other.asks('yes')
  await assertNothingMore(other)
  // Its button still says what it is about.
  await other.tapsOn('Yes', { runId: (await other.proposals())[0]!.turn_id, stepId: 'sai', number: 1 })
  await other.finish()
  assert.equal(shop.called.length, 2)
})

const assertNothingMore = async (there: There): Promise<void> => {
  assert.deepEqual(await there.calls(), [])
  assert.equal(await stateOf(there), 'offered')
}

test('a no is taken as one', async () => {
  const there = await offered()
  await there.taps('No')
  assert.equal(await there.last(), 'agent: All right, I won’t do that.')
  assert.equal(await stateOf(there), 'declined')
  const { turn_id: runId } = (await there.proposals())[0]!
  await there.tapsOn('Yes', { runId, stepId: 'sai', number: 1 })
  await assertNotCalled(there)
})

test('it is asked in the customer’s language', async () => {
  const there = await makePlace({ guidance: { languages: ['de'] } })
  control.scriptModel([proposes()])
  assert.match(await there.opens('Bitte storniert AB-12345.'), /Soll ich das tun\?/)
  await there.says('Ja')
  await there.finish()
  assert.match(await there.last(), /^agent: Erledigt\./)
})

test('two taps at once, and a third after it is done, call it once', async () => {
  const there = await offered()
  const { turn_id: runId } = (await there.proposals())[0]!
  await there.writes('Yes', tapOn(there.workspaceId, runId))
  await there.tapsOn('Yes', { runId, stepId: 'sai', number: 1 })
  await there.finish()
  await there.tapsOn('Yes', { runId, stepId: 'sai', number: 1 })
  await there.finish()
  assert.equal(shop.called.length, 1)
  assert.equal((await there.thread()).filter((line) => line.startsWith('agent: Done.')).length, 1)
})

test('a tap after an hour calls nothing, and says so', async () => {
  const there = await offered()
  await pass(HOUR_MS)
  await there.taps('Yes')
  await assertNotCalled(there)
  assert.match(await there.last(), /can no longer be confirmed/)
  assert.equal(await stateOf(there), 'expired')
})

test('an action that was changed, deleted or closed to the agent meanwhile is not called', async () => {
  const changes: ((there: There, actionId: string) => Promise<unknown>)[] = [
    ({ ctx }, id) => updateAction(ctx, id, cancelOrder(shop.url, { url: `${shop.url}/all/{{number}}` })),
    ({ ctx }, id) => deleteAction(ctx, id),
    async ({ ctx }) => {
      const { guidance } = await findGuidance(ctx)
      const saved = await saveDraft(ctx, { guidance: { ...guidance, actionIds: [] }, revision: 1 })
      return publishGuidance(ctx, { revision: saved.revision })
    },
  ]
  for (const change of changes) {
    const there = await offered()
    await change(there, (await there.proposals())[0]!.action_id)
    await there.taps('Yes')
    await there.finish()
    assert.deepEqual(shop.called, [])
    assert.equal(await stateOf(there), 'failed')
    assert.match(await there.last(), /^agent: That didn’t work\.[\s\S]*Someone from our team/)
    assert.equal(await there.agentId(), null)
  }
})

test('a tap after a person took over, wrote, closed or stopped the agent calls nothing', async () => {
  const acts: ((there: There) => Promise<unknown>)[] = [
    async ({ send, workspaceId }) => send('POST', '/assign', { agentId: (await make.agent(workspaceId)).id }),
    ({ send }) => send('POST', '/close'),
    ({ ctx }) => setAiStopped(ctx, { isStopped: true }),
  ]
  for (const act of acts)
    for (const isConductedFirst of [true, false]) {
      const there = await offered()
      await act(there)
      if (isConductedFirst) await conductor.conductDue()
      await there.taps('Yes')
      await settle()
      await assertNotCalled(there)
      assert.equal(await stateOf(there), 'expired')
    }
})

test('after a person had the conversation, the old question stays expired', async () => {
  const there = await offered()
  const { id } = await make.agent(there.workspaceId)
  await there.assign(id)
  await there.assign('ai')
  await there.taps('Yes')
  await assertNotCalled(there)
})

test('a button of another conversation or workspace does nothing', async () => {
  const there = await offered()
  const { turn_id: runId } = (await there.proposals())[0]!
  const neighbor = await neighborOf(there)
  await neighbor.says('Yes', tapOn(there.workspaceId, runId))
  const stranger = await makePlace()
  await stranger.writes('Hello.')
  await stranger.assign('ai')
  for (const workspaceId of [there.workspaceId, stranger.workspaceId])
    await stranger.says('Yes', tapOn(workspaceId, runId))
  assert.deepEqual(await stranger.calls(), [])
  // Both conversations get their replies.
  await settle()
  await assertNothingMore(there)
  assert.deepEqual(shop.called, [])
})

test('a new question takes the place of the one before', async () => {
  const there = await offered()
  const { turn_id: runId } = (await there.proposals())[0]!
  control.scriptModel([proposes('CD-67890')])
  await there.asks('No, I meant CD-67890.')
  await there.tapsOn('Yes', { runId, stepId: 'sai', number: 1 })
  await assertNotCalled(there)
  const { turn_id: second } = (await there.proposals())[1]!
  await there.tapsOn('Yes', { runId: second, stepId: 'sai', number: 1 })
  await there.finish()
  assert.deepEqual(
    shop.called.map(({ path }) => path),
    ['/orders/CD-67890/cancel'],
  )
})

test('a refusal and a call that nobody knows the end of go to people', async () => {
  const refused = await offered()
  shop.answer = { status: 422, body: {} }
  await refused.taps('Yes')
  await refused.finish()
  assert.match(await refused.last(), /^agent: That didn’t work\./)
  assert.match((await refused.lines()).join('\n'), /failed, confirmed by the customer: .*status 422/)

  const lost = await offered({ action: { timeoutMs: 500 } })
  shop.waitFor = new Promise((resolve) => setTimeout(resolve, 2_000))
  await lost.taps('Yes')
  await lost.finish()
  assert.match(await lost.last(), /^agent: I couldn’t make sure that this worked\./)
  assert.equal(await stateOf(lost), 'unknown')
  assert.equal(shop.called.length, 2)
})

test('what the customer asks while it is called gets its reply too', async () => {
  const there = await offered()
  let release = (): void => {}
  shop.waitFor = new Promise((resolve) => {
    release = resolve
  })
  await there.taps('Yes')
  await until(async () => shop.called.length > 0, 'the call')
  await there.says('How much is shipping?')
  release()
  await there.finish()
  assert.match(await there.last(), /^agent: Done\./)
  control.scriptModel([reply('Shipping is free from 50 euros.', ['s1', 's2', 's3'])])
  await settle()
  assert.equal(await there.last(), 'agent: Shipping is free from 50 euros.')
})

test('values that nobody gave aren’t proposed, nor two actions at once', async () => {
  const there = await makePlace()
  control.scriptModel([
    proposes('ZZ-99999'),
    {
      calls: ['AB-12345', 'AB-12345'].map((number) => ({
        name: 'propose_1_cancel_order',
        arguments: { number },
      })),
    },
  ])
  await there.opens(QUESTION)
  assert.deepEqual(
    (await there.proposals()).map(({ parameters }) => parameters),
    [{ number: 'AB-12345' }],
  )
  assert.match(JSON.stringify(control.modelCalls()[1]!.heard), /ZZ-99999.*none of the sources/)
})

/** Whether the tool was offered in the first request. */
const isOffered = async (there: There, metadata: Metadata | null = null): Promise<boolean> => {
  const before = control.modelCalls().length
  control.scriptModel([
    { calls: [{ name: 'end_turn', arguments: { action: 'hand_over', text: '', reason: 'identity' } }] },
  ])
  await there.writes(QUESTION, { metadata })
  await there.assign('ai')
  await settle()
  assert.ok(control.modelCalls().length > before)
  return JSON.stringify((await there.requests()).at(-1)!.request).includes('propose_1_cancel_order')
}

test('who is needed for it decides whether the model knows of it', async () => {
  const known = { action: { needs: 'known' } } as const
  assert.equal(await isOffered(await makePlace({ ...known, channel: 'web' })), false)
  assert.equal(await isOffered(await makePlace({ ...known, channel: 'whatsapp' })), true)
  assert.equal(
    await isOffered(await makePlace({ action: { needs: 'verified' }, channel: 'whatsapp' })),
    false,
  )
  const mail = async (senderVerification: string) =>
    isOffered(await makePlace({ ...known, channel: 'email' }), { senderVerification })
  assert.equal(await mail('verified'), true)
  assert.equal(await mail('absent'), false)
  assert.equal(await mail('failed'), false)
})

test('a mail in the customer’s name doesn’t confirm what they were asked', async () => {
  const there = await makePlace({ action: { needs: 'known' }, channel: 'email' })
  control.scriptModel([proposes()])
  await there.writes(QUESTION, { metadata: { senderVerification: 'verified' } })
  await there.assign('ai')
  await settle()
  assert.equal(await stateOf(there), 'offered')
  await there.says('Yes', { metadata: { senderVerification: 'failed' } })
  assert.deepEqual(await there.calls(), [])
  assert.equal(await stateOf(there), 'offered')
  await there.says('Yes', { metadata: { senderVerification: 'verified' } })
  assert.deepEqual(await there.calls(), [], 'it is no longer the next message')
})
