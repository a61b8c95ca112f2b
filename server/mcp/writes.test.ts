// Over HTTP, with the library's client: what the tools that write do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { createToken } from '../domain/tokens/tokens.ts'
import type { Scope } from '../platform/db/tables.ts'
import { memoryRateLimiter, type RateLimiter } from '../platform/http/rate-limit.ts'
import { connect } from './testing/connect.ts'

const limits = memoryRateLimiter()
/** The tests share an address, whose limit isn't what they are about. */
const limiter: RateLimiter = {
  take: (key, limit) => limits.take(key, key.startsWith('mcp-writes:') ? limit : Number.MAX_SAFE_INTEGER),
}
const app = await startApp({ deps: { limiter } })
const { make, db } = app

const DRAFT: Scope[] = ['conversations:read', 'contacts:read', 'messages:draft']
const SEND: Scope[] = [...DRAFT, 'messages:send', 'notes:write', 'conversations:write', 'contacts:write']

const place = async (scopes: Scope[] = SEND) => {
  const { id } = await make.workspace()
  const { secret, token } = await createToken(app.ctxOf(id), { name: 'Claude', scopes })
  const ada = await make.contact(id, { name: 'Ada', email: 'ada@example.org' })
  const conversation = await make.conversation(id, { contactId: ada.id })
  await make.message(id, conversation, { body: 'Hello?' })
  const messages = () =>
    db
      .selectFrom('messages')
      .select(['body', 'sender_id', 'conversation_id'])
      .where('workspace_id', '=', id)
      .where('sender_type', '=', 'agent')
      .execute()
  const person = () => make.agent(id, { role: 'admin' }).then((agent) => signIn(app, id, agent.id))
  return { id, conversation, ada, messages, person, tokenId: token.id, ...(await connect(app.app, secret)) }
}

test('a draft stands in the console with who proposed it, replaces the one before, and nothing is sent', async () => {
  const { conversation, call, messages, person } = await place(DRAFT)
  await call('draft_reply', { conversationId: conversation.id, text: 'First' })
  const { data } = await call('draft_reply', { conversationId: conversation.id, text: 'Second' })
  const { body } = await (await person()).call('GET', `/conversations/${conversation.id}/reply-drafts`)
  assert.equal(body.isAvailable, false)
  assert.deepEqual(
    body.drafts.map(({ id, text, program }: Record<string, unknown>) => ({ id, text, program })),
    [{ id: data.draftId, text: 'Second', program: 'Claude' }],
  )
  assert.deepEqual(await messages(), [])
})

test('sending takes the scope by name: a token with full access only drafts', async () => {
  const { id, token } = await make.workspace()
  const names = async (secret: string) =>
    (await (await connect(app.app, secret)).tools()).map(({ name }) => name)
  assert.deepEqual([(await names(token)).length, (await names(token)).includes('send_reply')], [11, false])
  const { secret } = await createToken(app.ctxOf(id), { name: 'AI', scopes: ['messages:send'] })
  assert.deepEqual(await names(secret), ['list_reference', 'draft_reply', 'send_reply'])
})

test('a reply is sent as the token, to the conversation’s own customer', async () => {
  const { conversation, call, messages, tokenId } = await place()
  const { data } = await call('send_reply', {
    conversationId: conversation.id,
    text: 'We got ada@example.org.',
  })
  assert.equal(data.status, 'sent')
  assert.deepEqual(await messages(), [
    { body: 'We got ada@example.org.', sender_id: `api:${tokenId}`, conversation_id: conversation.id },
  ])
})

for (const text of [
  'Write to bob@example.org.',
  'Write to BOB @ example.org',
  'Write to b\u200bob@exam\u200dple.org',
  'bob (at) example (dot) org',
  'ｂｏｂ@example.org',
  'Order 4711 +49 30 1234567',
  'Call 0049 (30) 123-45-67 today',
  'Call ٠٠٤٩٣٠١٢٣٤٥٦٧',
])
  test(`a reply with what belongs to somebody else is left as a draft: ${text}`, async () => {
    const { id, conversation, call, messages } = await place()
    const bob = await make.contact(id, { name: 'Bob', email: 'bob@example.org', phone: '+49301234567' })
    for (const [kind, value] of [
      ['email', 'bob@example.org'],
      ['phone', '+49301234567'],
    ] as const)
      await db
        .insertInto('identities')
        .values({ workspace_id: id, kind, value, contact_id: bob.id, created_at: new Date() })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    const { isError, text: said } = await call('send_reply', { conversationId: conversation.id, text })
    assert.ok(isError && said.includes('left as a draft'), said)
    assert.deepEqual(await messages(), [])
    const drafts = await db.selectFrom('reply_drafts').select('text').where('workspace_id', '=', id).execute()
    assert.deepEqual(drafts, [{ text }])
  })

test('notes, assignments, states and contacts are changed, by name too, and all of it is in the audit log', async () => {
  const { id, conversation, ada, call, tokenId } = await place()
  await make.agent(id, { nickname: 'Jane Miller' })
  await make.agent(id, { nickname: 'Jane Doe' })
  const conversationId = conversation.id
  const ambiguous = await call('update_conversation', { conversationId, assignee: 'Jane' })
  assert.ok(ambiguous.isError && /Jane Miller.*Jane Doe|Jane Doe.*Jane Miller/.test(ambiguous.text))
  const changed = await call('update_conversation', {
    conversationId,
    assignee: 'jane miller',
    status: 'closed',
  })
  assert.deepEqual(
    [changed.data.conversation.assignee.name, changed.data.conversation.status],
    ['Jane Miller', 'closed'],
  )
  await call('add_note', { conversationId, text: 'Prefers mornings' })
  const contact = await call('update_contact', { contactId: ada.id, fields: { plan: 'pro' } })
  assert.deepEqual(contact.data.contact.customerText.fields, { plan: 'pro' })
  const read = await call('read_conversation', { conversationId })
  // A program's note may quote a customer.
  assert.ok(
    read.data.entries.some(
      ({ customerText }: { customerText?: { text?: string } }) => customerText?.text === 'Prefers mornings',
    ),
  )
  const log = await db
    .selectFrom('audit_log')
    .select(['actor', 'target_id', 'changes'])
    .where('workspace_id', '=', id)
    .where('action', '=', 'mcp.tool_called')
    .orderBy('id')
    .execute()
  assert.deepEqual(
    log.map(({ actor, target_id, changes }) => [actor, target_id, changes]),
    (
      [
        ['update_conversation', conversationId],
        ['add_note', conversationId],
        ['update_contact', ada.id],
      ] as const
    ).map(([tool, target]) => [
      `token:${tokenId}`,
      target,
      { tool: { to: tool }, client: { to: 'Test client 7' } },
    ]),
  )
})

test('no tool takes an address or a recipient, deletes, or sends to many', async () => {
  const { tools } = await place()
  for (const { name, inputSchema } of await tools()) {
    const properties = Object.keys(inputSchema.properties ?? {})
    assert.deepEqual(
      properties.filter((property) => /to$|url|address|recipient|email|phone/i.test(property)),
      [],
    )
    assert.doesNotMatch(name, /delete|export|token|webhook|send_broadcast/)
  }
})

test('a token makes at most 30 changes a minute, over all tools', async () => {
  const { conversation, call, messages } = await place()
  const conversationId = conversation.id
  for (let at = 0; at < 30; at++)
    assert.equal((await call('draft_reply', { conversationId, text: `${at}` })).isError, false)
  const refused = await call('send_reply', { conversationId, text: 'One more' })
  assert.ok(refused.isError && /Try again in \d+ seconds/.test(refused.text))
  assert.deepEqual(await messages(), [])
})
