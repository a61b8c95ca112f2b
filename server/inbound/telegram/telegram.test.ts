import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { until } from '../../../test/until.ts'
import { storeUpload } from '../../domain/attachments/store-attachment.ts'
import { closeConversation } from '../../domain/conversations/set-conversation-status.ts'
import { requestErasure } from '../../domain/erasures/request-erasure.ts'
import { runErasure } from '../../domain/erasures/run-erasure.ts'
import { storeItems } from '../items/store-items.ts'
import { connectFresh, drop, hang, json, startProvider } from '../items/testing/provider.ts'

const TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
const SECRET = 'a-webhook_secret'

const app = await startApp({
  worker: { sendTimeoutMs: 700, fetchTimeoutMs: 700, backoffMinMs: 20, backoffMaxMs: 60 },
})
const { call } = app

let sent = 100
const bot = await startProvider(({ url, text }, response) => {
  const method = url.split('/').at(-1)
  if (method === 'getFile')
    return json(response, { ok: false, error_code: 400, description: 'Bad Request: wrong file_id' }, 400)
  if (method === 'getUserProfilePhotos')
    return json(response, { ok: true, result: { total_count: 0, photos: [] } })
  if (method === 'sendMediaGroup')
    return json(response, { ok: true, result: [{ message_id: sent++ }, { message_id: sent++ }] })
  const chat = /"chat_id":"(\d+)"/.exec(text)?.[1]
  json(response, { ok: true, result: { message_id: sent++, chat: { id: Number(chat), type: 'private' } } })
})

const fresh = async (workspaceId?: string) => {
  bot.reset()
  const connected = await connectFresh(
    app,
    'telegram',
    { botToken: TOKEN, webhookSecret: SECRET, apiUrl: bot.url },
    workspaceId,
  )
  const deliver = (raw: string, secret: string | null = SECRET) =>
    app.app.inject({
      method: 'POST',
      url: `/webhooks/telegram/${connected.channelId}`,
      payload: raw,
      headers: {
        'content-type': 'application/json',
        ...(secret !== null && { 'x-telegram-bot-api-secret-token': secret }),
      },
    })
  return {
    ...connected,
    deliver,
    send: async (...updates: object[]) => {
      const answers = []
      for (const update of updates) {
        const answer = await deliver(JSON.stringify({ update_id: 174114370 + sent++, ...update }))
        assert.equal(answer.statusCode, 200, answer.body)
        answers.push(answer.json())
      }
      return answers
    },
    sends: () => bot.asked.filter(({ url }) => /\/send/.test(url)),
  }
}

const NIC = {
  id: 3527065,
  is_bot: false,
  first_name: 'Nic',
  last_name: 'Pottier',
  username: 'nicpottier',
  language_code: 'en',
}
const { language_code: _, is_bot: __, ...chatOfNic } = NIC
const CHAT = { ...chatOfNic, type: 'private' }
let count = 40
const message = (more: object, from: object = NIC, chat: object = CHAT) => ({
  message_id: ++count,
  from,
  chat,
  date: 1454119029,
  ...more,
})

test('a first message creates the contact by chat id, and a repeat changes nothing', async () => {
  const { send, messages, rows, deliver, workspace, channelId } = await fresh()
  const update = { message: message({ text: 'Hello World' }) }
  await send(update, update)
  const [stored, ...others] = await messages()
  assert.deepEqual([stored?.body, others], ['Hello World', []])
  assert.equal(stored?.external_id, `3527065:${update.message.message_id}`)
  const { body } = await call(workspace.token, 'GET', '/contacts?search=nicpottier')
  assert.deepEqual([body.contacts[0].name, body.contacts[0].channels], ['Nic Pottier', ['telegram']])
  assert.deepEqual(
    (await rows('conversations'))[0]?.last_inbound_at,
    '2016-01-30T02:00:00.000Z'.replace('02:00:00', '01:57:09'),
  )
  const forged = [null, '', 'another', `${SECRET} `]
  for (const secret of forged)
    assert.equal(
      (await deliver(JSON.stringify({ message: message({ text: 'Forged' }) }), secret)).statusCode,
      401,
    )
  assert.deepEqual([(await messages()).length, (await rows('webhook_leftovers')).length], [1, 0])
  const other = channelId.slice(0, -1) + (channelId.endsWith('x') ? 'y' : 'x')
  const url = `/webhooks/telegram/${other}`
  assert.equal((await app.app.inject({ method: 'POST', url, payload: '{}' })).statusCode, 404)
})

test('every type of message has readable text, and its files', async () => {
  const { send, messages, rows } = await fresh()
  const file = (more = {}) => ({ file_id: `F${count}`, file_unique_id: 'U', file_size: 1000, ...more })
  const kinds: [object, string][] = [
    [
      {
        photo: [
          file({ file_id: 'small', width: 90, height: 60 }),
          file({ file_id: 'large', width: 1280, height: 853 }),
        ],
        caption: 'Our shop',
        media_group_id: '13',
      },
      'Our shop',
    ],
    [{ document: file({ file_name: 'offer.pdf', mime_type: 'application/pdf' }) }, 'offer.pdf'],
    [{ voice: file({ duration: 3, mime_type: 'audio/ogg' }) }, 'Voice message'],
    [{ audio: file({ performer: 'Bach', title: 'Air' }) }, 'Bach – Air'],
    [{ video: file({ mime_type: 'video/mp4' }) }, 'Video'],
    [{ video_note: file({ length: 240 }) }, 'Video message'],
    [{ animation: file(), document: file({ file_name: 'x.gif.mp4' }) }, 'Animation'],
    [{ sticker: file({ emoji: '👍', is_animated: false, is_video: false }) }, 'Sticker 👍'],
    [{ location: { latitude: 37.4, longitude: -122.1 } }, 'Location: 37.4, -122.1'],
    [
      {
        venue: { location: { latitude: 1, longitude: 2 }, title: 'Office', address: 'Main St 1' },
        location: { latitude: 1, longitude: 2 },
      },
      'Location: Office, Main St 1, 1, 2',
    ],
    [
      { contact: { phone_number: '+351912345678', first_name: 'Nic', user_id: NIC.id } },
      'Contact: Nic, +351912345678',
    ],
    [
      { poll: { id: '1', question: 'When?', options: [{ text: 'Now' }, { text: 'Later' }] } },
      'Poll: When?\n– Now\n– Later',
    ],
    [{ dice: { emoji: '🎲', value: 4 } }, '🎲 4'],
    [
      { text: '/start campaign-7', entities: [{ type: 'bot_command', offset: 0, length: 6 }] },
      '/start campaign-7',
    ],
    [{ hologram: { x: 1 } }, 'Unsupported message (hologram)'],
  ]
  await send(...kinds.map(([kind]) => ({ message: message(kind) })))
  const stored = await messages()
  assert.deepEqual(
    stored.map(({ body }) => body),
    kinds.map(([, body]) => body),
  )
  const files = await rows('attachments')
  assert.equal(files.length, 11)
  const photo = files.find(({ message_id }) => message_id === stored[0]!.id)
  assert.deepEqual([photo?.type, photo?.source?.fileId], ['image', 'large'])
  assert.equal(stored[0]?.metadata?.albumId, '13')
  assert.equal(stored[13]?.metadata?.startPayload, 'campaign-7')
  // A shared contact card verifies no number, not even the sender's own.
  assert.deepEqual(
    (await rows('identities')).map(({ kind }) => kind),
    ['telegram'],
  )
  assert.equal((await rows('contacts'))[0]?.phone, null)
})

test('a reply quotes the selected text; an edit changes the text, even if it arrives first', async () => {
  const { send, messages } = await fresh()
  const first = message({ text: 'The whole question' })
  await send({ message: first })
  await send({
    message: message({
      text: 'The answer',
      reply_to_message: first,
      quote: { text: 'question', position: 10 },
    }),
  })
  await send({ edited_message: { ...first, text: 'Another question', edit_date: 1454119099 } })
  const early = message({ text: 'Edited before it came' })
  await send(
    { edited_message: { ...early, edit_date: 1454119100 } },
    { message: { ...early, text: 'As it was' } },
  )
  const stored = await messages()
  assert.deepEqual(
    stored.map(({ body, reply_quote }) => [body, reply_quote]),
    [
      ['Another question', null],
      ['The answer', 'question'],
      ['Edited before it came', null],
    ],
  )
  assert.equal(stored[0]?.metadata?.originalBody, 'The whole question')
  assert.equal(stored[1]?.reply_to_message_id, stored[0]?.id)
})

test("a tapped button is stored as the customer's choice, and its spinner stops", async () => {
  const { send, last } = await fresh()
  const under = {
    ...message({ text: 'Ship today?' }),
    reply_markup: { inline_keyboard: [[{ text: 'Yes, please', callback_data: 'ship:1' }]] },
  }
  const [answer] = await send({
    callback_query: { id: '4382bfdwdsb323b2d9', from: NIC, message: under, data: 'ship:1' },
  })
  assert.deepEqual(answer, { method: 'answerCallbackQuery', callback_query_id: '4382bfdwdsb323b2d9' })
  assert.equal((await last())?.body, 'Yes, please')
})

test('the contact gets the customer’s newest profile picture', async () => {
  const { send, rows } = await fresh()
  bot.answer = ({ url, text }, response) => {
    if (url.endsWith('/getUserProfilePhotos') && text === '{"user_id":"3527065","limit":1}')
      return json(response, {
        ok: true,
        result: {
          photos: [
            [
              { file_id: 'P160', file_unique_id: 'u1' },
              { file_id: 'P640', file_unique_id: 'u2' },
            ],
          ],
        },
      })
    if (url.endsWith('/getFile')) return json(response, { ok: true, result: { file_path: 'photos/1.jpg' } })
    if (url.includes('/file/')) return void response.writeHead(200).end('FACE')
    json(response, { ok: true, result: {} })
  }
  await send({ message: message({ text: 'Hello' }) })
  await until(async () => (await rows('contacts'))[0]?.avatar_url !== null, 'the picture')
  const [file] = await rows('attachments')
  const [contact] = await rows('contacts')
  assert.deepEqual([file?.id, file?.contact_id, file?.size], [contact?.avatar_url, contact?.id, 4])
})

test('messages of groups, channels and bots are ignored', async () => {
  const { send, messages, rows } = await fresh()
  await send(
    { message: message({ text: 'In a group' }, NIC, { id: -1001, type: 'supergroup', title: 'G' }) },
    { message: message({ text: 'From a bot' }, { ...NIC, is_bot: true }) },
  )
  assert.deepEqual([await messages(), await rows('webhook_leftovers')], [[], []])
})

test('customers who blocked the bot get no messages until they are back', async () => {
  const { send, answer, rows, sends } = await fresh()
  await send({ message: message({ text: 'Hello' }) })
  const member = (status: string, date: number) => ({
    my_chat_member: {
      chat: CHAT,
      from: NIC,
      date,
      old_chat_member: {},
      new_chat_member: { status, user: {} },
    },
  })
  await send(member('kicked', 1454119100), member('kicked', 1454119100))
  await assert.rejects(answer('Are you there?'), { code: 'CUSTOMER_UNREACHABLE' })
  const [conversation] = await rows('conversations')
  const lines = await app.db
    .selectFrom('messages')
    .select('body')
    .where('conversation_id', '=', conversation!.id)
    .where('sender_type', '=', 'system')
    .execute()
  assert.deepEqual(lines, [{ body: 'The customer has blocked the bot' }])
  await send({ message: message({ text: 'I am back' }) })
  assert.equal((await answer('Good')).status, 'sent')
  assert.equal(sends().length, 1)
})

test('a new profile name is adopted, unless an agent renamed the contact', async () => {
  const { send, rows, ctx } = await fresh()
  const name = async () => (await rows('contacts'))[0]?.name
  await send({ message: message({ text: 'a' }) })
  await send({ message: message({ text: 'b' }, { ...NIC, last_name: 'Miller' }) })
  assert.equal(await name(), 'Nic Miller')
  const [contact] = await rows('contacts')
  await ctx.db.updateTable('contacts').set({ name: 'Nic (VIP)' }).where('id', '=', contact!.id).execute()
  await send({ message: message({ text: 'c' }, { ...NIC, last_name: 'Pottier' }) })
  assert.equal(await name(), 'Nic (VIP)')
})

test('malformed input in a verified request is kept once and gets a 200', async () => {
  const { deliver, messages, rows, send } = await fresh()
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`
  const odd = [
    ...['', '{', 'null', '[]', '"x"', deep, '\u0000', '{"update_id":1}', '{"update_id":1,"channel_post":{}}'],
    '{"update_id":1,"message":[]}',
    '{"update_id":1,"message":{"message_id":{},"chat":[],"from":7}}',
    JSON.stringify({ update_id: 1, message: message({ pinned_message: {} }) }),
  ]
  for (const raw of odd)
    for (let time = 0; time < 2; time++) assert.equal((await deliver(raw)).statusCode, 200, raw)
  assert.equal((await rows('webhook_leftovers')).length, odd.length)
  // Numbers as text, ids beyond 2^53, and 3 MB.
  const from = '{"id":"9007199254740993","first_name":["x"],"username":{}}'
  const chat = '{"id":9007199254740993,"type":"private"}'
  const huge = `{"update_id":"7","message":{"message_id":"5","date":"1454119029","from":${from},"chat":${chat},"text":"${'x'.repeat(3_000_000)}"}}`
  assert.equal((await deliver(huge)).statusCode, 200)
  assert.equal((await messages())[0]?.external_id, '9007199254740993:5')
  assert.equal((await rows('contacts'))[0]?.name, 'Telegram user 0993')
  await send({ message: message({ text: 'bad \u0000 and \ud800 text' }) })
  assert.equal((await deliver('x'.repeat(3 * 1024 * 1024 + 1))).statusCode, 413)
})

test('concurrent first messages of one person create one contact and one conversation', async () => {
  const { send, messages, rows } = await fresh()
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => send({ message: message({ text: `Message ${index}` }) })),
  )
  assert.deepEqual(
    [(await messages()).length, (await rows('contacts')).length, (await rows('conversations')).length],
    [20, 1, 1],
  )
})

test('two processes that receive the same new people in different orders store each message once', async () => {
  const { channelId, messages, rows, workspace } = await fresh()
  const routed = Array.from({ length: 40 }, (_, index) => {
    const from = { id: 90_000 + (index % 20), is_bot: false, first_name: `Person ${index % 20}` }
    const update = { update_id: 1, message: message({ text: 'Hello' }, from, { ...from, type: 'private' }) }
    const { items } = app.deps.channels.telegram.parseUpdate(JSON.stringify(update))
    return { channelAccountId: channelId, item: items[0]! }
  })
  const ctx = app.ctxOf(workspace.id)
  await Promise.all([
    storeItems(ctx, 'telegram', routed),
    storeItems(ctx, 'telegram', [...routed].reverse()),
    storeItems(ctx, 'telegram', routed.slice(10)),
  ])
  assert.deepEqual(
    [(await messages()).length, (await rows('contacts')).length, (await rows('conversations')).length],
    [40, 20, 20],
  )
})

// Out ---------------------------------------------------------------------------------------------------------------

test("a reply is sent as text without link previews, the API can't send, and a closed conversation reopens with the next message", async () => {
  const { send, answer, rows, sends, workspace, ctx } = await fresh()
  await send({ message: message({ text: 'Hello' }) })
  const [conversation] = await rows('conversations')
  const refused = await call(workspace.token, 'POST', `/conversations/${conversation!.id}/messages`, {
    body: 'Hi',
  })
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'CHANNEL_NOT_SUPPORTED'])
  const { id, status } = await answer('Hi <b>there</b>')
  assert.equal(status, 'sent')
  const [asked] = sends()
  assert.equal(asked?.url, `/bot${TOKEN}/sendMessage`)
  const sent = { chat_id: '3527065', text: 'Hi <b>there</b>' }
  assert.deepEqual(JSON.parse(asked!.text), { ...sent, link_preview_options: { is_disabled: true } })
  await app.db
    .updateTable('channel_accounts')
    .set({ settings: sql`settings || '{"linkPreviews": true}'` as never })
    .where('id', '=', conversation!.channel_account_id)
    .execute()
  await answer('Hi <b>there</b>')
  assert.deepEqual(JSON.parse(sends()[1]!.text), sent)
  const row = await app.db
    .selectFrom('messages')
    .select('external_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.match(row.external_id ?? '', /^3527065:\d+$/)
  await closeConversation(ctx, conversation!.id)
  await send({ message: message({ text: 'Again' }) })
  assert.deepEqual(
    (await rows('conversations')).map(({ status }) => status),
    ['open'],
  )
})

test('files are sent in one call, with the text as caption', async () => {
  const { send, answer, sends, ctx } = await fresh()
  await send({ message: message({ text: 'Hello' }) })
  const upload = async (name: string, mimeType: string, text: string) =>
    (await storeUpload(ctx, { name, mimeType, stream: Readable.from([Buffer.from(text)]) })).id
  const one = await upload('map.png', 'image/png', 'PNG')
  assert.equal((await answer('Here', { attachmentIds: [one] })).status, 'sent')
  const two = [
    await upload('a.pdf', 'application/pdf', 'first'),
    await upload('b.png', 'image/png', 'second'),
  ]
  assert.equal((await answer('', { attachmentIds: two })).status, 'sent')
  const [photo, album] = sends()
  assert.match(photo!.url, /\/sendPhoto$/)
  assert.match(photo!.text, /name="caption"\r\n\r\nHere\r\n/)
  assert.match(photo!.text, /name="photo"; filename="map.png"\r\ncontent-type: image\/png\r\n\r\nPNG\r\n/)
  assert.match(album!.url, /\/sendMediaGroup$/)
  assert.match(
    album!.text,
    /\[{"type":"document","media":"attach:\/\/file0"},{"type":"document","media":"attach:\/\/file1"}\]/,
  )
  await assert.rejects(
    answer('x'.repeat(1025), { attachmentIds: [await upload('c.png', 'image/png', 'c')] }),
    {
      code: 'VALIDATION_ERROR',
    },
  )
})

test('rate limits are respected, blocked and rejected messages fail with the reason, and no token is revealed', async () => {
  const { send, answer, sends, becomes } = await fresh()
  await send({ message: message({ text: 'Hello' }) })
  const usual = bot.answer
  let times = 0
  bot.answer = (asked, response) =>
    asked.url.endsWith('/sendMessage') && ++times === 1
      ? json(
          response,
          {
            ok: false,
            error_code: 429,
            description: 'Too Many Requests: retry after 1',
            parameters: { retry_after: 1 },
          },
          429,
        )
      : usual(asked, response)
  const started = Date.now()
  await becomes((await answer('Patience')).id, 'sent')
  assert.ok(Date.now() - started >= 1000)
  assert.equal(sends().length, 2)
  const errors = [
    [403, 'Forbidden: bot was blocked by the user'],
    [400, 'Bad Request: chat not found'],
    [401, 'Unauthorized'],
  ] as const
  for (const [code, description] of errors) {
    bot.answer = (_, response) => json(response, { ok: false, error_code: code, description }, code)
    const { status, metadata } = await answer(`Refused ${code}`)
    assert.equal(status, 'failed')
    const { error } = metadata as { error: { code: string; message: string } }
    assert.equal(error.code, String(code))
    assert.ok(!error.message.includes(TOKEN))
  }
})

for (const [what, answering] of [
  ['a hanging', hang],
  ['a broken', drop],
  [
    'an unreadable',
    (_: unknown, response: Parameters<typeof json>[0]) => void response.writeHead(502).end('<html>'),
  ],
] as const)
  test(`a message that may have arrived is never resent: ${what} response`, async () => {
    const { send, answer, sends, statusOf } = await fresh()
    await send({ message: message({ text: 'Hello' }) })
    bot.answer = answering
    const perhaps = await answer('Perhaps')
    bot.answer = (_, response) =>
      json(response, { ok: false, error_code: 500, description: 'Internal Server Error' }, 500)
    const { id } = await answer('Not taken')
    bot.reset()
    await until(async () => (await statusOf(id)) === 'sent', 'what was not taken to be sent')
    assert.equal(sends().length, 1)
    assert.equal(await statusOf(perhaps.id), 'queued')
  })

test('a file is downloaded by its id, from the bot’s own address', async () => {
  const { send, rows } = await fresh()
  bot.answer = ({ url, text }, response) => {
    if (url.endsWith('/getFile') && text === '{"file_id":"BQAD"}')
      return json(response, {
        ok: true,
        result: { file_id: 'BQAD', file_size: 4, file_path: 'documents/file 0.pdf' },
      })
    if (url === `/file/bot${TOKEN}/documents/file%200.pdf`)
      return void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('%PDF')
    json(response, { ok: false, error_code: 400, description: 'Bad Request' }, 400)
  }
  await send({
    message: message({ document: { file_id: 'BQAD', file_name: 'offer.pdf', mime_type: 'application/pdf' } }),
  })
  await until(async () => (await rows('attachments'))[0]?.state === 'stored', 'the file to be stored')
  const [file] = await rows('attachments')
  assert.deepEqual([file?.size, file?.mime_type, file?.name], [4, 'application/pdf', 'offer.pdf'])
})

test('the check reports problems with the bot and its webhook, and setting one up sends the secret', async () => {
  const { channelId } = await fresh()
  const { telegram } = app.deps.channels
  const account = {
    id: channelId,
    address: null,
    settings: { apiUrl: bot.url },
    secrets: { botToken: TOKEN, webhookSecret: SECRET },
  }
  let url = ''
  bot.answer = (asked, response) =>
    json(response, {
      ok: true,
      result: asked.url.endsWith('/getMe')
        ? { id: 1, username: 'shop_bot' }
        : { url, pending_update_count: 0 },
    })
  const check = async () => (await telegram.check!(account, { timeoutMs: 500 })).map(({ ok }) => ok)
  assert.deepEqual(await check(), [true, false])
  url = `https://foyer.test/webhooks/telegram/${channelId}`
  assert.deepEqual(await check(), [true, true])
  await telegram.registerWebhook(account, url, { timeoutMs: 500 })
  assert.deepEqual(JSON.parse(bot.asked.at(-1)!.text), {
    url,
    secret_token: SECRET,
    allowed_updates: ['message', 'edited_message', 'callback_query', 'my_chat_member', 'message_reaction'],
  })
  bot.answer = (_, response) =>
    json(response, { ok: false, error_code: 401, description: 'Unauthorized' }, 401)
  assert.deepEqual(await check(), [false])
})

test('an update that is delivered again after its sender was erased is dropped; a new one is from a new customer', async () => {
  const { channelId, messages, rows, workspace } = await fresh()
  const ctx = app.ctxOf(workspace.id)
  const deliver = (text: string, date: number) => {
    const from = { id: 91_000, is_bot: false, first_name: 'Zoe' }
    const update = {
      update_id: 1,
      message: message({ text, date, from }, from, { ...from, type: 'private' }),
    }
    const { items } = app.deps.channels.telegram.parseUpdate(JSON.stringify(update))
    return storeItems(ctx, 'telegram', [{ channelAccountId: channelId, item: items[0]! }])
  }
  const now = Math.floor(Date.now() / 1000)
  await deliver('Before', now - 60)
  const [before] = await rows('contacts')
  const { erasure } = await requestErasure(ctx, { contactId: String(before!.id), mode: 'erase' })
  await runErasure(ctx, erasure.id, { isStopping: () => false })
  await deliver('Before', now - 60)
  assert.deepEqual([(await messages()).length, (await rows('contacts')).length], [0, 0])
  app.clock.now = () => new Date((now + 120) * 1000)
  try {
    await deliver('After', now + 60)
  } finally {
    app.clock.now = () => new Date()
  }
  assert.deepEqual([(await messages()).length, (await rows('contacts')).length], [1, 1])
})
