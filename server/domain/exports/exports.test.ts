// A workspace's archive: complete, of one moment, and the beginning of the feed.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { until } from '../../../test/until.ts'
import { sweepExports } from '../../jobs/run-export.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { newId } from '../../platform/db/id.ts'
import { ARCHIVE_RESOURCES } from '../../platform/db/tables.ts'
import { fileKey } from '../../platform/files/store.ts'
import { readTar } from '../../platform/files/tar.ts'
import { addNote } from '../notes/add-note.ts'
import { createToken } from '../tokens/tokens.ts'
import type { Manifest } from './archive-format.ts'
import type { ExportDetails } from './schema.ts'
import { writeArchive } from './write-archive.ts'

const app = await startApp({ worker: true })
const { call, clock, ctxOf, database, db, deps, make } = app
const workspace = await make.workspace({ name: 'Acme' })
const ctx = ctxOf(workspace.id)
const { connectionString } = database
const contact = await make.contact(workspace.id, { name: 'Ada', email: 'ada@example.com' })
const conversation = await make.conversation(workspace.id, { contactId: contact.id })
const message = await make.message(workspace.id, conversation, { body: 'Où est ma commande ? 📦' })
const tagId = await make.tag(workspace.id, { name: 'VIP' })
const groupId = await make.group(workspace.id, { name: 'Friends', contactIds: [contact.id] })
await db
  .insertInto('contact_tags')
  .values({ workspace_id: workspace.id, contact_id: contact.id, tag_id: tagId })
  .execute()
const attachmentId = newId()
const content = Buffer.from('a file of 700 bytes '.repeat(35))
await ctx.files.put(fileKey(workspace.id, attachmentId), content, { mimeType: 'text/plain' })
await db
  .insertInto('attachments')
  .values({
    workspace_id: workspace.id,
    id: attachmentId,
    message_id: message.id,
    contact_id: null,
    type: 'file',
    name: 'order.txt',
    mime_type: 'text/plain',
    size: content.length,
    storage_key: fileKey(workspace.id, attachmentId),
    created_at: new Date(),
  })
  .execute()
const other = await make.workspace({ name: 'Other' })
await make.message(other.id, await make.conversation(other.id), { body: 'of somebody else' })

const conversations = await Promise.all(Array.from({ length: 6 }, () => make.conversation(workspace.id)))

const exported = async (body: object = {}, token = workspace.token): Promise<ExportDetails> => {
  const started = await call(token, 'POST', '/exports', body)
  assert.equal(started.status, 200, started.text)
  const { id } = started.body.export
  let details: ExportDetails | undefined
  await until(async () => {
    details = (await call(token, 'GET', `/exports/${id}`)).body
    return details!.export.status !== 'running'
  }, 'the export')
  assert.equal(details!.export.status, 'completed')
  return details!
}

const download = async (url: string) => app.app.inject({ url: url.slice('http://foyer.test'.length) })

const linesOf = async ({ files }: ExportDetails, name: string): Promise<Record<string, unknown>[]> => {
  const { rawPayload } = await download(files.find((file) => file.name === name)!.url)
  return rawPayload
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

test('an export has every resource with its rows, bytes and hash, and nothing of other workspaces', async () => {
  const details = await exported({ includeFiles: true })
  assert.deepEqual(
    details.files.map(({ name }) => name),
    ['manifest.json', ...ARCHIVE_RESOURCES.map((name) => `${name}.ndjson`), 'files.tar'],
  )
  for (const { name, rows, bytes, sha256, url } of details.files) {
    const { statusCode, rawPayload } = await download(url)
    assert.equal(statusCode, 200)
    assert.equal(rawPayload.length, bytes, name)
    assert.equal(createHash('sha256').update(rawPayload).digest('hex'), sha256)
    if (name.endsWith('.ndjson')) assert.equal(rawPayload.toString().split('\n').length - 1, rows, name)
    assert.ok(!rawPayload.includes(other.id) && !rawPayload.includes('of somebody else'), name)
  }
  const [one] = await linesOf(details, 'contacts.ndjson')
  assert.deepEqual(
    [one!.name, one!.tagIds, one!.groupIds, one!.identities],
    ['Ada', [tagId], [groupId], [{ kind: 'email', value: 'ada@example.com', verified: true }]],
  )
  const [said] = await linesOf(details, 'messages.ndjson')
  assert.equal(said!.body, 'Où est ma commande ? 📦')
  const [file] = await linesOf(details, 'attachments.ndjson')
  assert.equal(file!.path, `files/${attachmentId}`)
  const tar = await download(details.files.at(-1)!.url)
  for await (const entry of readTar(Readable.from([tar.rawPayload]))) {
    assert.equal(entry.name, `files/${attachmentId}`)
    const parts: Buffer[] = []
    for await (const part of entry.content) parts.push(part)
    assert.deepEqual(Buffer.concat(parts), content)
  }
})

test('only some resources, and messages from a time on, can be exported', async () => {
  const createdAfter = new Date(Date.now() + 1_000).toISOString()
  const details = await exported({ resources: ['messages', 'contacts'], createdAfter })
  assert.deepEqual(
    details.files.map(({ name, rows }) => [name, rows]),
    [
      ['manifest.json', 1],
      ['contacts.ndjson', 7],
      ['messages.ndjson', 0],
    ],
  )
})

test('a link works for an hour, for its file alone, and the files for a week', async () => {
  const { files, export: one } = await exported({ resources: ['tags'] })
  const [manifest, tags] = files.map(({ url }) => url)
  const swapped = tags!.replace('tags.ndjson', 'manifest.json')
  assert.equal((await download(swapped)).statusCode, 403)
  const now = clock.now
  const ahead = (ms: number) => {
    clock.now = () => new Date(now().getTime() + ms)
  }
  ahead(59 * 60_000)
  assert.equal((await download(manifest!)).statusCode, 200)
  ahead(61 * 60_000)
  assert.equal((await download(manifest!)).statusCode, 403)
  ahead(7 * 24 * 3_600_000 + 60_000)
  await sweepExports({ ...deps, isStopping: () => false, timing: {} as never, log: app.app.log })
  const { body } = await call(workspace.token, 'GET', `/exports/${one.id}`)
  assert.deepEqual([body.export.status, body.files], ['expired', []])
  clock.now = now
})

test('a token exports only what it may read, and gets no links to more', async () => {
  const { secret } = await createToken({ ...ctx, actor: { type: 'operator' } }, {
    name: 'Contacts only',
    scopes: ['contacts:read', 'exports:create'],
  } as never)
  const refused = await call(secret, 'POST', '/exports', {})
  assert.equal(refused.status, 403)
  assert.equal(refused.body.error.code ?? refused.body.code, 'INSUFFICIENT_SCOPE')
  const mine = await exported({ resources: ['contacts', 'notes'] }, secret)
  const { export: theirs } = await exported({ resources: ['messages'] })
  assert.equal((await call(secret, 'GET', `/exports/${theirs.id}`)).status, 403)
  assert.equal((await call(other.token, 'GET', `/exports/${mine.export.id}`)).status, 404)
  const { body } = await call(workspace.token, 'GET', '/audit-log?action=export.created&limit=1')
  assert.deepEqual(body.entries[0].changes.resources, { to: ['messages'] })
})

/** The notes that a program has which reads the archive and then follows the feed; none may be twice. */
const notesOf = async (notes: string[], { feed }: Manifest): Promise<string[]> => {
  const all = [...notes]
  const included = new Set(feed!.included)
  for (let cursor = feed!.cursor, hasMore = true; hasMore; ) {
    const { body, status, text } = await call(workspace.token, 'GET', `/events?cursor=${cursor}&limit=500`)
    assert.equal(status, 200, text)
    for (const { id, type, data } of body.events)
      if (type === 'note.created' && !included.has(id)) all.push(data.noteId)
    ;({ cursor, hasMore } = body)
  }
  return all.sort()
}

const allNotes = async (): Promise<string[]> => {
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where('workspace_id', '=', workspace.id)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Each in a conversation of its own: those who share one wait for each other. */
const write = (writer: number) => addNote(ctx, { body: 'a note', conversationId: conversations[writer]!.id })

/** All is in the feed. */
const settle = () =>
  until(async () => {
    const { rows } = await database.pool.query(
      'select 1 from events e, feed_relay r where (e.tx, e.id) > (r.tx, r.id) limit 1',
    )
    return rows.length === 0
  }, 'the feed')

test('an archive and the feed after it have neither gap nor overlap while others write', async () => {
  let isWriting = true
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    while (isWriting) await write(writer)
  })
  const archives: { notes: string[]; manifest: Manifest }[] = []
  for (let count = 0; count < 3; count++) {
    const details = await exported({ resources: ['notes'] })
    const notes = (await linesOf(details, 'notes.ndjson')).map(({ id }) => String(id))
    const { rawPayload } = await download(details.files[0]!.url)
    archives.push({ notes, manifest: JSON.parse(rawPayload.toString()) })
  }
  isWriting = false
  await Promise.all(writers)
  await settle()
  const all = await allNotes()
  for (const { notes, manifest } of archives) assert.deepEqual(await notesOf(notes, manifest), all)
})

test('events that the feed numbers after the snapshot, behind one that is not in it, are named', async () => {
  let commit = () => {}
  const isOpen = Promise.withResolvers<void>()
  const older = inTransaction(ctx, async (ctx) => {
    await addNote(ctx, { body: 'committed later', conversationId: conversation.id })
    isOpen.resolve()
    await new Promise<void>((resolve) => {
      commit = resolve
    })
  })
  await isOpen.promise
  await write(0)
  const notes: string[] = []
  const writing = writeArchive(ctx, {
    connectionString,
    resources: ['notes'],
    createdAfter: null,
    includeFiles: false,
    feedWaitMs: 20_000,
    signal: new AbortController().signal,
    sink: async (name, content) => {
      let text = ''
      for await (const part of content) text += part
      if (name === 'notes.ndjson')
        notes.push(
          ...text
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line).id),
        )
    },
  })
  await until(async () => {
    const { rows } = await database.pool.query(
      `select 1 from pg_stat_activity where application_name = 'foyer export' and datname = current_database()
        and clock_timestamp() - xact_start > interval '300 ms'`,
    )
    return rows.length > 0
  }, 'the snapshot')
  commit()
  await older
  const { manifest } = await writing
  await settle()
  const all = await allNotes()
  assert.equal(notes.length, all.length - 1)
  assert.equal(manifest.feed!.included.length, 1)
  assert.deepEqual(await notesOf(notes, manifest), all)
})

test('an export whose process died is written by the next one, and given up after five', async () => {
  const id = newId()
  const row = {
    workspace_id: workspace.id,
    id,
    resources: ['tags' as const],
    include_files: false,
    created_by: 'system',
  }
  const runExport = (await import('./run-export.ts')).runExport
  const run = () => runExport(ctx, id, { connectionString, signal: new AbortController().signal })
  await db
    .insertInto('exports')
    .values({ ...row, created_at: new Date(), tries: 1 })
    .execute()
  await run()
  assert.equal((await call(workspace.token, 'GET', `/exports/${id}`)).body.files.length, 2)
  await db.updateTable('exports').set({ status: 'running', tries: 5 }).where('id', '=', id).execute()
  await run()
  const { body } = await call(workspace.token, 'GET', `/exports/${id}`)
  assert.equal(body.export.status, 'failed')
})
