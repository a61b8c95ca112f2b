import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { countOwn } from '../../../test/statements.ts'
import { newId } from '../../platform/db/id.ts'

const { call, clock, db, make, database } = await startApp()
const workspace = await make.workspace({ name: 'Northwind' })
const other = await make.workspace()
const agent = await make.agent(workspace.id)
await make.channelAccount(workspace.id, 'web')

const post = (path: string, body?: unknown, token = workspace.token) => call(token, 'POST', path, body)

const conversationRow = (id: string) =>
  db.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const contactRow = (id: string) =>
  db.selectFrom('contacts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const entriesOf = (id: string) =>
  db
    .selectFrom('messages')
    .select(['sender_type', 'body', 'metadata'])
    .where('conversation_id', '=', id)
    .orderBy('id')
    .execute()

const later = async <T>(work: () => Promise<T>): Promise<T> => {
  const real = clock.now
  clock.now = () => new Date(Date.now() + 60_000)
  try {
    return await work()
  } finally {
    clock.now = real
  }
}

const assertRefused = (
  answer: { status: number; body: { error: { code: string } } },
  status: number,
  code: string,
) => {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.equal(answer.body.error.code, code)
}

// Sending ---------------------------------------------------------------------------------------------------------

test('a message on web is sent once it is stored, by the API', async () => {
  const conversation = await make.conversation(workspace.id, { agentId: agent.id })
  const { status, body } = await post(`/conversations/${conversation.id}/messages`, {
    body: '  Hello there  ',
  })
  assert.equal(status, 200)
  const { message } = body
  assert.match(message.id, /^c[0-9a-z]{24}$/)
  assert.deepEqual(message, {
    id: message.id,
    conversationId: conversation.id,
    senderId: `api:${workspace.tokenId}`,
    senderType: 'agent',
    body: 'Hello there',
    replyToMessageId: null,
    replyQuote: null,
    metadata: null,
    status: 'sent',
    createdAt: message.createdAt,
    attachments: [],
    sender: { id: `api:${workspace.tokenId}`, nickname: 'API', company: 'Northwind', role: 'automation' },
  })
  const row = await conversationRow(conversation.id)
  assert.equal(row.agent_id, agent.id)
  assert.equal(row.last_message_id, message.id)
  assert.equal(row.last_message_body, 'Hello there')
  assert.equal(row.last_message_status, 'sent')
  assert.equal(row.updated_at, message.createdAt)
  assert.equal(row.unread_count, 0)
  assert.equal((await contactRow(conversation.contactId)).last_activity_at, message.createdAt)
})

test('a body has 1 to 2000 code points after trimming', async () => {
  const { id } = await make.conversation(workspace.id)
  const send = (body: unknown) => post(`/conversations/${id}/messages`, { body })
  for (const body of ['', ' \n\t ', '😀'.repeat(2001), 5, null, undefined, 'a\0b', '\ud800'])
    assertRefused(await send(body), 400, 'VALIDATION_ERROR')
  for (const body of ['x', '😀'.repeat(2000), ` ${'y'.repeat(2000)} `])
    assert.equal((await send(body)).status, 200)
  assertRefused(await post(`/conversations/${id}/messages`), 400, 'VALIDATION_ERROR')
})

test('sending leaves a closed conversation closed, and its counters as they were', async () => {
  const conversation = await make.conversation(workspace.id, { status: 'closed' })
  assert.equal((await post(`/conversations/${conversation.id}/messages`, { body: 'Hi' })).status, 200)
  assert.equal((await conversationRow(conversation.id)).status, 'closed')
  assert.equal((await contactRow(conversation.contactId)).open_count, 0)
})

test('facebook, telegram and sms are not sent to through the API, and nothing is stored', async () => {
  for (const channel of ['facebook', 'telegram', 'sms'] as const) {
    const conversation = await make.conversation(workspace.id, { channel })
    assertRefused(
      await post(`/conversations/${conversation.id}/messages`, { body: 'Hi' }),
      400,
      'CHANNEL_NOT_SUPPORTED',
    )
    assert.deepEqual(await entriesOf(conversation.id), [])
  }
})

test('the shape is checked before existence, existence before the channel', async () => {
  const foreign = await make.conversation(other.id, { channel: 'sms' })
  assertRefused(await post(`/conversations/${newId()}/messages`, {}), 400, 'VALIDATION_ERROR')
  assertRefused(
    await post(`/conversations/${foreign.id}/messages`, { body: 'Hi' }),
    404,
    'CONVERSATION_NOT_FOUND',
  )
})

test('a send is a small and fixed number of statements', async () => {
  const conversation = await make.conversation(workspace.id)
  const count = async (body: string) => {
    const before = database.statements.length
    await post(`/conversations/${conversation.id}/messages`, { body })
    return countOwn(database.statements.slice(before))
  }
  await count('warm up')
  // Begin, lock, one statement that stores, commit.
  assert.equal(await count('Hello'), 4)
  assert.equal(await count('qx zj 漢字 '.repeat(100)), 4)
})

test('twenty sends at one moment are all stored and the list shows the last of them', async () => {
  const conversation = await make.conversation(workspace.id)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      post(`/conversations/${conversation.id}/messages`, { body: `No. ${index}` }),
    ),
  )
  const ids = answers.map(({ body }) => body.message.id).sort()
  assert.equal(new Set(ids).size, 20)
  assert.equal((await conversationRow(conversation.id)).last_message_id, ids.at(-1))
})

test('the same send under one Idempotency-Key is done once', async () => {
  const conversation = await make.conversation(workspace.id)
  const send = () =>
    call(
      workspace.token,
      'POST',
      `/conversations/${conversation.id}/messages`,
      { body: 'Once' },
      {
        headers: { 'idempotency-key': 'send-1' },
      },
    )
  const first = await send()
  const second = await send()
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal(second.text, first.text)
  assert.equal((await entriesOf(conversation.id)).length, 1)
})

// Assigning -------------------------------------------------------------------------------------------------------

test('assigning returns the new assignee, replaces the previous one, and shows in the thread', async () => {
  const conversation = await make.conversation(workspace.id)
  const second = await make.agent(workspace.id)
  for (const { id, nickname } of [agent, second]) {
    const { status, body } = await post(`/conversations/${conversation.id}/assign`, { agentId: id })
    assert.equal(status, 200)
    const { assignedAt } = body.assignment
    assert.deepEqual(body, {
      success: true,
      conversationId: conversation.id,
      assignment: { agentId: id, agentNickname: nickname, assignedAt },
      team: null,
      answerDueAt: null,
    })
    const row = await conversationRow(conversation.id)
    assert.equal(row.agent_id, id)
    assert.equal(row.assigned_at, assignedAt)
    assert.equal(row.updated_at, assignedAt)
    assert.equal(row.last_message_id, null)
    assert.equal((await contactRow(conversation.contactId)).assigned_agent_id, id)
  }
  assert.deepEqual(
    (await entriesOf(conversation.id)).map(({ sender_type, body }) => [sender_type, body]),
    [
      ['system', `API assigned this to ${agent.nickname}`],
      ['system', `API assigned this to ${second.nickname}`],
    ],
  )
})

test('the AI agent is assigned by the word and by its id where it is switched on, and nowhere else', async () => {
  const { id } = await make.conversation(workspace.id)
  assertRefused(await post(`/conversations/${id}/assign`, { agentId: 'ai' }), 400, 'INVALID_AGENT')
  const away = await make.workspace()
  const aiId = await make.enableAi(away.id)
  assertRefused(await post(`/conversations/${id}/assign`, { agentId: aiId }), 400, 'INVALID_AGENT')
  const theirs = await make.conversation(away.id)
  for (const agentId of ['ai', aiId]) {
    const { status, body } = await post(`/conversations/${theirs.id}/assign`, { agentId }, away.token)
    assert.equal(status, 200)
    assert.equal(body.assignment.agentId, aiId)
    assert.equal(body.assignment.agentNickname, 'AI Agent')
  }
})

test('an unknown id, a removed agent and an agent of another workspace are rejected, each with its own error', async () => {
  const { id } = await make.conversation(workspace.id)
  const assign = (agentId: unknown) => post(`/conversations/${id}/assign`, { agentId })
  const removed = await make.agent(workspace.id)
  await db
    .updateTable('memberships')
    .set({ removed_at: new Date() })
    .where('account_id', '=', removed.id)
    .execute()
  const stranger = await make.agent(other.id)
  for (const nobody of [newId(), 'nobody', removed.id])
    assertRefused(await assign(nobody), 400, 'INVALID_AGENT')
  assertRefused(await assign(stranger.id), 403, 'COMPANY_MISMATCH')
  for (const wrong of ['', ' ', 5, null, undefined])
    assertRefused(await assign(wrong), 400, 'VALIDATION_ERROR')
  assertRefused(
    await post(`/conversations/${newId()}/assign`, { agentId: stranger.id }),
    404,
    'CONVERSATION_NOT_FOUND',
  )
  assert.equal((await conversationRow(id)).agent_id, null)
  assert.deepEqual(await entriesOf(id), [])
})

// Creating --------------------------------------------------------------------------------------------------------

test('a new contact is made by email, with a conversation and its first message', async () => {
  const { status, body } = await post('/conversations', {
    email: ' Maria@Example.COM ',
    name: ' Maria Silva ',
    channel: 'web',
    message: ' Welcome ',
  })
  assert.equal(status, 200)
  assert.equal(body.created, true)
  assert.deepEqual(body.contact, { id: body.contact.id, name: 'Maria Silva', email: 'maria@example.com' })
  assert.equal(body.conversation.channel, 'web')
  assert.equal(body.conversation.status, 'open')
  assert.equal(body.message.body, 'Welcome')
  assert.equal(body.message.status, 'sent')
  assert.equal(body.message.conversationId, body.conversation.id)
  const contact = await contactRow(body.contact.id)
  assert.equal(contact.conversation_count, 1)
  assert.equal(contact.open_count, 1)
  assert.deepEqual(contact.channels, ['web'])
})

test('an open conversation is used again, a closed one is not; the name stays as it was', async () => {
  const create = (extra = {}) =>
    post('/conversations', { email: 'ola@example.com', channel: 'web', ...extra })
  const first = await create()
  assert.equal(first.body.message, null)
  assert.equal(first.body.contact.name, 'ola@example.com')
  const again = await create({ email: 'OLA@example.com', name: 'Ola', message: 'Hi' })
  assert.equal(again.body.created, false)
  assert.deepEqual(again.body.conversation, first.body.conversation)
  assert.deepEqual(again.body.contact, first.body.contact)
  await post(`/conversations/${first.body.conversation.id}/close`)
  const fresh = await create()
  assert.equal(fresh.body.created, true)
  assert.notEqual(fresh.body.conversation.id, first.body.conversation.id)
  assert.equal((await contactRow(fresh.body.contact.id)).conversation_count, 2)
})

test('reopening where another conversation is open closes that one: a contact has one on an account', async () => {
  const create = () => post('/conversations', { email: 'two@example.com', channel: 'web' })
  const first = (await create()).body
  await post(`/conversations/${first.conversation.id}/close`)
  const second = (await create()).body
  assert.equal((await post(`/conversations/${first.conversation.id}/reopen`)).status, 200)
  assert.equal((await conversationRow(first.conversation.id)).status, 'open')
  assert.equal((await conversationRow(second.conversation.id)).status, 'closed')
  const contact = await contactRow(first.contact.id)
  assert.equal(contact.open_count, 1)
  assert.equal(contact.latest_conversation_id, first.conversation.id)
})

test('twenty equal creations at one moment make one contact and one conversation', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      post('/conversations', { email: 'rush@example.com', channel: 'web', message: 'Hi' }),
    ),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(answers.filter(({ body }) => body.created).length, 1)
  assert.equal(new Set(answers.map(({ body }) => body.conversation.id)).size, 1)
  const contact = await contactRow(answers[0]!.body.contact.id)
  assert.equal(contact.conversation_count, 1)
  assert.equal((await entriesOf(answers[0]!.body.conversation.id)).length, 20)
})

test('without an account of the channel nothing is created', async () => {
  const { token } = await make.workspace()
  for (const channel of ['web', 'email', undefined])
    assertRefused(
      await post('/conversations', { email: 'nobody@example.com', channel }, token),
      400,
      'CHANNEL_NOT_CONNECTED',
    )
  assert.equal(
    (await db.selectFrom('contacts').select('id').where('email', '=', 'nobody@example.com').execute()).length,
    0,
  )
})

test('with several accounts of a channel the one added first is used', async () => {
  const { id, token } = await make.workspace()
  const first = await make.channelAccount(id, 'web')
  await make.channelAccount(id, 'web')
  const { body } = await post('/conversations', { email: 'a@example.com', channel: 'web' }, token)
  assert.equal((await conversationRow(body.conversation.id)).channel_account_id, first)
})

test('the fields of a creation are held to their bounds, every wrong one named', async () => {
  const create = (body: unknown) => post('/conversations', body)
  const email = 'bounds@example.com'
  for (const body of [
    {},
    { email: 'no address' },
    { email: 5 },
    { email, channel: 'whatsapp' },
    { email, channel: null },
    { email, name: '' },
    { email, name: 'x'.repeat(121) },
    { email, message: ' ' },
    { email, message: 'x'.repeat(2001) },
    { email, subject: 'x'.repeat(201) },
  ])
    assertRefused(await create(body), 400, 'VALIDATION_ERROR')
  const { body } = await create({ email: 'no', name: 5, channel: 'sms', message: '' })
  assert.deepEqual(body.error.details.map(({ field }: { field: string }) => field).sort(), [
    'channel',
    'email',
    'message',
    'name',
  ])
  const edge = {
    email,
    channel: 'web',
    name: 'x'.repeat(120),
    message: 'x'.repeat(2000),
    subject: 'x'.repeat(200),
  }
  assert.equal((await create(edge)).status, 200)
})

test('the same email in two workspaces is two contacts', async () => {
  await make.channelAccount(other.id, 'web')
  const mine = await post('/conversations', { email: 'shared@example.com', channel: 'web' })
  const theirs = await post('/conversations', { email: 'shared@example.com', channel: 'web' }, other.token)
  assert.notEqual(mine.body.contact.id, theirs.body.contact.id)
  assert.equal(theirs.body.created, true)
})

// Notes -----------------------------------------------------------------------------------------------------------

test('a note goes to the conversation and its contact, moves updatedAt and is no message', async () => {
  const conversation = await make.conversation(workspace.id)
  const { status, body } = await later(() =>
    post('/notes', { body: ' Call first ', conversationId: conversation.id }),
  )
  assert.equal(status, 200)
  assert.deepEqual(body.note, {
    id: body.note.id,
    body: 'Call first',
    createdAt: body.note.createdAt,
    agent: { id: `api:${workspace.tokenId}`, nickname: 'API' },
    attachments: [],
  })
  const note = await db
    .selectFrom('notes')
    .selectAll()
    .where('id', '=', body.note.id)
    .executeTakeFirstOrThrow()
  assert.equal(note.contact_id, conversation.contactId)
  assert.equal(note.conversation_id, conversation.id)
  const row = await conversationRow(conversation.id)
  assert.equal(row.updated_at, body.note.createdAt)
  assert.equal(row.last_message_id, null)
})

test('by phone, a note goes to the most recently active WhatsApp conversation, however the number is written', async () => {
  const contact = await make.contact(workspace.id, { phone: '+5511987654321' })
  await make.conversation(workspace.id, { contactId: contact.id, channel: 'web' })
  await make.conversation(workspace.id, {
    contactId: contact.id,
    channel: 'whatsapp',
    at: new Date(Date.now() - 9e6),
  })
  const recent = await make.conversation(workspace.id, { contactId: contact.id, channel: 'whatsapp' })
  for (const phone of ['+5511987654321', '+55 (11) 98765-4321', ' +55 11 98765 4321 ']) {
    const { status, body } = await post('/notes', { body: 'Hi', phone })
    assert.equal(status, 200)
    const note = await db
      .selectFrom('notes')
      .selectAll()
      .where('id', '=', body.note.id)
      .executeTakeFirstOrThrow()
    assert.equal(note.conversation_id, recent.id)
  }
})

test('a note needs exactly one of conversationId and phone, both named otherwise', async () => {
  const { id } = await make.conversation(workspace.id)
  for (const extra of [{}, { conversationId: id, phone: '+5511987654321' }]) {
    const answer = await post('/notes', { body: 'Hi', ...extra })
    assertRefused(answer, 400, 'VALIDATION_ERROR')
    assert.match(answer.body.error.message, /^Exactly one of conversationId and phone is required/)
    assert.deepEqual(
      answer.body.error.details.map(({ field }: { field: string }) => field),
      ['conversationId', 'phone'],
    )
  }
})

test('a note for something that does not exist gets that resource’s not-found error', async () => {
  const foreign = await make.conversation(other.id)
  const stranger = await make.contact(other.id, { phone: '+4915112345678' })
  await make.conversation(other.id, { contactId: stranger.id, channel: 'whatsapp' })
  await make.contact(workspace.id, { phone: '+4915112345679' })
  const note = (extra: object) => post('/notes', { body: 'Hi', ...extra })
  for (const conversationId of [newId(), foreign.id, 'x'])
    assertRefused(await note({ conversationId }), 404, 'CONVERSATION_NOT_FOUND')
  for (const phone of ['+4915112345678', '+4915112345679', '+33612345678'])
    assertRefused(await note({ phone }), 404, 'CONTACT_NOT_FOUND')
  for (const phone of ['no number', '123', '+', '12', '+1'.padEnd(33, '2')])
    assertRefused(await note({ phone }), 400, 'VALIDATION_ERROR')
})

test('a note has 1 to 4000 code points', async () => {
  const { id } = await make.conversation(workspace.id)
  const note = (body: unknown) => post('/notes', { body, conversationId: id })
  for (const body of ['', '  ', 'x'.repeat(4001), 7, undefined])
    assertRefused(await note(body), 400, 'VALIDATION_ERROR')
  assert.equal((await note('😀'.repeat(4000))).status, 200)
})

test('conversations of another workspace get the same response, byte for byte, as none', async () => {
  const foreign = await make.conversation(other.id)
  for (const [path, body] of [
    ['messages', { body: 'Hi' }],
    ['assign', { agentId: agent.id }],
  ] as const) {
    const theirs = await post(`/conversations/${foreign.id}/${path}`, body)
    const nobodys = await post(`/conversations/${newId()}/${path}`, body)
    assert.equal(theirs.status, 404)
    assert.equal(theirs.text, nobodys.text)
  }
})
