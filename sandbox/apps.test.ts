// Mail, Telegram, Messenger and SMS as a business sees them: its API calls and the webhooks it receives.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { simpleParser } from 'mailparser'
import nodemailer from 'nodemailer'
import { until } from '../test/until.ts'
import { startSandbox } from './sandbox.ts'

type Received = { path: string; headers: Record<string, unknown>; body: string }
const received: Received[] = []
let refusals = 0
const business = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const isRefused = refusals > 0
    if (isRefused) refusals--
    else
      received.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(isRefused ? 503 : 200).end()
  })
}).listen(0, '127.0.0.1')
await new Promise((resolve) => business.once('listening', resolve))
const here = `http://127.0.0.1:${(business.address() as AddressInfo).port}`
const PUBLIC = 'https://inbox.example'
const SID = `AC${'1'.repeat(32)}`

const sandbox = await startSandbox({
  customers: true,
  webhookTime: 'real',
  smtpPort: 0,
  reach: { from: PUBLIC, to: here },
  connections: {
    mail: { address: 'support@shop.example', inboundUrl: `${PUBLIC}/mail`, inboundSecret: 'inbound' },
    telegram: { botToken: '7:token' },
    messenger: {
      pageId: '77',
      accessToken: 'page',
      appSecret: 'app-secret',
      webhookUrl: `${PUBLIC}/messenger`,
    },
    sms: {
      accountSid: SID,
      authToken: '12345',
      phoneNumber: '+15005550006',
      webhookUrl: `${PUBLIC}/sms?a=1`,
    },
  },
})
const { control } = sandbox
const smtp = nodemailer.createTransport({ url: sandbox.smtpUrl!, socketTimeout: 500 })
after(async () => {
  smtp.close()
  await sandbox.stop()
  business.close()
})

const on = (path: string): Received[] => received.filter((one) => one.path.startsWith(path))
const nth = async (path: string, count: number): Promise<Received> => {
  await until(() => on(path).length >= count, `${count} times ${path}`)
  return on(path)[count - 1]!
}
const person = control.people()[1]!
const MAIL = { from: 'Shop <support@shop.example>', to: person.email! }

// biome-ignore lint/suspicious/noExplicitAny: each provider's responses have their own shape
type Answer = { status: number; body: any }
const call = async (
  path: string,
  body: object | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const isForm = body instanceof URLSearchParams
  const response = await fetch(sandbox.url + path, {
    method: 'POST',
    headers: isForm ? headers : { 'content-type': 'application/json', ...headers },
    body: isForm ? body : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

test('Telegram: a bot sets its webhook, gets updates with its secret, can only reply to people who wrote, and downloads files', async () => {
  const bot = (method: string, body: object = {}, token = '7:token') => call(`/bot${token}/${method}`, body)
  assert.equal((await bot('getMe', {}, '7:other')).status, 401)
  assert.equal(
    (await bot('setWebhook', { url: `${PUBLIC}/telegram`, secret_token: 'not allowed!' })).status,
    400,
  )
  assert.equal(
    (await bot('setWebhook', { url: `${PUBLIC}/telegram`, secret_token: 'shh' })).body.result,
    true,
  )
  const chat_id = person.telegramId
  assert.match((await bot('sendMessage', { chat_id, text: 'Hi' })).body.description, /chat not found/)

  refusals = 1
  control.writeChat(person.id, 'telegram', { type: 'image', text: 'Look' })
  const { headers, body } = await nth('/telegram', 1)
  assert.equal(headers['x-telegram-bot-api-secret-token'], 'shh')
  const { message } = JSON.parse(body)
  const { file_path } = (await bot('getFile', { file_id: message.photo.at(-1).file_id })).body.result
  assert.equal((await fetch(`${sandbox.url}/file/bot7:token/${file_path}`)).status, 200)

  assert.equal((await bot('sendMessage', { chat_id, text: 'Nice' })).body.result.text, 'Nice')
  assert.equal((await bot('sendMessage', { chat_id, text: 'x'.repeat(4097) })).status, 400)
  control.changePerson(person.id, { blocked: ['telegram'] })
  assert.equal((await bot('sendMessage', { chat_id, text: 'Still?' })).body.error_code, 403)
  control.changePerson(person.id, { blocked: [] })
  control.addFailure({ app: 'telegram', kind: 'refuse', code: 429 })
  assert.equal((await bot('sendMessage', { chat_id, text: 'Now?' })).body.parameters.retry_after, 3)
  control.addFailure({ app: 'telegram', kind: 'drop', isAccepted: true })
  await assert.rejects(bot('sendMessage', { chat_id, text: 'Lost answer' }))
  assert.equal(control.chat(person.id, 'telegram').at(-1)!.content.text, 'Lost answer')
})

test('Messenger: signed webhooks with echoes, delivery and read watermarks, profiles, and a 24-hour window', async () => {
  const page = { authorization: 'Bearer page' }
  const send = (text: string) =>
    call('/v25.0/me/messages', { recipient: { id: person.psid }, message: { text } }, page)
  assert.equal((await send('First')).body.error.error_subcode, 2018001)
  control.writeChat(person.id, 'messenger', { type: 'text', text: 'Hello' })
  const { headers, body } = await nth('/messenger', 1)
  const signature = createHmac('sha256', 'app-secret').update(body).digest('hex')
  assert.equal(headers['x-hub-signature-256'], `sha256=${signature}`)

  const { message_id } = (await send('Hi')).body
  await nth('/messenger', 3)
  control.readChat(person.id, 'messenger')
  await nth('/messenger', 4)
  const [echo, delivery, read] = on('/messenger')
    .slice(1)
    .map((one) => JSON.parse(one.body).entry[0].messaging[0])
  assert.deepEqual([echo.message.mid, echo.message.is_echo], [message_id, true])
  assert.deepEqual(delivery.delivery.mids, [message_id])
  assert.ok(read.read.watermark >= delivery.delivery.watermark)

  const profile = await fetch(`${sandbox.url}/v25.0/${person.psid}?access_token=page`)
  assert.equal(((await profile.json()) as { first_name: string }).first_name, 'Marcus')
  assert.equal((await call('/v25.0/me/messages', {}, { authorization: 'Bearer other' })).status, 401)
  await control.advance(25)
  assert.equal((await send('Too late')).body.error.code, 10)
})

test('SMS: forms signed for the public URL, media behind basic auth, STOP remembered, status callbacks', async () => {
  const basic = { authorization: `Basic ${btoa(`${SID}:12345`)}` }
  const send = (form: Record<string, string>) =>
    call(
      `/2010-04-01/Accounts/${SID}/Messages.json`,
      new URLSearchParams({ To: person.phone!, ...form }),
      basic,
    )
  control.writeChat(person.id, 'sms', { type: 'image', text: 'Zoë & co' })
  const { headers, body, path } = await nth('/sms', 1)
  const form = Object.fromEntries(new URLSearchParams(body))
  const signed = Object.keys(form)
    .sort()
    .reduce((text, name) => text + name + form[name], PUBLIC + path)
  assert.equal(headers['x-twilio-signature'], createHmac('sha1', '12345').update(signed).digest('base64'))
  assert.equal(form.Body, 'Zoë & co')
  assert.equal((await fetch(form.MediaUrl0!)).status, 401)
  assert.equal((await fetch(form.MediaUrl0!, { headers: basic })).headers.get('content-type'), 'image/png')

  const { sid } = (await send({ Body: 'Thanks', StatusCallback: `${PUBLIC}/status` })).body
  const last = new URLSearchParams((await nth('/status', 2)).body)
  assert.deepEqual([last.get('MessageSid'), last.get('MessageStatus')], [sid, 'delivered'])
  control.addFailure({ app: 'sms', kind: 'fail', code: 30007 })
  await send({ Body: 'Buy now', StatusCallback: `${PUBLIC}/status` })
  assert.equal(new URLSearchParams((await nth('/status', 4)).body).get('ErrorCode'), '30007')
  control.writeChat(person.id, 'sms', { type: 'text', text: 'Stop' })
  assert.equal((await send({ Body: 'Wait' })).body.code, 21610)
})

test('mail: sent emails arrive in the mailbox; replies quote them, keep the thread and carry the bearer token', async () => {
  await smtp.sendMail({
    ...MAIL,
    replyTo: 'support+t0k@shop.example',
    messageId: '<one@shop.example>',
    subject: 'Your order',
    text: 'It is on its way.\n> earlier',
    html: '<p>It is on its way.</p>',
  })
  const [mail] = control.mails(person.id)
  assert.ok(mail?.html)
  await control.writeMail(person.id, {
    kind: 'mail',
    replyTo: mail.id,
    text: 'Grüße',
    attachments: [{ fileName: 'ä.txt', mimeType: 'text/plain', data: btoa('hello') }],
  })
  await control.writeMail(person.id, { kind: 'auto-reply', replyTo: mail.id })
  await control.writeMail(person.id, { kind: 'bounce', replyTo: mail.id })
  await nth('/mail', 3)
  assert.ok(on('/mail').every(({ headers }) => headers.authorization === 'Bearer inbound'))
  const [answer, automatic, bounce] = await Promise.all(on('/mail').map(({ body }) => simpleParser(body)))
  assert.deepEqual(
    [answer!.inReplyTo, answer!.subject, answer!.attachments[0]?.filename],
    ['<one@shop.example>', 'Re: Your order', 'ä.txt'],
  )
  assert.match(answer!.text!, /^Grüße\n\nOn .* wrote:\n\n> It is on its way\.\n>> earlier/)
  assert.match(String(answer!.html), /class="gmail_quote/)
  assert.equal(automatic!.headers.get('auto-submitted'), 'auto-replied')
  assert.match(
    on('/mail')[2]!.body,
    /report-type=delivery-status[\s\S]*Status: 5\.1\.1[\s\S]*<one@shop\.example>/,
  )
  assert.equal(bounce!.from?.value[0]?.address?.split('@')[0], 'mailer-daemon')
})

test('mail: on demand the server rejects, hangs or drops the connection, and still accepts the email if asked to', async () => {
  const send = (subject: string) => smtp.sendMail({ ...MAIL, subject, text: subject })
  for (const code of [421, 450, 451, 550, 552]) {
    control.addFailure({ app: 'mail', kind: 'refuse', code, personId: person.id })
    await assert.rejects(send('Refused'), { responseCode: code })
  }
  const count = () => control.mails(person.id).filter(({ subject }) => subject === 'Broken').length
  control.addFailure({ app: 'mail', kind: 'drop' })
  await assert.rejects(send('Broken'))
  assert.equal(count(), 0)
  for (const kind of ['drop', 'hang'] as const) {
    control.addFailure({ app: 'mail', kind, isAccepted: true })
    await assert.rejects(send('Broken'))
  }
  await until(() => count() === 2, 'both mails')
  await send('Fine')
  assert.equal(control.mails(person.id).at(-1)!.subject, 'Fine')
})
