// Options in the web chat: what the page receives of them, and what a tap on one leaves behind.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { makeFlow } from '../../../test/make-flow.ts'
import { findMessage } from '../../domain/conversations/thread-queries.ts'
import { flowOf, startConducting } from '../../domain/flow-runs/testing/conducted.ts'
import { readChoiceToken } from '../../domain/messages/choice-token.ts'
import { sendMessage } from '../../domain/messages/send-message.ts'
import { newId } from '../../platform/db/id.ts'
import { makePage } from './testing/visitor.ts'

const testApp = await startApp({ stream: true })
const { app, call, ctxOf, db, make } = testApp
const workspace = await make.workspace({ name: 'Northwind' })
const channelId = await make.channelAccount(workspace.id)
const robin = await make.agent(workspace.id, { role: 'admin' })
const { call: asRobin } = await signIn(testApp, workspace.id, robin.id)
let base = ''

before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})

const { ask, follow, say, session } = makePage(() => base, channelId)

const flowId = newId()
const runId = newId()

const askWhich = (
  conversationId: string,
  { titles = ['Red', 'Blue', 'Green'], workspaceId = workspace.id } = {},
) =>
  sendMessage(
    { ...ctxOf(workspaceId), actor: { type: 'flow', flowId, runId } },
    {
      conversationId,
      body: 'Which one?',
      choices: {
        ...{ label: 'Choose', more: 'More…', runId, stepId: 's4' },
        options: titles.map((title, index) => ({ id: `option-${index + 1}`, number: index + 1, title })),
      },
      metadata: { flow: { flowId, runId, stepId: 's4', version: 3, name: 'Colours' } },
    },
  )

/** A visitor with a question of a flow in their conversation. */
const visit = async () => {
  const { token } = await session()
  const { conversationId } = await say(token, 'Hi')
  const question = await askWhich(conversationId)
  return { token, conversationId, question }
}

const tap = (token: string, messageId: unknown, number: unknown, clientId?: string) =>
  ask('/messages', { choice: { messageId, number }, ...(clientId && { clientId }) }, { token })

const bodiesIn = async (conversationId: string) =>
  (
    await db
      .selectFrom('messages')
      .select('body')
      .where('conversation_id', '=', conversationId)
      .orderBy('id')
      .execute()
  ).map(({ body }) => body)

test('a question arrives with its options, live and with the session, and without anything of its flow', async () => {
  const { token } = await session()
  const { conversationId } = await say(token, 'Hi')
  const events = await follow(token)
  const question = await askWhich(conversationId)
  const isQuestion = ({ data }: { data: { message: { id: string } } }) => data.message.id === question.id
  const { message: live } = (await events.next('message', isQuestion)).data
  assert.equal(live.body, 'Which one?\n\n1. Red\n2. Blue\n3. Green')
  assert.deepEqual(live.choices, {
    text: 'Which one?',
    options: ['Red', 'Blue', 'Green'].map((title, index) => ({
      number: index + 1,
      title,
      description: null,
    })),
  })
  assert.equal(live.choice, null)
  assert.deepEqual(live.sender, { nickname: 'Northwind' })
  const { messages } = await session({ token })
  assert.deepEqual({ ...messages.at(-1), status: live.status }, live)
  for (const text of [events.text(), JSON.stringify(messages)])
    for (const secret of [flowId, runId, '"s4"', 'Colours', 'option-1'])
      assert.ok(!text.includes(secret), secret)
  events.close()
})

test('a tap is stored like one on another channel: the title as text, and the token of the option', async () => {
  const { token, question } = await visit()
  const { status, body } = await tap(token, question.id, 2, 'tap-1')
  assert.equal(status, 200)
  assert.equal(body.message.body, 'Blue')
  assert.equal(body.message.clientId, 'tap-1')
  assert.deepEqual(body.message.choice, { messageId: question.id, number: 2 })
  const stored = await findMessage(ctxOf(workspace.id), body.message.id)
  const option = stored?.metadata?.choice?.id
  assert.deepEqual(stored?.metadata, {
    type: 'choice',
    choice: { kind: 'button', id: option, title: 'Blue', number: 2 },
  })
  const { seal } = ctxOf(workspace.id)
  assert.deepEqual(readChoiceToken(seal, workspace.id, option), { runId, stepId: 's4', number: 2 })
  assert.deepEqual([stored?.replyToMessageId, stored?.replyQuote], [question.id, 'Which one?'])
  const again = (await session({ token })).messages.at(-1)
  assert.deepEqual(again, body.message)
})

test('another page of the visitor learns live which option was tapped', async () => {
  const { token, question } = await visit()
  const events = await follow(token)
  const { body } = await tap(token, question.id, 3)
  const isOwn = ({ data }: { data: { message: { id: string } } }) => data.message.id === body.message.id
  assert.deepEqual((await events.next('message', isOwn)).data.message, body.message)
  events.close()
})

test('an option can be tapped again later, and after the conversation was closed', async () => {
  const { token, conversationId, question } = await visit()
  await tap(token, question.id, 1, 'first')
  await call(workspace.token, 'POST', `/conversations/${conversationId}/close`)
  const { body } = await tap(token, question.id, 1, 'second')
  assert.equal(body.message.conversationId, conversationId)
  const { conversation } = await session({ token })
  assert.equal(conversation?.status, 'open')
})

test('a tap replayed fifty times at once is one message', async () => {
  const { token, conversationId, question } = await visit()
  const answers = await Promise.all(Array.from({ length: 50 }, () => tap(token, question.id, 1, 'same')))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(new Set(answers.map(({ body }) => body.message.id)).size, 1)
  assert.deepEqual(
    (await bodiesIn(conversationId)).filter((body) => body === 'Red'),
    ['Red'],
  )
})

test('only options of that message can be tapped', async () => {
  const { token, conversationId, question } = await visit()
  const before = await bodiesIn(conversationId)
  for (const number of [0, 4, 31, 999, 1000, -1, 1.5, 1e21, '1', '', null, true, [1], {}, undefined]) {
    const { status, body } = await tap(token, question.id, number)
    assert.equal(status, 400, JSON.stringify(number))
    assert.equal(body.error.code, 'VALIDATION_ERROR')
    assert.equal(body.error.details[0].field, 'choice.number', JSON.stringify(number))
  }
  assert.deepEqual(await bodiesIn(conversationId), before)
})

test('only messages with options to this visitor can be answered with a tap', async () => {
  const [own, stranger] = [await visit(), await visit()]
  const plain = await call(workspace.token, 'POST', `/conversations/${own.conversationId}/messages`, {
    body: 'Hello',
  })
  const tapped = await tap(own.token, own.question.id, 1)
  const site = await make.channelAccount(workspace.id)
  const elsewhere = await session({}, { channel: site })
  const { conversationId } = await say(elsewhere.token, 'Hi', { channel: site })
  const onOtherSite = await askWhich(conversationId)
  const before = await bodiesIn(own.conversationId)
  for (const messageId of [
    stranger.question.id,
    onOtherSite.id,
    plain.body.message.id,
    tapped.body.message.id,
    newId(),
    '',
    'nonsense',
    'x'.repeat(10_000),
    'a\u0000b',
    null,
    7,
    undefined,
  ]) {
    const { status, body } = await tap(own.token, messageId, 1)
    assert.equal(status, 400, String(messageId))
    assert.equal(body.error.details[0].field, 'choice.messageId', String(messageId))
  }
  const { token } = await session()
  assert.equal((await tap(token, own.question.id, 1)).status, 400, 'a visitor who has written nothing')
  assert.deepEqual(await bodiesIn(own.conversationId), before)
})

test('a question of another workspace cannot be answered', async () => {
  const other = await make.workspace()
  const otherSite = await make.channelAccount(other.id)
  const there = await session({}, { channel: otherSite })
  const { conversationId } = await say(there.token, 'Hi', { channel: otherSite })
  const question = await askWhich(conversationId, { workspaceId: other.id })
  const { token } = await visit()
  assert.equal((await tap(token, question.id, 1)).status, 400)
  assert.deepEqual((await bodiesIn(conversationId)).length, 2)
})

test('a message has a text or a tap, not both and not neither', async () => {
  const { token, question } = await visit()
  const choice = { messageId: question.id, number: 1 }
  for (const body of [{ body: 'Red', choice }, {}, { clientId: 'x' }, { choice: null }, { choice: 'Red' }])
    assert.equal((await ask('/messages', body, { token })).status, 400, JSON.stringify(body))
})

test('a customer cannot give a message options of their own', async () => {
  const { token } = await visit()
  const choices = { text: 'x', options: [{ number: 1, title: 'x' }] }
  const { status, body } = await ask('/messages', { body: 'x', choices, metadata: { choices } }, { token })
  assert.equal(status, 200)
  assert.equal(body.message.choices, null)
  assert.equal((await tap(token, body.message.id, 1)).status, 400)
})

test('a blocked visitor cannot tap', async () => {
  const { token, conversationId, question } = await visit()
  const { contactId } = await db
    .selectFrom('conversations')
    .select('contact_id as contactId')
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  await asRobin('PUT', `/contacts/${contactId}/block`, { visitor: true })
  const refused = await tap(token, question.id, 1)
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'VISITOR_BLOCKED'])
  await asRobin('PUT', `/contacts/${contactId}/block`, { visitor: false })
  assert.equal((await tap(token, question.id, 1)).status, 200)
})

test('a tap moves the flow that asked, once, however often it is sent; an old one is no answer to the next question', async () => {
  const { conductor } = startConducting(testApp)
  const { id: workspaceId } = await make.workspace()
  const site = await make.channelAccount(workspaceId)
  const options = ['Red', 'Blue'].map((title) => ({ id: title.toLowerCase(), title }))
  await makeFlow(testApp, workspaceId, {
    definition: flowOf([
      { type: 'ask', answer: 'choice', text: 'Which color?', store: 'run.color', options },
      { type: 'ask', answer: 'text', text: '{{run.color}} it is. Which size?', store: 'run.size' },
      { type: 'send', text: 'Size {{run.size}}.' },
    ]),
  })
  const page = makePage(() => base, site)
  const { token } = await page.session()
  await page.say(token, 'Hello')
  await conductor.conductDue()
  const [, question] = (await page.session({ token })).messages
  assert.equal(question?.body, 'Which color?\n\n1. Red\n2. Blue')
  const tapBlue = (clientId: string) =>
    page.ask('/messages', { choice: { messageId: question?.id, number: 2 }, clientId }, { token })
  await Promise.all(Array.from({ length: 10 }, () => tapBlue('once')))
  await conductor.conductDue()
  await tapBlue('again')
  await conductor.conductDue()
  await page.say(token, 'Large')
  await conductor.conductDue()
  const { messages } = await page.session({ token })
  assert.deepEqual(
    messages.map(({ senderType, body }) => `${senderType}: ${body}`),
    [
      'customer: Hello',
      'automation: Which color?\n\n1. Red\n2. Blue',
      'customer: Blue',
      'automation: blue it is. Which size?',
      'customer: Blue',
      'customer: Large',
      'automation: Size Large.',
    ],
  )
})
