import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { signatureOf } from '../../../channels/sms/signature.ts'
import { startApp } from '../../../test/app.ts'
import { attemptOf } from '../../../test/attempts.ts'
import { until } from '../../../test/until.ts'
import { storeUpload } from '../../domain/attachments/store-attachment.ts'
import { sendMessage } from '../../domain/messages/send-message.ts'
import { connectFresh, drop, hang, json, startProvider } from '../items/testing/provider.ts'
import {
  connect as connectWhatsapp,
  deliver as deliverWhatsapp,
  messageOf,
  webhook,
} from '../whatsapp/testing/provider.ts'

const SID = 'AC0123456789abcdef0123456789abcdef'
const TOKEN = 'auth-token-of-twilio'
const NUMBER = '+15005550006'
const ANN = '+14155552671'

const app = await startApp({
  worker: { sendTimeoutMs: 700, fetchTimeoutMs: 700, backoffMinMs: 20, backoffMaxMs: 60 },
})
const { call } = app

let count = 0
const sidOf = (kind: string) => `${kind}${String(count++).padStart(32, '0')}`
const twilio = await startProvider((_, response) =>
  json(response, { sid: sidOf('SM'), status: 'queued' }, 201),
)

const fresh = async (workspaceId?: string) => {
  twilio.reset()
  const connected = await connectFresh(
    app,
    'sms',
    { phoneNumber: NUMBER, accountSid: SID, authToken: TOKEN, apiUrl: twilio.url },
    workspaceId,
  )
  const post = async (path: string, fields: Record<string, string>, signature?: string | null) => {
    const form = new Map(Object.entries(fields).map(([key, value]) => [key, [value]]))
    const signed = signature === undefined ? signatureOf(TOKEN, `http://foyer.test${path}`, form) : signature
    const { statusCode, body, headers } = await app.app.inject({
      method: 'POST',
      url: path,
      payload: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        ...(signed !== null && { 'x-twilio-signature': signed }),
      },
    })
    return { status: statusCode, body, type: String(headers['content-type']) }
  }
  const path = `/webhooks/sms/${connected.channelId}`
  return {
    ...connected,
    path,
    post,
    receive: async (fields: Record<string, string>) => {
      const answer = await post(path, inbound(fields))
      assert.equal(answer.status, 200, answer.body)
      return answer
    },
  }
}

/** As Twilio sends it, with fields that we don't use. */
const inbound = (fields: Record<string, string>): Record<string, string> => {
  const sid = sidOf('SM')
  return {
    ToCountry: 'US',
    ToState: '',
    SmsMessageSid: sid,
    NumMedia: '0',
    ToCity: '',
    FromZip: '94105',
    SmsSid: sid,
    FromState: 'CA',
    SmsStatus: 'received',
    FromCity: 'SAN FRANCISCO',
    Body: 'Hello',
    FromCountry: 'US',
    To: NUMBER,
    ToZip: '',
    NumSegments: '1',
    MessageSid: sid,
    AccountSid: SID,
    From: ANN,
    ApiVersion: '2010-04-01',
    SomethingOfTomorrow: 'x',
    ...fields,
  }
}

test('a message creates the contact by number, gets an empty response, and a repeat changes nothing', async () => {
  const { path, post, messages, workspace } = await fresh()
  const fields = inbound({ Body: 'Do you deliver?' })
  const answer = await post(path, fields)
  assert.deepEqual([answer.status, answer.body], [200, '<?xml version="1.0" encoding="UTF-8"?><Response/>'])
  assert.match(answer.type, /^text\/xml/)
  await post(path, fields)
  const [message, ...others] = await messages()
  assert.deepEqual([message?.body, message?.external_id, others], ['Do you deliver?', fields.MessageSid, []])
  const { body } = await call(workspace.token, 'GET', '/contacts')
  assert.deepEqual(
    [body.contacts[0].name, body.contacts[0].phone, body.contacts[0].countryIso, body.total],
    [ANN, ANN, 'US', 1],
  )
})

test('concurrent first messages of one person, each delivered twice, create one contact and one conversation', async () => {
  const { path, post, messages, rows } = await fresh()
  const forms = Array.from({ length: 20 }, (_, index) => inbound({ Body: `Message ${index}` }))
  await Promise.all([...forms, ...forms].map((form) => post(path, form)))
  assert.deepEqual(
    [(await messages()).length, (await rows('contacts')).length, (await rows('conversations')).length],
    [20, 1, 1],
  )
})

test('a wrong or missing signature is 401 and stores nothing; the URL may have a query', async () => {
  const { path, post, messages, rows } = await fresh()
  const fields = inbound({})
  for (const signature of [null, '', 'AAAA', signatureOf('another', `http://foyer.test${path}`, new Map())])
    assert.equal((await post(path, fields, signature)).status, 401)
  assert.deepEqual([await messages(), await rows('webhook_leftovers')], [[], []])
  assert.equal((await post(`${path}?team=a%20b&x=`, fields)).status, 200)
  assert.equal((await messages()).length, 1)
})

test('messages of other accounts, numbers or channels and malformed ones are kept once and get a 200', async () => {
  const { path, post, messages, rows } = await fresh()
  const odd = [
    inbound({ AccountSid: `AC${'f'.repeat(32)}` }),
    inbound({ To: '+15005550007' }),
    inbound({ From: 'whatsapp:+14155552671', To: `whatsapp:${NUMBER}` }),
    { AccountSid: SID },
    {},
  ]
  for (const fields of odd)
    for (let time = 0; time < 2; time++) assert.equal((await post(path, fields)).status, 200)
  assert.deepEqual([await messages(), (await rows('webhook_leftovers')).length], [[], odd.length])
})

test('short codes and alphanumeric senders are contacts without a phone number', async () => {
  const { receive, rows } = await fresh()
  await receive({ From: '72345', FromCountry: 'ca', Body: 'Your code is 1' })
  await receive({ From: 'MYBANK', FromCountry: '', Body: 'Your balance' })
  assert.deepEqual(
    (await rows('contacts')).map(({ name, phone, country_iso }) => [name, phone, country_iso]),
    [
      ['72345', null, 'CA'],
      ['MYBANK', null, null],
    ],
  )
})

test('SMS and WhatsApp from one number are one contact, in any order and spelling', async () => {
  const { receive, rows, workspace } = await fresh()
  const whatsappId = await connectWhatsapp(app, workspace.id)
  const write = (waId: string, name: string) =>
    deliverWhatsapp(app, whatsappId, webhook(messageOf({ waId, name }, 'Hello')))
  await write('14155552671', 'Ann Bell')
  await receive({ From: ANN })
  await receive({ From: '+5511987654321', FromCountry: 'BR' })
  await write('551187654321', 'Rui')
  const contacts = await rows('contacts')
  assert.deepEqual(
    contacts.map(({ name, channels }) => [name, channels.toSorted()]),
    [
      ['Ann Bell', ['sms', 'whatsapp']],
      ['Rui', ['sms', 'whatsapp']],
    ],
  )
  const { body } = await call(workspace.token, 'GET', '/contacts')
  assert.equal(body.total, 2)
})

test('images are downloaded with the credentials, which are not sent to the storage they redirect to', async () => {
  const { receive, rows, messages } = await fresh()
  twilio.answer = ({ url, headers }, response) => {
    if (url === '/media/1')
      return headers.authorization === `Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}`
        ? void response.writeHead(307, { location: `${cdn.url}/store/1` }).end()
        : void response.writeHead(401).end()
    json(response, {})
  }
  const cdn = await startProvider(
    (_, response) => void response.writeHead(200, { 'content-type': 'image/jpeg' }).end('JPEG'),
  )
  await receive({
    Body: '',
    NumMedia: '2',
    MediaUrl0: `${twilio.url}/media/1`,
    MediaContentType0: 'image/jpeg',
    MediaUrl1: 'https://example.com/x',
    MediaContentType1: 'text/vcard',
  })
  assert.equal((await messages())[0]?.body, 'Image\nFile')
  await until(
    async () => (await rows('attachments')).every(({ state }) => state !== 'pending'),
    'the files to be fetched or given up',
  )
  assert.deepEqual((await rows('attachments')).map(({ name, state, size }) => [name, state, size]).sort(), [
    ['file-2.vcard', 'failed', 0],
    ['image-1.jpg', 'stored', 4],
  ])
  assert.deepEqual(
    cdn.asked.map(({ headers }) => headers.authorization),
    [undefined],
  )
})

test('STOP ends outbound SMS, and only SMS, until START', async () => {
  const { receive, answer, rows } = await fresh()
  await receive({ Body: 'Hello' })
  for (const [word, type] of [
    [' Stop ', undefined],
    ['Please no more', 'STOP'],
  ]) {
    await receive({ Body: word!, ...(type && { OptOutType: type }) })
    await assert.rejects(answer('Still there?'), { code: 'CUSTOMER_UNREACHABLE' })
    await receive({ Body: 'START' })
    assert.equal((await answer('Welcome back')).status, 'sent')
  }
  await receive({ Body: 'Do not stop here' })
  assert.equal((await answer('Fine')).status, 'sent')
  // Broadcasts over WhatsApp have a separate opt-out.
  assert.equal((await rows('contacts'))[0]?.opted_out_at, null)
})

test("a reply goes to the sender's number, and callbacks report its status", async () => {
  const { receive, answer, becomes, path, post, statusOf, rows, workspace, ctx } = await fresh()
  await receive({})
  const { id, status } = await answer('We do, Ann & co')
  assert.equal(status, 'sent')
  const attempt = await attemptOf(app.db, id)
  const [asked] = twilio.asked
  assert.equal(asked?.url, `/2010-04-01/Accounts/${SID}/Messages.json`)
  assert.deepEqual(Object.fromEntries(new URLSearchParams(asked!.text)), {
    From: NUMBER,
    To: ANN,
    Body: 'We do, Ann & co',
    StatusCallback: `http://foyer.test${path}/status/${attempt}`,
  })
  const [message] = await app.db.selectFrom('messages').select('external_id').where('id', '=', id).execute()
  const callback = (MessageStatus: string, more = {}) =>
    post(`${path}/status/${attempt}`, {
      MessageSid: message!.external_id!,
      AccountSid: SID,
      MessageStatus,
      ...more,
    })
  assert.equal((await callback('delivered')).status, 200)
  await becomes(id, 'delivered')
  for (const state of ['sent', 'queued', 'undelivered', 'of-tomorrow'])
    assert.equal((await callback(state, { ErrorCode: '30003' })).status, 200)
  assert.equal(await statusOf(id), 'delivered')
  assert.equal(
    (
      await post(
        `${path}/status/${attempt}`,
        { MessageSid: 'x', AccountSid: SID, MessageStatus: 'read' },
        'no',
      )
    ).status,
    401,
  )
  const [conversation] = await rows('conversations')
  const refused = await call(workspace.token, 'POST', `/conversations/${conversation!.id}/messages`, {
    body: 'Hi',
  })
  assert.equal(refused.body.error.code, 'CHANNEL_NOT_SUPPORTED')
  const tooLong = sendMessage(ctx, { conversationId: conversation!.id, body: 'x'.repeat(1601) })
  await assert.rejects(tooLong, { code: 'VALIDATION_ERROR' })
})

test('files are sent as signed URLs', async () => {
  const { receive, answer, ctx } = await fresh()
  await receive({})
  const file = { name: 'map.png', mimeType: 'image/png', stream: Readable.from([Buffer.from('PNG')]) }
  const { id } = await storeUpload(ctx, file)
  assert.equal((await answer('', { attachmentIds: [id] })).status, 'sent')
  const form = new URLSearchParams(twilio.asked[0]!.text)
  assert.equal(form.get('Body'), null)
  const url = new URL(form.get('MediaUrl')!)
  const got = await app.app.inject(url.pathname + url.search)
  assert.deepEqual([got.statusCode, got.body], [200, 'PNG'])
})

test('opted-out recipients are rejected, rate limits are retried, and unknown outcomes are settled only by the callback', async () => {
  const { receive, answer, becomes, path, post, statusOf } = await fresh()
  await receive({})
  twilio.answer = (_, response) =>
    json(response, { code: 21610, message: 'Attempt to send to unsubscribed recipient', status: 400 }, 400)
  const refused = await answer('No')
  assert.deepEqual(
    [refused.status, (refused.metadata as { error: { code: string } }).error.code],
    ['failed', '21610'],
  )
  for (const [body, code] of [
    [{ code: 20429, message: 'Too Many Requests' }, 429],
    [{ code: 20503, message: 'Service unavailable' }, 503],
  ] as const) {
    let times = 0
    twilio.answer = (_, response) =>
      ++times === 1 ? json(response, body, code) : json(response, { sid: sidOf('SM') }, 201)
    await becomes((await answer('Again')).id, 'sent')
    assert.equal(times, 2)
  }
  for (const answering of [hang, drop]) {
    twilio.reset()
    twilio.answer = answering
    const { id, status } = await answer('Perhaps')
    assert.equal(status, 'queued')
    assert.equal(twilio.asked.length, 1)
    await post(`${path}/status/${await attemptOf(app.db, id)}`, {
      MessageSid: sidOf('SM'),
      AccountSid: SID,
      MessageStatus: 'delivered',
    })
    assert.equal(await statusOf(id), 'delivered')
    assert.equal(twilio.asked.length, 1)
  }
})

test('a callback for a message of another workspace changes nothing', async () => {
  const theirs = await fresh()
  await theirs.receive({})
  const { id } = await theirs.answer('Ours')
  const mine = await fresh()
  const fields = { MessageSid: sidOf('SM'), AccountSid: SID, MessageStatus: 'failed', ErrorCode: '30008' }
  const attempt = await attemptOf(app.db, id)
  assert.equal((await mine.post(`${mine.path}/status/${attempt}`, fields)).status, 200)
  assert.equal(await theirs.statusOf(id), 'sent')
})

test('the check names the account, or reports that Twilio rejected the credentials', async () => {
  const { channelId } = await fresh()
  const account = {
    id: channelId,
    address: NUMBER,
    settings: { accountSid: SID, apiUrl: twilio.url },
    secrets: { authToken: TOKEN },
  }
  const check = () => app.deps.channels.sms.check!(account, { timeoutMs: 500 })
  twilio.answer = (_, response) => json(response, { sid: SID, friendly_name: 'Shop', status: 'active' })
  assert.deepEqual(await check(), [
    { name: 'Account', ok: true, message: 'Connected to the Twilio account Shop.' },
  ])
  twilio.answer = (_, response) => json(response, { code: 20003, message: 'Authenticate', status: 401 }, 401)
  assert.equal((await check())[0]?.ok, false)
})
