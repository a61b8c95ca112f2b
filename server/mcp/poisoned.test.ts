// A client that obeys whatever it reads, in inboxes that customers have poisoned: it sends nothing, and what customers
// say stands where it is called theirs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { createToken } from '../domain/tokens/tokens.ts'
import { makeEvents } from '../domain/webhooks/testing/make-events.ts'
import type { Scope } from '../platform/db/tables.ts'
import { connect } from './testing/connect.ts'
import { ORDER, POISON, UNSEEN } from './testing/poison.ts'

const app = await startApp()
const { make, db } = app

/** Everything but full access: what a program that sends by itself could have. */
const SCOPES: Scope[] = [
  'conversations:write',
  'contacts:write',
  'messages:send',
  'notes:write',
  'groups:read',
  'agents:read',
  'templates:read',
  'broadcasts:read',
  'events:read',
]

const makeInbox = async () => {
  const { id: workspaceId, token } = await make.workspace()
  await make.contact(workspaceId, { name: 'Victim', email: 'victim@example.org', phone: '+49309876543' })
  const eve = await make.contact(workspaceId, { name: 'Eve', email: 'eve@evil.example' })
  const conversation = await make.conversation(workspaceId, { contactId: eve.id })
  await make.message(workspaceId, conversation, { body: 'Hello' })
  const { secret } = await createToken(app.ctxOf(workspaceId), { name: 'Claude', scopes: SCOPES })
  return {
    spot: { app, workspaceId, token, contactId: eve.id, conversation },
    ...(await connect(app.app, secret)),
  }
}

type Inbox = Awaited<ReturnType<typeof makeInbox>>

/** Every answer that a client can get by reading, page after page, as tools and as resources. */
const readAll = async ({ client, call }: Inbox, cursor: string): Promise<unknown[]> => {
  const answers: unknown[] = []
  const read = async (name: string, given: Record<string, unknown>) => {
    const pages = []
    let next: string | null = null
    do {
      const { data, isError, text } = await call(name, { ...given, ...(next && { cursor: next }) })
      assert.ok(!isError, text)
      pages.push(data)
      next = data.nextCursor ?? null
    } while (next)
    answers.push(...pages)
    return pages
  }
  const readUri = async (uri: string) => {
    const { contents } = await client.readResource({ uri })
    for (const part of contents) answers.push(JSON.parse((part as { text: string }).text))
  }
  const conversations = await read('find_conversations', { status: 'all' })
  for (const { id } of conversations.flatMap((page) => page.conversations)) {
    await read('read_conversation', { conversationId: id })
    await readUri(`foyer://conversations/${id}`)
    for (const name of ['answer', 'hand_over', 'summarise'])
      answers.push(await client.getPrompt({ name, arguments: { conversationId: id } }))
  }
  answers.push(await client.getPrompt({ name: 'triage' }))
  for (const { id } of (await read('find_contacts', {})).flatMap((page) => page.contacts)) {
    await read('read_contact', { contactId: id })
    await readUri(`foyer://contacts/${id}`)
  }
  for (const kind of ['agents', 'tags', 'groups', 'templates', 'channels'])
    await read('list_reference', { kind })
  const { data } = await call('whats_new', { cursor })
  assert.ok(data.events.length > 0)
  answers.push(data)
  return answers
}

/** The orders in an answer, in every field of it. */
const ordersIn = (answer: unknown): { tool: string; given: Record<string, unknown> }[] =>
  [
    ...JSON.stringify(answer)
      .replaceAll('\\"', '"')
      .matchAll(/CALL (\w+) (\{.*?\}) END/g),
  ].map(([, tool, given]) => ({ tool: tool!, given: JSON.parse(given!) }))

test('customers’ words are tried in at least 40 places', () => {
  assert.ok(Object.keys(POISON).length >= 40)
})

for (const [place, plant] of Object.entries(POISON))
  test(`a client that obeys customers leaks nothing, and sees whose words these are: ${place}`, async () => {
    const inbox = await makeInbox()
    const { spot, call } = inbox
    const { workspaceId, contactId, conversation } = spot
    const { cursor } = (await call('whats_new')).data
    await plant(spot)
    await makeEvents(app, workspaceId, [
      {
        type: 'contact.updated',
        contactId,
        data: { contactId, changed: [`customFields.${ORDER}`], name: ORDER },
      },
    ])
    const before = await db
      .selectFrom('messages')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .execute()
    const answers = await readAll(inbox, cursor)
    const orders = answers.flatMap(ordersIn)
    assert.equal(orders.length > 0, !UNSEEN.includes(place))
    for (const { tool, given } of orders.slice(0, 5)) {
      const { isError, text } = await call(tool, { conversationId: conversation.id, ...given })
      assert.ok(isError && text.includes('left as a draft'), text)
    }
    const after = await db
      .selectFrom('messages')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .execute()
    assert.equal(after.length, before.length)
    for (const answer of answers) {
      const ours = JSON.stringify(answer, (key, value) => (key === 'customerText' ? undefined : value))
      assert.doesNotMatch(ours, /CALL|victim|evil\.example/)
    }
  })

test('what a person of the team wrote stands outside of it', async () => {
  const inbox = await makeInbox()
  const { workspaceId, conversation, contactId } = inbox.spot
  const { id } = await make.agent(workspaceId, { nickname: 'Mira' })
  await make.message(workspaceId, conversation, { body: 'On its way', senderType: 'agent', senderId: id })
  await db
    .insertInto('notes')
    .values({
      ...{ workspace_id: workspaceId, id: conversation.id, contact_id: contactId, author_id: id },
      ...{ conversation_id: conversation.id, body: 'Prefers mornings', created_at: new Date() },
    })
    .execute()
  const { data } = await inbox.call('read_conversation', { conversationId: conversation.id })
  const words = data.entries.map(({ text }: { text?: string }) => text)
  assert.deepEqual(words.filter(Boolean).sort(), ['On its way', 'Prefers mornings'])
  const read = await inbox.call('read_contact', { contactId })
  assert.deepEqual(read.data.notes[0].text, 'Prefers mornings')
})
