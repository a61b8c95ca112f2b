import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEPTH_MAX } from '../../../flow-engine/limits.ts'
import { startApp } from '../../../test/app.ts'
import { replaceContactTags } from '../contacts/replace-contact-tags.ts'
import { updateContact } from '../contacts/update-contact.ts'
import { assignConversation } from '../conversations/assign-conversation.ts'
import { closeConversation } from '../conversations/set-conversation-status.ts'
import { cancelRun } from './cancel-run.ts'
import { MESSAGES_PER_HOUR_MAX } from './guards.ts'
import { startRun } from './start-run.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const app = await startApp()
const { db, make, clock } = app
const START = Date.UTC(2026, 10, 23, 10)
clock.now = () => new Date(START)
const { conductor, place, pass } = startConducting(app)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const ask = (more: object = {}) => ({ type: 'ask', answer: 'text', text: 'Which order?', ...more }) as const

// Waits -----------------------------------------------------------------------------------------------------------

test('a question without a reply goes where its author said, when its time is over', async () => {
  const { flow, says, thread, runs } = await place()
  await flow({
    ...flowOf([]),
    blocks: {
      start: { steps: [{ id: 's1', ...ask({ timeout: { after: 'PT2H', then: 'late' } }) }] },
      late: { steps: [{ id: 's2', type: 'send', text: 'We are here when you need us.' }] },
    },
  })
  await says('Hello')
  await pass(2 * HOUR_MS - 1)
  assert.equal((await thread()).length, 2)
  await pass(1)
  assert.equal((await thread()).at(-1), 'automation: We are here when you need us.')
  assert.deepEqual(
    (await runs()).map(({ status, end_reason, wakes_at }) => [status, end_reason, wakes_at]),
    [['completed', 'finished', null]],
  )
})

test('a reply that was stored before the run was woken counts, though its time was over', async () => {
  const { flow, says, writes, thread, runs } = await place()
  await flow(flowOf([ask({ timeout: { after: 'PT2H', then: 'end' } }), { type: 'send', text: 'Thanks.' }]))
  await says('Hello')
  const now = clock.now().getTime() + 3 * HOUR_MS
  clock.now = () => new Date(now)
  await writes('AB-1')
  await conductor.conductDue()
  assert.equal((await thread()).at(-1), 'automation: Thanks.')
  assert.equal((await runs())[0]?.end_reason, 'finished')
})

test('a flow waits for thirty days and goes on', async () => {
  const { flow, says, thread, runs } = await place()
  await flow(
    flowOf([
      { type: 'wait', for: 'P30D' },
      { type: 'send', text: 'Still happy?' },
    ]),
  )
  await says('Hello')
  await pass(30 * DAY_MS - 1)
  assert.equal((await runs())[0]?.status, 'running')
  await pass(1)
  assert.equal((await thread()).at(-1), 'automation: Still happy?')
})

test('a wait for the opening ends when the business opens, holidays and daylight saving included', async () => {
  const { flow, says, runs, workspaceId } = await place()
  await db
    .insertInto('business_hours')
    .values({
      workspace_id: workspaceId,
      id: 'chours00000000000000000000'.slice(0, 25),
      name: 'Office',
      name_key: 'office',
      time_zone: 'Europe/Berlin',
      weekly: JSON.stringify({
        mon: [{ from: '09:00', to: '17:00' }],
        tue: [{ from: '09:00', to: '17:00' }],
      }),
      exceptions: JSON.stringify([{ date: '2027-03-29', periods: [] }]),
      is_default: true,
      created_at: clock.now(),
    })
    .execute()
  await flow(flowOf([{ type: 'wait', for: 'P5D', until: 'opening' }]))
  // Saturday; on Sunday the clocks change, Monday is a holiday, so Tuesday at nine, an hour earlier in UTC.
  clock.now = () => new Date('2027-03-27T12:00:00Z')
  await says('Hello')
  assert.equal((await runs())[0]?.wakes_at, '2027-03-30T07:00:00.000Z')
  clock.now = () => new Date(START)
})

// Starting and cancelling ---------------------------------------------------------------------------------------

test('a flow is started by a program, with variables, and cancelled', async () => {
  const { flow, says, thread, runs, ctx, conversationId } = await place()
  const { id } = await flow(
    flowOf([ask({ text: 'Is {{run.order}} your order?' })], {
      triggers: [{ on: 'api' }],
      variables: { order: { type: 'text' } },
    }),
  )
  const { contactId } = await says('Hello')
  const { runId } = await startRun(ctx, { flowId: id, contactId, variables: { order: 'AB-1', other: 2 } })
  await conductor.conductDue()
  assert.equal((await thread()).at(-1), 'automation: Is AB-1 your order?')
  await assert.rejects(startRun(ctx, { flowId: id, conversationId: conversationId() }), {
    code: 'FLOW_IS_RUNNING',
  })
  await assert.rejects(startRun(ctx, { flowId: 'c'.repeat(25), contactId }), { code: 'FLOW_NOT_FOUND' })
  await cancelRun(ctx, runId)
  await cancelRun(ctx, runId)
  await conductor.conductDue()
  assert.deepEqual(
    (await runs()).map(({ status, end_reason }) => [status, end_reason]),
    [['cancelled', 'stopped']],
  )
  await assert.rejects(cancelRun((await place()).ctx, runId), { code: 'FLOW_RUN_NOT_FOUND' })
})

test('a test run is kept out of the counts', async () => {
  const { flow, says, ctx, conversationId } = await place()
  const { id } = await flow(flowOf([ask()], { triggers: [{ on: 'api' }] }))
  await says('Hello')
  await startRun(ctx, { flowId: id, conversationId: conversationId(), isTest: true })
  await conductor.conductDue()
  const counts = await db.selectFrom('flow_step_counts').selectAll().where('flow_id', '=', id).execute()
  assert.deepEqual(counts, [])
})

// Parts and other flows -----------------------------------------------------------------------------------------

test('a flow runs as a part of another one, which goes on with what it brought', async () => {
  const { flow, says, thread, runs } = await place()
  const part = await flow(
    flowOf([ask({ store: 'run.order' })], { triggers: [], variables: { order: { type: 'text' } } }),
  )
  await flow(
    flowOf(
      [
        { type: 'flow', flowId: part.id, as: 'part' },
        { type: 'send', text: 'Order {{run.order}}.' },
      ],
      { variables: { order: { type: 'text' } } },
    ),
    { position: 2 },
  )
  await says('Hello')
  assert.deepEqual(
    (await runs()).map(({ waiting_for }) => waiting_for),
    ['part', 'reply'],
  )
  await says('AB-1')
  assert.deepEqual((await thread()).slice(-3), [
    'automation: Which order?',
    'customer: AB-1',
    'automation: Order AB-1.',
  ])
  assert.deepEqual(
    (await runs()).map(({ status, end_reason }) => [status, end_reason]),
    [
      ['completed', 'finished'],
      ['completed', 'finished'],
    ],
  )
})

test('flows that call each other without end are stopped, and the customer is handed over', async () => {
  const { flow, says, thread, runs, workspaceId } = await place()
  const { id } = await flow(flowOf([{ type: 'flow', flowId: 'x', as: 'part' }]))
  await db
    .updateTable('flow_versions')
    .set({ definition: JSON.stringify(flowOf([{ type: 'flow', flowId: id, as: 'part' }])) })
    .where('workspace_id', '=', workspaceId)
    .execute()
  await says('Hello')
  const reasons = (await runs()).map(({ end_reason }) => end_reason)
  assert.deepEqual(reasons.at(-1), 'flow_too_deep')
  assert.ok(reasons.every((reason) => reason === 'flow_too_deep' || reason === 'part_failed'))
  assert.match((await thread()).at(-1)!, /^automation: Thanks\. Someone/)
})

test('a circle of flows that never waits ends with one hand-over, and one that asks goes on for ever', async () => {
  const circle = async (steps: Parameters<typeof flowOf>[0]) => {
    const here = await place()
    const menu = await here.flow(flowOf([{ type: 'flow', flowId: 'x', as: 'instead' }]))
    const second = await here.flow(
      flowOf([...steps, { type: 'flow', flowId: menu.id, as: 'instead' }], { triggers: [] }),
    )
    await db
      .updateTable('flow_versions')
      .set({
        definition: JSON.stringify(flowOf([{ type: 'flow', flowId: second.id, as: 'instead' }])),
      })
      .where('flow_id', '=', menu.id)
      .execute()
    await here.says('Hello')
    return here
  }
  const endless = await circle([])
  assert.deepEqual(
    (await endless.runs()).map(({ end_reason }) => end_reason),
    [...Array<string>(DEPTH_MAX).fill('continued_elsewhere'), 'flow_too_deep'],
  )
  assert.equal((await endless.thread()).length, 2)
  const asking = await circle([ask()])
  for (let times = 0; times < DEPTH_MAX + 2; times++) {
    await pass(HOUR_MS)
    await asking.says(`AB-${times}`)
  }
  assert.equal((await asking.thread()).at(-1), 'automation: Which order?')
})

test('flows within flows, five deep, give up with one hand-over', async () => {
  const { flow, says, thread, runs } = await place()
  const { id } = await flow(flowOf([{ type: 'flow', flowId: 'x', as: 'part' }]))
  await db
    .updateTable('flow_versions')
    .set({ definition: JSON.stringify(flowOf([{ type: 'flow', flowId: id, as: 'part' }])) })
    .where('flow_id', '=', id)
    .execute()
  await says('Hello')
  assert.equal((await runs()).length, DEPTH_MAX + 1)
  assert.equal((await thread()).length, 2)
})

test('a keyword of a flow that interrupts ends the dialog that waits', async () => {
  const { flow, says, thread, runs } = await place()
  await flow(flowOf([ask()]))
  await flow(
    flowOf([{ type: 'send', text: 'Back to the start.' }], {
      triggers: [{ on: 'message', words: ['menu'] }],
      interrupts: true,
    }),
    { position: 2 },
  )
  await says('Hello')
  await says('The menu please')
  assert.equal((await thread()).at(-1), 'automation: Back to the start.')
  assert.deepEqual(
    (await runs()).map(({ status, end_reason }) => [status, end_reason]),
    [
      ['cancelled', 'interrupted'],
      ['completed', 'finished'],
    ],
  )
})

// People --------------------------------------------------------------------------------------------------------

test('a wish for a person goes before every flow, and nobody is talked over afterwards', async () => {
  const { flow, says, thread, lines, runs } = await place()
  await flow(flowOf([ask()], { triggers: [{ on: 'message' }] }))
  await says('I want to talk to a human')
  assert.deepEqual((await thread()).slice(1), ['automation: Thanks. Someone from our team will reply here.'])
  assert.deepEqual(await lines(), ['The customer asked for a person, so automation is paused'])
  await says('Hello?')
  assert.equal((await thread()).length, 3)
  assert.deepEqual(await runs(), [])
  await pass(12 * HOUR_MS)
  await says('Hello again')
  assert.equal((await thread()).at(-1), 'automation: Which order?')
})

test('a wish for a person in a dialog hands over with what was collected, to the agent that was named', async () => {
  const { flow, says, thread, runs, workspaceId } = await place()
  const agent = await make.agent(workspaceId)
  await flow(
    flowOf([
      ask({ store: 'run.order' }),
      { type: 'people', assign: agent.id, text: 'One moment, {{contact.firstName}}.' },
    ]),
  )
  await says('Hello')
  const { conversationId, contactId } = await says('AB-1')
  assert.equal((await thread()).at(-1), 'automation: One moment, Maria.')
  const note = await db
    .selectFrom('notes')
    .select('body')
    .where('contact_id', '=', contactId)
    .executeTakeFirstOrThrow()
  assert.match(note.body, /Handed over to the team\.\n\nWhich order\?\n→ AB-1$/)
  const conversation = await db
    .selectFrom('conversations')
    .select('agent_id')
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  assert.equal(conversation.agent_id, agent.id)
  assert.equal((await runs())[0]?.end_reason, 'handed_over')
  const state = await db
    .selectFrom('automation_states')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow()
  assert.equal(state.pause_reason, 'handed_over')
})

test('agents get conversations in turn, or the one with the fewest open ones', async () => {
  const { flow, says, workspaceId } = await place()
  const agents = [await make.agent(workspaceId), await make.agent(workspaceId)]
  const among = agents.map(({ id }) => id)
  await flow(flowOf([{ type: 'assign', to: { among, by: 'turn' } }], { kind: 'background' }))
  const agentOf = async (id: string) =>
    (await db.selectFrom('conversations').select('agent_id').where('id', '=', id).executeTakeFirst())
      ?.agent_id
  const assigned = [await agentOf((await says('Hello')).conversationId)]
  for (let index = 0; index < 3; index++) {
    await pass(1)
    const other = await place({ workspaceId })
    assigned.push(await agentOf((await other.says('Hello')).conversationId))
  }
  assert.deepEqual(assigned, [among[0], among[1], among[0], among[1]])
})

// Events --------------------------------------------------------------------------------------------------------

test('closing, assigning, tagging and changing a field start the flows that wait for it', async () => {
  const { flow, says, runs, ctx, workspaceId, conversationId } = await place()
  const agent = await make.agent(workspaceId)
  const tag = await make.tag(workspaceId)
  const background = (name: string, trigger: object) =>
    flow(
      flowOf([{ type: 'note', text: name }], { kind: 'background', triggers: [trigger as { on: 'closed' }] }),
      { name },
    )
  await background('closed', { on: 'closed' })
  await background('assigned', { on: 'assigned', to: agent.id })
  await background('tagged', { on: 'tagged', tagId: tag })
  await background('pro', { on: 'field_changed', field: 'plan', to: 'pro' })
  const { contactId } = await says('Hello')
  const act = async (work: Promise<unknown>) => {
    await work
    await conductor.conductDue()
  }
  await act(assignConversation(ctx, { conversationId: conversationId(), agentId: agent.id }))
  await act(replaceContactTags(ctx, contactId, [tag]))
  await act(replaceContactTags(ctx, contactId, [tag]))
  await act(updateContact(ctx, contactId, { customFields: { plan: 'free' } }))
  await act(updateContact(ctx, contactId, { customFields: { plan: 'pro' } }))
  await act(updateContact(ctx, contactId, { customFields: { plan: 'pro' } }))
  await act(closeConversation(ctx, conversationId()))
  assert.deepEqual(
    (await runs()).map(({ flow_name }) => flow_name),
    ['assigned', 'tagged', 'pro', 'closed'],
  )
})

test('what a flow does starts background flows only, and a chain of them ends after three', async () => {
  const { flow, says, runs, workspaceId, thread } = await place()
  const tags = [await make.tag(workspaceId), await make.tag(workspaceId), await make.tag(workspaceId)]
  const tagging = (name: string, on: object, tag: string | undefined) =>
    flow(
      flowOf(tag ? [{ type: 'tag', add: [tag] }] : [{ type: 'note', text: 'too far' }], {
        kind: 'background',
        triggers: [on as { on: 'tagged' }],
      }),
      { name },
    )
  await tagging('first', { on: 'message' }, tags[0])
  await tagging('second', { on: 'tagged', tagId: tags[0] }, tags[1])
  await tagging('third', { on: 'tagged', tagId: tags[1] }, tags[2])
  await tagging('fourth', { on: 'tagged', tagId: tags[2] }, undefined)
  await flow(flowOf([{ type: 'send', text: 'Tagged!' }], { triggers: [{ on: 'tagged', tagId: tags[0]! }] }))
  await says('Hello')
  assert.deepEqual(
    (await runs()).map(({ flow_name }) => flow_name),
    ['first', 'second', 'third'],
  )
  assert.deepEqual(await thread(), ['customer: Hello'])
})

test('a silent team and a silent customer are noticed once each, and a flow’s own message is no answer', async () => {
  const { flow, says, thread } = await place()
  await flow(
    flowOf([{ type: 'send', text: 'Sorry for the wait.' }], {
      triggers: [{ on: 'team_silent', after: 'PT1H' }],
    }),
  )
  await says('Hello')
  await pass(HOUR_MS - 1)
  assert.equal((await thread()).length, 1)
  await pass(1)
  assert.deepEqual(await thread(), ['customer: Hello', 'automation: Sorry for the wait.'])
  await pass(10 * HOUR_MS)
  assert.equal((await thread()).length, 2)
  await says('Hello?')
  await pass(HOUR_MS)
  assert.equal((await thread()).at(-1), 'automation: Sorry for the wait.')
})

// Guards --------------------------------------------------------------------------------------------------------

test('another program on the other side is noticed: the dialog ends, and it hears once that people reply', async () => {
  const { flow, says, lines, runs, thread } = await place()
  await flow(flowOf([{ type: 'ask', answer: 'number', text: 'How many?', retry: { times: 5 } }]))
  await says('Hello')
  for (let index = 0; index < 3; index++) {
    await pass(10_000)
    await says('I am out of office until Monday.')
  }
  assert.deepEqual(
    (await runs()).map(({ status, end_reason }) => [status, end_reason]),
    [['cancelled', 'looks_automated']],
  )
  assert.match((await lines()).at(-1)!, /ended: the other side appears to be a program$/)
  assert.equal((await thread()).at(-1), 'automation: Thanks. Someone from our team will reply here.')
  const { length } = await thread()
  await says('I am out of office until Monday.')
  assert.equal((await thread()).length, length + 1)
})

test('more automated messages than people would bear end the dialog and leave the customer to people', async () => {
  const { flow, says, runs, thread } = await place()
  await flow(
    flowOf([
      ...Array.from({ length: 4 }, (_, index) => ({ type: 'send' as const, text: `No. ${index}` })),
      ask(),
      { type: 'goto', to: 'start' },
    ]),
  )
  for (let index = 0; index < 6; index++) {
    await pass(60_000)
    await says(`Message ${index}`)
  }
  const sent = (await thread()).filter((text) => text.startsWith('automation'))
  assert.ok(sent.length <= MESSAGES_PER_HOUR_MAX)
  assert.equal((await runs())[0]?.end_reason, 'limit_reached')
})

test('an automatic mail reaches no dialog', async () => {
  const { flow, says, thread, runs } = await place({ channel: 'email' })
  await flow(flowOf([ask()]))
  await says('I am on holiday', { metadata: { automatic: 'reply' } })
  assert.deepEqual([await thread(), await runs()], [['customer: I am on holiday'], []])
})

test('a customer who wrote STOP is left alone', async () => {
  const { flow, says, thread, runs, workspaceId, channelAccountId } = await place({ channel: 'telegram' })
  await flow(flowOf([ask(), { type: 'send', text: 'Thanks' }]))
  const { contactId } = await says('Hello')
  const identity = await db
    .selectFrom('identities')
    .select('value')
    .where('contact_id', '=', contactId)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('channel_people' as 'contacts')
    .values({
      workspace_id: workspaceId,
      channel_account_id: channelAccountId,
      external_id: identity.value,
      unreachable_since: clock.now(),
      unreachable_reason: 'opted_out',
      created_at: clock.now(),
    } as never)
    .execute()
  await says('STOP')
  assert.equal((await thread()).at(-1), 'customer: STOP')
  assert.deepEqual(
    (await runs()).map(({ status, end_reason }) => [status, end_reason]),
    [['failed', 'opted_out']],
  )
})

test('a reply window that closes while a flow waits ends it with the reason', async () => {
  const { flow, says, runs, thread } = await place({ channel: 'whatsapp' })
  await flow(
    flowOf([
      { type: 'wait', for: 'P2D' },
      { type: 'send', text: 'Hello again' },
    ]),
  )
  await says('Hello')
  await pass(2 * DAY_MS)
  assert.deepEqual(await thread(), ['customer: Hello'])
  assert.deepEqual(
    (await runs()).map(({ status, end_reason }) => [status, end_reason]),
    [['failed', 'window_closed']],
  )
})
