import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Selectable, sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { attemptOf } from '../../../test/attempts.ts'
import { insertParkedAlteration } from '../../domain/messages/parked-alteration-queries.ts'
import { DELIVERY_TIMING } from '../../jobs/delivery-timing.ts'
import { sweepDeliveries } from '../../jobs/sweep-deliveries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { storeItems } from '../items/store-items.ts'
import { WEBHOOK_MAX_BYTES } from '../webhook-scope.ts'
import {
  change,
  connect,
  deliver,
  deliverRaw,
  messageOf,
  type Sender,
  sign,
  statusOf,
  VERIFY_TOKEN,
  webhook,
} from './testing/provider.ts'

const app = await startApp()
const { db, make, call } = app

type Table = 'contacts' | 'conversations' | 'messages' | 'webhook_leftovers'

/** A separate workspace, so that a test counts only its own rows. */
const fresh = async () => {
  const workspace = await make.workspace()
  const channelId = await connect(app, workspace.id)
  return {
    workspace,
    channelId,
    send: async (...changes: object[]) => {
      const { status, body } = await deliver(app, channelId, webhook(...changes))
      assert.equal(status, 200, body)
    },
    rows: async <T extends Table>(table: T): Promise<Selectable<Tables[T]>[]> => {
      const { rows } = await app.database.pool.query(
        `select * from ${table} where workspace_id = $1 order by 2`,
        [workspace.id],
      )
      return rows
    },
    messages: () =>
      db
        .selectFrom('messages')
        .selectAll()
        .where('workspace_id', '=', workspace.id)
        .where('sender_type', '<>', 'system')
        .orderBy('id')
        .execute(),
    contacts: async () => {
      const { body } = await call(workspace.token, 'GET', '/contacts?pageSize=100')
      assert.equal(body.total, body.contacts.length)
      return body.contacts
    },
  }
}

const ines: Sender = { waId: '16505551234', name: 'Ines Duarte' }

// Signatures ------------------------------------------------------------------------------------------------------

test('the handshake returns the challenge only for the right token', async () => {
  const { channelId } = await fresh()
  const ask = (token: string) =>
    app.app.inject(
      `/webhooks/whatsapp/${channelId}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`,
    )
  const answer = await ask(VERIFY_TOKEN)
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.body, '1158201444')
  assert.match(String(answer.headers['content-type']), /^text\/plain/)
  assert.equal((await ask('another')).statusCode, 401)
})

test('a forged, missing or foreign signature is 401 and stores nothing', async () => {
  const { channelId, rows } = await fresh()
  const raw = JSON.stringify(webhook(messageOf(ines, 'Forged')))
  for (const headers of [
    {},
    { 'x-hub-signature-256': sign(raw, 'another secret') },
    { 'x-hub-signature-256': sign(`${raw} `) },
    { 'x-hub-signature-256': 'sha256=' },
  ] as Record<string, string>[]) {
    const { status, body } = await deliverRaw(app, channelId, raw, headers)
    assert.equal(status, 401)
    assert.equal(JSON.parse(body).error.code, 'INVALID_SIGNATURE')
  }
  assert.deepEqual([await rows('messages'), await rows('webhook_leftovers')], [[], []])
})

test('an unknown channel is 404, also one of another type', async () => {
  const { workspace } = await fresh()
  const web = await make.channelAccount(workspace.id, 'web')
  for (const id of [web, 'nothing', 'c'.padEnd(25, '0')])
    assert.equal((await deliver(app, id, {})).status, 404)
})

test("the signature covers the bytes as sent, with the provider's escaping", async () => {
  const { channelId, messages } = await fresh()
  const raw = JSON.stringify(webhook(messageOf(ines, 'äöå 👍 https://x.io'))).replaceAll(
    /[^ -~]|\//g,
    (char) => (char === '/' ? '\\/' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
  assert.equal((await deliverRaw(app, channelId, raw)).status, 200)
  assert.equal((await messages())[0]?.body, 'äöå 👍 https://x.io')
})

test('failed signatures are limited by address; verified deliveries never are', async () => {
  const limited = await startApp({ rateLimits: true })
  const workspace = await limited.make.workspace()
  const channelId = await connect(limited, workspace.id)
  const raw = JSON.stringify(webhook(messageOf(ines, 'Hello')))
  let status = 0
  for (let i = 0; i < 61; i++) status = (await deliverRaw(limited, channelId, raw, {})).status
  assert.equal(status, 429)
  assert.equal((await deliverRaw(limited, channelId, raw)).status, 200)
})

// Messages --------------------------------------------------------------------------------------------------------

test('a first message creates the contact and the conversation, and a repeat changes nothing', async () => {
  const { channelId, contacts, messages, rows, workspace } = await fresh()
  const payload = webhook(messageOf(ines, 'Do you have it in green?', { timestamp: '1750000000' }))
  await deliver(app, channelId, payload)
  const before = await rows('conversations')
  await deliver(app, channelId, payload)
  assert.deepEqual(await rows('conversations'), before)
  assert.equal(before[0]?.last_inbound_at, '2025-06-15T15:06:40.000Z')
  assert.equal(before[0]?.unread_count, 1)
  assert.equal((await messages()).length, 1)
  const [contact] = await contacts()
  assert.equal(contact.name, 'Ines Duarte')
  assert.equal(contact.phone, '+16505551234')
  assert.equal(contact.countryIso, 'US')
  assert.deepEqual(contact.channels, ['whatsapp'])
  const thread = await call(workspace.token, 'GET', `/conversations/${before[0]?.id}/messages`)
  assert.equal(thread.body.messages[0].senderType, 'customer')
  assert.equal(thread.body.messages[0].sender.id, contact.id)
})

test('every entry and change of a batch is stored, each with its own person', async () => {
  const { channelId, contacts, messages } = await fresh()
  const many = Array.from({ length: 120 }, (_, index) =>
    messageOf({ waId: `1650555${1000 + (index % 40)}`, name: `Person ${index % 40}` }, `Message ${index}`),
  )
  const payload = {
    object: 'whatsapp_business_account',
    entry: [webhook(...many.slice(0, 50)).entry[0], webhook(...many.slice(50)).entry[0]],
  }
  assert.equal((await deliver(app, channelId, payload)).status, 200)
  assert.deepEqual(
    (await messages()).map(({ body }) => body),
    many.map((_, index) => `Message ${index}`),
  )
  assert.equal((await contacts()).length, 40)
})

test('the number of statements per batch does not grow with its messages', async () => {
  const { channelId, send } = await fresh()
  await send(messageOf(ines, 'Hello'))
  app.database.statements.length = 0
  const batch = webhook(...Array.from({ length: 200 }, (_, index) => messageOf(ines, `Message ${index}`)))
  assert.equal((await deliver(app, channelId, batch)).status, 200)
  // One of them asks whether the workspace has erased anybody.
  assert.ok(app.database.statements.length <= 9, app.database.statements.join('\n'))
})

test('nor does it grow with people who write for the first time', async () => {
  const { channelId, contacts, rows } = await fresh()
  app.database.statements.length = 0
  const batch = webhook(
    ...Array.from({ length: 90 }, (_, index) =>
      messageOf({ waId: `1650556${1000 + index}`, name: `Person ${index}` }, 'Hello'),
    ),
  )
  assert.equal((await deliver(app, channelId, batch)).status, 200)
  assert.ok(app.database.statements.length <= 16, app.database.statements.join('\n'))
  assert.equal((await contacts()).length, 90)
  assert.ok((await rows('contacts')).every((one) => one.open_count === 1 && one.conversation_count === 1))
})

test('two processes that receive the same new people in different orders store each message once', async () => {
  const { channelId, contacts, messages, rows, workspace } = await fresh()
  const items = Array.from({ length: 40 }, (_, index) =>
    messageOf({ waId: `1650557${1000 + (index % 20)}`, name: `Person ${index % 20}` }, 'Hello'),
  )
  // One process receives them in one order, the other in another.
  const { parseWebhook } = app.deps.channels.whatsapp
  const routed = (changes: object[]) =>
    parseWebhook(JSON.stringify(webhook(...changes))).map((item) => ({ channelAccountId: channelId, item }))
  const ctx = app.ctxOf(workspace.id)
  await Promise.all([
    storeItems(ctx, 'whatsapp', routed(items)),
    storeItems(ctx, 'whatsapp', routed([...items].reverse())),
    storeItems(ctx, 'whatsapp', routed(items.slice(10))),
  ])
  assert.equal((await contacts()).length, 20)
  assert.equal((await rows('conversations')).length, 20)
  assert.equal((await messages()).length, 40)
})

test('concurrent first messages of one person create one contact and one conversation', async () => {
  const { contacts, messages, rows, send } = await fresh()
  await Promise.all(Array.from({ length: 20 }, (_, index) => send(messageOf(ines, `Message ${index}`))))
  assert.equal((await contacts()).length, 1)
  assert.equal((await rows('conversations')).length, 1)
  assert.equal((await messages()).length, 20)
})

test('a looping phone fills one conversation, costs few statements, and delays nobody else', async () => {
  const { messages, rows, send } = await fresh()
  await send(messageOf(ines, 'Hello'))
  app.database.statements.length = 0
  const count = 836
  const looping = Array.from({ length: count }, () => send(messageOf(ines, 'Where is my order?')))
  const other: Sender = { waId: '16505557890', name: 'Bo' }
  await send(messageOf(other, 'Are you open?'))
  await Promise.all(looping)
  assert.ok(app.database.statements.length < count, `${app.database.statements.length} statements`)
  assert.equal((await messages()).length, count + 2)
  const conversations = await rows('conversations')
  assert.deepEqual(
    conversations.map((one) => [one.status, one.unread_count]).sort(),
    [
      ['open', 1],
      ['open', count + 1],
    ].sort(),
  )
})

test('one bad item does not affect the others: it is kept raw and gets a 200', async () => {
  const { messages, rows, send } = await fresh()
  // A character that the database rejects stands for anything that may go wrong with one item.
  await db.schema.alterTable('messages').addCheckConstraint('no_marks', sql`body <> 'refuse me'`).execute()
  try {
    await send(messageOf(ines, 'Before'), messageOf(ines, 'refuse me'), messageOf(ines, 'After'))
  } finally {
    await db.schema.alterTable('messages').dropConstraint('no_marks').execute()
  }
  assert.deepEqual(
    (await messages()).map(({ body }) => body),
    ['Before', 'After'],
  )
  const [leftover] = await rows('webhook_leftovers')
  assert.equal(leftover?.reason, 'failed')
  assert.match(leftover?.raw ?? '', /refuse me/)
})

test('unsupported items are kept once and get a 200', async () => {
  const { channelId, rows } = await fresh()
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`
  for (const raw of ['{', 'null', '', deep, '\u0000', JSON.stringify(webhook(change({ a: 1 }, 'flows')))])
    for (let time = 0; time < 2; time++)
      assert.equal((await deliverRaw(app, channelId, raw)).status, 200, raw)
  assert.equal((await rows('webhook_leftovers')).length, 6)
})

test('a delivery of 3 MB is accepted, and a larger one rejected', async () => {
  const { channelId, messages } = await fresh()
  const text = 'x'.repeat(60_000)
  const changes = Array.from({ length: 45 }, () => messageOf(ines, text))
  const raw = JSON.stringify(webhook(...changes))
  assert.equal(
    (await deliverRaw(app, channelId, raw + ' '.repeat(WEBHOOK_MAX_BYTES - raw.length))).status,
    200,
  )
  assert.equal((await messages()).length, 45)
  assert.equal((await deliverRaw(app, channelId, ' '.repeat(WEBHOOK_MAX_BYTES + 1))).status, 413)
})

test('every captured payload is stored or kept, and none twice', async () => {
  const { channelId, rows } = await fresh()
  const files = globSync('channels/whatsapp/testdata/webhooks/*.json').sort()
  assert.ok(files.length > 40)
  const deliverAll = async () => {
    for (const file of files)
      assert.equal(
        (await deliverRaw(app, channelId, readFileSync(join(file), 'utf8').trim())).status,
        200,
        file,
      )
  }
  await deliverAll()
  const count = async () => [
    (await rows('messages')).filter(({ sender_type }) => sender_type !== 'system').length,
    (await rows('webhook_leftovers')).length,
  ]
  const before = await count()
  assert.ok(before[0]! > 20, String(before))
  assert.deepEqual(
    (await rows('webhook_leftovers')).filter(({ reason }) => reason === 'failed'),
    [],
  )
  await deliverAll()
  assert.deepEqual(await count(), before)
})

test('media start as pending attachments, a location and shared contacts are available immediately', async () => {
  const { messages, send, workspace } = await fresh()
  await send(
    messageOf(ines, '', {
      type: 'image',
      image: { id: '1003383421387256', mime_type: 'image/jpeg', sha256: 'SfIn=', caption: 'Taj Mahal' },
    }),
    messageOf(ines, '', {
      type: 'location',
      location: { latitude: 37.4, longitude: -122.1, name: 'Office' },
    }),
  )
  const attachments = await db
    .selectFrom('attachments')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    attachments.map(({ type, state, source }) => [type, state, source?.mediaId ?? source?.latitude]),
    [
      ['image', 'pending', '1003383421387256'],
      ['location', 'inline', 37.4],
    ],
  )
  assert.equal((await messages())[0]?.body, 'Taj Mahal')
})

test('a reply quotes the message it refers to, and one to an unknown message is stored too', async () => {
  const { messages, send } = await fresh()
  await send(messageOf(ines, 'The question', { id: 'wamid.question' }))
  await send(
    messageOf(ines, 'The answer', { context: { from: '1555', id: 'wamid.question' } }),
    messageOf(ines, 'To nothing', { context: { from: '1555', id: 'wamid.unknown' } }),
  )
  const [question, answer, other] = await messages()
  assert.equal(answer?.reply_to_message_id, question?.id)
  assert.equal(answer?.reply_quote, 'The question')
  assert.equal(other?.reply_to_message_id, null)
})

test('a reaction is shown on its message, the newest counts, and withdrawing it removes it', async () => {
  const { messages, send } = await fresh()
  await send(messageOf(ines, 'Hello', { id: 'wamid.hello' }))
  const react = (emoji: string, timestamp: string) =>
    send(messageOf(ines, '', { type: 'reaction', timestamp, reaction: { message_id: 'wamid.hello', emoji } }))
  const reactions = async () =>
    ((await messages())[0]?.metadata?.reactions as { emoji: string }[] | undefined)?.map(({ emoji }) => emoji)
  await react('👍', '1750000010')
  await react('🙏', '1750000005')
  assert.deepEqual(await reactions(), ['👍'])
  await react('❤️', '1750000020')
  assert.deepEqual(await reactions(), ['❤️'])
  await react('', '1750000030')
  assert.equal(await reactions(), undefined)
  assert.equal((await messages()).length, 1)
})

test('an edit changes the text, and a deletion is shown as such', async () => {
  const { messages, rows, send, workspace } = await fresh()
  await send(messageOf(ines, 'Helo', { id: 'wamid.typo' }))
  const edit = (original_message_id: string) =>
    messageOf(ines, '', {
      type: 'edit',
      edit: { original_message_id, message: { type: 'text', text: { body: 'Hello' } } },
    })
  await send(edit('wamid.typo'))
  const list = await call(workspace.token, 'GET', '/conversations')
  assert.equal(list.body.conversations[0].lastMessage.body, 'Hello')
  await send(messageOf(ines, '', { type: 'revoke', revoke: { original_message_id: 'wamid.typo' } }))
  const [message] = await messages()
  assert.equal(message?.metadata?.originalBody, 'Helo')
  assert.ok(message?.metadata?.deletedAt)
  assert.deepEqual(await rows('webhook_leftovers'), [])
})

test('a reaction, an edit and a deletion that arrive before their message are applied when it arrives', async () => {
  const { channelId, messages, rows, send } = await fresh()
  const original_message_id = 'wamid.late'
  const about = (type: string, timestamp: string, part: object) =>
    messageOf(ines, '', { type, timestamp, [type]: part })
  await send(
    about('revoke', '1750000030', { original_message_id }),
    about('edit', '1750000020', { original_message_id, message: { type: 'text', text: { body: 'Hello' } } }),
    about('reaction', '1750000010', { message_id: original_message_id, emoji: '👍' }),
  )
  assert.deepEqual([await messages(), await rows('webhook_leftovers'), await rows('contacts')], [[], [], []])
  await send(messageOf(ines, 'Helo', { id: 'wamid.late', timestamp: '1750000000' }))
  const [message] = await messages()
  assert.equal(message?.body, 'Hello')
  assert.equal(message?.metadata?.originalBody, 'Helo')
  assert.equal((message?.metadata?.reactions as { emoji: string }[] | undefined)?.[0]?.emoji, '👍')
  assert.ok(message?.metadata?.deletedAt)
  const parked = db.selectFrom('parked_alterations').selectAll().where('channel_account_id', '=', channelId)
  assert.deepEqual(await parked.execute(), [])
})

test('an alteration parked at the moment its message is stored is applied by the sweep', async () => {
  const { channelId, messages, send, workspace } = await fresh()
  await send(messageOf(ines, 'Helo', { id: 'wamid.same' }))
  const about = {
    channelAccountId: channelId,
    targetId: 'wamid.same',
    by: 'customer' as const,
    at: new Date(),
  }
  await insertParkedAlteration(app.ctxOf(workspace.id), { ...about, is: 'edit', body: 'Hello' })
  const deps = { ...app.deps, log: app.app.log, timing: DELIVERY_TIMING, isStopping: () => false }
  await sweepDeliveries(deps as never, {})
  assert.equal((await messages())[0]?.body, 'Hello')
})

test('a message sent from the phone is outbound, opens no reply window and reopens nothing', async () => {
  const { messages, rows, send, workspace } = await fresh()
  await send(
    change(
      {
        message_echoes: [
          {
            from: '15550783881',
            to: '16505551234',
            id: 'wamid.echo',
            timestamp: '1750000000',
            type: 'text',
            text: { body: 'From my phone' },
          },
        ],
      },
      'smb_message_echoes',
    ),
  )
  const [message] = await messages()
  assert.equal(message?.sender_type, 'agent')
  const [conversation] = await rows('conversations')
  assert.equal(conversation?.last_inbound_at, null)
  assert.equal(conversation?.unread_count, 0)
  const { body } = await call(workspace.token, 'POST', `/conversations/${conversation?.id}/messages`, {
    body: 'Hi',
  })
  assert.equal(body.error.code, 'WHATSAPP_SERVICE_WINDOW_CLOSED')
})

test('a future timestamp opens the reply window for a day and no longer', async () => {
  const { rows, send } = await fresh()
  await send(
    messageOf(ines, 'From the future', { timestamp: String(Math.floor(Date.now() / 1000) + 90_000) }),
  )
  assert.ok(Date.parse((await rows('conversations'))[0]!.last_inbound_at!) <= Date.now())
})

test("a customer's message reopens a closed conversation and keeps its agent", async () => {
  const { rows, send, workspace } = await fresh()
  await send(messageOf(ines, 'Hello'))
  const agent = await make.agent(workspace.id)
  const [conversation] = await rows('conversations')
  await call(workspace.token, 'POST', `/conversations/${conversation?.id}/assign`, { agentId: agent.id })
  await call(workspace.token, 'POST', `/conversations/${conversation?.id}/close`)
  await send(messageOf(ines, 'Again'))
  const [after, ...others] = await rows('conversations')
  assert.deepEqual([after?.status, after?.agent_id, others], ['open', agent.id, []])
  const [contact] = await rows('contacts')
  assert.deepEqual([contact?.open_count, contact?.conversation_count], [1, 1])
})

test('a number whose webhooks arrive at another number’s URL of the same app gets its own conversations', async () => {
  const { channelId, rows, send, workspace } = await fresh()
  const second = await connect(app, workspace.id, { phoneNumber: '+15550783882', phoneNumberId: '2' })
  const third = await connect(app, workspace.id, {
    phoneNumber: '+15550783883',
    phoneNumberId: '3',
    appSecret: 'of another app',
  })
  const toNumber = (id: string) => {
    const { field, value } = messageOf(ines, `To ${id}`)
    return change({ ...value, metadata: { phone_number_id: id } }, field, id)
  }
  await send(toNumber('2'), toNumber('3'), toNumber('4'))
  assert.deepEqual(
    (await rows('conversations')).map(({ channel_account_id }) => channel_account_id),
    [second],
  )
  assert.notEqual(third, channelId)
  assert.equal((await rows('webhook_leftovers')).length, 2)
})

// People ----------------------------------------------------------------------------------------------------------

test('a person who hides their number is identified by user id, listed, and found by username', async () => {
  const { send, workspace } = await fresh()
  await send(messageOf({ userId: 'PT.13491208655302741918', username: 'rui.f' }, 'Hello'))
  const { body } = await call(workspace.token, 'GET', '/contacts?search=rui.f')
  assert.equal(body.contacts.length, 1)
  assert.deepEqual(
    [body.contacts[0].name, body.contacts[0].phone, body.contacts[0].countryIso],
    ['rui.f', null, 'PT'],
  )
})

test('a webhook with number and user id merges two contacts, with everything that both had', async () => {
  const { contacts, messages, rows, send, workspace } = await fresh()
  const userId = 'US.13491208655302741918'
  await send(messageOf({ userId, username: 'ines' }, 'By name'))
  await send(messageOf({ waId: '16505551234' }, 'By number'))
  const [byName, byNumber] = await rows('contacts')
  const tagId = await make.tag(workspace.id)
  await call(workspace.token, 'PUT', `/contacts/${byNumber?.id}/tags`, { tagIds: [tagId] })
  await call(workspace.token, 'POST', '/notes', { body: 'VIP', phone: '+16505551234' })
  const group = await make.group(workspace.id, { contactIds: [byNumber!.id] })
  assert.equal((await contacts()).length, 2)
  await send(messageOf({ ...ines, userId }, 'By both'))
  const [contact, ...others] = await contacts()
  assert.deepEqual(others, [])
  assert.equal(contact.id, byName?.id)
  assert.equal(contact.phone, '+16505551234')
  assert.equal(contact.conversationCount, 2)
  const profile = await call(workspace.token, 'GET', `/contacts/${contact.id}`)
  assert.equal(profile.body.notes.length, 1)
  assert.equal(profile.body.contact.openCount, 1)
  assert.ok((await messages()).every(({ sender_id }) => sender_id === contact.id))
  const { body } = await call(workspace.token, 'GET', '/contact-groups')
  assert.deepEqual(
    body.groups.find(({ id }: { id: string }) => id === group).members.map(({ id }: { id: string }) => id),
    [contact.id],
  )
  const counts = await db
    .selectFrom('contact_counts')
    .select(['kind', (eb) => eb.fn.sum<number>('count').as('count')])
    .where('workspace_id', '=', workspace.id)
    .groupBy('kind')
    .orderBy('kind')
    .execute()
  assert.deepEqual(
    counts.map(({ kind, count }) => [kind, Number(count)]),
    [
      ['channel', 1],
      ['country', 1],
      ['total', 1],
    ],
  )
})

for (const [country, one, other] of [
  ['Brazil', '5511987654321', '551187654321'],
  ['Argentina', '5491123456789', '541123456789'],
  ['Mexico', '5215512345678', '525512345678'],
] as const)
  test(`the two spellings of a mobile number in ${country} are one contact`, async () => {
    const { contacts, rows, send, workspace } = await fresh()
    await send(messageOf({ waId: one, name: 'Ana' }, 'One'))
    await send(messageOf({ waId: other, name: 'Ana' }, 'Other'))
    assert.equal((await contacts()).length, 1)
    assert.equal((await rows('conversations')).length, 1)
    const { status } = await call(workspace.token, 'POST', '/notes', { body: 'x', phone: `+${other}` })
    assert.equal(status, 200)
  })

test('a number change announced by the provider keeps the contact and frees the old number', async () => {
  const { contacts, rows, send } = await fresh()
  await send(messageOf(ines, 'Hello'))
  await send(
    change({
      messages: [
        {
          from: '16505551234',
          id: 'wamid.system',
          timestamp: '1750000000',
          type: 'system',
          system: { body: 'Ines changed', wa_id: '12195555358', type: 'user_changed_number' },
        },
      ],
    }),
  )
  await send(messageOf({ waId: '12195555358', name: 'Ines' }, 'New phone'))
  const [contact, ...others] = await contacts()
  assert.deepEqual(others, [])
  assert.equal(contact.phone, '+12195555358')
  assert.equal((await rows('conversations')).length, 1)
  await send(messageOf({ waId: '16505551234', name: 'Somebody else' }, 'Hi'))
  assert.equal((await contacts()).length, 2)
})

test('a new security code of someone who has never written creates no contact', async () => {
  const { channelId, contacts, rows } = await fresh()
  const system = {
    type: 'customer_identity_changed',
    body: 'The code has changed',
    identity: 'x',
    customer: '1',
  }
  const value = { messages: [{ from: '16505559999', id: 'wamid.key', type: 'system', system }] }
  assert.equal((await deliver(app, channelId, webhook(change(value)))).status, 200)
  assert.deepEqual([await contacts(), await rows('conversations')], [[], []])
})

test('STOP and WhatsApp’s own setting opt a contact out of broadcasts, and back in', async () => {
  const { rows, send } = await fresh()
  const isOut = async () => (await rows('contacts'))[0]?.opted_out_at !== null
  await send(messageOf(ines, ' Stop. '))
  assert.equal(await isOut(), true)
  await send(messageOf(ines, 'START'))
  assert.equal(await isOut(), false)
  const preference = (value: string) =>
    change(
      {
        user_preferences: [
          { wa_id: '16505551234', category: 'marketing_messages', value, timestamp: '1750000000' },
        ],
      },
      'user_preferences',
    )
  await send(preference('stop'))
  assert.equal(await isOut(), true)
  await send(preference('resume'))
  assert.equal(await isOut(), false)
  // A rejected send shows a setting that no webhook reported.
  const refused = { recipient_id: ines.waId, errors: [{ code: 131050 }] }
  await send(statusOf('wamid.any', 'failed', { ...refused, errors: [{ code: 131026 }] }))
  assert.equal(await isOut(), false)
  await send(statusOf('wamid.any', 'failed', refused))
  assert.equal(await isOut(), true)
})

test('a repeated or late STOP or START does not undo a later one', async () => {
  const { rows, send } = await fresh()
  const isOut = async () => (await rows('contacts'))[0]?.opted_out_at !== null
  const said = (body: string, secondsAgo: number) =>
    messageOf(ines, body, { timestamp: String(Math.floor(Date.now() / 1000) - secondsAgo) })
  const [firstStop, firstStart] = [said('STOP', 60), said('START', 50)]
  await send(firstStop)
  await send(firstStart)
  await send(firstStop)
  assert.equal(await isOut(), false)
  await send(said('STOP', 30))
  await send(firstStart)
  assert.equal(await isOut(), true)
  await send(said('START', 40))
  assert.equal(await isOut(), true)
  await send(said('START', 10), said('STOP', 20))
  assert.equal(await isOut(), false)
})

// Statuses --------------------------------------------------------------------------------------------------------

test('statuses may arrive in any order, skip steps and repeat; the message only moves forward', async () => {
  const { channelId, rows, send, workspace } = await fresh()
  await send(messageOf(ines, 'Hello'))
  const [conversation] = await rows('conversations')
  const { body } = await call(workspace.token, 'POST', `/conversations/${conversation?.id}/messages`, {
    body: 'Hi',
  })
  const { id } = body.message
  const status = async () =>
    (await db.selectFrom('messages').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status
  await send(statusOf('wamid.a', 'delivered', { biz_opaque_callback_data: await attemptOf(db, id) }))
  assert.equal(await status(), 'delivered')
  await send(statusOf('wamid.a', 'sent'), statusOf('wamid.a', 'failed', { errors: [{ code: 131026 }] }))
  assert.equal(await status(), 'delivered')
  await send(statusOf('wamid.a', 'read'))
  await send(statusOf('wamid.a', 'delivered'))
  assert.equal(await status(), 'read')
  const row = await db
    .selectFrom('messages')
    .select('external_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.equal(row.external_id, 'wamid.a')
  assert.ok(channelId)
})

test("a status can't change another account's message or a customer's", async () => {
  const mine = await fresh()
  const theirs = await fresh()
  await theirs.send(messageOf(ines, 'Hello', { id: 'wamid.theirs' }))
  const [conversation] = await theirs.rows('conversations')
  const sent = await call(theirs.workspace.token, 'POST', `/conversations/${conversation?.id}/messages`, {
    body: 'Hi',
  })
  const attempt = await attemptOf(db, sent.body.message.id)
  await mine.send(statusOf('wamid.x', 'failed', { biz_opaque_callback_data: attempt }))
  await theirs.send(statusOf('wamid.theirs', 'failed', { errors: [{ code: 1 }] }))
  assert.deepEqual(
    (await theirs.messages()).map(({ status }) => status),
    ['sent', 'queued'],
  )
})
