import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { listUnbound } from '../domain/attachments/queries.ts'
import { storeUpload } from '../domain/attachments/store-attachment.ts'
import { createToken } from '../domain/tokens/tokens.ts'

const app = await startApp()
const { call, make, ctxOf } = app
const workspace = await make.workspace()
const { token } = workspace
const add = async (conversationId: string, body: string): Promise<{ id: string; createdAt: string }> =>
  (await call(token, 'POST', '/notes', { conversationId, body })).body.note
const list = async (query: string, of = token) => (await call(of, 'GET', `/notes?${query}`)).body
const bodies = ({ notes }: { notes: { body: string }[] }) => notes.map(({ body }) => body)

test('notes of all conversations of a contact are listed in pages, the newest first', async () => {
  const contact = await make.contact(workspace.id)
  const one = await make.conversation(workspace.id, { contactId: contact.id, channel: 'web' })
  const two = await make.conversation(workspace.id, { contactId: contact.id, channel: 'telegram' })
  for (const [conversation, body] of [
    [one, 'first'],
    [two, 'second'],
    [one, 'third'],
  ] as const)
    await add(conversation.id, body)
  const page = await list(`contactId=${contact.id}&limit=2`)
  assert.deepEqual(bodies(page), ['third', 'second'])
  await add(one.id, 'meanwhile')
  const rest = await list(`contactId=${contact.id}&limit=2&cursor=${page.nextCursor}`)
  assert.deepEqual([bodies(rest), rest.nextCursor], [['first'], null])
  const other = await make.contact(workspace.id)
  const misplaced = await call(token, 'GET', `/notes?contactId=${other.id}&cursor=${page.nextCursor}`)
  assert.deepEqual([misplaced.status, misplaced.body.error.details[0].field], [400, 'cursor'])

  const { secret } = await createToken(ctxOf(workspace.id), { name: 'Web', channels: ['web'] })
  assert.deepEqual(bodies(await list(`contactId=${contact.id}`, secret)), ['meanwhile', 'third', 'first'])
  const [, hidden] = (await list(`contactId=${contact.id}&limit=3`)).notes
  assert.equal(hidden.body, 'third')
  const second = (await list(`contactId=${contact.id}`)).notes.find(
    ({ body }: { body: string }) => body === 'second',
  )
  for (const method of ['PATCH', 'DELETE'] as const) {
    const refused = await call(
      secret,
      method,
      `/notes/${second.id}`,
      method === 'PATCH' ? { body: 'x' } : undefined,
    )
    assert.equal(refused.body.error.code, 'NOTE_NOT_FOUND')
  }
})

test('a note of the API is changed and deleted by any token, with its time and author unchanged', async () => {
  const conversation = await make.conversation(workspace.id)
  const note = await add(conversation.id, 'Call back')
  const other = await make.token(workspace.id)
  const changed = await call(other.secret, 'PATCH', `/notes/${note.id}`, { body: ' Called ' })
  assert.deepEqual(changed.body.note, { ...note, body: 'Called' })
  assert.deepEqual(bodies(await list(`contactId=${conversation.contactId}`)), ['Called'])
  const deleted = await call(other.secret, 'DELETE', `/notes/${note.id}`)
  assert.deepEqual(deleted.body, { success: true })
  assert.deepEqual(bodies(await list(`contactId=${conversation.contactId}`)), [])
  assert.equal((await call(token, 'DELETE', `/notes/${note.id}`)).body.error.code, 'NOTE_NOT_FOUND')
})

test('what a person noted is read by programs, and changed by none', async () => {
  const conversation = await make.conversation(workspace.id)
  const robin = await make.agent(workspace.id, { role: 'admin', nickname: 'Robin' })
  const person = await signIn(app, workspace.id, robin.id)
  const { note } = (await person.call('POST', '/notes', { conversationId: conversation.id, body: 'Mine' }))
    .body
  for (const method of ['PATCH', 'DELETE'] as const) {
    const refused = await call(
      token,
      method,
      `/notes/${note.id}`,
      method === 'PATCH' ? { body: 'x' } : undefined,
    )
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'])
  }
  assert.deepEqual((await list(`contactId=${conversation.contactId}`)).notes, [note])
})

test('a change and a deletion at the same moment leave no note, and no error that is not ours', async () => {
  const conversation = await make.conversation(workspace.id)
  const note = await add(conversation.id, 'Call back')
  const answers = await Promise.all([
    call(token, 'PATCH', `/notes/${note.id}`, { body: 'Called' }),
    call(token, 'DELETE', `/notes/${note.id}`),
    call(token, 'DELETE', `/notes/${note.id}`),
  ])
  assert.ok(answers.every(({ status }) => status === 200 || status === 404))
  assert.deepEqual(bodies(await list(`contactId=${conversation.contactId}`)), [])
})

test('a note has the files of its author, which those see who see the conversation, and which are never sent', async () => {
  const robin = await make.agent(workspace.id, { role: 'admin' })
  const jane = await make.agent(workspace.id, { role: 'admin' })
  const asRobin = await signIn(app, workspace.id, robin.id)
  const restricted = await signIn(app, workspace.id, (await makeMember(app, workspace.id, [])).id)
  const upload = async (accountId: string, name: string) => {
    const ctx = { ...ctxOf(workspace.id), actor: { type: 'agent' as const, accountId } as never }
    return (
      await storeUpload(ctx, { name, mimeType: 'text/plain', stream: Readable.from([Buffer.from(name)]) })
    ).id
  }
  const { id } = await make.conversation(workspace.id, { channel: 'web' })
  const [plan, spare] = [await upload(robin.id, 'plan.txt'), await upload(robin.id, 'spare.txt')]
  const write = (attachmentIds: string[]) =>
    asRobin.call('POST', '/notes', { conversationId: id, body: 'See the plan', attachmentIds })
  const foreign = await write([await upload(jane.id, 'hers.txt')])
  assert.deepEqual([foreign.status, foreign.body.error.details[0].field], [400, 'attachmentIds'])
  const { status, body, text } = await write([plan])
  assert.equal(status, 200, text)
  const { entries } = (await asRobin.call('GET', `/conversations/${id}/timeline`)).body
  const [entry] = entries.filter(({ kind }: { kind: string }) => kind === 'note')
  const [file] = entry.note.attachments
  assert.deepEqual(
    [entry.note.id, file.id, file.name, file.state],
    [body.note.id, plan, 'plan.txt', 'stored'],
  )
  const { statusCode, payload } = await app.app.inject({
    url: new URL(file.url).pathname + new URL(file.url).search,
  })
  assert.deepEqual([statusCode, payload], [200, 'plan.txt'])
  // Programs that read notes get the files in the same shape as those of messages.
  const inApi = (shown: { id: string; attachments: { url: string }[] }) =>
    shown.attachments.map(({ url: _, ...rest }) => rest)
  const asShown = [{ id: plan, type: 'file', name: 'plan.txt', mimeType: 'text/plain', size: 8 }]
  const { body: conversation } = await asRobin.call('GET', `/conversations/${id}`)
  const contactId = conversation.conversation.contact.id
  const [listed] = (await list(`contactId=${contactId}`)).notes
  assert.deepEqual([listed.id, inApi(listed)], [body.note.id, asShown])
  const profile = (await call(token, 'GET', `/contacts/${contactId}`)).body
  assert.deepEqual([inApi(profile.notes[0]), inApi(body.note)], [asShown, asShown])
  const program = await app.app.inject({ url: listed.attachments[0].url.replace(/^https?:..[^/]*/, '') })
  assert.deepEqual([program.statusCode, program.payload], [200, 'plan.txt'])
  const { secret: writer } = await createToken(ctxOf(workspace.id), { name: 'W', scopes: ['notes:write'] })
  assert.equal((await call(writer, 'GET', `/notes?contactId=${contactId}`)).status, 403)
  assert.equal((await asRobin.call('GET', `/attachments/${plan}`)).status, 200)
  assert.equal((await restricted.call('GET', `/attachments/${plan}`)).status, 404)
  // Whoever has it in a note can't send it, and it isn't in the conversation's messages.
  for (const attachmentIds of [[plan], [plan, spare]]) {
    const sent = await asRobin.call('POST', `/conversations/${id}/messages`, { body: 'Here', attachmentIds })
    assert.deepEqual([sent.status, sent.body.error.details[0].field], [400, 'attachmentIds'])
    assert.equal((await write(attachmentIds)).status, 400)
  }
  assert.deepEqual((await call(token, 'GET', `/conversations/${id}/messages`)).body.messages, [])
  const sweepable = async () =>
    (await listUnbound(app.db, new Date(Date.now() + 60_000), 100)).map((one) => one.id).includes(plan)
  assert.equal(await sweepable(), false)
  assert.equal((await asRobin.call('DELETE', `/notes/${body.note.id}`)).status, 200)
  assert.equal(await sweepable(), true)
})
