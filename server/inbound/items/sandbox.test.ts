// End to end against the sandbox, which implements the providers independently from their documentation.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { startApp } from '../../../test/app.ts'
import { until } from '../../../test/until.ts'
import { react } from '../../domain/messages/react.ts'
import { connectFresh } from './testing/provider.ts'

const app = await startApp({ worker: { sendTimeoutMs: 2_000, backoffMinMs: 20, backoffMaxMs: 60 } })

/** The sandbox needs the webhooks' URLs, and the channels the sandbox's, so a port is reserved first. */
const reserved = createServer().listen(0, '127.0.0.1')
await once(reserved, 'listening')
const { port } = reserved.address() as AddressInfo
reserved.close()
await once(reserved, 'close')

const apiUrl = `http://127.0.0.1:${port}`
const PUBLIC = 'http://foyer.test'
const SID = `AC${'1'.repeat(32)}`
const telegram = await connectFresh(app, 'telegram', { botToken: '7:token', webhookSecret: 'shh', apiUrl })
const facebook = await connectFresh(app, 'facebook', {
  pageId: '77',
  accessToken: 'page',
  appSecret: 'app-secret',
  verifyToken: 'verify',
  apiUrl,
})
const sms = await connectFresh(app, 'sms', {
  phoneNumber: '+15005550006',
  accountSid: SID,
  authToken: '12345',
  apiUrl,
})
await app.app.listen({ port: 0, host: '127.0.0.1' })
const own = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
const addressOf = (channel: string, { channelId }: { channelId: string }) =>
  `${PUBLIC}/webhooks/${channel}/${channelId}`
const sandbox = await startSandbox({
  port,
  customers: true,
  webhookTime: 'real',
  reach: { from: PUBLIC, to: own },
  connections: {
    telegram: { botToken: '7:token' },
    messenger: {
      pageId: '77',
      accessToken: 'page',
      appSecret: 'app-secret',
      webhookUrl: addressOf('facebook', facebook),
    },
    sms: {
      accountSid: SID,
      authToken: '12345',
      phoneNumber: '+15005550006',
      webhookUrl: addressOf('sms', sms),
    },
  },
})
after(sandbox.stop)
const { control } = sandbox
const person = control.people()[1]!

type Side = typeof telegram

const heard = async (side: Side, count: number) => {
  await until(async () => (await side.messages()).length >= count, `${count} messages`)
  return side.messages()
}
const isFetched = async (side: Side) =>
  (await side.rows('attachments')).every(({ state }) => state === 'stored')

test('Telegram: the webhook is set, an image arrives with its file, the reply arrives', async () => {
  const { secrets, settings } = {
    secrets: { botToken: '7:token', webhookSecret: 'shh' },
    settings: { apiUrl },
  }
  const account = { id: telegram.channelId, address: null, settings, secrets }
  const { registerWebhook, check } = app.deps.channels.telegram
  await registerWebhook(account, addressOf('telegram', telegram), { timeoutMs: 2_000 })
  assert.deepEqual(
    (await check!(account, { timeoutMs: 2_000 })).map(({ ok }) => ok),
    [true, true],
  )
  control.writeChat(person.id, 'telegram', { type: 'image', text: 'Look' })
  const [message] = await heard(telegram, 1)
  assert.equal(message?.body, 'Look')
  await until(() => isFetched(telegram), 'the picture')
  assert.equal((await telegram.answer('Nice')).status, 'sent')
  assert.equal(control.chat(person.id, 'telegram').at(-1)!.content.text, 'Nice')
})

test('Messenger: a name, a reply that is echoed and read, one that was lost', async () => {
  control.writeChat(person.id, 'messenger', { type: 'text', text: 'Hello' })
  await heard(facebook, 1)
  await until(async () => /^Marcus/.test((await facebook.rows('contacts'))[0]?.name ?? ''), 'the name')
  const { id } = await facebook.answer('Hi')
  await facebook.becomes(id, 'delivered')
  control.readChat(person.id, 'messenger')
  await facebook.becomes(id, 'read')
  control.addFailure({ app: 'messenger', kind: 'drop', isAccepted: true })
  const lost = await facebook.answer('Lost answer')
  await until(async () => (await facebook.statusOf(lost.id)) !== 'queued', 'the echo to settle it')
  assert.deepEqual(
    (await facebook.messages()).map(({ body }) => body),
    ['Hello', 'Hi', 'Lost answer'],
  )
})

for (const [phoneApp, side] of [
  ['telegram', telegram],
  ['messenger', facebook],
] as const)
  test(`${phoneApp}: the team’s reaction is on the phone until it is taken away, and the customer’s is in the thread`, async () => {
    const onPhone = (id: string) => control.chat(person.id, phoneApp).find((entry) => entry.id === id)!
    const { id: phoneId } = control.writeChat(person.id, phoneApp, { type: 'text', text: 'Thank you!' })!
    await until(async () => (await side.last())?.body === 'Thank you!', 'the message')
    const { id: messageId } = (await side.last())!
    await react(side.ctx, { messageId, emoji: '❤️' })
    await until(() => /^❤/.test(onPhone(phoneId).reactions.business ?? ''), 'the reaction on the phone')
    await react(side.ctx, { messageId, emoji: null })
    await until(() => onPhone(phoneId).reactions.business === undefined, 'its end')
    const { id } = await side.answer('You’re welcome')
    await until(async () => (await side.statusOf(id)) !== 'queued', 'the reply to be sent')
    const answered = control
      .chat(person.id, phoneApp)
      .find(({ content }) => content.text === 'You’re welcome')!
    const reactions = async () =>
      (await side.messages()).find((message) => message.id === id)?.metadata?.reactions as
        | { by: string; emoji: string }[]
        | undefined
    control.writeChat(person.id, phoneApp, { type: 'reaction', messageId: answered.id, emoji: '👍' })
    await until(async () => (await reactions())?.[0]?.emoji === '👍', 'the customer’s reaction')
    assert.equal((await reactions())?.[0]?.by, 'customer')
    control.writeChat(person.id, phoneApp, { type: 'reaction', messageId: answered.id, emoji: '' })
    await until(async () => (await reactions()) === undefined, 'its end in the thread')
  })

test('SMS: an image that requires the password, a delivered reply, one filtered by the carrier, STOP', async () => {
  control.writeChat(person.id, 'sms', { type: 'image', text: 'Zoë & co' })
  const [message] = await heard(sms, 1)
  assert.equal(message?.body, 'Zoë & co')
  await until(() => isFetched(sms), 'the picture')
  await sms.becomes((await sms.answer('Thanks')).id, 'delivered')
  control.addFailure({ app: 'sms', kind: 'fail', code: 30007 })
  await sms.becomes((await sms.answer('Buy now')).id, 'failed')
  control.writeChat(person.id, 'sms', { type: 'text', text: 'Stop' })
  await heard(sms, 4)
  await assert.rejects(sms.answer('Wait'), { code: 'CUSTOMER_UNREACHABLE' })
})
