import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { makeMember, signIn } from '../../../test/console.ts'
import { makePage, until } from '../../inbound/web/testing/visitor.ts'

const testApp = await startApp({ stream: true })
const { app, call, db, make } = testApp
const workspace = await make.workspace()
const channelId = await make.channelAccount(workspace.id)
let base = ''
before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
const { ask, follow, say, session } = makePage(() => base, channelId)
const robin = await make.agent(workspace.id, { role: 'admin', nickname: 'Robin' })
const { call: asRobin } = await signIn(testApp, workspace.id, robin.id)

const at = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const contactOf = async (conversationId: string): Promise<string> =>
  (
    await db
      .selectFrom('conversations')
      .select('contact_id as contactId')
      .where('id', '=', conversationId)
      .executeTakeFirstOrThrow()
  ).contactId

test('a blocked visitor cannot start a session, send or receive until they are unblocked', async () => {
  const { token } = await session({}, at('192.0.2.1'))
  const { conversationId } = await say(token, 'Buy now', at('192.0.2.1'))
  const events = await follow(token)
  const path = `/contacts/${await contactOf(conversationId)}/block`
  assert.deepEqual((await asRobin('GET', path)).body.block, {
    visitor: false,
    address: false,
    hasAddress: true,
  })
  const blocked = await asRobin('PUT', path, { visitor: true })
  assert.deepEqual([blocked.status, blocked.body.block.visitor], [200, true])
  await until(() => events.isEnded())
  // From any address.
  for (const [to, body] of [
    ['/session', { token }],
    ['/messages', { body: 'Again' }],
    ['/typing', { isTyping: true }],
  ] as const) {
    const refused = await ask(to, body, { token, ...at('198.51.100.1') })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'VISITOR_BLOCKED'], to)
  }
  assert.equal((await follow(token)).status, 403)
  // Everyone else at that address is unaffected.
  const neighbour = await session({}, at('192.0.2.1'))
  await say(neighbour.token, 'Hello', at('192.0.2.1'))

  await asRobin('PUT', path, { visitor: false })
  await say(token, 'Sorry', at('192.0.2.1'))
  const { body } = await call(workspace.token, 'GET', `/conversations/${conversationId}/messages`)
  assert.deepEqual(
    body.messages.map((message: { body: string }) => message.body),
    [
      'Sorry',
      'Robin unblocked this visitor in web chat',
      'Robin blocked this visitor in web chat',
      'Buy now',
    ],
  )
})

test('an address that is blocked is closed to everyone there, known or new, IPv6 by its network', async () => {
  const { token } = await session({}, at('2001:db8:1:1::5'))
  const { conversationId } = await say(token, 'Buy now', at('2001:db8:1:1::5'))
  const neighbour = await session({}, at('2001:db8:1:1::9'))
  const path = `/contacts/${await contactOf(conversationId)}/block`
  const blocked = await asRobin('PUT', path, { address: true })
  assert.deepEqual(blocked.body.block, { visitor: false, address: true, hasAddress: true })
  const there = at('2001:db8:1:1:ffff::1')
  assert.equal((await ask('/session', {}, there)).body.error.code, 'VISITOR_BLOCKED')
  assert.equal((await ask('/session', { token: neighbour.token }, there)).status, 403)
  assert.equal((await ask('/messages', { body: 'x' }, { token: neighbour.token, ...there })).status, 403)
  assert.equal((await ask('/session', {}, at('2001:db8:1:2::5'))).status, 200)
  await asRobin('PUT', path, { address: false })
  assert.equal((await ask('/session', {}, there)).status, 200)
})

test('blocking requires the permission to manage contacts, and a visitor who cannot be blocked gets an error', async () => {
  const { token } = await session({}, at('192.0.2.77'))
  const contactId = await contactOf((await say(token, 'Hi', at('192.0.2.77'))).conversationId)
  const agent = await makeMember(testApp, workspace.id, ['see_all_conversations'])
  const { call: asAgent } = await signIn(testApp, workspace.id, agent.id)
  assert.equal((await asAgent('PUT', `/contacts/${contactId}/block`, { visitor: true })).status, 403)
  const unseen = await make.contact(workspace.id, {})
  const refused = await asRobin('PUT', `/contacts/${unseen.id}/block`, { address: true })
  assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'address'])
  assert.equal((await asRobin('PUT', `/contacts/${contactId}/block`, {})).status, 400)
})
