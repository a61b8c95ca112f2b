// What happens while the AI agent thinks: people, newer messages, closings, switches, and processes that die.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import type { Actor } from '../../platform/ctx/actor.ts'
import { CLAIMANT } from '../../platform/db/claimant.ts'
import { unassignConversation } from '../conversations/assign-conversation.ts'
import { flowOf } from '../flow-runs/testing/conducted.ts'
import { advanceStatus } from '../messages/message-status.ts'
import { sendMessage } from '../messages/send-message.ts'
import { setAiStopped, updateAiSettings } from './settings.ts'
import { startAssisting } from './testing/assisted.ts'
import { TRIES_MAX, takeTurn } from './turn/take-turn.ts'
import { claimTurn, releaseTurnsOf } from './turn-queries.ts'

const app = await startApp()
const { place, settle, thinker, conductor } = startAssisting(app)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})
const { db, make } = app

/** The agent has the conversation, and a worker has just claimed its turn. */
const claimed = async () => {
  const there = await place()
  const { ctx, workspaceId, conversationId, writes, assign } = there
  await writes('How much is shipping?')
  await assign()
  const turnOf = () =>
    db
      .selectFrom('ai_turns')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('conversation_id', '=', conversationId())
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
  const turn = await claimTurn(ctx, (await turnOf()).id)
  assert.ok(turn)
  const anna = await make.agent(workspaceId)
  const person: Actor = { type: 'agent', accountId: anna.id, role: 'admin', permissions: [] }
  const replies = async () => (await there.thread()).filter((line) => !line.startsWith('customer'))
  return { ...there, turn, turnOf, annaId: anna.id, asAnna: { ...ctx, actor: person }, replies }
}

test('a person who writes between the claim and the commit is the only one who speaks', async () => {
  for (const isThoughtFirst of [false, true]) {
    const { ctx, turn, turnOf, asAnna, replies, conversationId } = await claimed()
    if (isThoughtFirst) await takeTurn(ctx, turn)
    await sendMessage(asAnna, { conversationId: conversationId(), body: 'Anna here.' })
    if (!isThoughtFirst) await takeTurn(ctx, turn)
    await conductor.conductDue()
    await settle()
    assert.deepEqual(await replies(), ['agent: Anna here.'])
    const { state, outcome } = await turnOf()
    assert.deepEqual([state, outcome], ['ended', 'discarded'])
  }
})

test('what it said and what waits to be sent is withdrawn by a person’s message', async () => {
  const { writes, assign, thread, workspaceId, conversationId, ctx } = await place({ channel: 'telegram' })
  await writes('How much is shipping?')
  await assign()
  await settle()
  assert.match((await thread()).at(-1)!, /Shipping is free/)
  const anna = await make.agent(workspaceId)
  const actor: Actor = { type: 'agent', accountId: anna.id, role: 'admin', permissions: [] }
  await sendMessage({ ...ctx, actor }, { conversationId: conversationId(), body: 'Anna here.' })
  assert.deepEqual(await thread(), ['customer: How much is shipping?', 'agent: Anna here.'])
})

test('closing, assigning to a person and unassigning each stop a turn', async () => {
  for (const act of ['close', 'assign', 'unassign'] as const) {
    const { ctx, turn, turnOf, replies, send, annaId, asAnna, conversationId } = await claimed()
    if (act === 'close') await send('POST', '/close')
    else if (act === 'assign') await send('POST', '/assign', { agentId: annaId })
    else await unassignConversation(asAnna, { conversationId: conversationId() })
    await takeTurn(ctx, turn)
    await conductor.conductDue()
    assert.deepEqual(await replies(), [], act)
    assert.equal((await turnOf()).outcome, 'discarded', act)
  }
})

test('a message that comes while it thinks is in the one reply', async () => {
  const { ctx, turn, turnOf, writes, replies } = await claimed()
  await writes('Do you wrap gifts?')
  await takeTurn(ctx, turn)
  await conductor.conductDue()
  assert.deepEqual(await replies(), [])
  await settle()
  assert.equal((await replies()).length, 1)
  assert.match((await turnOf()).question!, /How much is shipping\?\nDo you wrap gifts\?/)
})

test('a program that replies meanwhile leaves nothing to reply to', async () => {
  const { ctx, turn, replies, send } = await claimed()
  await send('POST', '/messages', { body: 'Your order was shipped.' })
  await takeTurn(ctx, turn)
  await conductor.conductDue()
  assert.deepEqual(await replies(), ['agent: Your order was shipped.'])
})

test('a turn whose process died is taken again, and one that kills every process ends with a person', async () => {
  const { ctx, turn, turnOf, replies, agentId } = await claimed()
  await releaseTurnsOf(db, [CLAIMANT])
  const again = await claimTurn(ctx, turn.id)
  await takeTurn(ctx, turn)
  assert.equal((await turnOf()).state, 'thinking', 'the try before is over')
  for (let tries = again!.tries; tries <= TRIES_MAX; tries++) {
    await releaseTurnsOf(db, [CLAIMANT])
    if (tries === TRIES_MAX) break
    assert.ok(await claimTurn(ctx, turn.id))
  }
  await settle()
  assert.deepEqual(await replies(), ['agent: Someone from our team will reply here.'])
  assert.equal(await agentId(), null)
})

test('a stopped agent hands its conversations over at once, also those that are assigned later, until it is started', async () => {
  const { ctx, turn, turnOf, replies, agentId, assign, asks, send } = await claimed()
  await setAiStopped(ctx, { isStopped: true })
  await takeTurn(ctx, turn)
  await conductor.conductDue()
  assert.deepEqual(await replies(), ['agent: Someone from our team will reply here.'])
  assert.equal(await agentId(), null)
  assert.equal((await turnOf()).outcome, 'handed_over')
  await send('POST', '/close')
  await assign()
  await asks('How much is shipping?')
  assert.equal(await agentId(), null)
  await setAiStopped(ctx, { isStopped: false })
  await send('POST', '/close')
  await assign()
  assert.match(await asks('How much is shipping?'), /Shipping is free/)
})

test('it replies only on its channels, to its customers and at its hours', async () => {
  const settings = [
    { mode: 'never' as const },
    { mode: 'drafts' as const },
    { audience: { countries: ['DE'] } },
    { audience: { tagIds: ['vip'] } },
    // Without business hours it is always open.
    { hours: 'closed' as const },
  ]
  for (const one of settings) {
    const { ctx, writes, assign, agentId, thread } = await place()
    await updateAiSettings(ctx, { speaking: { web: one } })
    await writes('How much is shipping?')
    await assign()
    assert.equal(await agentId(), null, JSON.stringify(one))
    assert.equal((await thread()).length, 2)
  }
})

test('its name and the words of a hand-over are the workspace’s, and out of hours those say when you are back', async () => {
  const { ctx, writes, assign, asks, thread } = await place()
  await updateAiSettings(ctx, { name: 'Juno', expectation: 'We reply within a day.' })
  await writes('Hello')
  await assign()
  await settle()
  assert.match((await thread()).at(-1)!, /^agent: I’m Juno, the automatic assistant of Northwind\./)
  assert.equal(await asks('human please'), 'agent: We reply within a day.')
})

test('a flow that assigns it ends, and no flow starts while it has the conversation', async () => {
  const { flow, says, runs, thread, agentId } = await place()
  await flow(
    flowOf(
      [
        { type: 'ask', answer: 'text', text: 'What would you like to know?' },
        { type: 'goto', to: 'ai' },
      ],
      {
        triggers: [{ on: 'message' }],
        reentry: 'always',
      },
    ),
  )
  await says('Hi')
  await says('How much is shipping?')
  await settle()
  assert.match((await thread()).at(-1)!, /Shipping is free/)
  assert.notEqual(await agentId(), null)
  await says('Do you wrap gifts?')
  await settle()
  assert.match((await thread()).at(-1)!, /We wrap gifts/)
  const ended = (await runs()).map(({ status, end_reason }) => `${status} ${end_reason}`)
  assert.deepEqual(ended, ['completed assigned_to_ai'])
})

test('a step that leaves the customer to it goes on when they are thankful, and where it says when it hands over', async () => {
  for (const isAnswered of [true, false]) {
    const { flow, says, runs, thread, agentId } = await place()
    await flow({
      ...flowOf([]),
      blocks: {
        start: {
          steps: [
            { id: 's1', type: 'ai', onGiveUp: 'sorry' },
            { id: 's2', type: 'send', text: 'Anything else?' },
          ],
        },
        sorry: { steps: [{ id: 's3', type: 'send', text: 'What a pity.' }] },
      },
    })
    await says('How much is shipping?')
    await settle()
    assert.match((await thread()).at(-1)!, /Shipping is free/)
    assert.equal((await runs())[0]!.waiting_for, 'ai')
    await says(isAnswered ? 'Thanks!' : 'How much is shipping?')
    await settle()
    assert.equal((await thread()).at(-1), `automation: ${isAnswered ? 'Anything else?' : 'What a pity.'}`)
    assert.equal((await runs())[0]!.status, 'completed')
    assert.equal(await agentId(), null)
  }
})

test('a customer who wants no messages gets none, and people have the conversation', async () => {
  const { writes, assign, asks, agentId, workspaceId, channelAccountId, conversationId, ctx } = await place({
    channel: 'telegram',
  })
  await writes('Hello')
  const { value } = await db
    .selectFrom('identities as i')
    .innerJoin('conversations as c', 'c.contact_id', 'i.contact_id')
    .select('i.value')
    .where('c.id', '=', conversationId())
    .where('i.kind', '=', 'telegram')
    .executeTakeFirstOrThrow()
  await assign()
  await settle()
  await db
    .insertInto('channel_people')
    .values({
      workspace_id: workspaceId,
      channel_account_id: channelAccountId,
      external_id: value,
      unreachable_since: ctx.now(),
      unreachable_reason: 'opted_out',
      created_at: ctx.now(),
    })
    .execute()
  assert.equal(await asks('How much is shipping?'), 'customer: How much is shipping?')
  assert.equal(await agentId(), null)
})

test('a reply that the provider refuses for good leaves the customer to people', async () => {
  const { writes, assign, ctx, messages, agentId, lines } = await place({ channel: 'whatsapp' })
  await writes('How much is shipping?')
  await assign()
  await settle()
  const reply = (await messages()).findLast(({ sender_type }) => sender_type === 'agent')!
  await advanceStatus(ctx, [reply.id], 'failed', { code: 'REFUSED', message: 'Refused.' })
  await conductor.conductDue()
  assert.equal(await agentId(), null)
  assert.ok((await lines()).some((line) => /couldn’t be delivered/.test(line)))
})
