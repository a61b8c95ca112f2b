import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { attemptOf } from '../../../test/attempts.ts'
import { until } from '../../../test/until.ts'
import {
  type Asked,
  accept,
  connect,
  deliver,
  messageOf,
  refuse,
  startGraph,
  statusOf,
  webhook,
} from '../../inbound/whatsapp/testing/provider.ts'

const SETTLE_MS = 1_500
const app = await startApp({
  worker: { backoffMinMs: 20, backoffMaxMs: 100, sendTimeoutMs: 3_000 },
  deps: { settleMs: SETTLE_MS },
})
const { call, clock, db, make } = app
const graph = await startGraph()
after(graph.stop)

const body = (text: string) => ({ type: 'BODY', text })
const template = (name: string, components: object[], more: object = {}) => ({
  name,
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  id: '1',
  components,
  ...more,
})

beforeEach(() => {
  graph.asked = []
  graph.answer = undefined
  clock.now = () => new Date()
  graph.templates = [
    template('order_ready', [body('Hello {{1}}, order {{2}} is ready.')]),
    template('hello', [body('Hello')], { language: 'en' }),
    template('hello', [body('Hallo')], { language: 'de' }),
    template('picture', [{ type: 'HEADER', format: 'IMAGE' }, body('Look')]),
    template('paused', [body('Hello')], { status: 'PAUSED' }),
    template('code', [body('{{1}} is your code.')], { category: 'AUTHENTICATION' }),
  ]
})

const fresh = async () => {
  const workspace = await make.workspace()
  const channelId = await connect(app, workspace.id, { apiUrl: graph.url })
  return {
    workspace,
    channelId,
    template: (more: object = {}, headers: Record<string, string> = {}) =>
      call(
        workspace.token,
        'POST',
        '/whatsapp/messages',
        { to: '+351912345678', templateName: 'order_ready', parameters: ['Maria', '1182'], ...more },
        { headers },
      ),
    receive: (...changes: object[]) => deliver(app, channelId, webhook(...changes)),
    conversations: async () => (await call(workspace.token, 'GET', '/conversations')).body.conversations,
    reply: async (text: string, headers: Record<string, string> = {}) => {
      const { body: list } = await call(workspace.token, 'GET', '/conversations')
      const path = `/conversations/${list.conversations[0].id}/messages`
      return call(workspace.token, 'POST', path, { body: text }, { headers })
    },
    messages: () =>
      db
        .selectFrom('messages')
        .selectAll()
        .where('workspace_id', '=', workspace.id)
        .where('sender_type', '<>', 'system')
        .orderBy('id')
        .execute(),
  }
}

const ines = { waId: '16505551234', name: 'Ines' }
const fieldsOf = (answer: { body: { error: { details: { field: string }[] } } }) =>
  answer.body.error.details.map(({ field }) => field)

// Replies ---------------------------------------------------------------------------------------------------------

test('a reply within the window goes to the id that the provider gave, with our id of the attempt as callback data', async () => {
  const { receive, reply } = await fresh()
  await receive(messageOf({ waId: '5215512345678', name: 'Ana' }, 'Hola'))
  const { body } = await reply('Claro')
  assert.equal(body.message.status, 'sent')
  const [sent] = graph.sent()
  assert.equal(sent?.to, '5215512345678')
  assert.deepEqual(sent?.text, { body: 'Claro', preview_url: false })
  assert.equal(sent?.biz_opaque_callback_data, await attemptOf(db, body.message.id))
})

test('a customer without a number is answered by user id', async () => {
  const { receive, reply } = await fresh()
  await receive(messageOf({ userId: 'US.1349120865530274', username: 'ana' }, 'Hi'))
  assert.equal((await reply('Hello')).body.message.status, 'sent')
  assert.equal(graph.sent()[0]?.recipient, 'US.1349120865530274')
})

test('the window is open until exactly 24 hours after the customer’s last message', async () => {
  const { messages, receive, reply } = await fresh()
  const at = Math.floor(Date.now() / 1000) - 3600
  await receive(messageOf(ines, 'Hello', { timestamp: String(at) }))
  clock.now = () => new Date((at + 24 * 3600) * 1000 - 1)
  assert.equal((await reply('Just in time')).status, 200)
  clock.now = () => new Date((at + 24 * 3600) * 1000)
  const late = await reply('Too late')
  assert.equal(late.status, 400)
  assert.equal(late.body.error.code, 'WHATSAPP_SERVICE_WINDOW_CLOSED')
  assert.deepEqual(
    (await messages()).map(({ body }) => body),
    ['Hello', 'Just in time'],
  )
})

test('WhatsApp’s own refusal 131047 is the same answer, nothing stays, and the key may be used again', async () => {
  const { conversations, messages, receive, reply } = await fresh()
  await receive(messageOf(ines, 'Hello'))
  graph.answer = refuse(131047)
  const refused = await reply('Refused', { 'idempotency-key': 'k' })
  assert.equal(refused.body.error?.code, 'WHATSAPP_SERVICE_WINDOW_CLOSED', refused.text)
  assert.equal((await messages()).length, 1)
  assert.equal((await conversations())[0].lastMessage.body, 'Hello')
  graph.answer = undefined
  assert.equal((await reply('Refused', { 'idempotency-key': 'k' })).body.message.status, 'sent')
})

test('131047 after the caller has gone leaves a failed message', async () => {
  const { messages, receive, reply } = await fresh()
  await receive(messageOf(ines, 'Hello'))
  const id = (await reply('Late refusal')).body.message.id
  const attempt = await attemptOf(db, id)
  await receive(statusOf('x', 'failed', { biz_opaque_callback_data: attempt, errors: [{ code: 131047 }] }))
  const [, message] = await messages()
  assert.equal(message?.status, 'failed')
  assert.match(JSON.stringify(message?.metadata?.error), /"131047"/)
})

test('a definite refusal fails the message with the reason', async () => {
  const { receive, reply } = await fresh()
  await receive(messageOf(ines, 'Hello'))
  graph.answer = refuse(131026)
  const { body } = await reply('Hi')
  assert.equal(body.message.status, 'failed')
  assert.equal(body.message.metadata.error.code, '131026')
})

test('a refusal because the customer wants no marketing opts them out', async () => {
  const { template, workspace } = await fresh()
  graph.answer = (asked, response) =>
    asked.method === 'GET' ? accept(graph, asked, response) : refuse(131050)(asked, response)
  const { body } = await template({})
  assert.deepEqual([body.message.status, body.message.metadata.error.code], ['failed', '131050'])
  const contacts = await db
    .selectFrom('contacts')
    .select('opted_out_at')
    .where('workspace_id', '=', workspace.id)
    .execute()
  assert.deepEqual(
    contacts.map(({ opted_out_at }) => opted_out_at !== null),
    [true],
  )
})

test('too fast waits and goes out', async () => {
  const { receive, reply } = await fresh()
  await receive(messageOf(ines, 'Hello'))
  let times = 0
  graph.answer = (asked, response) =>
    times++ === 0 ? refuse(130429, 429)(asked, response) : accept(graph, asked, response)
  assert.equal((await reply('Hi')).body.message.status, 'sent')
  assert.equal(times, 2)
})

test('a message with an unknown outcome is never sent again, and a status with our id resolves it', async () => {
  const { messages, receive, reply } = await fresh()
  await receive(messageOf(ines, 'Hello'))
  graph.answer = (_, response) => void response.destroy()
  const { body } = await reply('Hi')
  assert.equal(body.message.status, 'queued')
  await until(async () => {
    const row = await db
      .selectFrom('deliveries')
      .select('state')
      .where('message_id', '=', body.message.id)
      .executeTakeFirst()
    return row?.state === 'unconfirmed'
  }, 'the delivery to be unconfirmed')
  const attempt = await attemptOf(db, body.message.id)
  await receive(statusOf('wamid.lost', 'delivered', { biz_opaque_callback_data: attempt }))
  const [, message] = await messages()
  assert.deepEqual([message?.status, message?.external_id], ['delivered', 'wamid.lost'])
  assert.equal(graph.sent().length, 1)
})

test('statuses that come before the answer to the send are applied when it comes', async () => {
  const { messages, receive, reply } = await fresh()
  await receive(messageOf(ines, 'Hello'))
  graph.answer = async (_: Asked, response) => {
    // Without our own id, so that only the provider's id can match them.
    await receive(statusOf('wamid.early', 'read'))
    await receive(statusOf('wamid.early', 'delivered'))
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ contacts: [{ wa_id: '16505551234' }], messages: [{ id: 'wamid.early' }] }))
  }
  await reply('Hi')
  await until(async () => (await messages())[1]?.status === 'read', 'the message to be read')
  const parked = await db
    .selectFrom('parked_statuses')
    .selectAll()
    .where('external_id', '=', 'wamid.early')
    .execute()
  assert.deepEqual(parked, [])
})

// Listing ---------------------------------------------------------------------------------------------------------

test('approved templates of all numbers are listed live, each once', async () => {
  const { workspace } = await fresh()
  await connect(app, workspace.id, { apiUrl: graph.url, phoneNumber: '+15550783882', phoneNumberId: '2' })
  await connect(app, workspace.id, {
    apiUrl: graph.url,
    phoneNumber: '+15550783883',
    phoneNumberId: '3',
    businessAccountId: 'another',
  })
  const { body, status } = await call(workspace.token, 'GET', '/whatsapp/templates')
  assert.equal(status, 200)
  assert.deepEqual(
    body.templates.map(({ name, language }: { name: string; language: string }) => `${name} ${language}`),
    ['code en_US', 'hello de', 'hello en', 'order_ready en_US', 'picture en_US'],
  )
  assert.deepEqual(body.templates[3], {
    name: 'order_ready',
    language: 'en_US',
    category: 'UTILITY',
    headerText: null,
    bodyText: 'Hello {{1}}, order {{2}} is ready.',
    variableCount: 2,
    headerFormat: null,
    isSendable: true,
  })
  // Two of the numbers share a business account.
  assert.equal(graph.asked.length, 2)
})

test('while the provider does not respond, the last list is returned', async () => {
  const { workspace } = await fresh()
  const first = await call(workspace.token, 'GET', '/whatsapp/templates')
  graph.answer = refuse(2, 503)
  graph.templates = []
  const again = await call(workspace.token, 'GET', '/whatsapp/templates')
  assert.equal(again.status, 200)
  assert.deepEqual(again.body, first.body)
  graph.answer = undefined
  assert.deepEqual((await call(workspace.token, 'GET', '/whatsapp/templates')).body.templates, [])
})

test('without a number there are no templates', async () => {
  const workspace = await make.workspace()
  assert.deepEqual((await call(workspace.token, 'GET', '/whatsapp/templates')).body, { templates: [] })
})

// Sending ---------------------------------------------------------------------------------------------------------

test('a template to a stranger makes the contact and the conversation, and goes out as defined', async () => {
  const { conversations, receive, template, workspace } = await fresh()
  const { body, status, text } = await template({ name: 'Maria Silva', to: '+351 912 345 678' })
  assert.equal(status, 200, text)
  assert.equal(body.created, true)
  assert.equal(body.message.status, 'sent')
  assert.equal(body.message.body, 'Hello Maria, order 1182 is ready.')
  assert.equal(body.message.metadata.template.name, 'order_ready')
  const sent = graph.sent()[0] as Record<string, unknown>
  assert.equal(sent.to, '+351912345678')
  assert.equal(sent.biz_opaque_callback_data, await attemptOf(db, body.message.id))
  assert.deepEqual(sent.template, {
    name: 'order_ready',
    language: { code: 'en_US' },
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Maria' },
          { type: 'text', text: '1182' },
        ],
      },
    ],
  })
  const [conversation, ...others] = await conversations()
  assert.deepEqual(others, [])
  assert.equal(conversation.contact.name, 'Maria Silva')
  // The reply comes from the id that WhatsApp knows, and belongs to the same contact and conversation.
  await receive(messageOf({ waId: '351912345678', name: 'M' }, 'Thanks'))
  assert.equal((await conversations()).length, 1)
  assert.equal((await conversations())[0].contact.name, 'Maria Silva')
  assert.equal((await call(workspace.token, 'GET', '/contacts')).body.total, 1)
})

test('the conversation with the number is used again, and reopened when it is closed', async () => {
  const { conversations, template, workspace } = await fresh()
  const first = await template()
  await call(workspace.token, 'POST', `/conversations/${first.body.conversationId}/close`)
  const second = await template({ name: 'Another name' })
  assert.equal(second.body.created, false)
  assert.equal(second.body.conversationId, first.body.conversationId)
  const [conversation] = await conversations()
  assert.equal(conversation.status, 'open')
  assert.equal(conversation.contact.name, '+351912345678')
  const contact = await db
    .selectFrom('contacts')
    .select(['open_count', 'conversation_count'])
    .where('workspace_id', '=', workspace.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(contact, { open_count: 1, conversation_count: 1 })
})

test('two equal sends at the same moment make one contact and one conversation', async () => {
  const { conversations, messages, template } = await fresh()
  const answers = await Promise.all([template(), template(), template()])
  assert.deepEqual(answers.map(({ body }) => body.created).sort(), [false, false, true])
  assert.equal((await conversations()).length, 1)
  assert.equal((await messages()).length, 3)
})

test('with several numbers the sender must be named, by account or by number', async () => {
  const { template, workspace } = await fresh()
  const second = await connect(app, workspace.id, {
    apiUrl: graph.url,
    phoneNumber: '+15550783882',
    phoneNumberId: '222',
  })
  assert.equal((await template()).body.error.code, 'WHATSAPP_SENDER_AMBIGUOUS')
  assert.deepEqual(fieldsOf(await template({ from: '+15550000000' })), ['from'])
  for (const from of [second, '+1 555 078 3882']) assert.equal((await template({ from })).status, 200)
  assert.ok(graph.asked.filter(({ method }) => method === 'POST').every(({ url }) => url.includes('/222/')))
})

test('every detectable error is named before anything is stored', async () => {
  const { messages, template } = await fresh()
  const cases: [object, string[]][] = [
    [{ to: 'nobody' }, ['to']],
    [{ to: '+12' }, ['to']],
    [{ parameters: ['Maria'] }, ['parameters']],
    [{ parameters: ['Maria', 'a', 'b'] }, ['parameters']],
    [{ parameters: ['Maria\nSilva', 'a\tb'] }, ['parameters[0]', 'parameters[1]']],
    [{ headerImageUrl: 'https://example.com/a.jpg' }, ['headerImageUrl']],
    [{ templateName: 'picture', parameters: [] }, ['headerImageUrl']],
    [{ templateName: 'picture', parameters: [], headerImageUrl: 'ftp://x' }, ['headerImageUrl']],
    [{ templateName: 'hello', parameters: [] }, ['language']],
    [{ templateName: 'code', parameters: ['123'], to: 'US.1349120865530274' }, ['to']],
    [{ parameters: ['x'.repeat(1025), 'y'] }, ['parameters[0]']],
  ]
  for (const [more, fields] of cases) {
    const answer = await template(more)
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(fieldsOf(answer), fields, answer.text)
  }
  assert.deepEqual(await messages(), [])
  assert.deepEqual(graph.sent(), [])
})

test('a template that is unknown, paused, or in other languages only is not found', async () => {
  const { template } = await fresh()
  for (const more of [
    { templateName: 'nothing' },
    { templateName: 'paused', parameters: [] },
    { templateName: 'hello', language: 'fr', parameters: [] },
  ])
    assert.equal((await template(more)).body.error.code, 'WHATSAPP_TEMPLATE_NOT_FOUND')
})

test('a template that was approved a moment ago is found', async () => {
  const { template: send } = await fresh()
  await send()
  graph.templates.push(template('brand_new', [body('Hello')]))
  assert.equal((await send({ templateName: 'brand_new', parameters: [] })).status, 200)
})

test('a template that WhatsApp says was paused is not sent any more', async () => {
  const { receive, template } = await fresh()
  await template()
  graph.templates = graph.templates.map((one) =>
    one.name === 'order_ready' ? { ...one, status: 'PAUSED' } : one,
  )
  await receive({
    field: 'message_template_status_update',
    value: {
      event: 'PAUSED',
      message_template_id: 1,
      message_template_name: 'order_ready',
      message_template_language: 'en_US',
    },
  })
  assert.equal((await template()).body.error.code, 'WHATSAPP_TEMPLATE_NOT_FOUND')
})

test('what is kept of a template is enough to send it while the list cannot be fetched', async () => {
  const { template } = await fresh()
  await template()
  clock.now = () => new Date(Date.now() + 3_600_000)
  graph.answer = (asked, response) =>
    asked.method === 'GET' ? refuse(2, 503)(asked, response) : accept(graph, asked, response)
  assert.equal((await template()).status, 200)
})

test('a template with a picture carries it, in the language that is named', async () => {
  const { template } = await fresh()
  const headerImageUrl = 'https://example.com/a.jpg'
  await template({ templateName: 'picture', parameters: [], headerImageUrl })
  await template({ templateName: 'hello', parameters: [], language: 'de' })
  const [picture, hello] = graph.sent().map(({ template }) => template) as Record<string, unknown>[]
  assert.deepEqual(picture?.components, [
    { type: 'header', parameters: [{ type: 'image', image: { link: headerImageUrl } }] },
  ])
  assert.deepEqual(hello, { name: 'hello', language: { code: 'de' } })
})

test('templates with a video, document or location header are listed as sendable and sent with theirs', async () => {
  const { workspace, template: send } = await fresh()
  graph.templates = [
    template('film', [{ type: 'HEADER', format: 'VIDEO' }, body('Look')]),
    template('invoice', [{ type: 'HEADER', format: 'DOCUMENT' }, body('Look')]),
    template('shop', [{ type: 'HEADER', format: 'LOCATION' }, body('Look')]),
    template('loop', [{ type: 'HEADER', format: 'GIF' }, body('Look')]),
  ]
  const { body: list } = await call(workspace.token, 'GET', '/whatsapp/templates')
  assert.deepEqual(
    list.templates.map((one: Record<string, unknown>) => [one.name, one.headerFormat, one.isSendable]),
    [
      ['film', 'VIDEO', true],
      ['invoice', 'DOCUMENT', true],
      ['loop', 'GIF', false],
      ['shop', 'LOCATION', true],
    ],
  )
  const headerMediaUrl = 'https://example.com/a'
  const headerLocation = { latitude: 52.52, longitude: 13.405, name: 'Shop' }
  for (const values of [
    { templateName: 'film', headerMediaUrl },
    { templateName: 'invoice', headerMediaUrl, headerFileName: 'Invoice.pdf' },
    { templateName: 'shop', headerLocation },
  ]) {
    const answer = await send({ parameters: [], ...values })
    assert.equal(answer.status, 200, answer.text)
  }
  const sent = graph.sent().map(({ template }) => (template as { components: object[] }).components)
  const header = (parameter: object) => [{ type: 'header', parameters: [parameter] }]
  assert.deepEqual(sent, [
    header({ type: 'video', video: { link: headerMediaUrl } }),
    header({ type: 'document', document: { link: headerMediaUrl, filename: 'Invoice.pdf' } }),
    header({ type: 'location', location: { latitude: '52.52', longitude: '13.405', name: 'Shop' } }),
  ])
  for (const [values, fields] of [
    [{ templateName: 'film' }, ['headerMediaUrl']],
    [{ templateName: 'shop', headerMediaUrl }, ['headerMediaUrl', 'headerLocation']],
    [{ templateName: 'shop', headerLocation: { latitude: 91, longitude: 0 } }, ['headerLocation.latitude']],
    [{ templateName: 'loop' }, ['templateName']],
  ] as const)
    assert.deepEqual(fieldsOf(await send({ parameters: [], ...values })), fields)
})

test('a template that WhatsApp no longer knows is looked up again before the message fails', async () => {
  const world = await fresh()
  const lists = () => graph.asked.filter(({ method }) => method === 'GET').length
  const refuseSends = (times: number) => {
    let left = times
    graph.answer = (asked, response) => {
      if (asked.method === 'POST' && left-- > 0) return refuse(132001, 404)(asked, response)
      accept(graph, asked, response)
    }
  }
  refuseSends(1)
  const { body: first } = await world.template()
  const before = lists()
  const statusOfMessage = async (id: string) =>
    (await world.messages()).find((message) => message.id === id)?.status
  await until(async () => (await statusOfMessage(first.message.id)) === 'sent', 'the message to be sent')
  assert.equal(lists(), before)
  assert.equal(before, 2)
  refuseSends(1)
  graph.templates = graph.templates.filter(({ name }) => name !== 'order_ready')
  const { body: second } = await world.template()
  await until(async () => (await statusOfMessage(second.message.id)) === 'failed', 'the message to fail')
  assert.equal((await world.template()).body.error.code, 'WHATSAPP_TEMPLATE_NOT_FOUND')
})
