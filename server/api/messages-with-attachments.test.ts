// GET /messages?include=attachments, and lists in which an id is from the far future.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeAttachments } from '../../test/make-attachments.ts'
import { countStatements } from '../../test/statements.ts'
import { createToken } from '../domain/tokens/tokens.ts'
import { idFloor, newId } from '../platform/db/id.ts'

const app = await startApp()
const { call, make, database, ctxOf, db } = app

test('with include, each message has its attachments, with links that work, in one statement more', async () => {
  const workspace = await make.workspace()
  const conversation = await make.conversation(workspace.id)
  const plain = await make.message(workspace.id, conversation, { body: 'No file' })
  const { id } = await make.message(workspace.id, conversation, { body: 'See file' })
  const { attachmentId } = await makeAttachments(app, workspace, id)
  const list = (query: string) => call(workspace.token, 'GET', `/messages${query}`)
  const { body } = await list('?include=attachments')
  assert.deepEqual(
    body.messages.map(({ id, attachments }: { id: string; attachments: { id: string }[] }) => [
      id,
      attachments.map(({ id }) => id),
    ]),
    [
      [id, [attachmentId]],
      [plain.id, []],
    ],
  )
  const [{ url, name, size, type }] = body.messages[0].attachments
  assert.deepEqual([name, size, type], ['map.pdf', 9, 'file'])
  assert.match(url, new RegExp(`/files/${attachmentId}\\?`))
  const without = await list('')
  assert.deepEqual(Object.keys(without.body.messages[0]).includes('attachments'), false)
  const count = (query: string) => countStatements(database, () => list(query))
  assert.equal((await count('?include=attachments')) - (await count('')), 1)
  assert.equal((await list('?include=everything')).status, 400)
})

test('with include, a token limited to channels gets the attachments of its messages only', async () => {
  const workspace = await make.workspace()
  const web = await make.conversation(workspace.id)
  const mail = await make.conversation(workspace.id, { channel: 'email' })
  await makeAttachments(app, workspace, (await make.message(workspace.id, web)).id)
  const own = await makeAttachments(app, workspace, (await make.message(workspace.id, mail)).id)
  const { secret } = await createToken(ctxOf(workspace.id), {
    ...{ name: 'Mail', scopes: ['conversations:read'], channels: ['email'] },
  })
  const { body } = await call(secret, 'GET', '/messages?include=attachments')
  assert.deepEqual(
    body.messages.flatMap(({ attachments }: { attachments: { id: string }[] }) =>
      attachments.map(({ id }) => id),
    ),
    [own.attachmentId],
  )
})

test('an id of the year 9999, made by a wrong clock, hides itself and nothing else', async () => {
  const workspace = await make.workspace()
  const conversation = await make.conversation(workspace.id)
  const first = await make.message(workspace.id, conversation, { body: 'Before' })
  const far = idFloor(Date.UTC(9999, 0, 1)).slice(0, 9) + newId().slice(9)
  const wrong = { workspace_id: workspace.id, id: far, created_at: new Date() }
  await db
    .insertInto('contacts')
    .values({ ...wrong, name: 'Of tomorrow', search_text: 'of tomorrow' })
    .execute()
  await db
    .insertInto('conversations')
    .values({
      ...{ ...wrong, channel: 'web', channel_account_id: conversation.channelAccountId },
      ...{ contact_id: conversation.contactId, status: 'closed', updated_at: new Date() },
    })
    .execute()
  await db
    .insertInto('messages')
    .values({
      ...{ ...wrong, conversation_id: conversation.id, channel_account_id: conversation.channelAccountId },
      ...{ sender_type: 'customer', sender_id: conversation.contactId, body: 'Of tomorrow', status: 'sent' },
    })
    .execute()
  const second = await make.message(workspace.id, conversation, { body: 'After' })
  const page = async (path: string) => (await call(workspace.token, 'GET', path)).body
  const newest = await page('/messages?limit=1')
  assert.equal(newest.messages[0].id, second.id)
  const next = await page(`/messages?limit=1&cursor=${newest.nextCursor}`)
  assert.equal(next.messages[0].id, first.id)
  assert.equal(next.nextCursor, null)
  const { conversations } = await page('/conversations?sort=created')
  assert.deepEqual(
    conversations.map(({ id }: { id: string }) => id),
    [conversation.id],
  )
  const { contacts } = await page('/contacts?sort=created')
  assert.ok(contacts.every(({ id }: { id: string }) => id !== far))
  // By its id it is there, and what is created next has an id of now.
  assert.equal((await call(workspace.token, 'GET', `/contacts/${far}`)).status, 200)
  const created = await call(workspace.token, 'POST', '/conversations', {
    ...{ email: 'ada@example.org', channel: 'web', message: 'Hello' },
  })
  assert.ok(created.body.conversation.id < far)
  const { conversations: later } = await page('/conversations?sort=created')
  assert.equal(later[0].id, created.body.conversation.id)
})
