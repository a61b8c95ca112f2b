// Over HTTP, with the library's client: who may call what, and what the tools that read answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { createToken, revokeToken } from '../domain/tokens/tokens.ts'
import type { ChannelName, Scope } from '../platform/db/tables.ts'
import { connect, type Era } from './testing/connect.ts'

const app = await startApp()
const { make } = app

const TOKENS_MAX = 4_000
const ANSWER_TOKENS_MAX = 8_000
const READ: Scope[] = ['conversations:read', 'contacts:read', 'events:read']

const tokenFor = async (
  workspaceId: string,
  limits: { scopes?: Scope[]; channels?: ChannelName[] } = {},
): Promise<{ secret: string; id: string }> => {
  const { secret, token } = await createToken(app.ctxOf(workspaceId), { name: 'AI', ...limits })
  return { secret, id: token.id }
}

const post = (secret: string | null, { url = '/mcp', headers = {}, payload = '' } = {}) =>
  app.app.inject({
    method: 'POST',
    url,
    headers: {
      ...(secret && { authorization: `Bearer ${secret}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    payload: payload || JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })

for (const era of ['2025-06-18', '2025-11-25', '2026-07-28'] satisfies Era[])
  test(`a client of ${era} lists and calls tools`, async () => {
    const workspace = await make.workspace()
    const conversation = await make.conversation(workspace.id)
    const { tools, call, revision } = await connect(app.app, workspace.token, { era })
    assert.equal(revision, era)
    assert.equal((await tools())[0]!.name, 'find_conversations')
    const { data, text } = await call('find_conversations')
    assert.equal(data.conversations[0].id, conversation.id)
    // What a client of before reads may be the text alone.
    if (era < '2026') assert.deepEqual(JSON.parse(text), data)
    else assert.equal(text, '1 conversations.')
  })

test('the definitions of all tools take at most 4,000 tokens', async () => {
  const { id } = await make.workspace()
  const { tools } = await connect(app.app, (await tokenFor(id)).secret)
  assert.ok(JSON.stringify(await tools()).length / 4 <= TOKENS_MAX)
})

test('what a token may not do is neither listed nor called', async () => {
  const { id } = await make.workspace()
  const { tools, call } = await connect(app.app, (await tokenFor(id, { scopes: ['contacts:read'] })).secret)
  assert.deepEqual(
    (await tools()).map(({ name }) => name),
    ['find_contacts', 'read_contact', 'list_reference'],
  )
  await assert.rejects(call('find_conversations'), /not found/)
  const { isError, text } = await call('list_reference', { kind: 'agents' })
  assert.ok(isError)
  assert.match(text, /needs agents:read\. An admin can create a token/)
})

test('what happened is told to tokens with events:read only', async () => {
  const { id } = await make.workspace()
  const without = await tokenFor(id, { scopes: ['conversations:read', 'contacts:read'] })
  await assert.rejects((await connect(app.app, without.secret)).call('whats_new'), /not found/)
  const { data } = await (
    await connect(app.app, (await tokenFor(id, { scopes: ['events:read'] })).secret)
  ).call('whats_new')
  assert.deepEqual([data.events, typeof data.cursor], [[], 'string'])
})

test('a token of another workspace finds and reads nothing of this one', async () => {
  const [mine, other] = [await make.workspace(), await make.workspace()]
  const conversation = await make.conversation(mine.id)
  const { call } = await connect(app.app, other.token)
  assert.deepEqual((await call('find_conversations', { status: 'all' })).data.conversations, [])
  const read = await call('read_conversation', { conversationId: conversation.id })
  assert.deepEqual([read.isError, read.text.includes('find_conversations')], [true, true])
  assert.ok((await call('read_contact', { contactId: conversation.contactId })).isError)
})

test('a token limited to a channel sees its conversations only', async () => {
  const { id } = await make.workspace()
  const mail = await make.conversation(id, { channel: 'email' })
  const web = await make.conversation(id)
  const { call } = await connect(app.app, (await tokenFor(id, { scopes: READ, channels: ['email'] })).secret)
  const { data } = await call('find_conversations')
  assert.deepEqual(
    data.conversations.map(({ id }: { id: string }) => id),
    [mail.id],
  )
  assert.ok((await call('read_conversation', { conversationId: web.id })).isError)
})

test('a token that is revoked in between can do nothing more', async () => {
  const { id } = await make.workspace()
  const token = await tokenFor(id)
  const { call } = await connect(app.app, token.secret)
  await call('find_conversations')
  await revokeToken(app.ctxOf(id), { tokenId: token.id })
  app.tokens.forget(token.id)
  await assert.rejects(call('find_conversations'))
  assert.equal((await post(token.secret)).statusCode, 401)
})

test('a call without a token, with one in the address, or from another site is refused', async () => {
  const { token } = await make.workspace()
  assert.equal((await post(null)).statusCode, 401)
  const leaked = await post(null, { url: `/mcp?token=${token}` })
  assert.equal(leaked.statusCode, 400)
  assert.ok(!leaked.body.includes(token))
  assert.equal((await post(token, { headers: { origin: 'https://evil.example' } })).statusCode, 403)
  assert.equal((await post(token, { headers: { host: 'rebound.example' } })).statusCode, 403)
  assert.equal(
    (await post(token, { headers: { origin: 'http://foyer.test', host: 'foyer.test' } })).statusCode,
    200,
  )
  assert.equal((await app.app.inject({ method: 'GET', url: '/mcp' })).statusCode, 405)
})

test('no stream stays open', async () => {
  const { token } = await make.workspace()
  const { client } = await connect(app.app, token)
  await assert.rejects(client.listen({ toolsListChanged: true }))
})

test('arguments that are too many, too long or unknown are answered with an error that says so', async () => {
  const { token } = await make.workspace()
  const { call } = await connect(app.app, token)
  for (const given of [{ limit: 1e6 }, { text: 'x'.repeat(500_000) }, { recipient: 'eve@evil.example' }]) {
    const { isError, text } = await call('find_conversations', given)
    assert.ok(isError && text.length < 1_000, text.slice(0, 200))
  }
  assert.equal((await post(token, { payload: `{"a":"${'x'.repeat(1024 * 1024)}"}` })).statusCode, 413)
})

test('names are found with marks that can’t be seen, and shown without them', async () => {
  const { id, token } = await make.workspace()
  const agent = await make.agent(id, { nickname: 'Jane Doe-Smith' })
  const contact = await make.contact(id, { name: '\u202eevil\u202c Ada\u200b\u{e0041}' })
  const { id: mine } = await make.conversation(id, { contactId: contact.id, agentId: agent.id })
  const { call } = await connect(app.app, token)
  const { data } = await call('find_conversations', { assignee: '\u202bjane doe\u202c' })
  assert.equal(data.conversations[0].id, mine)
  assert.equal(data.conversations[0].customerText.name, 'evil Ada')
  const unknown = await call('find_conversations', { assignee: 'Nobody' })
  assert.ok(unknown.isError && unknown.text.includes(agent.id))
})

test('an answer is cut at a row, and the cursor leads on to every other', async () => {
  const { id, token } = await make.workspace()
  const conversation = await make.conversation(id)
  const written: string[] = []
  for (let at = 0; at < 24; at++)
    written.push((await make.message(id, conversation, { body: `${at} ${'word '.repeat(700)}` })).id)
  const { call } = await connect(app.app, token)
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const { data } = await call('read_conversation', {
      conversationId: conversation.id,
      ...(cursor && { cursor }),
    })
    assert.ok(JSON.stringify(data).length / 4 <= ANSWER_TOKENS_MAX)
    assert.equal(data.isTruncated, data.nextCursor !== null)
    seen.push(...data.entries.map(({ id }: { id: string }) => id))
    cursor = data.nextCursor
  } while (cursor)
  assert.deepEqual(seen, written.toReversed())
})

test('contacts are found, read and paged', async () => {
  const { id, token } = await make.workspace()
  const contacts = []
  for (let at = 0; at < 3; at++) contacts.push((await make.contact(id, { name: `Ada ${at}` })).id)
  const { call } = await connect(app.app, token)
  const first = (await call('find_contacts', { search: 'ada', limit: 2 })).data
  const second = (await call('find_contacts', { search: 'ada', cursor: first.nextCursor })).data
  assert.deepEqual([...first.contacts, ...second.contacts].map(({ id }) => id).sort(), contacts.sort())
  assert.equal(second.nextCursor, null)
  const read = (await call('read_contact', { contactId: contacts[0] })).data
  assert.equal(read.contact.customerText.name, 'Ada 0')
})

test('lists of names have no contact in them', async () => {
  const { id, token } = await make.workspace()
  await make.agent(id, { nickname: 'Mira Klein' })
  const { call } = await connect(app.app, token)
  const { items } = (await call('list_reference', { kind: 'agents' })).data
  assert.deepEqual(
    items.map(({ name }: { name: string }) => name),
    ['Mira Klein'],
  )
  for (const kind of ['tags', 'groups', 'channels'])
    assert.deepEqual((await call('list_reference', { kind })).data.items, [])
})
