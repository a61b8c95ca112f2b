import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import type { Signals } from '../../domain/conversations/signals.ts'
import { findMessage } from '../../domain/conversations/thread-queries.ts'
import { newId } from '../../platform/db/id.ts'
import { makeEphemeral } from '../../platform/live/ephemeral.ts'
import { makePage, type SeenEvent, until } from './testing/visitor.ts'
import { STREAMS_PER_VISITOR_MAX } from './visitor-streams.ts'

const ephemeral: Signals = makeEphemeral()
const { app, call, ctxOf, database, db, make } = await startApp({ stream: true, deps: { ephemeral } })
const workspace = await make.workspace()
const channelId = await make.channelAccount(workspace.id)
let base = ''
const { ask, follow, say, session } = makePage(() => base, channelId)

before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})

const reply = async (conversationId: string, text: string) => {
  const { status, body } = await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, {
    body: text,
  })
  assert.equal(status, 200)
  return body.message
}

const bodies = (events: SeenEvent[]): string[] =>
  events.filter(({ event }) => event === 'message').map(({ data }) => data.message.body)

const saying = (text: string) => (event: SeenEvent) => event.data.message?.body === text

/** A visitor who has written, and their page. */
const converse = async () => {
  const { token, visitor } = await session()
  const { conversationId, id } = await say(token, 'Hi')
  return { token, visitor, conversationId, messageId: id }
}

test('a stream may not be cached, buffered or transformed by proxies', async () => {
  const { token } = await session()
  const events = await follow(token)
  assert.equal(events.status, 200)
  assert.equal(events.headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.match(events.headers['cache-control'] ?? '', /no-store/)
  assert.equal(events.headers['x-accel-buffering'], 'no')
  assert.ok(events.headers['x-request-id'])
  await until(() => events.text().length > 0)
  events.close()
})

test('after a dropped connection the page gets what it missed, once and in order, and continues live', async () => {
  const { token, conversationId } = await converse()
  const first = await follow(token)
  await reply(conversationId, 'before the cut')
  await first.next('message', saying('before the cut'))
  first.close()
  const missed = Array.from({ length: 10 }, (_, n) => `missed ${n}`)
  for (const text of missed) await reply(conversationId, text)
  const second = await follow(token, { lastEventId: first.lastId() })
  await reply(conversationId, 'live again')
  await second.next('message', saying('live again'))
  assert.deepEqual(bodies(second.events()), [...missed, 'live again'])
  second.close()
})

test('nothing is lost or duplicated between the replay and concurrent events', async () => {
  const { token, conversationId } = await converse()
  const first = await follow(token)
  await reply(conversationId, 'start')
  await first.next('message', saying('start'))
  first.close()
  const expected: string[] = []
  let cursor = first.lastId()
  const heard: string[] = []
  for (let round = 0; round < 5; round++) {
    const texts = Array.from({ length: 6 }, (_, n) => `round ${round}, ${n}`)
    expected.push(...texts)
    const talking = (async () => {
      for (const text of texts) await reply(conversationId, text)
    })()
    const stream = await follow(token, { lastEventId: cursor })
    await talking
    await stream.next('message', saying(texts.at(-1)!))
    heard.push(...bodies(stream.events()))
    cursor = stream.lastId()
    stream.close()
  }
  assert.deepEqual(heard, expected)
})

test('an unknown or expired event id makes the page start over', async () => {
  const { token, conversationId } = await converse()
  for (const lastEventId of ['', 'nonsense', 'z'.repeat(33), '0'.repeat(33)]) {
    const events = await follow(token, { lastEventId })
    assert.deepEqual((await events.next('reset')).data, {})
    const text = `after a reset from "${lastEventId}"`
    await reply(conversationId, text)
    await events.next('message', saying(text))
    events.close()
  }
})

test('after a database restore, open pages start over', async () => {
  const { token, conversationId } = await converse()
  const before = await follow(token)
  await reply(conversationId, 'before the restore')
  await before.next('message', saying('before the restore'))
  await db.updateTable('event_epoch').set({ system_identifier: 'another' }).execute()
  await until(() => before.isEnded())
  const after = await follow(token, { lastEventId: before.lastId() ?? '' })
  await after.next('reset')
  await reply(conversationId, 'after the restore')
  await after.next('message', saying('after the restore'))
  after.close()
})

test("another visitor's event id gives no access to their events", async () => {
  const [one, two] = [await converse(), await converse()]
  const theirs = await follow(one.token)
  await reply(one.conversationId, 'for one')
  await theirs.next('message', saying('for one'))
  const [before] = theirs.events()
  await reply(one.conversationId, 'for one again')
  await theirs.next('message', saying('for one again'))
  const own = await follow(two.token, { lastEventId: before?.id ?? '' })
  await reply(two.conversationId, 'for two')
  await own.next('message', saying('for two'))
  assert.ok(!own.text().includes('for one'))
  assert.ok(!own.text().includes(one.conversationId))
  theirs.close()
  own.close()
})

test('two tabs receive the same events, even if opened before the first message', async () => {
  const { token } = await session()
  const tabs = [await follow(token), await follow(token)]
  const message = await say(token, 'From one tab', { clientId: 'tab-1' })
  assert.equal(message.clientId, 'tab-1')
  const answer = await reply(message.conversationId, 'To both')
  for (const tab of tabs) {
    assert.deepEqual((await tab.next('message')).data.message, message)
    assert.equal((await tab.next('message')).data.message.id, answer.id)
    tab.close()
  }
})

test('visitors, sites and workspaces only receive their own events', async () => {
  const other = await make.workspace()
  const otherChannelId = await make.channelAccount(other.id)
  const secondId = await make.channelAccount(workspace.id)
  const strangers = [
    await follow((await session()).token),
    await follow((await converse()).token),
    await follow((await session({}, { channel: secondId })).token, { channel: secondId }),
    await follow((await session({}, { channel: otherChannelId })).token, { channel: otherChannelId }),
  ]
  const { token, conversationId } = await converse()
  const own = await follow(token)
  await reply(conversationId, 'Only for you')
  await own.next('message', saying('Only for you'))
  for (const stranger of strangers) {
    assert.ok(!stranger.text().includes(conversationId))
    assert.deepEqual(
      bodies(stranger.events()).filter((body) => body !== 'Hi'),
      [],
    )
    stranger.close()
  }
  own.close()
})

test('a conversation that the API opens later also reaches the page and becomes the current one', async () => {
  const own = await make.workspace()
  const channel = await make.channelAccount(own.id)
  const email = 'regular@shop.example'
  const { token } = await session({ email }, { channel })
  const first = await say(token, 'Hi', { channel })
  await call(own.token, 'POST', `/conversations/${first.conversationId}/close`)
  // The API finds visitors only by a verified address.
  const { contactId } = await db
    .selectFrom('conversations')
    .select('contact_id as contactId')
    .where('id', '=', first.conversationId)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('identities')
    .values({
      workspace_id: own.id,
      kind: 'email',
      value: email,
      contact_id: contactId,
      created_at: new Date(),
    })
    .execute()
  const events = await follow(token, { channel })
  const { status, body } = await call(own.token, 'POST', '/conversations', {
    email,
    channel: 'web',
    message: 'Did the pot arrive?',
  })
  assert.deepEqual([status, body.created], [200, true])
  const second = body.conversation.id
  assert.notEqual(second, first.conversationId)
  await events.next('conversation', ({ data }) => data.id === second && data.status === 'open')
  await events.next('message', saying('Did the pot arrive?'))
  const resumed = await session({ token }, { channel })
  assert.equal(resumed.conversation?.id, second)
  assert.deepEqual(
    resumed.messages.map(({ body }) => body),
    ['Did the pot arrive?'],
  )
  assert.equal((await say(token, 'Yes', { channel })).conversationId, second)
  events.close()
})

test("a contact's conversations elsewhere stay out of the page", async () => {
  const { token, conversationId } = await converse()
  const { contactId } = await db
    .selectFrom('conversations')
    .select('contact_id as contactId')
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  const secondId = await make.channelAccount(workspace.id)
  const elsewhere = await make.conversation(workspace.id, { contactId, channelAccountId: secondId })
  const events = await follow(token)
  await reply(elsewhere.id, 'On another site')
  await reply(conversationId, 'Here')
  await events.next('message', saying('Here'))
  assert.ok(!events.text().includes('On another site'))
  assert.ok(!events.text().includes(elsewhere.id))
  const { status } = await ask(
    '/read',
    { messageId: (await make.message(workspace.id, elsewhere)).id },
    { token },
  )
  assert.equal(status, 400)
  events.close()
})

test('messages to an open page are delivered, those waiting for one are not', async () => {
  const { token, conversationId } = await converse()
  const waiting = await reply(conversationId, 'Nobody there')
  assert.equal((await findMessage(ctxOf(workspace.id), waiting.id))?.status, 'sent')
  const events = await follow(token)
  const answer = await reply(conversationId, 'There')
  await events.next('message', saying('There'))
  await until(async () => (await findMessage(ctxOf(workspace.id), answer.id))?.status === 'delivered')
  assert.ok(!events.text().includes('"delivered"'))
  events.close()
})

test('the page is notified whether anyone is online, immediately and on changes', async () => {
  const ofTwo = await make.workspace()
  const channel = await make.channelAccount(ofTwo.id)
  const agent = await make.agent(ofTwo.id)
  const { token } = await session({}, { channel })
  const events = await follow(token, { channel })
  assert.deepEqual((await events.next('presence')).data, { isOnline: false })
  await db.updateTable('accounts').set({ last_seen_at: new Date() }).where('id', '=', agent.id).execute()
  ephemeral.publish({ type: 'agent.presence', workspaceId: ofTwo.id })
  assert.deepEqual((await events.next('presence')).data, { isOnline: true })
  const second = await follow(token, { channel })
  assert.deepEqual((await second.next('presence')).data, { isOnline: true })
  events.close()
  second.close()
})

test('typing indicators work in both directions and are not stored', async () => {
  const { token, conversationId } = await converse()
  const { token: strange } = await session()
  const [events, stranger] = [await follow(token), await follow(strange)]
  const seen: unknown[] = []
  const stop = ephemeral.subscribe((event) => seen.push(event))
  const before = await db
    .selectFrom('events')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirst()
  const { status, body } = await ask('/typing', { isTyping: true }, { token })
  assert.deepEqual([status, body], [200, { success: true }])
  assert.deepEqual(seen, [
    { type: 'visitor.typing', workspaceId: workspace.id, conversationId, isTyping: true },
  ])
  assert.equal((await ask('/typing', { isTyping: true }, { token: strange })).status, 200)
  assert.equal((await ask('/typing', { isTyping: 'yes' }, { token })).status, 400)
  assert.equal(seen.length, 1)
  stop()
  ephemeral.publish({
    type: 'agent.typing',
    workspaceId: workspace.id,
    conversationId,
    nickname: 'Mara',
    isTyping: true,
  })
  assert.deepEqual((await events.next('typing')).data, { nickname: 'Mara', isTyping: true })
  assert.ok(!stranger.text().includes('typing'))
  const after = await db
    .selectFrom('events')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirst()
  assert.deepEqual(after, before)
  events.close()
  stranger.close()
})

test('the number of streams per visitor is limited, and closing one frees a slot', async () => {
  const { token } = await session()
  const open: Awaited<ReturnType<typeof follow>>[] = []
  for (let n = 0; n < STREAMS_PER_VISITOR_MAX; n++) open.push(await follow(token))
  const { status, body, headers } = await ask('/events', undefined, { token, method: 'GET' })
  assert.equal(status, 429)
  assert.equal(body.error.code, 'RATE_LIMIT_EXCEEDED')
  assert.ok(Number(headers.get('retry-after')) > 0)
  open.pop()?.close()
  await until(async () => {
    const next = await follow(token)
    open.push(next)
    return next.status === 200
  })
  for (const events of open) events.close()
})

test('an event is read from the database once, for any number of pages', async () => {
  const { token, conversationId } = await converse()
  const open: Awaited<ReturnType<typeof follow>>[] = []
  for (let n = 0; n < 6; n++) open.push(await follow(token))
  const readings = () => database.statements.filter((text) => text.includes('as "externalId"')).length
  // The streams also get what was written shortly before they opened; once this arrives, that has been read.
  await reply(conversationId, 'Before')
  await Promise.all(open.map((events) => events.next('message', saying('Before'))))
  const before = readings()
  await reply(conversationId, 'To all')
  await Promise.all(open.map((events) => events.next('message', saying('To all'))))
  assert.equal(readings() - before, 1)
  for (const events of open) events.close()
})

test('a malformed id in the path opens no stream', async () => {
  const { token } = await session()
  for (const channel of ['-', newId(), 'x'.repeat(300)]) {
    const { status } = await ask('/events', undefined, { token, channel, method: 'GET' })
    assert.equal(status, 404)
  }
})

// Must be last: it stops the server.
test('stopping ends the streams immediately', async () => {
  const { token } = await session()
  const events = await follow(token)
  const beganMs = performance.now()
  await app.close()
  assert.ok(performance.now() - beganMs < 2_000)
  await until(() => events.isEnded())
})
