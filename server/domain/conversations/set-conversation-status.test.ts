import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { newId } from '../../platform/db/id.ts'

const { call, clock, db, make } = await startApp()
const workspace = await make.workspace()
const other = await make.workspace()

const updatedAt = async (id: string) =>
  (await db.selectFrom('conversations').select('updated_at').where('id', '=', id).executeTakeFirstOrThrow())
    .updated_at

test('closing twice succeeds and announces once', async () => {
  const conversation = await make.conversation(workspace.id)
  for (const _ of [1, 2]) {
    const { status, body } = await call(workspace.token, 'POST', `/conversations/${conversation.id}/close`)
    assert.equal(status, 200)
    assert.deepEqual(body, { success: true, conversationId: conversation.id, status: 'closed' })
  }
  const events = await db
    .selectFrom('events')
    .select('type')
    .where('conversation_id', '=', conversation.id)
    .execute()
  assert.deepEqual(events, [{ type: 'conversation.status' }])
})

test('closing a closed conversation leaves updatedAt as it was', async () => {
  const conversation = await make.conversation(workspace.id)
  await call(workspace.token, 'POST', `/conversations/${conversation.id}/close`)
  const before = await updatedAt(conversation.id)
  const real = clock.now
  clock.now = () => new Date(Date.now() + 60_000)
  await call(workspace.token, 'POST', `/conversations/${conversation.id}/close`)
  clock.now = real
  assert.equal(await updatedAt(conversation.id), before)
})

test('the open count of the contact follows close and reopen', async () => {
  const conversation = await make.conversation(workspace.id)
  const openCount = async () =>
    (
      await db
        .selectFrom('contacts')
        .select('open_count')
        .where('id', '=', conversation.contactId)
        .executeTakeFirstOrThrow()
    ).open_count
  await call(workspace.token, 'POST', `/conversations/${conversation.id}/close`)
  assert.equal(await openCount(), 0)
  await call(workspace.token, 'POST', `/conversations/${conversation.id}/reopen`)
  assert.equal(await openCount(), 1)
})

test('a conversation of another workspace gets the same response, byte for byte, as one that does not exist', async () => {
  const foreign = await make.conversation(other.id)
  for (const verb of ['close', 'reopen']) {
    const theirs = await call(workspace.token, 'POST', `/conversations/${foreign.id}/${verb}`)
    const nobodys = await call(workspace.token, 'POST', `/conversations/${newId()}/${verb}`)
    const shapeless = await call(workspace.token, 'POST', `/conversations/%00%ff%/${verb}`)
    assert.equal(theirs.status, 404)
    assert.equal(theirs.text, nobodys.text)
    assert.equal(theirs.text, shapeless.text)
  }
})

test("the contact's last activity is the very instant that its conversation moved", async () => {
  const conversation = await make.conversation(workspace.id)
  await make.agent(workspace.id, { role: 'admin' })
  const agent = await make.agent(workspace.id)
  const path = `/conversations/${conversation.id}`
  const real = clock.now
  let ticks = 0
  clock.now = () => new Date(real().getTime() + ticks++)
  try {
    for (const [method, url, body] of [
      ['POST', `${path}/close`],
      ['POST', `${path}/reopen`],
      ['POST', `${path}/assign`, { agentId: agent.id }],
      ['POST', '/notes', { conversationId: conversation.id, body: 'Hi' }],
      ['DELETE', `/agents/${agent.id}`],
    ] as const) {
      const before = await updatedAt(conversation.id)
      assert.equal((await call(workspace.token, method, url, body)).status, 200)
      const moved = await updatedAt(conversation.id)
      assert.notEqual(moved, before)
      const contact = await db
        .selectFrom('contacts')
        .select('last_activity_at')
        .where('id', '=', conversation.contactId)
        .executeTakeFirstOrThrow()
      assert.equal(contact.last_activity_at, moved, `${method} ${url}`)
    }
  } finally {
    clock.now = real
  }
})

test('a conversation that opens again stays with its agent, but not with one who has left', async () => {
  await make.agent(workspace.id, { role: 'admin' })
  const listed = async (id: string) =>
    (await call(workspace.token, 'GET', `/conversations/${id}`)).body.conversation.assignment?.agentId ?? null
  for (const leaves of [false, true]) {
    const agent = await make.agent(workspace.id)
    const { id, contactId } = await make.conversation(workspace.id, { agentId: agent.id })
    await call(workspace.token, 'POST', `/conversations/${id}/close`)
    if (leaves) assert.equal((await call(workspace.token, 'DELETE', `/agents/${agent.id}`)).status, 200)
    assert.equal(await listed(id), agent.id)
    await call(workspace.token, 'POST', `/conversations/${id}/reopen`)
    assert.equal(await listed(id), leaves ? null : agent.id)
    const { body } = await call(workspace.token, 'GET', '/conversations?status=unassigned&limit=100')
    assert.equal(
      body.conversations.some((one: { id: string }) => one.id === id),
      leaves,
    )
    const { body: profile } = await call(workspace.token, 'GET', '/contacts?pageSize=100')
    const contact = profile.contacts.find((one: { id: string }) => one.id === contactId)
    assert.equal(contact.assignedAgent?.id ?? null, leaves ? null : agent.id)
  }
})
