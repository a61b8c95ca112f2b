import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { startApp } from '../../../test/app.ts'
import { GREETING } from '../../../test/make-flow.ts'
import { storeAttachment } from '../attachments/store-attachment.ts'
import { getContactProfile } from '../contacts/profile-queries.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const app = await startApp()
const { db, make } = app
const { conductor, place } = startConducting(app)

const EXAMPLE = JSON.parse(
  readFileSync(new URL('../../../flow-engine/testing/example.json', import.meta.url), 'utf8'),
) as FlowDefinition

const COLORS = flowOf([
  {
    type: 'ask',
    answer: 'choice',
    text: 'Which color?',
    store: 'run.color',
    options: [
      { id: 'red', title: 'Red' },
      { id: 'blue', title: 'Blue' },
    ],
  },
  { type: 'send', text: '{{run.color}} it is.' },
  { type: 'ask', answer: 'text', text: 'Which size?', store: 'run.size' },
  { type: 'send', text: 'Size {{run.size}}.' },
])

test('a first message starts a flow, and the reply goes to its question', async () => {
  const { flow, says, thread, lines, runs, conversationId } = await place()
  const { id, name } = await flow(GREETING)
  await says('Hello')
  const [waiting] = await runs()
  assert.deepEqual(
    [waiting?.flow_id, waiting?.flow_name, waiting?.status, waiting?.waiting_for, waiting?.waiting_step],
    [id, name, 'running', 'reply', 's1'],
  )
  await says('AB-12345')
  assert.deepEqual(await thread(), [
    'customer: Hello',
    'automation: What is your order number?',
    'customer: AB-12345',
    'automation: Thank you, AB-12345.',
  ])
  assert.deepEqual(await lines(), [`${name}: asked “What is your order number?”`, `${name}: sent a message`])
  const [ended] = await runs()
  assert.deepEqual(
    [ended?.status, ended?.end_reason, ended?.waiting_for, ended?.messages_sent],
    ['completed', 'finished', null, 2],
  )
  assert.ok(ended?.completed_at)
  const steps = await db
    .selectFrom('flow_run_steps')
    .select(['seq', 'step_id', 'outcome', 'message_id'])
    .where('run_id', '=', ended!.id)
    .orderBy('seq')
    .execute()
  assert.deepEqual(
    steps.map(({ seq, step_id, outcome, message_id }) => [seq, step_id, outcome, message_id !== null]),
    [
      [0, 's1', 'asked', true],
      [1, 's1', 'answered', false],
      [2, 's2', 'done', true],
      [3, null, 'ended', false],
    ],
  )
  const inputs = await db
    .selectFrom('automation_inputs')
    .selectAll()
    .where('conversation_id', '=', conversationId())
    .execute()
  assert.deepEqual(inputs, [])
})

test('automated messages say which flow, run, step and version they are of', async () => {
  const { flow, says, messages, runs } = await place()
  const { id, name } = await flow(GREETING)
  await says('Hello')
  const [run] = await runs()
  const sent = (await messages()).find(({ sender_type }) => sender_type === 'automation')
  assert.equal(sent?.sender_id, `flow:${id}`)
  assert.deepEqual(sent?.metadata, { flow: { flowId: id, runId: run?.id, stepId: 's1', version: 1, name } })
  assert.equal(sent?.status, 'sent')
})

test('what goes through a provider has a delivery that is only valid in the conversation’s epoch', async () => {
  const { flow, says, conversationId } = await place({ channel: 'whatsapp' })
  await flow(GREETING)
  await says('Hello')
  const deliveries = await db
    .selectFrom('deliveries')
    .select(['state', 'only_if_epoch'])
    .where('conversation_id', '=', conversationId())
    .execute()
  assert.deepEqual(deliveries, [{ state: 'pending', only_if_epoch: 0 }])
})

test('several messages at once are taken in order: the second one answers', async () => {
  const { flow, writes, thread } = await place()
  await flow(GREETING)
  await writes('Hello')
  await writes('AB-12345')
  await conductor.conductDue()
  assert.deepEqual(await thread(), [
    'customer: Hello',
    'customer: AB-12345',
    'automation: What is your order number?',
    'automation: Thank you, AB-12345.',
  ])
})

test('a burst of more messages than one sprint takes is taken to its end', async () => {
  const { flow, writes, thread, conversationId } = await place()
  await flow(GREETING)
  for (let index = 0; index < 120; index++) await writes(`No. ${index}`)
  await conductor.conductDue()
  assert.deepEqual((await thread()).slice(-2), [
    'automation: What is your order number?',
    'automation: Thank you, No. 1.',
  ])
  const left = await db
    .selectFrom('automation_inputs')
    .select('id')
    .where('conversation_id', '=', conversationId())
    .execute()
  assert.deepEqual(left, [])
})

test('a tapped option is the answer, whatever its text', async () => {
  const { flow, says, taps, thread } = await place()
  await flow(COLORS)
  await says('Hello')
  await taps('Blue')
  assert.deepEqual((await thread()).slice(-3), [
    'customer: Blue',
    'automation: blue it is.',
    'automation: Which size?',
  ])
})

test('an old button of a question that is over does what it says', async () => {
  const { flow, says, taps, thread, runs } = await place()
  await flow(COLORS)
  await says('Hello')
  await taps('Blue')
  await taps('Red')
  assert.deepEqual((await thread()).slice(-2), ['automation: red it is.', 'automation: Which size?'])
  assert.equal((await runs()).length, 1)
})

test('a button of a run that has ended starts the flow again with that answer', async () => {
  const { flow, says, taps, thread, runs } = await place()
  await flow(COLORS)
  await says('Hello')
  await taps('Blue')
  await says('XL')
  await taps('Red')
  assert.deepEqual((await thread()).slice(-3), [
    'customer: Red',
    'automation: red it is.',
    'automation: Which size?',
  ])
  assert.deepEqual(
    (await runs()).map(({ status, cause }) => [status, cause?.on]),
    [
      ['completed', 'message'],
      ['running', 'choice'],
    ],
  )
})

test('a forged button, one of another workspace and one of a flow that is gone are plain text', async () => {
  const { flow, says, taps, thread, tapsOn, runs, workspaceId } = await place()
  const { id } = await flow(COLORS)
  await says('Hello')
  const [run] = await runs()
  const other = await place()
  await other.flow(COLORS)
  await other.says('Hello')
  const choice = { runId: run!.id, stepId: 's1', number: 2 }
  await other.tapsOn('Blue', choice)
  assert.deepEqual((await other.thread()).slice(-3, -1), ['customer: Blue', 'automation: blue it is.'])
  await other.says('XL')
  await other.tapsOn('Blue', choice)
  assert.deepEqual((await other.thread()).slice(-1), ['customer: Blue'])

  await taps('Red')
  await says('XL')
  const before = await thread()
  await says('Red', {
    metadata: { choice: { kind: 'button', id: `f1.${run!.id}.s1.1.AAAAAAAA`, title: 'Red' } },
  })
  assert.deepEqual(await thread(), [...before, 'customer: Red'])
  await db.updateTable('flows').set({ state: 'archived' }).where('id', '=', id).execute()
  await db
    .updateTable('workspaces')
    .set((eb) => ({ automation_revision: eb('automation_revision', '+', 1) }))
    .where('id', '=', workspaceId)
    .execute()
  await tapsOn('Blue', choice)
  assert.deepEqual((await thread()).slice(-1), ['customer: Blue'])
})

test('the example of the design works from the greeting to the end', async () => {
  const { flow, says, taps, thread, runs } = await place()
  await flow(EXAMPLE)
  await says('Hallo')
  await taps('My order')
  await says('wrong')
  await says('AB-12345')
  const spoken = (await thread()).filter((text) => text.startsWith('automation'))
  assert.match(
    spoken[0]!,
    /^automation: Hello Maria, this is Foyer's assistant\. What is it about\?\n\n1\. My order/,
  )
  assert.match(spoken[1]!, /order number/)
  assert.match(spoken[2]!, /AB-12345/)
  // Its action isn't there, so people take over.
  assert.deepEqual(spoken.slice(3), ['automation: Thanks. Someone from our team will reply here.'])
  const [run] = await runs()
  assert.deepEqual([run?.status, run?.end_reason], ['completed', 'handed_over'])
})

test('a workspace without flows leaves no inputs, and a conversation of another workspace is not touched', async () => {
  const { says, thread, conversationId } = await place()
  await says('Hello')
  assert.deepEqual(await thread(), ['customer: Hello'])
  const other = await place()
  await other.flow(GREETING)
  await other.says('Hello')
  assert.deepEqual(await thread(), ['customer: Hello'])
  const inputs = await db
    .selectFrom('automation_inputs')
    .select('id')
    .where('conversation_id', '=', conversationId())
    .execute()
  assert.deepEqual(inputs, [])
})

test('tags, fields and assignments are made by the operations that people use', async () => {
  const { flow, says, messages, ctx, workspaceId, lines } = await place()
  const agent = await make.agent(workspaceId)
  const tag = await make.tag(workspaceId, { name: 'VIP' })
  const { id, name } = await flow(
    flowOf(
      [
        { type: 'tag', add: [tag] },
        {
          type: 'set',
          set: [
            { to: 'contact.fields.plan', value: 'pro' },
            { to: 'contact.language', value: 'de' },
          ],
        },
        { type: 'assign', to: agent.id },
        { type: 'note', text: 'For {{contact.name}}' },
      ],
      { kind: 'background' },
    ),
  )
  const { contactId, conversationId } = await says('Hello')
  const contact = await db
    .selectFrom('contacts')
    .selectAll()
    .where('id', '=', contactId)
    .executeTakeFirstOrThrow()
  assert.deepEqual(contact.custom_fields, { plan: 'pro', language: 'de' })
  assert.equal(contact.assigned_agent_id, agent.id)
  const tags = await db
    .selectFrom('contact_tags')
    .select('tag_id')
    .where('contact_id', '=', contactId)
    .execute()
  assert.deepEqual(tags, [{ tag_id: tag }])
  const note = await db
    .selectFrom('notes')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow()
  assert.equal(note.body, 'For Maria Silva')
  const { notes } = await getContactProfile(ctx, contactId)
  assert.deepEqual(notes[0]?.agent, { id: `flow:${id}`, nickname: name })
  assert.equal((await messages()).filter(({ sender_type }) => sender_type === 'automation').length, 0)
  assert.deepEqual(await lines(), [
    `${name} assigned this to ${agent.nickname}`,
    `${name}: tagged the customer, updated the customer’s details, assigned the conversation, added a note`,
  ])
})

test('nobody is greeted by the name that stands in for an unknown one', async () => {
  const unnamed = [
    ['web', 'Visitor 1a2b'],
    ['telegram', 'Telegram user 0101'],
    ['facebook', 'Facebook user 0102'],
    ['sms', '+4917000000103'],
  ] as const
  for (const [channel, name] of [...unnamed, ['web', 'Visitor Relations'] as const]) {
    const { flow, says, thread } = await place({ channel, name })
    await flow(flowOf([{ type: 'send', text: 'Hi {{contact.firstName|there}}, {{contact.name|no name}}' }]))
    await says('Hello')
    const isOwn = name === 'Visitor Relations'
    assert.equal(
      (await thread()).at(-1),
      isOwn ? 'automation: Hi Visitor, Visitor Relations' : 'automation: Hi there, no name',
    )
  }
})

test('a customer who comes from an ad is met by the flow for that ad, others are not', async () => {
  const { flow, says, thread } = await place({ channel: 'whatsapp' })
  await flow({
    ...flowOf([{ type: 'send', text: 'You came from {{message.referral.headline}}.' }]),
    audience: { value: 'message.referral', op: 'isSet' },
  })
  await says('Hello', {
    metadata: {
      referral: { headline: 'Winter glaze workshop', sourceType: 'ad', sourceId: '1', body: null },
    },
  })
  assert.deepEqual(await thread(), ['customer: Hello', 'automation: You came from Winter glaze workshop.'])
  const other = await place({ channel: 'whatsapp' })
  await other.flow({
    ...flowOf([{ type: 'send', text: 'From an ad' }]),
    audience: { value: 'message.referral', op: 'isSet' },
  })
  await other.says('Hello', { metadata: { referral: null } })
  assert.deepEqual(await other.thread(), ['customer: Hello'])
})

test('a flow sends files that are in a thread, each message with a row of its own', async () => {
  const { flow, says, messages, workspaceId, ctx } = await place()
  const source = await make.conversation(workspaceId)
  const message = await make.message(workspaceId, source)
  const { id } = await storeAttachment(ctx, {
    content: Buffer.from('a price list'),
    name: 'prices.txt',
    mimeType: 'text/plain',
  })
  await db.updateTable('attachments').set({ message_id: message.id }).where('id', '=', id).execute()
  await flow(flowOf([{ type: 'send', text: 'Our prices.', attachmentIds: [id] }]))
  await says('Hello')
  const sent = (await messages()).find(({ sender_type }) => sender_type === 'automation')
  const files = await db
    .selectFrom('attachments')
    .select(['name', 'message_id as messageId', 'storage_key as key'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    files.map(({ name, messageId }) => [name, messageId]),
    [
      ['prices.txt', message.id],
      ['prices.txt', sent?.id],
    ],
  )
  assert.equal(files[0]?.key, files[1]?.key)
})
