import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { DeliveryError, type OutboundMessage } from '../../../channels/channel.ts'
import { channels as realChannels } from '../../../channels/index.ts'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { until } from '../../../test/until.ts'
import { openEvents } from '../../inbound/web/testing/visitor.ts'
import { newId } from '../../platform/db/id.ts'
import { applyStatuses, type ReportedStatus } from '../messages/apply-statuses.ts'
import { receiveMessage } from '../messages/receive-messages.ts'
import type { Message } from './schema.ts'

const HOUR_MS = 3_600_000

/** WhatsApp with a fake provider, which rejects messages that ask for it. */
const sent: OutboundMessage[] = []
/** The ids of messages that WhatsApp was told are read. */
const toldRead: string[] = []
let isRefusing = true
let holding: Promise<void> | null = null
const whatsapp = {
  ...realChannels.whatsapp,
  send: async (_account: unknown, message: OutboundMessage) => {
    sent.push(message)
    if (isRefusing && message.body.startsWith('refuse'))
      throw new DeliveryError('refused', '131026', 'Not there.')
    await holding
    return { externalId: `wamid.${sent.length}` }
  },
  markRead: async (_account: unknown, externalId: string) => {
    toldRead.push(externalId)
    if (toldRead.length === 1) throw new DeliveryError('retry', 'DOWN', 'Not now.')
  },
}

const app = await startApp({ worker: true, channels: { whatsapp } })
const { clock, db, make, ctxOf } = app
let base = ''
before(async () => {
  base = await app.app.listen({ port: 0, host: '127.0.0.1' })
})

const workspace = await make.workspace()
const w = workspace.id
const robin = await make.agent(w, { role: 'admin', nickname: 'Robin' })
const { call, secret } = await signIn(app, w, robin.id)
const colleague = await signIn(app, w, (await make.agent(w, { role: 'admin', nickname: 'Sam' })).id)
const webId = await make.channelAccount(w, 'web')
const whatsappId = await make.channelAccount(w, 'whatsapp', {
  settings: { phoneNumberId: '1', businessAccountId: 'inbox', apiUrl: 'http://127.0.0.1:9' },
})
await make.template(w, 'inbox', {
  name: 'order_ready',
  components: [{ type: 'BODY', text: 'Order {{1}} is ready.' }],
})

let people = 0
/** A customer who has written this many messages. */
const customer = async (messages: number, channel: 'web' | 'whatsapp' = 'web', sentAt = clock.now()) => {
  const phone = `+3519100000${String(people++).padStart(2, '0')}`
  const ids: string[] = []
  let conversationId = ''
  let contactId = ''
  for (let n = 0; n < messages; n++) {
    const received = await receiveMessage(ctxOf(w), {
      channel,
      channelAccountId: channel === 'web' ? webId : whatsappId,
      from: { identity: { kind: 'phone', value: phone, verified: true }, name: `Customer ${people}` },
      body: `question ${n}`,
      externalId: newId(),
      sentAt,
    })
    ids.push(received.message.id)
    conversationId = received.conversationId
    contactId = received.contactId
  }
  return { conversationId, contactId, ids, phone }
}

const ok = async (answer: ReturnType<typeof call>) => {
  const { status, text, body } = await answer
  assert.equal(status, 200, text)
  return body
}
const rowOf = async (conversationId: string) =>
  (await ok(call('GET', `/conversations/${conversationId}`))).conversation
const statusesOf = async (ids: string[]) => {
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'status'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map(({ status }) => status)
}
const eventsOf = async (conversationId: string, type: string) =>
  (await db.selectFrom('events').selectAll().where('conversation_id', '=', conversationId).execute()).filter(
    (event) => event.type === type,
  )

test('rows show the unread count, and lists and counts can use it', async () => {
  const mine = await customer(2)
  const other = await customer(1)
  await ok(call('POST', `/conversations/${mine.conversationId}/assign`, { agentId: robin.id }))
  assert.equal((await rowOf(mine.conversationId)).unreadCount, 2)
  assert.equal((await rowOf(mine.conversationId)).channelAccountId, webId)
  const idsOf = async (query: string) =>
    (await ok(call('GET', `/conversations?${query}`))).conversations.map(({ id }: { id: string }) => id)
  assert.deepEqual(await idsOf('unread=true'), [mine.conversationId, other.conversationId])
  assert.deepEqual(await idsOf('unread=true&mine=true'), [mine.conversationId])
  assert.deepEqual(await idsOf('unread=true&status=unassigned&sort=created'), [other.conversationId])
  assert.deepEqual(await idsOf('q=question&unread=true'), [mine.conversationId, other.conversationId])
  assert.deepEqual(await ok(call('GET', '/conversation-counts')), {
    mine: 1,
    unassigned: 1,
    open: 2,
    snoozed: 0,
    unread: 1,
    includesUnassigned: false,
  })
  await ok(call('PUT', '/unread-choice', { includesUnassigned: true }))
  assert.equal((await ok(call('GET', '/conversation-counts'))).unread, 2)
  await ok(call('POST', `/conversations/${mine.conversationId}/read`, {}))
  assert.deepEqual(await idsOf('unread=true'), [other.conversationId])
  assert.deepEqual(await idsOf('q=question&unread=true'), [other.conversationId])
  const first = await ok(call('GET', '/conversations?limit=1'))
  const answer = await call('GET', `/conversations?limit=1&unread=true&cursor=${first.nextCursor}`)
  assert.equal(answer.body.error.code, 'VALIDATION_ERROR')
  // The API has neither these filters nor the extra fields.
  const [row] = (await app.call(workspace.token, 'GET', '/conversations?unread=true&mine=true')).body
    .conversations
  assert.equal(row.unreadCount, undefined)
})

test('counts end at a thousand, and unread ones at a hundred', async () => {
  const full = await make.workspace()
  const { contactId, channelAccountId } = await make.conversation(full.id, { channel: 'email' })
  await app.database.pool.query(
    `insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, unread_count, created_at, updated_at)
     select $1, 'c' || lpad(n::text, 24, '0'), 'email', $2, $3, 1, now(), now() from generate_series(1, 1005) n`,
    [full.id, channelAccountId, contactId],
  )
  const admin = await signIn(app, full.id, (await make.agent(full.id, { role: 'admin' })).id)
  await admin.call('PUT', '/unread-choice', { includesUnassigned: true })
  assert.deepEqual((await admin.call('GET', '/conversation-counts')).body, {
    mine: 0,
    unassigned: 1000,
    open: 1000,
    snoozed: 0,
    unread: 100,
    includesUnassigned: true,
  })
})

test('reading marks what the customer wrote, up to a message or all, announced once and moving nothing', async () => {
  const { conversationId, contactId, ids, phone } = await customer(5)
  const before = await rowOf(conversationId)
  assert.deepEqual(
    await ok(call('POST', `/conversations/${conversationId}/read`, { upToMessageId: ids[2] })),
    {
      success: true,
      unreadCount: 2,
    },
  )
  assert.deepEqual(await statusesOf(ids), ['read', 'read', 'read', 'sent', 'sent'])
  const both = await Promise.all(
    [1, 2, 3].map(() => ok(call('POST', `/conversations/${conversationId}/read`, {}))),
  )
  assert.deepEqual(
    both.map(({ unreadCount }) => unreadCount),
    [0, 0, 0],
  )
  assert.deepEqual(await statusesOf(ids), ['read', 'read', 'read', 'read', 'read'])
  // An older position no longer changes anything.
  assert.equal(
    (await ok(call('POST', `/conversations/${conversationId}/read`, { upToMessageId: ids[0] }))).unreadCount,
    0,
  )
  const events = await eventsOf(conversationId, 'conversation.read')
  assert.deepEqual(
    events.map(({ data, contact_id }) => [contact_id, data]),
    [ids[2], ids[4]].map((messageId) => [contactId, { conversationId, messageId }]),
  )
  const after = await rowOf(conversationId)
  assert.deepEqual(after, {
    ...before,
    unreadCount: 0,
    lastMessage: { ...before.lastMessage, status: 'read' },
  })
  const more = await receiveMessage(ctxOf(w), {
    channel: 'web',
    channelAccountId: webId,
    from: { identity: { kind: 'phone', value: phone, verified: true }, name: null },
    body: 'and another',
    externalId: newId(),
    sentAt: clock.now(),
  })
  assert.equal(more.conversationId, conversationId)
  assert.equal((await rowOf(conversationId)).unreadCount, 1)
})

test('marked as unread it counts again until it is read, for this person, and read receipts stay', async () => {
  const { conversationId, ids } = await customer(2)
  const path = `/conversations/${conversationId}`
  assert.equal((await ok(call('POST', `${path}/unread`))).unreadCount, 2)
  await ok(call('POST', `${path}/read`, {}))
  const before = await rowOf(conversationId)
  for (const _ of [1, 2]) assert.equal((await ok(call('POST', `${path}/unread`))).unreadCount, 1)
  assert.deepEqual(await statusesOf(ids), ['read', 'read'])
  assert.deepEqual(await rowOf(conversationId), { ...before, unreadCount: 1 })
  assert.equal((await ok(call('POST', `${path}/read`, {}))).unreadCount, 0)
  assert.deepEqual(
    (await eventsOf(conversationId, 'conversation.unread')).map(({ data }) => data),
    [2, 0, 1, 0].map((unreadCount) => ({ conversationId, accountId: robin.id, unreadCount })),
  )
  assert.equal((await eventsOf(conversationId, 'conversation.read')).length, 1)
})

test('the console shows whether a missing file may still arrive; the API’s fields stay the same', async () => {
  const { conversationId, ids } = await customer(1)
  const states = ['stored', 'inline', 'pending', 'failed'] as const
  const files = states.map((state) => ({ id: newId(), state }))
  await db
    .insertInto('attachments')
    .values(
      files.map(({ id, state }) => ({
        workspace_id: w,
        id,
        message_id: ids[0]!,
        type: 'file' as const,
        name: `${state}.pdf`,
        mime_type: 'application/pdf',
        size: 0,
        state,
        created_at: clock.now(),
      })),
    )
    .execute()
  const shown = ['stored', 'stored', 'pending', 'failed']
  const stateOf = ({ state }: { state: string }) => state
  const { entries } = await ok(call('GET', `/conversations/${conversationId}/timeline`))
  assert.deepEqual(entries[0].message.attachments.map(stateOf), shown)
  const { message } = await ok(call('GET', `/messages/${ids[0]}`))
  assert.deepEqual(message.attachments.map(stateOf), shown)
  for (const { body } of [
    await app.call(workspace.token, 'GET', `/conversations/${conversationId}/messages`),
    await call('GET', `/conversations/${conversationId}/messages`),
  ])
    for (const attachment of body.messages[0].attachments)
      assert.deepEqual(Object.keys(attachment), ['id', 'type', 'name', 'mimeType', 'size', 'url'])
})

test('the customer sees read receipts up to the newest message read', async () => {
  const { conversationId, ids } = await customer(3, 'whatsapp')
  const read = (upToMessageId: string) =>
    ok(call('POST', `/conversations/${conversationId}/read`, { upToMessageId }))
  const externalIds = await db
    .selectFrom('messages')
    .select('external_id')
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  const [, second, third] = externalIds.map(({ external_id }) => external_id)
  await read(ids[1]!)
  // The first call gets "not now".
  await until(() => toldRead.length === 2, 'WhatsApp to be told')
  assert.deepEqual(toldRead, [second, second])
  await read(ids[1]!)
  await read(ids[2]!)
  await until(() => toldRead.length === 3, 'WhatsApp to be told of the rest')
  assert.equal(toldRead[2], third)
})

test('the timeline has messages, system entries and notes, newest first, in pages', async () => {
  const { conversationId } = await customer(2)
  await ok(call('POST', '/notes', { conversationId, body: 'a note' }))
  await ok(call('POST', `/conversations/${conversationId}/messages`, { body: 'an answer' }))
  await ok(call('POST', `/conversations/${conversationId}/close`))
  await ok(call('POST', '/notes', { conversationId, body: 'the last note' }))
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: { entries: Entry[]; nextCursor: string | null } = await ok(
      call('GET', `/conversations/${conversationId}/timeline?limit=2${cursor && `&cursor=${cursor}`}`),
    )
    assert.ok(page.entries.length <= 2)
    seen.push(...page.entries.map(shown))
    cursor = page.nextCursor
  }
  assert.deepEqual(seen, [
    'note Robin: the last note',
    'system: Robin closed this conversation',
    'agent Robin: an answer',
    'note Robin: a note',
    'customer: question 1',
    'customer: question 0',
  ])
})

test('the timeline starts anywhere: around an entry, also a removed one, and from an entry on', async () => {
  const { conversationId } = await customer(9)
  await ok(call('POST', '/notes', { conversationId, body: 'a note' }))
  await ok(call('POST', `/conversations/${conversationId}/messages`, { body: 'an answer' }))
  type Page = { entries: Entry[]; nextCursor: string | null }
  const page = (query: string): Promise<Page> =>
    ok(call('GET', `/conversations/${conversationId}/timeline?${query}`))
  const idOf = (entry: Entry): string => (entry.kind === 'message' ? entry.message.id : entry.note.id)
  const all = (await page('')).entries
  assert.equal(all.length, 11)
  const middle = idOf(all[5]!)
  const around = await page(`limit=4&around=${middle}`)
  assert.deepEqual(around.entries, all.slice(4, 8))
  assert.deepEqual((await page(`limit=2&cursor=${around.nextCursor}`)).entries, all.slice(8, 10))
  assert.deepEqual((await page(`limit=4&from=${idOf(all[4]!)}`)).entries, all.slice(1, 5))
  assert.deepEqual((await page(`limit=100&from=${middle}`)).entries, all.slice(0, 6))
  assert.deepEqual((await page(`limit=1&around=${middle}`)).entries, [all[5]])
  const oldest = await page(`limit=100&around=${idOf(all[10]!)}`)
  assert.deepEqual([oldest.entries, oldest.nextCursor], [all, null])
  const noteId = idOf(all[1]!)
  await ok(call('DELETE', `/notes/${noteId}`))
  const removed = await page(`limit=2&around=${noteId}`)
  assert.deepEqual(removed.entries.map(shown), ['agent Robin: an answer', 'customer: question 8'])
  const { status } = await call(
    'GET',
    `/conversations/${conversationId}/timeline?around=${middle}&from=${middle}`,
  )
  assert.equal(status, 400)
})

type Entry =
  | { kind: 'message'; message: Message }
  | { kind: 'note'; note: { id: string; body: string; agent: { nickname: string } } }

const shown = (entry: Entry): string => {
  if (entry.kind === 'note') return `note ${entry.note.agent.nickname}: ${entry.note.body}`
  const { senderType, sender, body } = entry.message
  return `${senderType}${senderType === 'agent' ? ` ${sender.nickname}` : ''}: ${body}`
}

test('details show where a reply goes, until when, and why it cannot be sent', async () => {
  const { conversationId } = await customer(1, 'whatsapp', new Date(Date.now() - 23 * HOUR_MS))
  const open = await ok(call('GET', `/conversations/${conversationId}/details`))
  assert.deepEqual([open.replyWindow.isOpen, open.canReply, open.cannotReplyReason], [true, true, null])
  assert.ok(Math.abs(Date.parse(open.replyWindow.closesAt) - Date.now() - HOUR_MS) < 60_000)
  assert.deepEqual(open.channelAccount, { id: whatsappId, name: 'whatsapp account', address: null })
  assert.equal(open.conversation.contact.avatarUrl, null)
  const { now } = clock
  clock.now = () => new Date(Date.now() + 2 * HOUR_MS)
  const shut = await ok(call('GET', `/conversations/${conversationId}/details`))
  clock.now = now
  assert.deepEqual([shut.replyWindow.isOpen, shut.canReply], [false, false])
  assert.match(shut.cannotReplyReason, /24-hour/)
  const web = await customer(1)
  assert.equal((await ok(call('GET', `/conversations/${web.conversationId}/details`))).replyWindow, null)
})

test('unassigning a conversation adds an entry to the thread, and does nothing the second time', async () => {
  const { conversationId } = await customer(1)
  await ok(call('POST', `/conversations/${conversationId}/assign`, { agentId: robin.id }))
  for (let n = 0; n < 2; n++)
    assert.deepEqual(await ok(call('POST', `/conversations/${conversationId}/unassign`)), {
      success: true,
      conversationId,
      assignment: null,
    })
  assert.equal((await rowOf(conversationId)).assignment, null)
  const events = await eventsOf(conversationId, 'conversation.assigned')
  assert.deepEqual(
    events.map(({ data }) => data),
    [
      { conversationId, agentId: robin.id, previousAgentId: null, teamId: null },
      { conversationId, agentId: null, previousAgentId: robin.id, teamId: null },
    ],
  )
})

test('a template goes out in the conversation however long ago the customer wrote, and opens a closed one', async () => {
  const { conversationId, contactId } = await customer(
    1,
    'whatsapp',
    new Date(Date.now() - 30 * 24 * HOUR_MS),
  )
  const write = await call('POST', `/conversations/${conversationId}/messages`, { body: 'Hello' })
  assert.equal(write.body.error.code, 'WHATSAPP_SERVICE_WINDOW_CLOSED')
  await ok(call('POST', `/conversations/${conversationId}/close`))
  const template = { templateName: 'order_ready', language: 'en_US', parameters: ['1182'] }
  const { message } = await ok(call('POST', `/conversations/${conversationId}/template`, template))
  assert.deepEqual(
    [message.body, message.status, message.sender.nickname, message.conversationId],
    ['Order 1182 is ready.', 'sent', 'Robin', conversationId],
  )
  assert.equal((await rowOf(conversationId)).status, 'open')

  // A newer conversation is closed, as when this one is reopened by hand.
  const older = await make.conversation(w, {
    channel: 'whatsapp',
    channelAccountId: whatsappId,
    contactId,
    status: 'closed',
  })
  await ok(call('POST', `/conversations/${older.id}/template`, template))
  assert.deepEqual([(await rowOf(older.id)).status, (await rowOf(conversationId)).status], ['open', 'closed'])
  const web = await customer(1)
  for (const [id, body, code] of [
    [conversationId, { ...template, parameters: [] }, 'VALIDATION_ERROR'],
    [conversationId, { ...template, templateName: 'unknown' }, 'WHATSAPP_TEMPLATE_NOT_FOUND'],
    [web.conversationId, template, 'CHANNEL_NOT_SUPPORTED'],
    [newId(), template, 'CONVERSATION_NOT_FOUND'],
  ] as const)
    assert.equal((await call('POST', `/conversations/${id}/template`, body)).body.error.code, code)
})

test('a template with a one-time code goes to customers with a number only', async () => {
  await make.template(w, 'inbox', {
    name: 'code',
    category: 'AUTHENTICATION',
    components: [{ type: 'BODY', text: '{{1}} is your code.' }],
  })
  const template = { templateName: 'code', language: 'en_US', parameters: ['1182'] }
  const { conversationId } = await customer(1, 'whatsapp')
  assert.equal(
    (await ok(call('POST', `/conversations/${conversationId}/template`, template))).message.status,
    'sent',
  )
  const hidden = await receiveMessage(ctxOf(w), {
    channel: 'whatsapp',
    channelAccountId: whatsappId,
    from: { identity: { kind: 'whatsapp_user_id', value: 'US.13491208655302', verified: true }, name: 'Rui' },
    body: 'Hello',
    externalId: newId(),
    sentAt: clock.now(),
  })
  const { status, body } = await call('POST', `/conversations/${hidden.conversationId}/template`, template)
  assert.deepEqual([status, body.error.details[0].field], [400, 'templateName'])
})

test('a failed message is tried again once, however often that is asked for at once', async () => {
  const { conversationId, ids } = await customer(1, 'whatsapp')
  isRefusing = true
  const { message } = await ok(
    call('POST', `/conversations/${conversationId}/messages`, { body: 'refuse this' }),
  )
  assert.deepEqual([message.status, message.metadata.error.code], ['failed', '131026'])
  const callsOf = () => sent.filter(({ id }) => id === message.id).length
  assert.equal(callsOf(), 1)

  const again = await ok(call('POST', `/messages/${message.id}/retry`))
  assert.deepEqual([again.message.status, callsOf()], ['failed', 2])

  isRefusing = false
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => ok(call('POST', `/messages/${message.id}/retry`))),
  )
  assert.deepEqual([...new Set(answers.map(({ message }) => message.id))], [message.id])
  await until(async () => (await statusesOf([message.id]))[0] === 'sent', 'the message to go out')
  assert.equal(callsOf(), 3)
  assert.equal((await rowOf(conversationId)).lastMessage.status, 'sent')
  const deliveries = await db
    .selectFrom('deliveries')
    .select('state')
    .where('message_id', '=', message.id)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    deliveries.map(({ state }) => state),
    ['refused', 'refused', 'accepted'],
  )
  const stored = await db
    .selectFrom('messages')
    .selectAll()
    .where('id', '=', message.id)
    .executeTakeFirstOrThrow()
  assert.equal(stored.metadata, null)

  // Messages that have not failed stay as they are, and inbound messages cannot be sent.
  assert.equal((await ok(call('POST', `/messages/${message.id}/retry`))).message.status, 'sent')
  assert.equal(callsOf(), 3)
  for (const id of [ids[0], newId()])
    assert.equal((await call('POST', `/messages/${id}/retry`)).body.error.code, 'MESSAGE_NOT_FOUND')
})

test('a late report about a failed attempt does not affect the next one', async () => {
  const { conversationId } = await customer(1, 'whatsapp')
  isRefusing = true
  const write = { body: 'refuse this, then lose it' }
  const { message } = await ok(call('POST', `/conversations/${conversationId}/messages`, write))
  const { id } = message
  const attempts = () => sent.filter((one) => one.id === id).map(({ attemptId }) => attemptId)
  const report = (externalId: string, attemptId: string | null, status: ReportedStatus['status']) => {
    const failure = status === 'failed' ? { code: '131026', message: 'Not there.' } : null
    return applyStatuses(ctxOf(w), [{ channelAccountId: whatsappId, externalId, attemptId, status, failure }])
  }
  const stored = () => db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const [first] = attempts()

  // While the next attempt is in progress, and afterwards.
  isRefusing = false
  let releaseClaim = () => {}
  holding = new Promise<void>((resolve) => {
    releaseClaim = resolve
  })
  const retried = ok(call('POST', `/messages/${id}/retry`))
  await until(() => attempts().length === 2, 'the second attempt')
  for (const status of ['failed', 'delivered'] as const) await report('wamid.first', first!, status)
  assert.deepEqual([(await stored()).status, (await stored()).external_id], ['queued', null])
  releaseClaim()
  holding = null
  assert.equal((await retried).message.status, 'sent')
  const { external_id: second } = await stored()
  for (const status of ['failed', 'delivered', 'read'] as const) await report('wamid.first', first!, status)
  assert.deepEqual([(await stored()).status, (await stored()).external_id], ['sent', second])
  assert.equal((await stored()).metadata, null)

  // Its own reports count, by either id.
  const [, newest] = attempts()
  assert.notEqual(newest, first)
  await report(second!, newest!, 'delivered')
  assert.equal((await stored()).status, 'delivered')
  await report(second!, null, 'read')
  assert.equal((await stored()).status, 'read')
  const deliveries = await db
    .selectFrom('deliveries')
    .select('state')
    .where('message_id', '=', id)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    deliveries.map(({ state }) => state),
    ['refused', 'accepted'],
  )
})

test('after the window has closed a failed template can be retried, a text cannot', async () => {
  const { conversationId } = await customer(1, 'whatsapp')
  isRefusing = true
  const { message } = await ok(
    call('POST', `/conversations/${conversationId}/messages`, { body: 'refuse late' }),
  )
  const { now } = clock
  clock.now = () => new Date(Date.now() + 25 * HOUR_MS)
  const answer = await call('POST', `/messages/${message.id}/retry`)
  clock.now = now
  assert.equal(answer.body.error.code, 'WHATSAPP_SERVICE_WINDOW_CLOSED')
  assert.deepEqual(await statusesOf([message.id]), ['failed'])
  await make.template(w, 'inbox', { name: 'blunt', components: [{ type: 'BODY', text: 'refuse' }] })
  const blunt = await ok(call('POST', `/conversations/${conversationId}/template`, { templateName: 'blunt' }))
  assert.equal(blunt.message.status, 'failed')
  isRefusing = false
  clock.now = () => new Date(Date.now() + 25 * HOUR_MS)
  const retried = await ok(call('POST', `/messages/${blunt.message.id}/retry`))
  clock.now = now
  await until(async () => (await statusesOf([retried.message.id]))[0] === 'sent', 'the template to go out')
  assert.equal(sent.at(-1)!.template?.name, 'blunt')
})

test("an Idempotency-Key is its person's own", async () => {
  const { conversationId } = await customer(1)
  const path = `/conversations/${conversationId}/messages`
  const options = { headers: { 'idempotency-key': 'draft-1' } }
  const one = await ok(call('POST', path, { body: 'same words' }, options))
  const again = await call('POST', path, { body: 'same words' }, options)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.body.message.id, one.message.id)
  const other = await ok(colleague.call('POST', path, { body: 'same words' }, options))
  assert.notEqual(other.message.id, one.message.id)
  assert.equal(other.message.sender.nickname, 'Sam')
  const token = await app.call(workspace.token, 'POST', path, { body: 'same words' }, options)
  assert.equal(token.status, 200)
  assert.notEqual(token.body.message.id, one.message.id)
})

test('a file that was uploaded goes out alone, or with a text', async () => {
  const { conversationId } = await customer(1)
  const form = new FormData()
  form.append('file', new Blob(['a list'], { type: 'text/plain' }), 'list.txt')
  const upload = await fetch(`${base}/console/api/workspaces/${w}/attachments`, {
    method: 'POST',
    headers: { cookie: `foyer_session=${secret}`, 'x-foyer-console': '1' },
    body: form,
  })
  assert.equal(upload.status, 200)
  const { attachment } = (await upload.json()) as { attachment: { id: string } }
  const path = `/conversations/${conversationId}/messages`
  assert.equal((await colleague.call('POST', path, { attachmentIds: [attachment.id] })).status, 400)
  const { message } = await ok(call('POST', path, { attachmentIds: [attachment.id] }))
  assert.deepEqual([message.body, message.attachments[0].name], ['', 'list.txt'])
  for (const body of [{}, { body: '  ' }, { body: '', attachmentIds: [] }])
    assert.equal((await call('POST', path, body)).body.error.code, 'VALIDATION_ERROR')
})

test('the visitor of a web chat sees that they were read', async () => {
  const session = await fetch(`${base}/widget/${webId}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const { token } = (await session.json()) as { token: string }
  for (const body of ['one', 'two'])
    await fetch(`${base}/widget/${webId}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ body }),
    })
  const page = await openEvents(`${base}/widget/${webId}/events`, token)
  const { conversations } = await ok(call('GET', '/conversations?limit=1'))
  await ok(call('POST', `/conversations/${conversations[0].id}/read`, {}))
  const { data } = await page.next('status')
  assert.deepEqual(data, { messageId: conversations[0].lastMessage.id, status: 'read' })
  page.close()
})
