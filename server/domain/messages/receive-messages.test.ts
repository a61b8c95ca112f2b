import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { advanceStatus } from './message-status.ts'
import { type InboundMessage, receiveMessage } from './receive-messages.ts'

const { call, ctxOf, db, make } = await startApp()
const workspace = await make.workspace()
const channelAccountId = await make.channelAccount(workspace.id)
const ctx = ctxOf(workspace.id)

let count = 0
const inbound = (visitor: string, extra: Partial<InboundMessage> = {}): InboundMessage => ({
  channel: 'web',
  channelAccountId,
  from: { identity: { kind: 'visitor', value: visitor, verified: true }, name: `Visitor ${visitor}` },
  body: 'Hello',
  externalId: `m${count++}`,
  sentAt: new Date(),
  ...extra,
})

const conversationsOf = (contactId: string) =>
  db.selectFrom('conversations').selectAll().where('contact_id', '=', contactId).execute()

const contactRow = (id: string) =>
  db.selectFrom('contacts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a first message creates the contact and the conversation, counted and announced', async () => {
  const { message, conversationId, contactId, isRepeat } = await receiveMessage(
    ctx,
    inbound('first', { sentAt: new Date('2026-01-02T03:04:05.678Z') }),
  )
  assert.equal(isRepeat, false)
  assert.equal(message.senderType, 'customer')
  assert.equal(message.status, 'sent')
  assert.deepEqual(message.sender, {
    id: contactId,
    nickname: 'Visitor first',
    company: null,
    role: 'customer',
  })
  const contact = await contactRow(contactId)
  assert.equal(contact.conversation_count, 1)
  assert.equal(contact.open_count, 1)
  assert.deepEqual(contact.channels, ['web'])
  assert.equal(contact.latest_conversation_id, conversationId)
  assert.equal(contact.last_activity_at, message.createdAt)
  const [conversation] = await conversationsOf(contactId)
  assert.equal(conversation?.unread_count, 1)
  assert.equal(conversation?.last_inbound_at, '2026-01-02T03:04:05.678Z')
  assert.equal(conversation?.last_message_id, message.id)
  assert.equal(conversation?.updated_at, message.createdAt)
  const events = await db
    .selectFrom('events')
    .select('type')
    .where('conversation_id', '=', conversationId)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    events.map(({ type }) => type),
    ['conversation.created', 'message.created'],
  )
})

test('repeating an external id changes nothing and returns the stored message', async () => {
  const input = inbound('repeats')
  const first = await receiveMessage(ctx, input)
  const before = await conversationsOf(first.contactId)
  const again = await receiveMessage(ctx, { ...input, body: 'Another text' })
  assert.equal(again.isRepeat, true)
  assert.deepEqual(again.message, first.message)
  assert.deepEqual(await conversationsOf(first.contactId), before)
})

test('the same external id on another channel account is another message', async () => {
  const other = await make.channelAccount(workspace.id)
  const input = inbound('two accounts')
  await receiveMessage(ctx, input)
  const { isRepeat } = await receiveMessage(ctx, { ...input, channelAccountId: other })
  assert.equal(isRepeat, false)
})

test('twenty identical concurrent messages are one contact, one conversation and one message', async () => {
  const input = inbound('crowd')
  const answers = await Promise.all(Array.from({ length: 20 }, () => receiveMessage(ctx, input)))
  assert.equal(answers.filter(({ isRepeat }) => !isRepeat).length, 1)
  assert.equal(new Set(answers.map(({ message }) => message.id)).size, 1)
  const [first] = answers
  assert.ok(first)
  assert.equal((await conversationsOf(first.contactId)).length, 1)
  assert.equal((await contactRow(first.contactId)).open_count, 1)
})

test('twenty different concurrent messages of a new customer are one conversation of twenty', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => receiveMessage(ctx, inbound('talker'))))
  assert.equal(new Set(answers.map(({ contactId }) => contactId)).size, 1)
  const [first] = answers
  assert.ok(first)
  const conversations = await conversationsOf(first.contactId)
  assert.equal(conversations.length, 1)
  assert.equal(conversations[0]?.unread_count, 20)
  assert.equal((await contactRow(first.contactId)).conversation_count, 1)
})

test('the same external id from two customers concurrently is stored once', async () => {
  const externalId = 'contested'
  const answers = await Promise.all(
    ['left', 'right'].map((visitor) => receiveMessage(ctx, inbound(visitor, { externalId }))),
  )
  assert.equal(answers.filter(({ isRepeat }) => isRepeat).length, 1)
})

test('a message to a closed conversation reopens the most recent one and keeps its assignment', async () => {
  const { conversationId, contactId } = await receiveMessage(ctx, inbound('returns'))
  const agent = await make.agent(workspace.id)
  await call(workspace.token, 'POST', `/conversations/${conversationId}/assign`, { agentId: agent.id })
  await call(workspace.token, 'POST', `/conversations/${conversationId}/close`)
  const again = await receiveMessage(ctx, inbound('returns'))
  assert.equal(again.conversationId, conversationId)
  const [conversation] = await conversationsOf(contactId)
  assert.equal(conversation?.status, 'open')
  assert.equal(conversation?.agent_id, agent.id)
  const contact = await contactRow(contactId)
  assert.equal(contact.open_count, 1)
  assert.equal(contact.assigned_agent_id, agent.id)
})

test('closing while messages arrive leaves one conversation, open or closed, with the right count', async () => {
  const { conversationId, contactId } = await receiveMessage(ctx, inbound('flicker'))
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      index % 2
        ? call(workspace.token, 'POST', `/conversations/${conversationId}/close`)
        : receiveMessage(ctx, inbound('flicker')),
    ),
  )
  const conversations = await conversationsOf(contactId)
  assert.equal(conversations.length, 1)
  assert.equal((await contactRow(contactId)).open_count, conversations[0]?.status === 'open' ? 1 : 0)
})

const LADDER = ['sent', 'delivered', 'read'] as const
const failure = { code: 'NO_SUCH_USER', message: 'There is no such user.' }

const outbound = async (status: 'queued' | 'sent' = 'queued') => {
  const conversation = await make.conversation(workspace.id, {
    channelAccountId: await make.channelAccount(workspace.id),
  })
  const message = await make.message(workspace.id, conversation, {
    senderType: 'agent',
    senderId: 'api:x',
    status,
  })
  const statusOf = async () =>
    await db
      .selectFrom('messages')
      .select(['status', 'metadata'])
      .where('id', '=', message.id)
      .executeTakeFirstOrThrow()
  const shown = async () =>
    (
      await db
        .selectFrom('conversations')
        .select('last_message_status')
        .where('id', '=', conversation.id)
        .executeTakeFirstOrThrow()
    ).last_message_status
  return { ...message, conversation, statusOf, shown }
}

test('a status only moves forward, may skip steps, and the list follows', async () => {
  for (const [index, status] of LADDER.entries()) {
    const message = await outbound()
    assert.deepEqual(await advanceStatus(ctx, [message.id], status), [message.id])
    for (const earlier of LADDER.slice(0, index + 1))
      assert.deepEqual(await advanceStatus(ctx, [message.id], earlier), [])
    assert.equal((await message.statusOf()).status, status)
    assert.equal(await message.shown(), status)
  }
})

test('an earlier message does not change what the list shows', async () => {
  const message = await outbound()
  await make.message(workspace.id, message.conversation, { status: 'sent' })
  await advanceStatus(ctx, [message.id], 'read')
  assert.equal(await message.shown(), 'sent')
})

test('a failure has a reason, and gives way to delivered and read but not to sent', async () => {
  const message = await outbound()
  await advanceStatus(ctx, [message.id], 'failed', failure)
  assert.deepEqual(await message.statusOf(), { status: 'failed', metadata: { error: failure } })
  assert.deepEqual(await advanceStatus(ctx, [message.id], 'sent'), [])
  await advanceStatus(ctx, [message.id], 'delivered')
  assert.deepEqual(await message.statusOf(), { status: 'delivered', metadata: null })
  assert.deepEqual(await advanceStatus(ctx, [message.id], 'failed', failure), [])
})

test('a failure due to missing reports gives way to any later report', async () => {
  const message = await outbound()
  await advanceStatus(ctx, [message.id], 'failed', {
    code: 'DELIVERY_UNCONFIRMED',
    message: 'Nothing was heard.',
  })
  await advanceStatus(ctx, [message.id], 'sent')
  assert.deepEqual(await message.statusOf(), { status: 'sent', metadata: null })
})

test('a status from another workspace changes nothing', async () => {
  const stranger = await make.workspace()
  const message = await outbound()
  assert.deepEqual(await advanceStatus(ctxOf(stranger.id), [message.id], 'read'), [])
  assert.equal((await message.statusOf()).status, 'queued')
})
