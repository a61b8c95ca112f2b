import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { attemptOf } from '../../../test/attempts.ts'
import { until } from '../../../test/until.ts'
import {
  accept,
  connect,
  deliver,
  messageOf,
  refuse,
  startGraph,
  statusOf,
  webhook,
} from '../../inbound/whatsapp/testing/provider.ts'
import { retryMessage } from '../messages/retry-message.ts'
import { mergeContacts } from '../people/merge-contacts.ts'
import {
  type BroadcastRecipient,
  listBroadcastRecipients,
  readBroadcastRecipients,
} from './list-recipients.ts'
import { previewAudience } from './preview-audience.ts'
import type { Broadcast } from './schema.ts'

/** Ten seconds in production. */
const SETTLE_MS = 1_200
const app = await startApp({
  worker: { sendTimeoutMs: 1_000, backoffMinMs: 30, backoffMaxMs: 300, pauseMinMs: 150, pauseMaxMs: 300 },
  deps: { settleMs: SETTLE_MS },
})
const { call, ctxOf, database, db, make } = app
const graph = await startGraph()
after(graph.stop)

const ACCOUNT = '102290129340398'
let phones = 0

/** A workspace with a number and a template of one parameter. */
const world = async () => {
  const workspace = await make.workspace()
  const number = await connect(app, workspace.id, { apiUrl: graph.url })
  await make.template(workspace.id, ACCOUNT, {
    name: 'sale',
    components: [{ type: 'BODY', text: 'Hello {{1}}, everything is cheaper.' }],
  })
  const person = async ({
    channelAccountId = number,
    phone = `+35191${String(1_000_000 + phones++)}`,
    status = 'open' as 'open' | 'closed',
    name = `Person ${phones}`,
  } = {}) => {
    const contact = await make.contact(workspace.id, { phone, email: null, name })
    const conversation = await make.conversation(workspace.id, {
      contactId: contact.id,
      channel: 'whatsapp',
      channelAccountId,
      status,
    })
    return { ...contact, phone, conversation }
  }
  type Person = Awaited<ReturnType<typeof person>>
  // Stay within the limit for a single call.
  const people = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, () => person()))) as unknown as [Person, Person, Person]
  const send = (body: object, options = {}) => call(workspace.token, 'POST', '/broadcasts', body, options)
  const toContacts = (ids: string[], more: object = {}) =>
    send({
      templateName: 'sale',
      parameters: ['you'],
      audience: { type: 'contacts', contactIds: ids },
      ...more,
    })
  const recipients = async (broadcastId: string) =>
    (await listBroadcastRecipients(ctxOf(workspace.id), { broadcastId, limit: 100 })).recipients
  const latest = async (id: string): Promise<Broadcast> =>
    (await call(workspace.token, 'GET', `/broadcasts/${id}`)).body.broadcast
  return { ...workspace, number, person, people, send, toContacts, recipients, latest }
}

const sentTo = (phone: string) =>
  graph.sent().filter(({ to, recipient }) => to === phone || to === phone.slice(1) || recipient === phone)

const fieldsOf = ({
  status,
  body,
}: {
  status: number
  body: { error: { details?: { field: string }[] } }
}) => {
  assert.equal(status, 400, JSON.stringify(body))
  return body.error.details?.map(({ field }) => field)
}

const idsOf = (people: { id: string }[]) => people.map(({ id }) => id)

// Audiences -------------------------------------------------------------------------------------------------------

test('a group is sent to: each member with a WhatsApp conversation once, in that conversation', async () => {
  const { id, token, person, recipients } = await world()
  const [ada, ben] = [await person(), await person({ status: 'closed' })]
  const mail = await make.contact(id)
  const groupId = await make.group(id, { name: 'Buyers', contactIds: [ada.id, ben.id, mail.id] })
  const { status, body } = await call(token, 'POST', `/contact-groups/${groupId}/broadcasts`, {
    templateName: 'sale',
    language: 'en_US',
    parameters: ['friend'],
  })
  assert.equal(status, 200, JSON.stringify(body))
  const { id: broadcastId, createdAt, ...rest } = body.broadcast
  assert.deepEqual(rest, {
    groupId,
    groupName: 'Buyers',
    channel: 'whatsapp',
    templateName: 'sale',
    templateLanguage: 'en_US',
    status: 'completed',
    totalRecipients: 2,
    sentCount: 2,
    failedCount: 0,
    skippedCount: 0,
    name: null,
    scheduledAt: null,
    pausedAt: null,
    canceledAt: null,
  })
  for (const { phone } of [ada, ben]) {
    const [sent, ...more] = sentTo(phone)
    assert.deepEqual(more, [])
    assert.deepEqual((sent as { template: { components: unknown } }).template.components, [
      { type: 'body', parameters: [{ type: 'text', text: 'friend' }] },
    ])
  }
  const { body: thread } = await call(token, 'GET', `/conversations/${ben.conversation.id}/messages`)
  const [message] = thread.messages
  assert.equal(message.body, 'Hello friend, everything is cheaper.')
  assert.equal(message.status, 'sent')
  assert.deepEqual(message.metadata, {
    template: { name: 'sale', language: 'en_US', parameters: ['friend'] },
    broadcastId,
  })
  const { body: conversation } = await call(token, 'GET', `/conversations/${ben.conversation.id}`)
  assert.equal(conversation.conversation.status, 'closed')
  assert.equal(conversation.conversation.lastMessage.id, message.id)
  assert.equal(conversation.conversation.lastMessage.status, 'sent')
  const rows = await recipients(broadcastId)
  assert.deepEqual(
    rows.map(({ contactId, outcome, status, reason }) => ({ contactId, outcome, status, reason })),
    [ada, ben].map(({ id }) => ({ contactId: id, outcome: 'sent', status: 'sent', reason: null })),
  )
  assert.equal(rows[1]?.messageId, message.id)
  assert.equal(rows[1]?.conversationId, ben.conversation.id)
})

test('contacts: unknown and unreachable ones are skipped, a duplicate receives it once', async () => {
  const { id, person, toContacts } = await world()
  const other = await world()
  const [ada, theirs, mail] = [await person(), await other.person(), await make.contact(id)]
  const { body } = await toContacts([ada.id, ada.id, theirs.id, mail.id, 'nobody', 'c'.repeat(25)])
  assert.equal(body.broadcast.totalRecipients, 1)
  assert.equal(body.broadcast.status, 'completed')
  assert.deepEqual([sentTo(ada.phone).length, sentTo(theirs.phone).length], [1, 0])
  const refused = await toContacts([mail.id, theirs.id])
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'NO_WHATSAPP_RECIPIENTS'])
})

test('a filter: all conditions hold, and one that filters nothing is refused', async () => {
  const { id, person, send } = await world()
  const tagId = await make.tag(id)
  const [ada, ben, cleo] = [await person(), await person(), await person()]
  for (const { id: contact_id } of [ada, ben])
    await db.insertInto('contact_tags').values({ workspace_id: id, contact_id, tag_id: tagId }).execute()
  for (const one of [ada, cleo])
    await db
      .updateTable('contacts')
      .set({ custom_fields: '{"plan": "pro", "seats": 3}' })
      .where('id', '=', one.id)
      .execute()
  const filtered = (filter: object) =>
    send({ templateName: 'sale', parameters: ['x'], audience: { type: 'filter', filter } })
  const countOf = async (filter: object) => {
    const { status, body } = await filtered(filter)
    return status === 200 ? body.broadcast.totalRecipients : body.error.code
  }
  const past = new Date(Date.now() - 3_600_000).toISOString()
  assert.equal(await countOf({ tagIds: [tagId], customFields: { plan: 'pro', seats: 3 } }), 1)
  assert.equal(sentTo(ada.phone).length, 1)
  assert.equal(await countOf({ customFields: { seats: '3' } }), 'NO_WHATSAPP_RECIPIENTS')
  assert.equal(await countOf({ tagIds: [tagId, 'unknown'] }), 'NO_WHATSAPP_RECIPIENTS')
  assert.equal(await countOf({ channel: 'whatsapp', activeAfter: past }), 3)
  assert.equal(await countOf({ activeBefore: past }), 'NO_WHATSAPP_RECIPIENTS')
  assert.equal(await countOf({ activeBefore: '9999-12-31T23:59:59-23:00', hasOpen: true }), 3)
  assert.equal(await countOf({ search: cleo.phone.slice(-7), assignment: 'unassigned' }), 1)
  assert.equal(await countOf({ country: 'pt' }), 'NO_WHATSAPP_RECIPIENTS')
  const nothings = [{}, { hasOpen: false }, { search: ' ' }, { tagIds: [] }, { customFields: {} }]
  for (const nothing of [...nothings, { tagids: [tagId] }, { constructor: 1, hasOpen: false }])
    assert.deepEqual(fieldsOf(await filtered(nothing)), ['audience.filter'])
  assert.deepEqual(fieldsOf(await filtered({ country: 'PRT', channel: 'fax', activeAfter: 'soon' })), [
    'audience.filter.country',
    'audience.filter.channel',
    'audience.filter.activeAfter',
  ])
})

test('a list of numbers: spellings of one number are one person, rows carry values of their own', async () => {
  const { person, send } = await world()
  const [ada, brazil] = [await person(), await person({ phone: '+5511987654321' })]
  const { body } = await send({
    templateName: 'sale',
    parameters: ['default'],
    audience: {
      type: 'recipients',
      recipients: [
        { phone: brazil.phone.replace('+55119', '55 11 9 '), name: 'Bia', parameters: ['Bia'] },
        { phone: '+551187654321', parameters: ['again'] },
        { phone: ada.phone },
        { phone: '+351900000000' },
      ],
    },
  })
  assert.equal(body.broadcast.totalRecipients, 2, JSON.stringify(body))
  const textOf = (phone: string) =>
    sentTo(phone).map(
      ({ template }) =>
        (template as never as { components: { parameters: { text: string }[] }[] }).components[0]
          ?.parameters[0]?.text,
    )
  assert.deepEqual(textOf(brazil.phone), ['Bia'])
  assert.deepEqual(textOf(ada.phone), ['default'])
})

test('each is sent to from the number of their latest conversation; a number without the template leaves them out', async () => {
  const { id, number, person, toContacts, recipients } = await world()
  const second = await connect(app, id, {
    apiUrl: graph.url,
    phoneNumber: '+15550783882',
    phoneNumberId: 'second',
  })
  const foreign = await connect(app, id, {
    apiUrl: graph.url,
    phoneNumber: '+15550783883',
    phoneNumberId: 'third',
    businessAccountId: 'another',
  })
  const both = await person()
  await make.conversation(id, { contactId: both.id, channel: 'whatsapp', channelAccountId: second })
  const [first, without] = [await person(), await person({ channelAccountId: foreign })]
  const { body } = await toContacts(idsOf([both, first, without]))
  const { totalRecipients, sentCount, skippedCount } = body.broadcast
  assert.deepEqual(
    { totalRecipients, sentCount, skippedCount },
    { totalRecipients: 2, sentCount: 2, skippedCount: 1 },
  )
  const from = (phone: string) =>
    graph.asked.find(({ body }) => body.to === phone || body.to === phone.slice(1))?.url
  assert.match(from(both.phone)!, /\/second\/messages$/)
  assert.doesNotMatch(from(first.phone)!, /second|third/)
  const left = (await recipients(body.broadcast.id)).find(({ contactId }) => contactId === without.id)
  assert.deepEqual([left?.outcome, left?.reason?.code], ['skipped', 'TEMPLATE_NOT_FOUND'])
  assert.ok(number)
})

// Mistakes --------------------------------------------------------------------------------------------------------

test('every detectable error is rejected before anything is stored, naming its field', async () => {
  const { id, token, people, send, toContacts } = await world()
  await make.template(id, ACCOUNT, {
    name: 'picture',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Look' },
    ],
  })
  await make.template(id, ACCOUNT, {
    name: 'sale',
    language: 'de',
    components: [{ type: 'BODY', text: 'Hallo {{1}}' }],
  })
  const [ada] = await people(1)
  const ids = [ada.id]
  const language = 'en_US'
  assert.deepEqual(fieldsOf(await toContacts(ids)), ['language'])
  assert.deepEqual(fieldsOf(await toContacts(ids, { language, parameters: [] })), ['parameters'])
  assert.deepEqual(fieldsOf(await toContacts(ids, { language, parameters: ['a\nb'] })), ['parameters[0]'])
  assert.deepEqual(fieldsOf(await toContacts(ids, { templateName: 'picture', parameters: [] })), [
    'headerImageUrl',
  ])
  const listed = (recipients: object[], more: object = {}) =>
    send({ templateName: 'sale', language, audience: { type: 'recipients', recipients }, ...more })
  assert.deepEqual(
    fieldsOf(
      await listed([
        { phone: ada.phone, parameters: ['fine'] },
        { phone: ada.phone, parameters: [] },
        { phone: ada.phone, parameters: ['a\tb'] },
      ]),
    ),
    ['audience.recipients[1].parameters', 'audience.recipients[2].parameters[0]'],
  )
  assert.deepEqual(
    fieldsOf(await listed([{ phone: ada.phone }, { phone: 'call me' }], { parameters: ['x'] })),
    ['audience.recipients[1].phone'],
  )
  assert.deepEqual(fieldsOf(await listed([{ phone: ada.phone }])), ['parameters'])
  assert.deepEqual(fieldsOf(await listed([])), ['audience.recipients'])
  assert.deepEqual(fieldsOf(await listed([{ parameters: [1] }])), [
    'audience.recipients[0].phone',
    'audience.recipients[0].parameters[0]',
  ])
  for (const audience of [{}, { type: 'all' }, { type: 7 }])
    assert.deepEqual(fieldsOf(await send({ templateName: 'sale', audience })), ['audience.type'])
  assert.deepEqual(fieldsOf(await send({ templateName: 'sale', audience: 'all' })), ['audience'])
  assert.deepEqual(fieldsOf(await send({ audience: { type: 'contacts', contactIds: [] } })), [
    'templateName',
    'audience.contactIds',
  ])
  assert.deepEqual(fieldsOf(await toContacts(Array.from({ length: 10_001 }, (_, index) => `c${index}`))), [
    'audience.contactIds',
  ])
  const unknown = await toContacts(ids, { templateName: 'nothing' })
  assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'WHATSAPP_TEMPLATE_NOT_FOUND'])
  assert.deepEqual((await call(token, 'GET', '/broadcasts')).body, { broadcasts: [], nextCursor: null })
})

test('a group of another workspace does not exist, nor does its broadcast', async () => {
  const [mine, theirs] = [await world(), await world()]
  const groupId = await make.group(theirs.id, { contactIds: idsOf(await theirs.people(1)) })
  const body = { templateName: 'sale', parameters: ['x'] }
  for (const answer of [
    await call(mine.token, 'POST', `/contact-groups/${groupId}/broadcasts`, body),
    await mine.send({ ...body, audience: { type: 'group', groupId } }),
  ])
    assert.deepEqual([answer.status, answer.body.error.code], [404, 'CONTACT_GROUP_NOT_FOUND'])
  const { body: sent } = await theirs.send({ ...body, audience: { type: 'group', groupId } })
  assert.equal(sent.broadcast.status, 'completed')
  assert.equal((await call(mine.token, 'GET', `/broadcasts/${sent.broadcast.id}`)).status, 404)
  assert.deepEqual((await call(mine.token, 'GET', '/broadcasts')).body.broadcasts, [])
})

test('broadcasts are listed newest first, page by page', async () => {
  const { token, people, toContacts } = await world()
  const [ada] = await people(1)
  const made: string[] = []
  for (let count = 0; count < 3; count++) made.unshift((await toContacts([ada.id])).body.broadcast.id)
  const first = (await call(token, 'GET', '/broadcasts?limit=2')).body
  const second = (await call(token, 'GET', `/broadcasts?limit=2&cursor=${first.nextCursor}`)).body
  assert.deepEqual(idsOf([...first.broadcasts, ...second.broadcasts]), made)
  assert.equal(second.nextCursor, null)
  assert.deepEqual(fieldsOf(await call(token, 'GET', '/broadcasts?cursor=x')), ['cursor'])
})

test('the same request again under an Idempotency-Key sends nothing again', async () => {
  const { people, toContacts, send } = await world()
  const [ada] = await people(1)
  const body = {
    templateName: 'sale',
    parameters: ['you'],
    audience: { type: 'contacts', contactIds: [ada.id] },
  }
  const options = { headers: { 'idempotency-key': 'once' } }
  const first = await send(body, options)
  const again = await send(body, options)
  assert.equal(first.body.broadcast.status, 'completed')
  assert.deepEqual(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(sentTo(ada.phone).length, 1)
  assert.ok(toContacts)
})

// While it runs ---------------------------------------------------------------------------------------------------

test('opted-out contacts are skipped and counted apart, at acceptance and when their turn comes', async () => {
  const { id, number, people, person, toContacts, latest, recipients } = await world()
  const [ada, ben] = [await person(), await person()]
  await db.updateTable('contacts').set({ opted_out_at: new Date() }).where('id', '=', ada.id).execute()
  await db
    .updateTable('channel_accounts')
    .set({ settings: JSON.stringify({ ...(await settingsOf(number)), messagesPerSecond: 4 }) })
    .where('id', '=', number)
    .execute()
  const rest = await people(4)
  const last = await person()
  const sending = toContacts(idsOf([ada, ben, ...rest, last]))
  await until(() => sentTo(ben.phone).length === 1, 'the first to be sent to')
  await deliver(app, number, webhook(messageOf({ waId: last.phone.slice(1) }, 'STOP')))
  const { body } = await sending
  await until(async () => (await latest(body.broadcast.id)).status !== 'sending', 'the end')
  const { totalRecipients, sentCount, failedCount, skippedCount, status } = await latest(body.broadcast.id)
  assert.deepEqual(
    { totalRecipients, sentCount, failedCount, skippedCount, status },
    { totalRecipients: 5, sentCount: 5, failedCount: 0, skippedCount: 2, status: 'completed' },
  )
  assert.deepEqual([sentTo(ada.phone).length, sentTo(last.phone).length], [0, 0])
  const left = (await recipients(body.broadcast.id)).filter(({ outcome }) => outcome === 'skipped')
  assert.deepEqual(
    left.map(({ contactId, reason }) => [contactId, reason?.code]),
    [
      [ada.id, 'OPTED_OUT'],
      [last.id, 'OPTED_OUT'],
    ],
  )
  const nobody = await toContacts([ada.id])
  assert.equal(nobody.body.error.code, 'NO_WHATSAPP_RECIPIENTS')
  assert.ok(id)
})

const settingsOf = async (number: string) =>
  (
    await db
      .selectFrom('channel_accounts')
      .select('settings')
      .where('id', '=', number)
      .executeTakeFirstOrThrow()
  ).settings

/** Responds to a send by its recipient; all others are accepted. */
const answering = (answers: Record<string, Parameters<typeof refuse>>) => {
  const given = new Map<string, number>()
  graph.answer = (asked, response) => {
    const to = `+${String(asked.body.to ?? '').replace('+', '')}`
    const answer = answers[to]
    given.set(to, (given.get(to) ?? 0) + 1)
    if (answer) return refuse(...answer)(asked, response)
    accept(graph, asked, response)
  }
  return given
}

test('one rejected recipient does not stop the others, and an opt-out is stored', async () => {
  const { id, people, toContacts, recipients } = await world()
  const [ada, ben, cleo] = await people(3)
  answering({ [ada.phone]: [131026], [ben.phone]: [131050] })
  const { body } = await toContacts(idsOf([ada, ben, cleo]))
  graph.answer = undefined
  const { status, totalRecipients, sentCount, failedCount, skippedCount } = body.broadcast
  assert.deepEqual(
    { status, totalRecipients, sentCount, failedCount, skippedCount },
    { status: 'completed', totalRecipients: 2, sentCount: 1, failedCount: 1, skippedCount: 1 },
  )
  assert.deepEqual(
    (await recipients(body.broadcast.id)).map(({ outcome, reason }) => [outcome, reason?.code]),
    [
      ['failed', '131026'],
      ['skipped', '131050'],
      ['sent', undefined],
    ],
  )
  const contact = await db
    .selectFrom('contacts')
    .select('opted_out_at')
    .where('id', '=', ben.id)
    .executeTakeFirstOrThrow()
  assert.ok(contact.opted_out_at)
  assert.ok(id)
})

test('a recipient reached by a retry from the thread counts as reached, whatever is reported about the first attempt', async () => {
  const { id: workspaceId, number, people, toContacts, recipients, latest } = await world()
  const [ada, ben] = await people(2)
  answering({ [ada.phone]: [131026] })
  const { id } = (await toContacts(idsOf([ada, ben]))).body.broadcast
  graph.answer = undefined
  const counts = async () => {
    const { sentCount, failedCount } = await latest(id)
    return [sentCount, failedCount]
  }
  assert.deepEqual(await counts(), [1, 1])
  const { messageId } = (await recipients(id)).find(({ contactId }) => contactId === ada.id)!
  const first = await attemptOf(db, messageId!)
  await retryMessage(ctxOf(workspaceId), { messageId: messageId! })
  await until(async () => (await latest(id)).sentCount === 2, 'the second try to count')
  await deliver(
    app,
    number,
    webhook(
      statusOf('wamid.first', 'failed', { biz_opaque_callback_data: first, errors: [{ code: 131026 }] }),
    ),
  )
  assert.deepEqual(await counts(), [2, 0])
})

test('a broadcast that reaches nobody has failed; later reports update the counts', async () => {
  const { number, people, toContacts, latest } = await world()
  const [ada] = await people(1)
  answering({ [ada.phone]: [131026] })
  const failed = (await toContacts([ada.id])).body.broadcast
  graph.answer = undefined
  assert.deepEqual([failed.status, failed.failedCount], ['failed', 1])
  const sent = (await toContacts([ada.id])).body.broadcast
  assert.deepEqual([sent.status, sent.sentCount], ['completed', 1])
  const { external_id, id } = await db
    .selectFrom('messages')
    .select(['external_id', 'id'])
    .where('conversation_id', '=', ada.conversation.id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const report = (status: string, more = {}) =>
    deliver(app, number, webhook(statusOf(external_id!, status, more)))
  await report('failed', { errors: [{ code: 131026, title: 'no' }] })
  const after = await latest(sent.id)
  assert.deepEqual([after.status, after.sentCount, after.failedCount], ['failed', 0, 1])
  await report('delivered')
  const healed = await latest(sent.id)
  assert.deepEqual([healed.status, healed.sentCount, healed.failedCount], ['completed', 1, 0])
  assert.ok(id)
})

test('"too fast" waits and goes again, for one person and for the whole number; it is no failure', async () => {
  const { people, toContacts } = await world()
  const crowd = await people(6)
  let refusals = 4
  graph.answer = (asked, response) => {
    if (refusals-- > 0) return refuse(refusals % 2 ? 130429 : 131056, 429)(asked, response)
    accept(graph, asked, response)
  }
  const { body } = await toContacts(idsOf(crowd))
  const { id } = body.broadcast
  await until(
    async () =>
      (await db.selectFrom('broadcasts').select('status').where('id', '=', id).executeTakeFirstOrThrow())
        .status === 'completed',
    'the end',
  )
  graph.answer = undefined
  const row = await db.selectFrom('broadcasts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  assert.deepEqual([row.sent_count, row.failed_count], [6, 0])
  for (const { phone } of crowd) assert.ok(sentTo(phone).length >= 1)
})

test('a number that is refused as a whole pauses its part, which goes on once it is accepted again', async () => {
  const { number, people, toContacts, latest, recipients } = await world()
  const crowd = await people(5)
  graph.answer = refuse(190, 401)
  const { body } = await toContacts(idsOf(crowd))
  const { id, status, failedCount } = body.broadcast
  assert.deepEqual([status, failedCount], ['sending', 0])
  const account = await db
    .selectFrom('broadcast_parts')
    .selectAll()
    .where('broadcast_id', '=', id)
    .executeTakeFirstOrThrow()
  assert.equal(account.pause_code, '190')
  assert.ok((await recipients(id)).every(({ outcome }) => /pending|sending/.test(outcome)))
  graph.answer = undefined
  await until(async () => (await latest(id)).status === 'completed', 'the end')
  assert.equal((await latest(id)).sentCount, 5)
  const messages = await db
    .selectFrom('messages')
    .select(['id', 'status'])
    .where(
      'conversation_id',
      'in',
      crowd.map(({ conversation }) => conversation.id),
    )
    .execute()
  assert.deepEqual(
    messages.map((message) => message.status),
    Array(5).fill('sent'),
  )
  assert.ok(number)
})

test('no recipient is lost if the pause of a refused number is stored only on a later attempt', async () => {
  const { people, toContacts, latest } = await world()
  const crowd = await people(5)
  await database.pool.query(`
    create sequence pauses;
    create function fail_twice() returns trigger language plpgsql as $$
      begin
        if nextval('pauses') <= 2 then raise 'not now'; end if;
        return new;
      end $$;
    create trigger fail_twice before update on broadcast_parts
      for each row when (new.pauses > old.pauses) execute function fail_twice()`)
  graph.answer = refuse(190, 401)
  const { body } = await toContacts(idsOf(crowd))
  const { id } = body.broadcast
  await until(
    async () =>
      (
        await db
          .selectFrom('broadcast_parts')
          .select('pause_code')
          .where('broadcast_id', '=', id)
          .executeTakeFirstOrThrow()
      ).pause_code === '190',
    'the pause',
  )
  await database.pool.query('drop trigger fail_twice on broadcast_parts')
  graph.answer = undefined
  await until(async () => (await latest(id)).status === 'completed', 'the end')
  assert.equal((await latest(id)).sentCount, 5)
})

test('a send with an unknown outcome is not repeated, and a status resolves it', async () => {
  const { id: workspaceId, number, people, toContacts, latest, recipients } = await world()
  const [ada, ben] = await people(2)
  graph.answer = (asked, response) => {
    if (asked.body.to === ada.phone || asked.body.to === ada.phone.slice(1)) return void response.destroy()
    accept(graph, asked, response)
  }
  const { body } = await toContacts(idsOf([ada, ben]))
  graph.answer = undefined
  const { id } = body.broadcast
  assert.equal(body.broadcast.status, 'sending')
  const row = (await recipients(id)).find(({ contactId }) => contactId === ada.id)!
  assert.equal(row.outcome, 'unconfirmed')
  assert.equal(sentTo(ada.phone).length, 1)
  // One of the two is announced although the acceptance was a moment before, and no other event would announce it.
  await until(async () => {
    const { rows } = await sql<{ sent: number }>`select (data ->> 'sentCount')::integer as sent from events
      where workspace_id = ${workspaceId} and type = 'broadcast.updated'`.execute(db)
    return rows.some(({ sent }) => sent === 1)
  }, 'the progress to be announced')
  await deliver(
    app,
    number,
    webhook(
      statusOf('wamid.lost', 'delivered', { biz_opaque_callback_data: await attemptOf(db, row.messageId!) }),
    ),
  )
  assert.deepEqual([(await latest(id)).status, (await latest(id)).sentCount], ['completed', 2])
  assert.equal(sentTo(ada.phone).length, 1)
})

test('what changes after acceptance changes nothing: group, template and parameters are frozen', async () => {
  const { id, number, people, person, send, latest } = await world()
  const crowd = await people(3)
  const groupId = await make.group(id, { contactIds: idsOf(crowd) })
  graph.answer = refuse(190, 401)
  const { body } = await send({
    templateName: 'sale',
    parameters: ['you'],
    audience: { type: 'group', groupId },
  })
  const late = await person()
  await db.deleteFrom('contact_group_members').where('group_id', '=', groupId).execute()
  await db
    .insertInto('contact_group_members')
    .values({ workspace_id: id, group_id: groupId, contact_id: late.id, added_at: new Date() })
    .execute()
  await db.deleteFrom('whatsapp_templates').where('workspace_id', '=', id).execute()
  await make.template(id, ACCOUNT, {
    name: 'sale',
    components: [{ type: 'BODY', text: 'Changed {{1}} and {{2}}' }],
  })
  graph.answer = undefined
  await until(async () => (await latest(body.broadcast.id)).status === 'completed', 'the end')
  assert.equal(sentTo(late.phone).length, 0)
  for (const { conversation } of crowd) {
    const message = await db
      .selectFrom('messages')
      .select('body')
      .where('conversation_id', '=', conversation.id)
      .executeTakeFirstOrThrow()
    assert.equal(message.body, 'Hello you, everything is cheaper.')
  }
  assert.ok(number)
})

test('a conversation in which an earlier message waits keeps its order', async () => {
  const { token, number, people, toContacts, latest } = await world()
  const [ada] = await people(1)
  await deliver(app, number, webhook(messageOf({ waId: ada.phone.slice(1) }, 'Hello')))
  let isHeld = true
  graph.answer = (asked, response) => {
    if (isHeld && asked.body.type === 'text') return refuse(131000, 500)(asked, response)
    accept(graph, asked, response)
  }
  const { body: reply } = await call(token, 'POST', `/conversations/${ada.conversation.id}/messages`, {
    body: 'First',
  })
  assert.equal(reply.message.status, 'queued')
  const before = graph.sent().length
  const { body } = await toContacts([ada.id])
  assert.equal(body.broadcast.status, 'sending')
  assert.ok(
    !graph
      .sent()
      .slice(before)
      .some(({ type }) => type === 'template'),
  )
  isHeld = false
  await until(async () => (await latest(body.broadcast.id)).status === 'completed', 'the end', 30_000)
  const kinds = sentTo(ada.phone).map(({ type }) => type)
  assert.deepEqual(kinds.slice(-2), ['text', 'template'])
  graph.answer = undefined
})

test('contacts that become one while they wait are sent to once', async () => {
  const { id, people, toContacts, latest, recipients } = await world()
  const [ada, twin] = await people(2)
  graph.answer = refuse(190, 401)
  const { body } = await toContacts(idsOf([ada, twin]))
  await mergeContacts(ctxOf(id), ada.id, twin.id)
  const before = graph.sent().length
  graph.answer = undefined
  await until(async () => (await latest(body.broadcast.id)).status !== 'sending', 'the end')
  const rows = await recipients(body.broadcast.id)
  assert.deepEqual(rows.map(({ outcome }) => outcome).sort(), ['sent', 'skipped'])
  assert.equal(
    graph
      .sent()
      .slice(before)
      .filter(({ type }) => type === 'template').length,
    1,
  )
})

test('waiting recipients fail with the reason if their number stays rejected for a day', async () => {
  const { people, toContacts, latest, recipients } = await world()
  graph.answer = refuse(131031, 403)
  const { body } = await toContacts(idsOf(await people(3)))
  const { id } = body.broadcast
  await db
    .updateTable('broadcast_parts')
    .set({ paused_since: new Date(Date.now() - 25 * 3_600_000) })
    .where('broadcast_id', '=', id)
    .execute()
  await until(async () => (await latest(id)).status !== 'sending', 'the end')
  graph.answer = undefined
  assert.deepEqual([(await latest(id)).status, (await latest(id)).failedCount], ['failed', 3])
  const rows = await recipients(id)
  assert.deepEqual(
    rows.map(({ outcome, reason }) => [outcome, reason?.code]),
    Array(3).fill(['failed', '131031']),
  )
})

test('an agent’s reply goes out while a broadcast fills the pace of the number', async () => {
  const { token, number, person, people, toContacts, latest } = await world()
  await db
    .updateTable('channel_accounts')
    .set({ settings: JSON.stringify({ ...(await settingsOf(number)), messagesPerSecond: 2 }) })
    .where('id', '=', number)
    .execute()
  const customer = await person()
  await deliver(app, number, webhook(messageOf({ waId: customer.phone.slice(1) }, 'Hello')))
  const { body } = await toContacts(idsOf(await people(8)))
  assert.equal(body.broadcast.status, 'sending')
  const answer = await call(token, 'POST', `/conversations/${customer.conversation.id}/messages`, {
    body: 'Hi',
  })
  assert.equal(answer.body.message.status, 'sent')
  assert.equal((await latest(body.broadcast.id)).status, 'sending')
  await db
    .updateTable('channel_accounts')
    .set({ settings: JSON.stringify({ ...(await settingsOf(number)), messagesPerSecond: 80 }) })
    .where('id', '=', number)
    .execute()
})

// For the console -------------------------------------------------------------------------------------------------

test('a preview says who is reached and why others are not; an export reads everybody', async () => {
  const { id, person, toContacts } = await world()
  const [ada, out] = [await person({ name: 'Ada' }), await person({ name: 'Out' })]
  const mail = await make.contact(id, { name: 'Mail' })
  await db.updateTable('contacts').set({ opted_out_at: new Date() }).where('id', '=', out.id).execute()
  const preview = await previewAudience(ctxOf(id), {
    audience: { type: 'contacts', contactIds: [ada.id, out.id, mail.id, 'nobody'] },
    templateName: 'sale',
    language: 'en_US',
  })
  assert.deepEqual(preview, {
    total: 4,
    reachable: 1,
    leftOut: [
      { reason: 'NO_WHATSAPP', count: 1 },
      { reason: 'OPTED_OUT', count: 1 },
      { reason: 'UNKNOWN', count: 1 },
    ],
    sample: [
      { contactId: ada.id, name: 'Ada', phone: ada.phone, reason: null },
      { contactId: out.id, name: 'Out', phone: out.phone, reason: 'OPTED_OUT' },
      { contactId: mail.id, name: 'Mail', phone: null, reason: 'NO_WHATSAPP' },
    ],
  })
  const { body } = await toContacts(idsOf([ada, out]))
  const all: BroadcastRecipient[] = []
  for await (const page of readBroadcastRecipients(ctxOf(id), body.broadcast.id)) all.push(...page)
  assert.deepEqual(
    all.map(({ name, outcome }) => [name, outcome]),
    [
      ['Ada', 'sent'],
      ['Out', 'skipped'],
    ],
  )
})
