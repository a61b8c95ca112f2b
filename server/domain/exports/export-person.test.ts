// Everything about one person, and nothing about another.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { until } from '../../../test/until.ts'
import { sweepExports } from '../../jobs/run-export.ts'
import { newId } from '../../platform/db/id.ts'
import { fileKey, MissingFileError } from '../../platform/files/store.ts'
import { readTar } from '../../platform/files/tar.ts'
import { runErasure } from '../erasures/run-erasure.ts'
import { addNote } from '../notes/add-note.ts'
import { createToken } from '../tokens/tokens.ts'
import { personArchiveKey } from './person-archive.ts'
import { runExport } from './run-export.ts'
import type { PersonExportAnswer } from './schema.ts'

const app = await startApp()
const { call, clock, ctxOf, database, db, deps, make } = app
const { connectionString } = database
const workspace = await make.workspace({ name: 'Acme' })
const other = await make.workspace({ name: 'Other' })
const ctx = ctxOf(workspace.id)

const makePerson = async (name: string, words: string) => {
  const contact = await make.contact(workspace.id, { name, email: `${name.toLowerCase()}@example.com` })
  const conversation = await make.conversation(workspace.id, { contactId: contact.id })
  const message = await make.message(workspace.id, conversation, { body: words })
  await addNote(ctx, { body: `${words} noted`, conversationId: conversation.id })
  await make
    .tag(workspace.id, { name: `Tag ${name}` })
    .then((tagId) =>
      db
        .insertInto('contact_tags')
        .values({ workspace_id: workspace.id, contact_id: contact.id, tag_id: tagId })
        .execute(),
    )
  const attachmentId = newId()
  const key = fileKey(workspace.id, attachmentId)
  await ctx.files.put(key, Buffer.from(`${words} on file`), { mimeType: 'text/plain' })
  const size = Buffer.byteLength(`${words} on file`)
  const file = { message_id: message.id, contact_id: null, type: 'file' as const, name: 'order.txt' }
  await db
    .insertInto('attachments')
    .values({
      ...file,
      ...{ workspace_id: workspace.id, id: attachmentId, mime_type: 'text/plain', size },
      ...{ storage_key: key, created_at: new Date() },
    })
    .execute()
  await database.pool.query(
    `insert into ai_turns (workspace_id, id, conversation_id, state, due_at, created_at, ended_at, outcome)
     values ($1, $2, $3, 'ended', now(), now(), now(), 'discarded')`,
    [workspace.id, message.id, conversation.id],
  )
  await database.pool.query(
    `insert into ai_requests (workspace_id, turn_id, id, model, request, tries, duration_ms, created_at)
     values ($1, $2, $2, 'model', $3, 1, 1, now())`,
    [workspace.id, message.id, JSON.stringify([`${words} to a model`])],
  )
  return { contactId: contact.id, attachmentId, messageId: message.id }
}

const ada = await makePerson('Ada', 'Marmalade')
const bob = await makePerson('Bob', 'Turpentine')

const begin = async (contactId: string, token = workspace.token) => {
  const { status, body, text } = await call(token, 'POST', `/contacts/${contactId}/exports`)
  assert.equal(status, 200, text)
  return body.export as PersonExportAnswer['export']
}
const work = (id: string) => runExport(ctx, id, { connectionString, signal: new AbortController().signal })
const seen = async (contactId: string, id: string) =>
  (await call(workspace.token, 'GET', `/contacts/${contactId}/exports/${id}`)).body
    .export as PersonExportAnswer['export']
const download = (url: string) => app.app.inject({ url: url.slice('http://foyer.test'.length) })

test('an archive has everything about a person and nothing about another', async () => {
  const { id, status, url } = await begin(ada.contactId)
  assert.deepEqual([status, url], ['running', null])
  assert.equal((await begin(ada.contactId)).id, id, 'one at a time')
  await work(id)
  const done = await seen(ada.contactId, id)
  assert.equal(done.status, 'completed')
  const { statusCode, rawPayload } = await download(done.url!)
  assert.equal(statusCode, 200)
  assert.equal(rawPayload.length, done.bytes)
  const files = new Map<string, string>()
  for await (const { name, content } of readTar(Readable.from([rawPayload]))) {
    let text = ''
    for await (const part of content) text += part
    files.set(name, text)
  }
  assert.deepEqual(
    [...files.keys()],
    [
      ...['contacts', 'tags', 'conversations', 'messages', 'notes', 'attachments', 'aiRequests'].map(
        (name) => `${name}.json`,
      ),
      `files/${ada.attachmentId}`,
    ],
  )
  const bodyOf = (name: string) => JSON.parse(files.get(name)!)
  assert.deepEqual(
    [bodyOf('contacts.json')[0].name, bodyOf('tags.json')[0].name, bodyOf('messages.json')[0].body],
    ['Ada', 'Tag Ada', 'Marmalade'],
  )
  assert.equal(bodyOf('notes.json')[0].body, 'Marmalade noted')
  assert.deepEqual(bodyOf('aiRequests.json')[0].request, ['Marmalade to a model'])
  assert.equal(bodyOf('attachments.json')[0].path, `files/${ada.attachmentId}`)
  assert.equal(files.get(`files/${ada.attachmentId}`), 'Marmalade on file')
  for (const secret of ['Turpentine', 'Bob', bob.contactId, bob.messageId])
    assert.ok(!rawPayload.includes(secret), secret)
  const { body } = await call(workspace.token, 'GET', '/audit-log?action=contact.exported')
  assert.equal(body.entries.length, 1)
  assert.deepEqual([body.entries[0].target.id, body.entries[0].changes], [ada.contactId, {}])
  assert.deepEqual((await call(workspace.token, 'GET', '/exports')).body.exports, [])
  assert.equal((await call(workspace.token, 'GET', `/exports/${id}`)).status, 404)
})

test('an export that was interrupted begins again, up to five times', async () => {
  const { id } = await begin(ada.contactId)
  const stopped = AbortSignal.abort(new Error('killed'))
  for (let tries = 1; tries <= 4; tries++)
    await assert.rejects(runExport(ctx, id, { connectionString, signal: stopped }), /killed/)
  await work(id)
  assert.equal((await seen(ada.contactId, id)).status, 'completed')
  const failing = (await begin(bob.contactId)).id
  for (let tries = 1; tries <= 5; tries++)
    await assert.rejects(runExport(ctx, failing, { connectionString, signal: stopped }), /killed/)
  await work(failing)
  const { status, url, problem } = await seen(bob.contactId, failing)
  assert.deepEqual([status, url], ['failed', null])
  assert.match(problem!, /could not be written/)
})

test('a link works for 24 hours, and then the archive is deleted', async () => {
  const { id } = await begin(ada.contactId)
  await work(id)
  const { url, completedAt, expiresAt } = await seen(ada.contactId, id)
  assert.equal(Date.parse(expiresAt!) - Date.parse(completedAt!), 24 * 3_600_000)
  const { now } = clock
  const ahead = (minutes: number) => {
    clock.now = () => new Date(Date.parse(completedAt!) + minutes * 60_000)
  }
  try {
    ahead(24 * 60 - 1)
    assert.equal((await download(url!)).statusCode, 200)
    ahead(24 * 60 + 1)
    assert.equal((await download(url!)).statusCode, 403)
    await sweepExports({ ...deps, isStopping: () => false, timing: {} as never, log: app.app.log })
  } finally {
    clock.now = now
  }
  const { status, url: gone } = await seen(ada.contactId, id)
  assert.deepEqual([status, gone], ['expired', null])
  await assert.rejects(ctx.files.open(personArchiveKey(ctx, id)), MissingFileError)
})

test('only who may read all of it gets it', async () => {
  const { id } = await begin(ada.contactId)
  const operator = { ...ctx, actor: { type: 'operator' as const } }
  const all = ['exports:create', 'contacts:read', 'conversations:read'] as const
  for (const limits of [
    { scopes: ['exports:create', 'contacts:read'] },
    { scopes: ['contacts:read', 'conversations:read'] },
    { scopes: [...all], channels: ['email'] },
  ]) {
    const { secret } = await createToken(operator, { name: 'Limited', ...limits } as never)
    for (const [method, path] of [
      ['POST', `/contacts/${ada.contactId}/exports`],
      ['GET', `/contacts/${ada.contactId}/exports/${id}`],
    ] as const)
      assert.equal((await call(secret, method, path)).status, 403, `${method} ${JSON.stringify(limits)}`)
  }
  const { secret } = await createToken(operator, { name: 'All', scopes: [...all] } as never)
  assert.equal((await begin(ada.contactId, secret)).id, id)
  for (const [token, contactId] of [
    [other.token, ada.contactId],
    [workspace.token, bob.contactId],
  ] as const)
    assert.equal((await call(token, 'GET', `/contacts/${contactId}/exports/${id}`)).status, 404)
  assert.equal((await call(other.token, 'POST', `/contacts/${ada.contactId}/exports`)).status, 404)
  await work(id)
})

test('erasing the person ends their exports, also one that is being written', async () => {
  const written = await begin(ada.contactId)
  await work(written.id)
  const { url } = await seen(ada.contactId, written.id)
  const late = await begin(ada.contactId)
  const put = ctx.files.put.bind(ctx.files)
  let erasureId = ''
  const files = Object.assign(Object.create(ctx.files), {
    put: async (...given: Parameters<typeof put>) => {
      const { body } = await call(workspace.token, 'DELETE', `/contacts/${ada.contactId}?mode=erase`)
      erasureId = body.erasure.id
      assert.equal((await download(url!)).statusCode, 404, 'at once')
      await until(() => runErasure(ctx, erasureId, { isStopping: () => false }), 'the erasure')
      return put(...given)
    },
  })
  await runExport({ ...ctx, files }, late.id, { connectionString, signal: new AbortController().signal })
  for (const { id } of [written, late]) {
    await assert.rejects(ctx.files.open(personArchiveKey(ctx, id)), MissingFileError)
    assert.equal((await call(workspace.token, 'GET', `/contacts/${ada.contactId}/exports/${id}`)).status, 404)
  }
  assert.equal((await call(workspace.token, 'POST', `/contacts/${ada.contactId}/exports`)).status, 404)
})
