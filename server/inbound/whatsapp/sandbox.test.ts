// End to end against the sandbox, which implements the provider independently from its documentation.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { attemptOf } from '../../../test/attempts.ts'
import { signIn } from '../../../test/console.ts'
import { until } from '../../../test/until.ts'
import { APP_SECRET, connect, VERIFY_TOKEN } from './testing/provider.ts'

const app = await startApp({ worker: { sendTimeoutMs: 2_000 }, deps: { settleMs: 1_500 } })
const { call, db, make } = app
const workspace = await make.workspace()

/** The sandbox needs the webhook's URL, and the channel the sandbox's, so a port is reserved first. */
const reservePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const port = await reservePort()
const url = `http://127.0.0.1:${port}`
const NUMBER = { id: '106540352242922', account: '102290129340398' }
const channelId = await connect(app, workspace.id, {
  apiUrl: url,
  phoneNumberId: NUMBER.id,
  businessAccountId: NUMBER.account,
})
await app.app.listen({ port: 0, host: '127.0.0.1' })
const own = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
const sandbox = spawn(
  process.execPath,
  [
    ...['sandbox/main.ts', '--port', String(port), '--webhook', `${own}/webhooks/whatsapp/${channelId}`],
    ...['--app-secret', APP_SECRET, '--verify-token', VERIFY_TOKEN, '--access-token', 'EAAtest'],
    ...['--phone-number-id', NUMBER.id, '--business-account-id', NUMBER.account, '--no-customers'],
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
after(() => sandbox.kill())
await once(sandbox.stdout, 'data')

const control = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${url}/control${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return JSON.parse(text)
}

const customer = async (phone: string): Promise<string> =>
  (await control('POST', '/customers', { phone, profileName: `Customer ${phone}`, receipts: 'auto' }))
    .customer.id

const messageRow = (id: string) =>
  db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const conversationOf = async (phone: string) => {
  const find = async () =>
    (await call(workspace.token, 'GET', '/conversations')).body.conversations.find(
      ({ contact }: { contact: { phone: string } }) => contact.phone === phone,
    )
  await until(async () => (await find()) !== undefined, `a conversation with ${phone}`)
  return find()
}

const reply = (conversationId: string, body: string) =>
  call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, { body })

test('the handshake succeeds', async () => {
  assert.equal((await control('POST', '/handshake', {})).success, true)
})

test('a customer writes, gets a reply, and reads it', async () => {
  const id = await customer('+4915123456789')
  await control('POST', `/customers/${id}/messages`, { type: 'text', text: 'Ist die Lampe da?' })
  const conversation = await conversationOf('+4915123456789')
  assert.equal(conversation.lastMessage.body, 'Ist die Lampe da?')
  const { body } = await reply(conversation.id, 'Ja, seit heute.')
  assert.ok(['sent', 'delivered', 'read'].includes(body.message.status), body.message.status)
  await until(async () => (await messageRow(body.message.id)).status === 'read', 'the answer to be read')
})

test('messages that an agent reads in the console show as read on the phone', async () => {
  const agent = await make.agent(workspace.id, { role: 'admin' })
  const { call: callAsAgent } = await signIn(app, workspace.id, agent.id)
  const id = await customer('+4915123456780')
  for (const text of ['Guten Tag!', 'Ist jemand da?'])
    await control('POST', `/customers/${id}/messages`, { type: 'text', text })
  const conversation = await conversationOf('+4915123456780')
  const seen = async (): Promise<boolean[]> =>
    (await control('GET', `/customers/${id}/messages`)).messages.map(
      (one: { isReadByBusiness: boolean }) => one.isReadByBusiness,
    )
  await until(
    async () =>
      (await callAsAgent('GET', `/conversations/${conversation.id}`)).body.conversation.unreadCount === 2,
    'both',
  )
  assert.deepEqual(await seen(), [false, false])
  await callAsAgent('POST', `/conversations/${conversation.id}/read`, {})
  await until(async () => (await seen()).every(Boolean), 'the phone to show it')
})

test('the order in which statuses arrive does not matter', async () => {
  await control('PATCH', '/settings', { webhooks: { shuffleMs: 60, copies: 3 } })
  const id = await customer('+4915123456790')
  await control('POST', `/customers/${id}/messages`, { type: 'text', text: 'Hallo' })
  const conversation = await conversationOf('+4915123456790')
  await control('POST', '/faults', { kind: 'status-first', to: '4915123456790' })
  const { body } = await reply(conversation.id, 'Hallo!')
  await until(async () => (await messageRow(body.message.id)).status === 'read', 'the answer to be read')
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('conversation_id', '=', conversation.id)
    .execute()
  assert.equal(rows.length, 2)
  await control('PATCH', '/settings', { webhooks: { shuffleMs: 0, copies: 1 } })
})

test('a message accepted while the connection broke is settled by its statuses and not sent twice', async () => {
  const id = await customer('+4915123456791')
  await control('POST', `/customers/${id}/messages`, { type: 'text', text: 'Hallo' })
  const conversation = await conversationOf('+4915123456791')
  await control('POST', '/faults', { kind: 'drop', isAccepted: true, to: '4915123456791' })
  const { body } = await reply(conversation.id, 'Hallo!')
  await until(async () => (await messageRow(body.message.id)).status === 'read', 'the answer to be read')
  const { sent } = await control('GET', `/sent?opaque=${await attemptOf(db, body.message.id)}`)
  assert.equal(sent.length, 1)
})

test('listed templates can be sent', async () => {
  const { body } = await call(workspace.token, 'GET', '/whatsapp/templates')
  const template = body.templates.find(({ name }: { name: string }) => name === 'hello_world')
  assert.ok(template, JSON.stringify(body))
  const answer = await call(workspace.token, 'POST', '/whatsapp/messages', {
    to: '+4915123456792',
    templateName: template.name,
    language: template.language,
  })
  assert.equal(answer.status, 200, answer.text)
  await until(
    async () => ['delivered', 'read'].includes((await messageRow(answer.body.message.id)).status),
    'the template to be delivered',
  )
})
