import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { assignConversation } from '../conversations/assign-conversation.ts'
import { closeConversation } from '../conversations/set-conversation-status.ts'
import { applyStatuses } from '../messages/apply-statuses.ts'
import { advanceStatus } from '../messages/message-status.ts'
import { startRun } from './start-run.ts'
import { stopFlow } from './stop-flow.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const app = await startApp()
const { db, make } = app
const { conductor, place } = startConducting(app)

const REFUSED = { code: 'REFUSED', message: 'Refused.' }
const ask = (more: object = {}) => ({ type: 'ask', answer: 'text', text: 'Which order?', ...more }) as const
type Place = Awaited<ReturnType<typeof place>>

const stateOf = ({ conversationId }: Place) =>
  db
    .selectFrom('conversations as c')
    .leftJoin('automation_states as s', 's.conversation_id', 'c.id')
    .select(['c.status', 'c.agent_id as agentId', 's.pause_reason as pauseReason'])
    .where('c.id', '=', conversationId())
    .executeTakeFirstOrThrow()

const ends = async ({ runs }: Place) => (await runs()).map(({ status, end_reason }) => [status, end_reason])
const HANDED_OVER = { status: 'open', agentId: null, pauseReason: 'handed_over' }
const WORDS = 'automation: Thanks. Someone from our team will reply here.'

// A program that starts a flow -------------------------------------------------------------------------------------

test('a program starts no dialog where a person has the conversation or automation is paused', async () => {
  const here = await place()
  const { ctx, workspaceId, says, flow, thread } = here
  const agent = await make.agent(workspaceId)
  const { id } = await flow(flowOf([ask()], { triggers: [] }))
  const background = await flow(flowOf([{ type: 'wait', for: 'PT1M' }], { kind: 'background', triggers: [] }))
  const { conversationId } = await says('Hello')
  await assignConversation(ctx, { conversationId, agentId: agent.id })
  const start = (flowId: string) => startRun(ctx, { flowId, conversationId })
  await assert.rejects(start(id), { code: 'CONVERSATION_WITH_PERSON' })
  await start(background.id)
  const other = await place({ workspaceId })
  await other.flow(flowOf([{ type: 'people' }], { triggers: [{ on: 'message', words: ['help'] }] }))
  await other.says('help')
  const inOther = startRun(ctx, { flowId: id, conversationId: other.conversationId() })
  await assert.rejects(inOther, { code: 'CONVERSATION_WITH_PERSON' })
  assert.deepEqual(await thread(), ['customer: Hello'])
})

test('a program starts a flow that says evenIfAssigned, and one where the AI agent has the conversation', async () => {
  const { ctx, workspaceId, says, flow, thread } = await place()
  const agent = await make.agent(workspaceId)
  const anyway = flowOf([{ type: 'send', text: 'How did we do?' }], {
    triggers: [{ on: 'api', evenIfAssigned: true }],
  })
  const rating = await flow(anyway)
  const { id } = await flow(flowOf([ask()], { triggers: [] }))
  const { conversationId } = await says('Hello')
  await assignConversation(ctx, { conversationId, agentId: agent.id })
  await startRun(ctx, { flowId: rating.id, conversationId })
  await conductor.conductDue()
  await assignConversation(ctx, { conversationId, agentId: await make.enableAi(workspaceId) })
  await startRun(ctx, { flowId: id, conversationId })
  await conductor.conductDue()
  assert.deepEqual((await thread()).slice(1), ['automation: How did we do?', 'automation: Which order?'])
})

test('a person starts a flow in a conversation of their own', async () => {
  const { ctx, workspaceId, says, flow, thread } = await place()
  const agent = await make.agent(workspaceId)
  const { id } = await flow(flowOf([ask()], { triggers: [] }))
  const { conversationId } = await says('Hello')
  await assignConversation(ctx, { conversationId, agentId: agent.id })
  const person = { type: 'agent', accountId: agent.id, role: 'agent', permissions: [] } as const
  await startRun({ ...ctx, actor: person }, { flowId: id, conversationId })
  await conductor.conductDue()
  assert.equal((await thread()).at(-1), 'automation: Which order?')
})

// Flows that are stopped --------------------------------------------------------------------------------------------

for (const how of ['pause', 'archive'] as const)
  test(`customers in the middle of a flow are handed over when a person stops it: ${how}`, async () => {
    const here = await place()
    const { ctx, flow, says, thread } = here
    const { id } = await flow(flowOf([ask(), ask({ text: 'Which size?' })]))
    await says('Hello')
    const { contactId } = await says('AB-1')
    await stopFlow(ctx, { flowId: id, how, runs: 'cancel' })
    await conductor.conductDue()
    assert.deepEqual(await ends(here), [['cancelled', 'flow_unpublished']])
    assert.equal((await thread()).at(-1), WORDS)
    assert.deepEqual(await stateOf(here), HANDED_OVER)
    const note = await db
      .selectFrom('notes')
      .select('body')
      .where('contact_id', '=', contactId)
      .executeTakeFirstOrThrow()
    assert.match(note.body, /Which order\?\n→ AB-1$/)
  })

test('runs that may finish go on after their flow was stopped, and nothing new starts', async () => {
  const here = await place()
  const { ctx, flow, says, thread, workspaceId } = here
  const { id } = await flow(flowOf([ask(), { type: 'send', text: 'Thanks.' }]))
  await says('Hello')
  await stopFlow(ctx, { flowId: id, how: 'pause', runs: 'finish' })
  const other = await place({ workspaceId })
  await other.says('Hello')
  assert.deepEqual(await other.runs(), [])
  await says('AB-1')
  assert.equal((await thread()).at(-1), 'automation: Thanks.')
})

test('stopping a part or the flow that it is a part of hands over once', async () => {
  for (const stopsPart of [true, false]) {
    const here = await place()
    const { ctx, flow, says, thread } = here
    const part = await flow(flowOf([ask()], { triggers: [] }))
    const whole = await flow(flowOf([{ type: 'flow', flowId: part.id, as: 'part' }]), { position: 2 })
    await says('Hello')
    await stopFlow(ctx, { flowId: stopsPart ? part.id : whole.id, how: 'pause', runs: 'cancel' })
    await conductor.conductDue()
    assert.deepEqual((await thread()).slice(2), [WORDS])
    assert.deepEqual(await ends(here), [
      ['cancelled', 'flow_unpublished'],
      ['cancelled', 'flow_unpublished'],
    ])
  }
})

test('nobody is written to where no answer is due: after the flow’s last words, or in a closed conversation', async () => {
  const waiting = await place()
  const later = flowOf([{ type: 'send', text: 'Thanks.' }, { type: 'wait', for: 'P7D' }, ask()])
  const drip = await waiting.flow(later)
  await waiting.says('Hello')
  await stopFlow(waiting.ctx, { flowId: drip.id, how: 'pause', runs: 'cancel' })
  const closed = await place()
  const rating = await closed.flow(flowOf([ask()], { triggers: [{ on: 'closed' }] }))
  await closed.says('Hello')
  const agent = await make.agent(closed.workspaceId)
  const person = { type: 'agent', accountId: agent.id, role: 'admin', permissions: [] } as const
  await closeConversation({ ...closed.ctx, actor: person }, closed.conversationId())
  await conductor.conductDue()
  await stopFlow(closed.ctx, { flowId: rating.id, how: 'archive', runs: 'cancel' })
  await conductor.conductDue()
  for (const here of [waiting, closed]) {
    assert.deepEqual(await ends(here), [['cancelled', 'flow_unpublished']])
    assert.equal((await here.thread()).length, 2)
    assert.equal((await stateOf(here)).pauseReason, null)
  }
})

// Messages that never arrive ----------------------------------------------------------------------------------------

const sentBy = async ({ messages }: Place) =>
  (await messages()).filter(({ sender_type }) => sender_type === 'automation')

test('a question that the provider refuses for good ends the run, and the customer is handed over', async () => {
  const here = await place({ channel: 'whatsapp' })
  const { ctx, flow, says, lines } = here
  const { name } = await flow(flowOf([ask()]))
  await says('Hello')
  const [question] = await sentBy(here)
  await advanceStatus(ctx, [question!.id], 'failed', REFUSED)
  await conductor.conductDue()
  assert.deepEqual(await ends(here), [['failed', 'not_delivered']])
  assert.deepEqual(await stateOf(here), HANDED_OVER)
  assert.equal(
    (await lines()).at(-1),
    `${name}: handed over to the team, ended: a message couldn’t be delivered`,
  )
  // The hand-over may fail as well, and nothing follows from it.
  const words = (await sentBy(here)).at(-1)!
  await advanceStatus(ctx, [words.id], 'failed', REFUSED)
  await conductor.conductDue()
  assert.equal((await sentBy(here)).length, 2)
})

test('a failure that the provider reports later counts too, unless the customer has written since', async () => {
  const report = async (here: Place, externalId: string) => {
    const { ctx, channelAccountId } = here
    const [question] = await sentBy(here)
    await db
      .updateTable('messages')
      .set({ external_id: externalId, status: 'sent' })
      .where('id', '=', question!.id)
      .execute()
    await applyStatuses(ctx, [
      { channelAccountId, externalId, attemptId: null, status: 'failed', failure: REFUSED },
    ])
    await conductor.conductDue()
  }
  const silent = await place({ channel: 'whatsapp' })
  await silent.flow(flowOf([ask(), ask({ text: 'Which size?' })]))
  await silent.says('Hello')
  await report(silent, 'wamid.1')
  assert.deepEqual(await ends(silent), [['failed', 'not_delivered']])
  const answered = await place({ channel: 'whatsapp' })
  await answered.flow(flowOf([ask(), ask({ text: 'Which size?' })]))
  await answered.says('Hello')
  await answered.says('AB-1')
  await report(answered, 'wamid.2')
  assert.deepEqual(await ends(answered), [['running', null]])
})

test('a message that may have arrived may be answered, and one that nobody waits for ends nothing', async () => {
  const here = await place({ channel: 'whatsapp' })
  const { ctx, flow, says } = here
  await flow(flowOf([ask()]))
  await says('Hello')
  const [question] = await sentBy(here)
  await advanceStatus(ctx, [question!.id], 'failed', {
    code: 'DELIVERY_UNCONFIRMED',
    message: 'Unconfirmed.',
  })
  await conductor.conductDue()
  assert.deepEqual(await ends(here), [['running', null]])
  const over = await place({ channel: 'whatsapp' })
  await over.flow(flowOf([{ type: 'send', text: 'Thanks.' }]))
  await over.says('Hello')
  await advanceStatus(over.ctx, [(await sentBy(over))[0]!.id], 'failed', REFUSED)
  await conductor.conductDue()
  assert.deepEqual(await ends(over), [['completed', 'finished']])
})

test('a part whose question is refused ends the whole, with one word to the customer', async () => {
  const here = await place({ channel: 'whatsapp' })
  const { ctx, flow, says } = here
  const part = await flow(flowOf([ask()], { triggers: [] }))
  await flow(flowOf([{ type: 'flow', flowId: part.id, as: 'part' }]), { position: 2 })
  await says('Hello')
  await advanceStatus(ctx, [(await sentBy(here))[0]!.id], 'failed', REFUSED)
  await conductor.conductDue()
  assert.deepEqual(await ends(here), [
    ['failed', 'not_delivered'],
    ['failed', 'not_delivered'],
  ])
  assert.equal((await sentBy(here)).length, 2)
})
