import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { findMessage } from '../../domain/conversations/thread-queries.ts'
import { advanceStatus } from '../../domain/messages/message-status.ts'
import { newId } from '../../platform/db/id.ts'
import { makePage, until } from './testing/visitor.ts'

const started = await startApp({ stream: true })
const { app, call, ctxOf, db, deps, make } = started
const workspace = await make.workspace({ name: 'Northwind' })
const channelId = await make.channelAccount(workspace.id)
const other = await make.workspace()
const otherChannelId = await make.channelAccount(other.id)
let base = ''

before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})

const { ask, follow, say, session } = makePage(() => base, channelId)

const reply = async (conversationId: string, text: string) => {
  const { status, body } = await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, {
    body: text,
  })
  assert.equal(status, 200)
  return body.message
}

const statusOf = async (messageId: string) => (await findMessage(ctxOf(workspace.id), messageId))?.status

const countOf = async (
  table: 'visitors' | 'contacts' | 'conversations' | 'messages',
  workspaceId = workspace.id,
) =>
  Number(
    (
      await db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll().as('count'))
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirstOrThrow()
    ).count,
  )

test('end to end: a visitor writes, the API replies, the page shows it, and agents see that it was read', async () => {
  const { token, visitor, conversation, messages } = await session({ name: 'Ann', email: 'Ann@Shop.example' })
  assert.match(token, /^[A-Za-z0-9_-]{43}$/)
  assert.deepEqual([visitor.name, visitor.email], ['Ann', 'ann@shop.example'])
  assert.deepEqual([conversation, messages], [null, []])
  const events = await follow(token)
  const message = await say(token, 'Is the blue one in stock?', { clientId: 'a1' })
  assert.equal(message.senderType, 'customer')
  assert.equal(message.status, 'sent')
  assert.deepEqual(message.sender, { nickname: 'Ann' })

  const listed = await call(workspace.token, 'GET', '/conversations?channel=web&limit=1')
  assert.equal(listed.body.conversations[0].id, message.conversationId)
  assert.equal(listed.body.conversations[0].lastMessage.body, 'Is the blue one in stock?')
  assert.equal(listed.body.conversations[0].contact.name, 'Ann')
  assert.equal(listed.body.conversations[0].contact.email, 'ann@shop.example')

  assert.deepEqual((await events.next('conversation')).data, { id: message.conversationId, status: 'open' })
  assert.deepEqual((await events.next('message')).data.message, message)

  const answer = await reply(message.conversationId, 'Yes, three left.')
  const seen = (await events.next('message')).data.message
  assert.deepEqual(Object.keys(seen).sort(), Object.keys(message).sort())
  assert.equal(seen.id, answer.id)
  assert.equal(seen.body, 'Yes, three left.')
  assert.deepEqual(seen.sender, { nickname: 'Northwind' })
  await until(async () => (await statusOf(answer.id)) === 'delivered')
  const read = await ask('/read', { messageId: answer.id }, { token })
  assert.deepEqual([read.status, read.body], [200, { success: true }])
  assert.equal(await statusOf(answer.id), 'read')
  assert.equal(await statusOf(message.id), 'sent')
  events.close()
})

test('nobody becomes a contact before their first message', async () => {
  const before = await countOf('contacts')
  const { token } = await session({ name: 'Looks only' })
  assert.equal(await countOf('contacts'), before)
  await say(token, 'Hello')
  assert.equal(await countOf('contacts'), before + 1)
})

test('an unnamed visitor is called Visitor plus the end of their id', async () => {
  const { token, visitor } = await session()
  const { sender } = await say(token, 'Hi')
  assert.equal(sender.nickname, `Visitor ${visitor.id.slice(-4)}`)
})

test('a session resumes with the same visitor and the newest fifty messages, oldest first', async () => {
  const first = await session()
  const { conversationId } = await say(first.token, 'message 0')
  for (let n = 1; n <= 52; n++) await say(first.token, `message ${n}`)
  const again = await session({ token: first.token })
  assert.equal(again.token, first.token)
  assert.equal(again.visitor.id, first.visitor.id)
  assert.deepEqual(again.conversation, { id: conversationId, status: 'open' })
  assert.deepEqual(
    again.messages.map(({ body }) => body),
    Array.from({ length: 50 }, (_, n) => `message ${n + 3}`),
  )
})

test('a session that returns a reply counts as its delivery', async () => {
  const { token } = await session()
  const { conversationId } = await say(token, 'Anyone?')
  const answer = await reply(conversationId, 'Yes')
  assert.equal(answer.status, 'sent')
  assert.equal((await session({ token })).messages.at(-1)?.id, answer.id)
  await until(async () => (await statusOf(answer.id)) === 'delivered')
})

test('an unknown token gets a new visitor and a new token', async () => {
  for (const token of ['', 'x', 'A'.repeat(43), workspace.token, '\u{1f600}'.repeat(50)]) {
    const fresh = await session({ token })
    assert.notEqual(fresh.token, token)
    assert.equal(fresh.conversation, null)
  }
})

test('a visitor of one site or workspace is unknown on another', async () => {
  const second = await make.channelAccount(workspace.id)
  const { token, visitor } = await session()
  const { id: messageId } = await say(token, 'Secret')
  for (const channel of [second, otherChannelId]) {
    const fresh = await session({ token }, { channel })
    assert.notEqual(fresh.visitor.id, visitor.id)
    assert.deepEqual(fresh.messages, [])
    for (const [path, body] of [
      ['/messages', { body: 'Hi' }],
      ['/read', { messageId }],
      ['/typing', { isTyping: true }],
    ] as const) {
      const { status, body: answer } = await ask(path, body, { token, channel })
      assert.equal(status, 401)
      assert.equal(answer.error.code, 'INVALID_VISITOR_TOKEN')
    }
    const events = await fetch(`${base}/widget/${channel}/events`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(events.status, 401)
    await events.body?.cancel()
  }
})

test('a channel that does not exist, is of another type or has a malformed id gets the same response', async () => {
  const email = await make.channelAccount(workspace.id, 'email')
  const answers = await Promise.all(
    [newId(), email, '-', 'chat.js', '%00', `${channelId}x`].map((channel) =>
      ask('/session', {}, { channel }),
    ),
  )
  for (const { status, text } of answers) {
    assert.equal(status, 404)
    assert.equal(text, answers[0]?.text)
  }
  assert.equal(answers[0]?.body.error.code, 'CHANNEL_NOT_FOUND')
})

test('the same clientId, even concurrently, is one message', async () => {
  const { token } = await session()
  const sent = await Promise.all(Array.from({ length: 8 }, () => say(token, 'Once', { clientId: 'same' })))
  assert.equal(new Set(sent.map(({ id }) => id)).size, 1)
  assert.equal((await say(token, 'Once, later', { clientId: 'same' })).body, 'Once')
  assert.equal((await session({ token })).messages.length, 1)
  const someoneElse = await session()
  assert.notEqual((await say(someoneElse.token, 'Mine', { clientId: 'same' })).id, sent[0].id)
})

test('twenty concurrent messages from a new visitor are all stored, in one conversation of one contact', async () => {
  const { token } = await session()
  const before = [await countOf('contacts'), await countOf('conversations')] as const
  const sent = await Promise.all(
    Array.from({ length: 20 }, (_, n) => say(token, `At once ${n}`, { clientId: `${n}` })),
  )
  assert.equal(new Set(sent.map(({ conversationId }) => conversationId)).size, 1)
  assert.deepEqual(
    [await countOf('contacts'), await countOf('conversations')],
    [before[0] + 1, before[1] + 1],
  )
  const { messages } = await session({ token })
  assert.deepEqual(new Set(messages.map(({ body }) => body)), new Set(sent.map(({ body }) => body)))
})

test('a message is trimmed and has 1 to 2000 characters', async () => {
  const { token } = await session()
  assert.equal((await say(token, '  spaced \n')).body, 'spaced')
  assert.equal([...(await say(token, '😀'.repeat(2000))).body].length, 2000)
  for (const body of ['', ' \n ', '😀'.repeat(2001), 5, null, undefined, 'a\u0000b', '\ud800']) {
    const { status, body: answer } = await ask('/messages', { body }, { token })
    assert.equal(status, 400, JSON.stringify(body))
    assert.equal(answer.error.code, 'VALIDATION_ERROR')
    assert.deepEqual(
      answer.error.details.map(({ field }: { field: string }) => field),
      ['body'],
    )
  }
  for (const clientId of ['', 'x'.repeat(65), 7])
    assert.equal((await ask('/messages', { body: 'Hi', clientId }, { token })).status, 400)
  assert.equal((await ask('/messages', { body: 'Hi', clientId: 'x'.repeat(64) }, { token })).status, 200)
  assert.equal(
    (await ask('/messages', '{', { token, headers: { 'content-type': 'application/json' } })).status,
    400,
  )
  assert.equal(
    (await ask('/messages', 'body=Hi', { token, headers: { 'content-type': 'text/plain' } })).status,
    415,
  )
})

test('agents see the page, language and time zone of the browser that was seen last', async () => {
  const admin = await signIn(started, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const page = 'https://shop.example/mugs'
  const first = await session({ page, locale: 'ar', timeZone: 'Asia/Beirut' })
  const { conversationId } = await say(first.token, 'Hello')
  const { contact } = (await call(workspace.token, 'GET', `/conversations/${conversationId}`)).body
    .conversation
  const visit = async () => (await admin.call('GET', `/contacts/${contact.id}/visit`)).body.visit
  const { seenAt, ...seen } = await visit()
  assert.deepEqual(seen, { page, locale: 'ar', timeZone: 'Asia/Beirut' })
  assert.ok(Date.parse(seenAt) > 0)
  await session({ token: first.token, timeZone: 'Nowhere/At all' })
  assert.equal((await visit()).timeZone, 'Asia/Beirut')
})

test('claimed details are limited in length', async () => {
  await session({
    name: 'n'.repeat(120),
    email: `${'e'.repeat(242)}@example.com`,
    locale: 'de-AT',
    page: 'x'.repeat(2048),
  })
  for (const [field, value] of [
    ['name', 'n'.repeat(121)],
    ['email', `${'e'.repeat(243)}@example.com`],
    ['email', 'nobody'],
    ['email', 'a@b.example, c@d.example'],
    ['locale', 'x'.repeat(36)],
    ['page', 'x'.repeat(2049)],
    ['token', 7],
  ] as const) {
    const { status, body } = await ask('/session', { [field]: value })
    assert.equal(status, 400)
    assert.equal(body.error.details[0].field, field)
  }
})

test('a name is stored without characters that hide or reverse the surrounding text', async () => {
  const { token, visitor } = await session({ name: ' Ann\u202e\u0007 \n\u200bLee\u2066 ' })
  assert.equal(visitor.name, 'Ann Lee')
  assert.equal((await say(token, 'Hi')).sender.nickname, 'Ann Lee')
  assert.equal((await session({ name: '\u202e \u200b' })).visitor.name, null)
  const html = await session({ name: '<img src=x onerror=alert(1)>' })
  assert.equal(html.visitor.name, '<img src=x onerror=alert(1)>')
  assert.equal((await session({ name: '👩‍👩‍👧' })).visitor.name, '👩‍👩‍👧')
})

test('a claimed email takes nothing from the contact who has it', async () => {
  const owner = await make.contact(workspace.id, { name: 'Owner', email: 'owner@shop.example' })
  await make.conversation(workspace.id, { contactId: owner.id, channelAccountId: channelId })
  const claimant = await session({ name: 'Owner', email: 'OWNER@shop.example' })
  assert.equal(claimant.conversation, null)
  const { conversationId } = await say(claimant.token, 'It is me')
  const { body } = await call(workspace.token, 'GET', `/conversations?contactId=${owner.id}`)
  assert.ok(body.conversations.every(({ id }: { id: string }) => id !== conversationId))
  const identities = await db
    .selectFrom('identities')
    .select(['contact_id'])
    .where('workspace_id', '=', workspace.id)
    .where('value', '=', 'owner@shop.example')
    .execute()
  assert.deepEqual(identities, [{ contact_id: owner.id }])
})

test("an email entered by a visitor is unverified, can't be used to find them, and its owner's emails don't reach their conversation", async () => {
  const { token } = await session({ name: 'Mallory', email: 'ceo@shop.example' })
  const { conversationId } = await say(token, 'Send it to my new address')
  const { contactId } = await db
    .selectFrom('conversations')
    .select('contact_id as contactId')
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  const profileOf = async (id: string) => (await call(workspace.token, 'GET', `/contacts/${id}`)).body.contact
  const mallory = await profileOf(contactId)
  assert.deepEqual([mallory.email, mallory.emailVerified], ['ceo@shop.example', false])

  const opened = await call(workspace.token, 'POST', '/conversations', {
    email: 'CEO@shop.example',
    channel: 'web',
    message: 'Your password',
  })
  assert.equal(opened.body.created, true)
  assert.notEqual(opened.body.contact.id, contactId)
  assert.notEqual(opened.body.conversation.id, conversationId)
  assert.equal((await profileOf(opened.body.contact.id)).emailVerified, true)
  assert.equal((await profileOf(contactId)).emailVerified, false)
  const shown = await session({ token })
  assert.ok(!JSON.stringify(shown.messages).includes('Your password'))
})

test('a name and email given later fill in what is missing and replace nothing', async () => {
  const { token } = await session()
  const { conversationId } = await say(token, 'Hi')
  const contact = async () => {
    const { body } = await call(
      workspace.token,
      'GET',
      `/conversations?q=${encodeURIComponent('Hi')}&limit=100`,
    )
    const found = body.conversations.find(({ id }: { id: string }) => id === conversationId)
    return [found.contact.name, found.contact.email]
  }
  await session({ token, email: 'late@shop.example' })
  assert.deepEqual(await contact(), ['late@shop.example', 'late@shop.example'])
  await session({ token, name: 'Late' })
  assert.deepEqual(await contact(), ['Late', 'late@shop.example'])
  const changed = await session({ token, name: 'Other', email: 'other@shop.example' })
  assert.deepEqual([changed.visitor.name, changed.visitor.email], ['Other', 'other@shop.example'])
  assert.deepEqual(await contact(), ['Late', 'late@shop.example'])
  const identity = await db
    .selectFrom('identities')
    .select('contact_id')
    .where('workspace_id', '=', workspace.id)
    .where('value', '=', 'late@shop.example')
    .executeTakeFirst()
  assert.equal(identity, undefined, 'a claim is no identity')
})

test('reading only affects messages to the visitor, up to the given one', async () => {
  const [reader, stranger] = [await session(), await session()]
  const own = await say(reader.token, 'Hi')
  await say(stranger.token, 'Hi')
  const answers = []
  for (const text of ['one', 'two', 'three']) answers.push(await reply(own.conversationId, text))
  for (const messageId of [answers[0].id, newId(), 'nonsense']) {
    const { status, body } = await ask('/read', { messageId }, { token: stranger.token })
    assert.equal(status, 400)
    assert.deepEqual(body.error.details[0].field, 'messageId')
  }
  assert.equal(
    (await ask('/read', { messageId: answers[0].id }, { token: (await session()).token })).status,
    400,
  )
  await ask('/read', { messageId: answers[1].id }, { token: reader.token })
  assert.deepEqual(await Promise.all(answers.map(({ id }) => statusOf(id))), ['read', 'read', 'sent'])
  await ask('/read', { messageId: answers[0].id }, { token: reader.token })
  assert.equal(await statusOf(own.id), 'sent')
})

test('a missing, foreign or API token gives no access', async () => {
  for (const token of [undefined, 'x', workspace.token, 'A'.repeat(43)])
    for (const path of ['/messages', '/read', '/typing']) {
      const { status, body } = await ask(path, {}, token === undefined ? {} : { token })
      assert.equal(status, 401)
      assert.equal(body.error.code, 'INVALID_VISITOR_TOKEN')
    }
  const { token } = await session()
  assert.equal((await call(token, 'GET', '/me')).status, 401)
})

test('a closed conversation reopens with the next message, and the page receives both changes', async () => {
  const { token } = await session()
  const { conversationId } = await say(token, 'Hi')
  const events = await follow(token)
  await call(workspace.token, 'POST', `/conversations/${conversationId}/close`)
  const isStatus = (status: string) => (event: { data: { status?: string } }) => event.data.status === status
  await events.next('conversation', isStatus('closed'))
  assert.equal((await session({ token })).conversation?.status, 'closed')
  assert.equal((await say(token, 'One more thing')).conversationId, conversationId)
  await events.next('conversation', isStatus('open'))
  events.close()
})

test('internal notes and system entries never reach the page', async () => {
  const { token } = await session()
  const { conversationId } = await say(token, 'Hi')
  const events = await follow(token)
  const agent = await make.agent(workspace.id)
  await call(workspace.token, 'POST', `/conversations/${conversationId}/assign`, { agentId: agent.id })
  await call(workspace.token, 'POST', '/notes', { conversationId, body: 'internal note' })
  await call(workspace.token, 'POST', `/conversations/${conversationId}/close`)
  await reply(conversationId, 'last')
  await events.next('message', ({ data }) => data.message?.body === 'last')
  const text = events.text()
  assert.doesNotMatch(text, /internal note|Conversation closed|assigned|api:|"role"|"metadata"|"senderId"/i)
  const { messages } = await session({ token })
  assert.deepEqual(
    messages.map(({ body }) => body),
    ['Hi', 'last'],
  )
  events.close()
})

test("only an agent's nickname is shown", async () => {
  const { token } = await session()
  const { conversationId } = await say(token, 'Hi')
  const agent = await make.agent(workspace.id, { nickname: 'Mara' })
  const conversation = await db
    .selectFrom('conversations')
    .select(['contact_id as contactId', 'channel_account_id as channelAccountId'])
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  await make.message(
    workspace.id,
    { id: conversationId, ...conversation },
    { senderType: 'agent', senderId: agent.id },
  )
  const { messages } = await session({ token })
  assert.deepEqual(messages.at(-1)?.sender, { nickname: 'Mara' })
})

test('the visitor is notified when their message was read', async () => {
  const { token } = await session()
  const { id } = await say(token, 'Hi')
  const events = await follow(token)
  await advanceStatus(ctxOf(workspace.id), [id], 'read')
  assert.deepEqual((await events.next('status')).data, { messageId: id, status: 'read' })
  events.close()
})

test('the team’s reaction to a message is shown to the visitor at once and when they come back, and so is its end', async () => {
  const { token } = await session()
  const { id } = await say(token, 'Thanks!')
  const jane = await signIn(started, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const events = await follow(token)
  const react = async (emoji: string | null) => {
    const { status, body } = await jane.call('PUT', `/messages/${id}/reaction`, { emoji })
    assert.equal(status, 200, JSON.stringify(body))
    return body.message.metadata?.reactions?.[0]
  }
  // There is no provider to wait for.
  assert.equal((await react('❤️')).status, undefined)
  assert.deepEqual((await events.next('reaction')).data, { messageId: id, emoji: '❤️' })
  const back = await session({ token })
  assert.equal(back.messages.at(-1)?.reaction, '❤️')
  await react(null)
  assert.deepEqual((await events.next('reaction')).data, { messageId: id, emoji: null })
  events.close()
})

test('pages of allowed sites can use the channel; others are rejected and leave nothing', async () => {
  const channel = await make.channelAccount(workspace.id, 'web', {
    settings: { allowedOrigins: ['https://shop.example', 'https://www.shop.example:8443/path'] },
  })
  const from = (origin: string) => ({ channel, headers: { origin } })
  for (const origin of ['https://shop.example', 'https://SHOP.example', 'https://www.shop.example:8443']) {
    const { status, headers } = await ask('/session', {}, from(origin))
    assert.equal(status, 200)
    assert.equal(headers.get('access-control-allow-origin'), origin)
    assert.match(headers.get('vary') ?? '', /Origin/)
    assert.equal(headers.get('access-control-allow-credentials'), null)
  }
  assert.equal((await ask('/session', {}, { channel })).status, 200)
  const before = await countOf('visitors')
  for (const origin of [
    'https://evil.example',
    'http://shop.example',
    'https://shop.example.evil.example',
    'null',
    'x',
  ]) {
    const { status, body, headers } = await ask('/session', {}, from(origin))
    assert.equal(status, 403)
    assert.equal(body.error.code, 'ORIGIN_NOT_ALLOWED')
    assert.equal(headers.get('access-control-allow-origin'), origin)
  }
  assert.equal(await countOf('visitors'), before)
  const { token } = await session({}, { channel })
  const { status } = await ask('/messages', { body: 'Hi' }, { ...from('https://evil.example'), token })
  assert.equal(status, 403)
  const events = await fetch(`${base}/widget/${channel}/events`, {
    headers: { authorization: `Bearer ${token}`, origin: 'https://evil.example' },
  })
  assert.equal(events.status, 403)
  await events.body?.cancel()
})

test('a preflight succeeds on every route, even where the request would be rejected', async () => {
  for (const path of ['session', 'messages', 'read', 'typing', 'events']) {
    const response = await fetch(`${base}/widget/${channelId}/${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,last-event-id',
      },
    })
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('access-control-allow-origin'), 'https://shop.example')
    assert.match(
      response.headers.get('access-control-allow-headers') ?? '',
      /authorization.*content-type.*last-event-id/i,
    )
    assert.match(response.headers.get('access-control-allow-methods') ?? '', /GET.*POST/)
    assert.equal(await response.text(), '')
  }
})

test('another method is 405 and another path 404, in the error envelope', async () => {
  const { status, body, headers } = await ask('/session', undefined, { method: 'GET' })
  assert.equal(status, 405)
  assert.equal(body.error.code, 'METHOD_NOT_ALLOWED')
  assert.match(headers.get('allow') ?? '', /POST/)
  assert.equal((await ask('/nothing', {})).body.error.code, 'NOT_FOUND')
})

test("a visitor who wrote to one workspace can't be found in another", async () => {
  const { token } = await session({}, { channel: otherChannelId })
  const before = await countOf('messages')
  await say(token, 'Over here', { channel: otherChannelId })
  assert.equal(await countOf('messages'), before)
  assert.equal(await countOf('messages', other.id), 1)
})

test('the database holds no visitor token', async () => {
  const { token, visitor } = await session()
  const row = await db
    .selectFrom('visitors')
    .selectAll()
    .where('id', '=', visitor.id)
    .executeTakeFirstOrThrow()
  assert.ok(!JSON.stringify({ ...row, token_hash: row.token_hash.toString('latin1') }).includes(token))
  assert.equal(row.token_hash.length, 32)
})

test("the widget takes part in nothing of the API's document", async () => {
  const { body } = await call(null, 'GET', '/openapi.json')
  assert.ok(Object.keys(body.paths).every((path) => !/widget|demo/.test(path)))
  assert.ok(deps.stream)
})
