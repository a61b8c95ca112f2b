import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { attemptOf } from '../../../test/attempts.ts'
import { countOwn } from '../../../test/statements.ts'
import { until } from '../../../test/until.ts'
import { listUnbound } from '../../domain/attachments/queries.ts'
import { storeUpload } from '../../domain/attachments/store-attachment.ts'
import { connectFresh, drop, hang, json, startProvider } from '../items/testing/provider.ts'

const PAGE = '1059812345678'
const SECRET = 'app-secret'
const VERIFY = 'verify-token'
const TOKEN = 'EAAGpageToken1234567890'

const app = await startApp({
  worker: { sendTimeoutMs: 700, fetchTimeoutMs: 700, backoffMinMs: 20, backoffMaxMs: 60 },
})
const { call } = app

let count = 0
const graph = await startProvider(({ method, url, headers }, response) => {
  if (headers.authorization !== `Bearer ${TOKEN}`)
    return json(
      response,
      { error: { message: 'Invalid OAuth access token.', type: 'OAuthException', code: 190 } },
      401,
    )
  if (method === 'GET' && url.includes('profile_pic'))
    return json(response, { first_name: 'Lena', last_name: 'Meyer', id: url.split('/')[2]?.split('?')[0] })
  json(response, { recipient_id: '1', message_id: `m_out${count++}` })
})

const sign = (raw: string, secret = SECRET) =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

const fresh = async () => {
  graph.reset()
  const fields = {
    pageId: PAGE,
    accessToken: TOKEN,
    appSecret: SECRET,
    verifyToken: VERIFY,
    apiUrl: graph.url,
  }
  const connected = await connectFresh(app, 'facebook', fields)
  const url = `/webhooks/facebook/${connected.channelId}`
  const deliver = (raw: string, signature: string | null = sign(raw)) =>
    app.app.inject({
      method: 'POST',
      url,
      payload: raw,
      headers: {
        'content-type': 'application/json',
        ...(signature !== null && { 'x-hub-signature-256': signature }),
      },
    })
  return {
    ...connected,
    url,
    deliver,
    send: async (...events: object[]) => {
      const answer = await deliver(JSON.stringify(pageOf(events)))
      assert.equal(answer.statusCode, 200, answer.body)
    },
    sends: () => graph.asked.filter(({ method }) => method === 'POST'),
  }
}

const pageOf = (messaging: object[], id = PAGE, key = 'messaging') => ({
  object: 'page',
  entry: [{ id, time: Date.now(), [key]: messaging }],
})

/** A customer's event. */
const from = (psid: string, more: object, timestamp = Date.now()) => ({
  sender: { id: psid },
  recipient: { id: PAGE },
  timestamp,
  ...more,
})
const LENA = '7890123456781234'
const said = (message: object, psid = LENA, timestamp = Date.now()) =>
  from(psid, { message: { mid: `m_${count++}`, ...message } }, timestamp)
const echo = (message: object, timestamp = Date.now()) => ({
  sender: { id: PAGE },
  recipient: { id: LENA },
  timestamp,
  message: { mid: `m_${count++}`, is_echo: true, ...message },
})

test('the handshake returns the challenge; a wrong signature is 401 and stores nothing', async () => {
  const { url, deliver, messages, rows } = await fresh()
  const ask = (token: string) =>
    app.app.inject(`${url}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`)
  const answer = await ask(VERIFY)
  assert.deepEqual([answer.statusCode, answer.body], [200, '1158201444'])
  assert.equal((await ask('another')).statusCode, 401)
  const raw = JSON.stringify(pageOf([said({ text: 'Forged' })]))
  for (const signature of [null, 'sha256=', sign(`${raw} `), sign(raw, 'another')])
    assert.equal((await deliver(raw, signature)).statusCode, 401)
  assert.deepEqual([await messages(), await rows('webhook_leftovers')], [[], []])
})

test('a first message creates the contact, a job fetches their name and picture, and a repeat changes nothing', async () => {
  const { send, messages, rows } = await fresh()
  const event = said({ text: 'Hello' })
  await send(event, event)
  await send(event)
  assert.deepEqual(
    (await messages()).map(({ body }) => body),
    ['Hello'],
  )
  await until(async () => (await rows('contacts'))[0]?.name === 'Lena Meyer', 'the name')
  const [asked] = graph.asked
  assert.match(asked!.url, /^\/v25\.0\/7890123456781234\?fields=first_name%2Clast_name%2Cprofile_pic$/)
  const pictured = await fresh()
  graph.answer = ({ url }, response) =>
    url.startsWith('/pic/')
      ? void response.writeHead(200, { 'content-type': 'image/jpeg' }).end('FACE')
      : json(response, { first_name: 'Lena', profile_pic: `${graph.url}/pic/7.jpg?signed=now` })
  await pictured.send(said({ text: 'Hello' }))
  const profile = async () => {
    const [contact] = await pictured.rows('contacts')
    return (await call(pictured.workspace.token, 'GET', `/contacts/${contact!.id}`)).body.contact
  }
  await until(async () => (await profile()).avatarUrl !== null, 'the picture')
  const { pathname, search } = new URL((await profile()).avatarUrl)
  const picture = await app.app.inject(pathname + search)
  assert.deepEqual(
    [picture.statusCode, picture.body, picture.headers['content-type']],
    [200, 'FACE', 'image/jpeg'],
  )
  // It still exists a day later.
  const before = new Date(Date.now() + 48 * 3_600_000)
  assert.deepEqual(await listUnbound(app.db, before, 10), [])
})

test('concurrent first messages of one person, each delivered twice, create one contact and one conversation', async () => {
  const { send, messages, rows } = await fresh()
  const events = Array.from({ length: 20 }, (_, index) => said({ text: `Message ${index}` }))
  await Promise.all([...events, ...events].map((event) => send(event)))
  assert.deepEqual(
    [(await messages()).length, (await rows('contacts')).length, (await rows('conversations')).length],
    [20, 1, 1],
  )
})

test('a person with a private profile gets a placeholder name', async () => {
  const { send, rows } = await fresh()
  graph.answer = (_, response) =>
    json(response, { error: { message: 'Unsupported get request.', code: 100 } }, 400)
  await send(said({ text: 'Hello' }))
  await until(() => graph.asked.length === 1, 'the question')
  assert.equal((await rows('contacts'))[0]?.name, 'Facebook user 1234')
})

test('every type of event in a batch is processed', async () => {
  const { send, messages, rows, deliver } = await fresh()
  const file = (type: string, url: string) => ({ type, payload: { url } })
  const cdn = 'https://scontent.xx.fbcdn.net/v/t1'
  const kinds: [object, string][] = [
    [said({ attachments: [file('image', `${cdn}/cat%20photo.jpg?x=1`)] }), 'cat photo.jpg'],
    [said({ text: 'Look', attachments: [file('video', `${cdn}/v`), file('audio', `${cdn}/a.mp3`)] }), 'Look'],
    [
      said({
        sticker_id: 369239263222822,
        attachments: [{ type: 'image', payload: { url: `${cdn}/s.png`, sticker_id: 369239263222822 } }],
      }),
      '👍',
    ],
    [
      said({
        attachments: [{ type: 'location', title: 'Home', payload: { coordinates: { lat: 1.5, long: 2.5 } } }],
      }),
      'Location: Home, 1.5, 2.5',
    ],
    [
      said({ attachments: [{ type: 'fallback', title: 'A page', payload: { url: 'https://x.example/' } }] }),
      'A page\nhttps://x.example/',
    ],
    [said({ text: 'Red', quick_reply: { payload: 'COLOR_RED' } }), 'Red'],
    [
      from(
        LENA,
        {
          postback: {
            title: 'Get started',
            payload: 'START',
            referral: { ref: 'shop', source: 'SHORTLINK', type: 'OPEN_THREAD' },
          },
        },
        1700000000000,
      ),
      'Get started',
    ],
    [
      from(
        LENA,
        { referral: { ref: 'ad-7', source: 'ADS', ad_id: 1689556908129832, type: 'OPEN_THREAD' } },
        1700000001000,
      ),
      'Opened the chat',
    ],
    [
      from(LENA, { optin: { type: 'notification_messages', payload: 'p', title: 'News' } }, 1700000002000),
      'Opted in: News',
    ],
    [said({ is_unsupported: true }), 'Unsupported message'],
  ]
  const payload = JSON.stringify(pageOf(kinds.map(([event]) => event)))
  await deliver(payload)
  await deliver(payload)
  const stored = await messages()
  assert.deepEqual(
    stored.map(({ body }) => body),
    kinds.map(([, body]) => body),
  )
  assert.equal((await rows('attachments')).length, 5)
  assert.deepEqual(stored[5]?.metadata?.choice, { kind: 'button', id: 'COLOR_RED', title: 'Red' })
  assert.equal((stored[7]!.metadata!.referral as { adId: string }).adId, '1689556908129832')
  await send(from(LENA, { account_linking: { status: 'linked' } }))
  assert.deepEqual(
    (await rows('webhook_leftovers')).map(({ reason }) => reason),
    ['field'],
  )
})

test('replies, reactions, edits and deletions are matched to their message', async () => {
  const { send, messages, rows } = await fresh()
  const first = said({ text: 'Helo' })
  const { mid } = (first as unknown as { message: { mid: string } }).message
  await send(first, said({ text: 'The answer', reply_to: { mid } }))
  await send(from(LENA, { reaction: { mid, action: 'react', emoji: '❤️', reaction: 'love' } }))
  await send(from(LENA, { message_edit: { mid, text: 'Hello', num_edit: 1 } }))
  const [message, reply] = await messages()
  assert.deepEqual([message?.body, message?.metadata?.originalBody], ['Hello', 'Helo'])
  assert.equal((message!.metadata!.reactions as { emoji: string }[])[0]?.emoji, '❤️')
  assert.equal(reply?.reply_to_message_id, message?.id)
  await send(from(LENA, { reaction: { mid, action: 'unreact' } }))
  await send(from(LENA, { message: { mid, is_deleted: true } }))
  const [after] = await messages()
  assert.equal(after?.metadata?.reactions, undefined)
  assert.ok(after?.metadata?.deletedAt)
  await send(from(LENA, { message_edit: { mid: 'm_unknown', text: 'x' } }))
  assert.deepEqual(await rows('webhook_leftovers'), [])
  await send(from(LENA, { message: { mid: 'm_unknown', text: 'y' } }))
  const late = (await messages()).at(-1)
  assert.deepEqual([late?.body, late?.metadata?.originalBody], ['x', 'y'])
})

test('standby events are received too, and events for an unknown page are kept', async () => {
  const { deliver, messages, rows } = await fresh()
  const standby = JSON.stringify(pageOf([said({ text: 'While a bot answers' })], PAGE, 'standby'))
  const foreign = JSON.stringify(
    pageOf([{ ...said({ text: 'To another' }), recipient: { id: '999' } }], '999'),
  )
  for (const raw of [standby, foreign, foreign]) assert.equal((await deliver(raw)).statusCode, 200)
  assert.deepEqual(
    (await messages()).map(({ body }) => body),
    ['While a bot answers'],
  )
  assert.equal((await rows('webhook_leftovers')).length, 1)
})

test('malformed input in a verified delivery is kept once and gets a 200', async () => {
  const { deliver, rows } = await fresh()
  const entry = (value: unknown) => JSON.stringify({ object: 'page', entry: value })
  const odd = [
    ...[
      '',
      '{',
      'null',
      '[]',
      `${'['.repeat(100)}${']'.repeat(100)}`,
      '\u0000',
      '{"object":"instagram","entry":[{}]}',
    ],
    ...[entry({}), entry([]), entry([7]), entry([{ id: PAGE, changes: [{ field: 'feed' }] }])],
    entry([{ id: PAGE, messaging: [{ sender: [], recipient: 5, message: 'x' }] }]),
    JSON.stringify(pageOf([from(LENA, { message: { mid: {}, text: [] } })])),
    JSON.stringify(pageOf([from(LENA, { read: { watermark: 'x' } })])),
  ]
  for (const raw of odd)
    for (let time = 0; time < 2; time++) assert.equal((await deliver(raw)).statusCode, 200, raw)
  assert.equal((await rows('webhook_leftovers')).length, odd.length)
  const long = JSON.stringify(pageOf(Array.from({ length: 45 }, () => said({ text: 'x'.repeat(60_000) }))))
  assert.equal((await deliver(long + ' '.repeat(3 * 1024 * 1024 - long.length))).statusCode, 200)
  assert.equal((await deliver(' '.repeat(3 * 1024 * 1024 + 1))).statusCode, 413)
  const ids = `{"object":"page","entry":[{"id":${PAGE},"messaging":[{"sender":{"id":90071992547409931},"recipient":{"id":${PAGE}},"timestamp":"1700000000000","message":{"mid":"m_big","text":"x"}}]}]}`
  assert.equal((await deliver(ids)).statusCode, 200)
  const values = (await rows('identities')).map(({ value }) => value)
  assert.ok(values.includes('90071992547409931'), String(values))
})

test('the number of statements per batch does not grow with its size', async () => {
  const { deliver, messages, rows } = await fresh()
  const batch = () =>
    JSON.stringify(
      pageOf(
        Array.from({ length: 400 }, (_, index) =>
          said({ text: `Message ${index}` }, `${1000 + (index % 50)}`),
        ),
      ),
    )
  await deliver(batch())
  // Jobs request each profile once.
  const isNamed = async () => (await rows('contacts')).every(({ name }) => name === 'Lena Meyer')
  await until(isNamed, 'their names')
  app.database.statements.length = 0
  assert.equal((await deliver(batch())).statusCode, 200)
  assert.ok(countOwn(app.database.statements) <= 14, app.database.statements.join('\n'))
  assert.deepEqual([(await messages()).length, (await rows('contacts')).length], [800, 50])
})

// Out, and what comes back ------------------------------------------------------------------------------------------

test('a reply is sent within 24 hours, and rejected as too late after that', async () => {
  const { send, answer, sends, rows, workspace, deliver } = await fresh()
  await send(said({ text: 'Hello' }))
  const { id, status } = await answer('Hi Lena')
  assert.equal(status, 'sent')
  assert.equal(sends()[0]?.url, '/v25.0/me/messages')
  assert.deepEqual(JSON.parse(sends()[0]!.text), {
    recipient: { id: LENA },
    messaging_type: 'RESPONSE',
    message: { text: 'Hi Lena', metadata: await attemptOf(app.db, id) },
  })
  const [conversation] = await rows('conversations')
  const refused = await call(workspace.token, 'POST', `/conversations/${conversation!.id}/messages`, {
    body: 'Hi',
  })
  assert.equal(refused.body.error.code, 'CHANNEL_NOT_SUPPORTED')
  // By Facebook's clock it may be too late already: then the message is removed from the thread.
  graph.answer = (_, response) =>
    json(
      response,
      {
        error: {
          message: '(#10) This message is sent outside of allowed window.',
          type: 'OAuthException',
          code: 10,
          error_subcode: 2018278,
        },
      },
      403,
    )
  await assert.rejects(answer('Too late'), { code: 'REPLY_WINDOW_CLOSED' })
  const old = await fresh()
  await old.send(said({ text: 'Yesterday' }, LENA, Date.now() - 24 * 3_600_000))
  await assert.rejects(old.answer('Too late'), { code: 'REPLY_WINDOW_CLOSED' })
  assert.equal(old.sends().length, 0)
  assert.ok(deliver)
})

test('an echo of our own message is matched to it, before or after the response to the send', async () => {
  const { send, answer, messages, sends } = await fresh()
  await send(said({ text: 'Hello' }))
  const first = await answer('First')
  await send(echo({ text: 'First', metadata: await attemptOf(app.db, first.id), mid: 'm_first_echo' }))
  // With Facebook's id only, and before its response.
  graph.answer = (_, response) => {
    void send(echo({ text: 'Second', mid: 'm_second' })).then(() =>
      json(response, { recipient_id: LENA, message_id: 'm_second' }),
    )
  }
  const second = await answer('Second')
  assert.equal(second.status, 'sent')
  graph.reset()
  await send(echo({ text: 'Second', mid: 'm_second' }))
  await send(echo({ text: 'From the page’s own inbox', app_id: 263902037430900 }))
  const stored = await messages()
  assert.deepEqual(
    stored.map(({ body, sender_type }) => [body, sender_type]),
    [
      ['Hello', 'customer'],
      ['First', 'agent'],
      ['Second', 'agent'],
      ['From the page’s own inbox', 'agent'],
    ],
  )
  assert.equal(stored[2]?.external_id, 'm_second')
  assert.equal(sends().length, 0)
})

test('a message that may have arrived is not resent; its echo confirms it', async () => {
  const { send, answer, sends, becomes } = await fresh()
  await send(said({ text: 'Hello' }))
  for (const answering of [hang, drop]) {
    graph.reset()
    graph.answer = answering
    const { id, status } = await answer('Perhaps')
    assert.equal(status, 'queued')
    await send(echo({ text: 'Perhaps', metadata: await attemptOf(app.db, id) }))
    await becomes(id, 'sent')
    assert.equal(sends().length, 1)
  }
})

test('delivery and read watermarks apply to messages sent before them, and not to queued ones', async () => {
  const { send, answer, statusOf, messages } = await fresh()
  await send(said({ text: 'Hello' }))
  const one = await answer('One')
  const two = await answer('Two')
  const [, , last] = await messages()
  const mark = (key: 'delivery' | 'read', watermark: number, more = {}) =>
    from(LENA, { [key]: { watermark, ...more } })
  await send(mark('delivery', Date.now()))
  assert.deepEqual([await statusOf(one.id), await statusOf(two.id)], ['delivered', 'delivered'])
  await send(mark('read', Date.parse(last!.created_at) - 1))
  assert.deepEqual([await statusOf(one.id), await statusOf(two.id)], ['read', 'delivered'])
  graph.answer = hang
  const waiting = await answer('Waiting')
  await send(mark('read', Date.now() + 60_000))
  assert.deepEqual([await statusOf(two.id), await statusOf(waiting.id)], ['read', 'queued'])
  graph.reset()
  // By its id, and before the response to the send.
  graph.answer = (_, response) => {
    const early = send(from(LENA, { delivery: { watermark: 1, mids: ['m_early'] } }))
    void early.then(() => json(response, { recipient_id: LENA, message_id: 'm_early' }))
  }
  const early = await answer('Early')
  await until(async () => (await statusOf(early.id)) === 'delivered', 'the early report to count')
})

test('a file is sent before its text, and half a message is never sent twice', async () => {
  const { send, answer, sends, ctx } = await fresh()
  await send(said({ text: 'Hello' }))
  const upload = async () =>
    (
      await storeUpload(ctx, {
        name: 'map.png',
        mimeType: 'image/png',
        stream: Readable.from([Buffer.from('PNG')]),
      })
    ).id
  assert.equal((await answer('Here', { attachmentIds: [await upload()] })).status, 'sent')
  const [file, text] = sends()
  assert.match(file!.text, /name="filedata"; filename="map.png"\r\ncontent-type: image\/png\r\n\r\nPNG\r\n/)
  assert.match(file!.text, /"attachment":{"type":"image","payload":{"is_reusable":false}}/)
  assert.equal(JSON.parse(text!.text).message.text, 'Here')
  const usual = graph.answer
  graph.answer = (asked, response) =>
    asked.text.includes('filedata') ? usual(asked, response) : drop(asked, response)
  const { status, metadata } = await answer('Lost', { attachmentIds: [await upload()] })
  assert.deepEqual([status, (metadata as { error: { code: string } }).error.code], ['failed', 'PARTLY_SENT'])
  assert.equal(sends().length, 4)
})

test('rejections fail with the reason, temporary errors are retried, and no token is revealed', async () => {
  const { send, answer, becomes } = await fresh()
  await send(said({ text: 'Hello' }))
  const failWith = (error: object, status: number) => {
    graph.answer = (_, response) => json(response, { error: { message: `No (${TOKEN})`, ...error } }, status)
  }
  for (const [error, status, code] of [
    [{ code: 190 }, 401, '190'],
    [{ code: 551, error_subcode: 1545041 }, 400, '1545041'],
    [{ code: 100, error_subcode: 2018001 }, 400, '2018001'],
    [{ code: 100 }, 400, '100'],
  ] as const) {
    failWith(error, status)
    const { status: is, metadata } = await answer('No')
    const told = (metadata as { error: { code: string; message: string } }).error
    assert.deepEqual([is, told.code], ['failed', code])
    assert.ok(!told.message.includes(TOKEN), told.message)
  }
  for (const [error, status] of [
    [{ code: 613 }, 400],
    [{ code: 1200 }, 500],
    [{ code: 2, is_transient: true }, 503],
  ] as const) {
    failWith(error, status)
    const { id } = await answer('Later')
    graph.reset()
    await becomes(id, 'sent')
  }
})

test('files are downloaded from Facebook’s own addresses only, without the token', async () => {
  const { send, rows } = await fresh()
  const usual = graph.answer
  graph.answer = (asked, response) =>
    asked.url === '/cat.jpg'
      ? void response.writeHead(200, { 'content-type': 'image/jpeg' }).end('JPEG')
      : usual(asked, response)
  const file = (url: string) => ({ type: 'image', payload: { url } })
  await send(
    said({
      attachments: [
        file(`${graph.url}/cat.jpg`),
        file('http://169.254.169.254/x.jpg'),
        file('https://evil.example/x.jpg'),
      ],
    }),
  )
  await until(async () => (await rows('attachments')).every(({ state }) => state !== 'pending'), 'the files')
  assert.deepEqual((await rows('attachments')).map(({ state }) => state).sort(), [
    'failed',
    'failed',
    'stored',
  ])
  assert.equal(graph.asked.find(({ url }) => url === '/cat.jpg')?.headers.authorization, undefined)
})

test('the check reports whether the token belongs to the page', async () => {
  const { channelId } = await fresh()
  const account = {
    id: channelId,
    address: PAGE,
    settings: { pageId: PAGE, apiUrl: graph.url },
    secrets: { accessToken: TOKEN },
  }
  const check = async () => (await app.deps.channels.facebook.check!(account, { timeoutMs: 500 }))[0]
  graph.answer = (_, response) => json(response, { id: PAGE, name: 'Shop' })
  assert.deepEqual(await check(), { name: 'Page', ok: true, message: 'Connected to the page Shop.' })
  graph.answer = (_, response) => json(response, { id: '1', name: 'Other' })
  assert.equal((await check())?.ok, false)
  graph.answer = drop
  assert.equal((await check())?.ok, false)
})

test('a provider that hangs on profiles delays no replies', async () => {
  const { send, answer, rows } = await fresh()
  const usual = graph.answer
  graph.answer = (asked, response) =>
    asked.method === 'GET' ? hang(asked, response) : usual(asked, response)
  await send(said({ text: 'Hello' }))
  const others = await fresh()
  graph.answer = (asked, response) =>
    asked.method === 'GET' ? hang(asked, response) : usual(asked, response)
  await others.send(...Array.from({ length: 60 }, (_, index) => said({ text: 'Hello' }, `${5000 + index}`)))
  assert.equal((await answer('At once')).status, 'sent')
  assert.equal((await rows('contacts')).length, 1)
})
