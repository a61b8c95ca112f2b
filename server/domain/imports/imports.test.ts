// What an archive brings to a workspace: all of it, once, with its times, and without anybody noticing.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { startApp, TEST_SECRET_KEY } from '../../../test/app.ts'
import { PROGRAM } from '../../../test/program.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { newId } from '../../platform/db/id.ts'
import { ARCHIVE_RESOURCES } from '../../platform/db/tables.ts'
import { fileKey } from '../../platform/files/store.ts'
import { endOfTar, headerOfTar, paddingOfTar } from '../../platform/files/tar.ts'
import { findReplyWindow } from '../conversations/reply-window.ts'
import { hashOf } from '../erasures/erased-identities.ts'
import { insertErasedIdentities } from '../erasures/queries.ts'
import { writeArchive } from '../exports/write-archive.ts'
import { receiveMessage } from '../messages/receive-messages.ts'
import { openArchive } from './archive-folder.ts'
import { loadArchive } from './load-archive.ts'
import { makeArchive, makeFolder, threadsOf } from './testing/make-archive.ts'
import { undoImport } from './undo-import.ts'

const app = await startApp()
const { call, ctxOf, database, db, make } = app

const makeTarget = async () => {
  const workspace = await make.workspace()
  const telegram = await make.channelAccount(workspace.id, 'telegram')
  return { ...workspace, telegram, ctx: ctxOf(workspace.id) }
}

type Problem = { resource: string; line: number; id: string | null; problem: string }

const load = async (ctx: Ctx, folder: string, options: object = {}) => {
  const problems: Problem[] = []
  const archive = await openArchive(folder)
  const loaded = await loadArchive(ctx, { archive, report: (one) => problems.push(one), ...options })
  return { ...loaded, problems }
}

const TABLES = [
  ...['contacts', 'identities', 'tags', 'contact_tags', 'contact_groups', 'contact_group_members'],
  ...[
    'conversations',
    'messages',
    'notes',
    'attachments',
    'conversation_grams',
    'email_threads',
    'email_contents',
  ],
]

/** Every row of the workspace; the counts of the directory as sums. */
const contentOf = async (workspaceId: string): Promise<string> => {
  const parts = await Promise.all(
    TABLES.map(async (table) => {
      const { rows } = await database.pool.query(
        `select * from ${table} t where workspace_id = $1 order by t::text`,
        [workspaceId],
      )
      return [table, rows]
    }),
  )
  return JSON.stringify([parts, await directoryOf(workspaceId)])
}

const directoryOf = async (workspaceId: string) => {
  const { rows } = await database.pool.query(
    `select kind, key, sum(count)::integer as count from contact_counts where workspace_id = $1
     group by 1, 2 having sum(count) <> 0 order by 1, 2`,
    [workspaceId],
  )
  return rows
}

const countIn = async (workspaceId: string, table: string): Promise<number> => {
  const { rows } = await database.pool.query(
    `select count(*)::integer as count from ${table} where workspace_id = $1`,
    [workspaceId],
  )
  return rows[0].count
}

const SIZES = { contacts: 30, conversations: 60, messages: 120, notes: 12 }
const FOLDER = makeArchive('other:1', threadsOf(60))

const sizesOf = async (workspaceId: string) => {
  const sizes: Record<string, number> = {}
  for (const table of Object.keys(SIZES)) sizes[table] = await countIn(workspaceId, table)
  return sizes
}

test('what Foyer exported comes back in another workspace as it was, in its order and with its times', async () => {
  const source = await make.workspace({ name: 'Acme' })
  const agent = await make.agent(source.id, { email: 'jane@example.com', nickname: 'Jane' })
  const tagId = await make.tag(source.id, { name: 'VIP' })
  const ada = await make.contact(source.id, { name: 'Ada', email: 'ada@example.com' })
  await make.group(source.id, { name: 'Friends', contactIds: [ada.id] })
  await db
    .insertInto('contact_tags')
    .values({ workspace_id: source.id, contact_id: ada.id, tag_id: tagId })
    .execute()
  const refundId = await make.tag(source.id, { name: 'Refund' })
  const account = await make.channelAccount(source.id, 'telegram')
  const conversation = await make.conversation(source.id, {
    ...{ contactId: ada.id, channel: 'telegram', channelAccountId: account, agentId: agent.id },
  })
  await db
    .insertInto('conversation_tags')
    .values({ workspace_id: source.id, conversation_id: conversation.id, tag_id: refundId })
    .execute()
  for (let n = 0; n < 12; n++)
    await make.message(source.id, conversation, {
      body: `Message ${n} 📦`,
      ...(n % 2 === 1 && { senderType: 'agent', senderId: agent.id, status: 'queued' }),
    })
  const ctx = ctxOf(source.id)
  const { id: messageId } = await make.message(source.id, conversation, { body: 'See file' })
  const attachmentId = newId()
  await ctx.files.put(fileKey(source.id, attachmentId), Buffer.from('contents'), { mimeType: 'text/plain' })
  await db
    .insertInto('attachments')
    .values({
      ...{ workspace_id: source.id, id: attachmentId, message_id: messageId, contact_id: null, type: 'file' },
      ...{
        name: 'order.txt',
        mime_type: 'text/plain',
        size: 8,
        storage_key: fileKey(source.id, attachmentId),
      },
      created_at: new Date(),
    } as never)
    .execute()
  const noteId = newId()
  const noted = { workspace_id: source.id, contact_id: ada.id, conversation_id: conversation.id }
  await db
    .insertInto('notes')
    .values({ ...noted, id: noteId, author_id: agent.id, body: 'See the plan', created_at: new Date() })
    .execute()
  await db
    .insertInto('attachments')
    .values({
      ...{ workspace_id: source.id, id: newId(), note_id: noteId, type: 'file', name: 'plan.txt', size: 0 },
      ...{ mime_type: 'text/plain', created_at: new Date() },
    } as never)
    .execute()
  const folder = makeFolder()
  await writeArchive(ctx, {
    connectionString: database.connectionString,
    resources: ARCHIVE_RESOURCES,
    createdAfter: null,
    includeFiles: true,
    feedWaitMs: 0,
    signal: new AbortController().signal,
    sink: (name, content) => pipeline(content, createWriteStream(join(folder, name))),
  })

  const target = await makeTarget()
  await db
    .insertInto('memberships')
    .values({ workspace_id: target.id, account_id: agent.id, role: 'agent', created_at: new Date() })
    .execute()
  const { problems } = await load(target.ctx, folder)
  assert.deepEqual(problems, [])
  const thread = async (workspaceId: string) =>
    (
      await db
        .selectFrom('messages')
        .select(['body', 'created_at', 'sender_type'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('id')
        .execute()
    ).map((row) => JSON.stringify(row))
  assert.deepEqual(await thread(target.id), await thread(source.id))
  const mine = await db
    .selectFrom('conversations')
    .selectAll()
    .where('workspace_id', '=', target.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(
    [mine.status, mine.agent_id, mine.unread_count, mine.last_message_body, mine.last_inbound_at],
    ['open', agent.id, 0, 'See file', null],
  )
  const { body } = await call(target.token, 'GET', `/contacts`)
  assert.deepEqual(
    body.contacts.map(({ name }: { name: string }) => name),
    ['Ada'],
  )
  assert.deepEqual(await directoryOf(target.id), [
    { kind: 'channel', key: 'telegram', count: 1 },
    { kind: 'total', key: '', count: 1 },
  ])
  assert.equal(await countIn(target.id, 'contact_tags'), 1)
  const planned = await db
    .selectFrom('attachments as f')
    .innerJoin('notes as n', 'n.id', 'f.note_id')
    .select(['f.name', 'n.body', 'f.message_id'])
    .where('f.workspace_id', '=', target.id)
    .execute()
  assert.deepEqual(planned, [{ name: 'plan.txt', body: 'See the plan', message_id: null }])
  const shown = await call(target.token, 'GET', `/conversations/${mine.id}`)
  assert.deepEqual(
    shown.body.conversation.tags.map(({ name }: { name: string }) => name),
    ['Refund'],
  )
  assert.equal(await countIn(target.id, 'contact_group_members'), 1)
  const file = await db
    .selectFrom('attachments')
    .selectAll()
    .where('workspace_id', '=', target.id)
    .executeTakeFirstOrThrow()
  const chunks: Buffer[] = []
  for await (const chunk of await ctx.files.open(file.storage_key!)) chunks.push(chunk as Buffer)
  assert.deepEqual([file.state, Buffer.concat(chunks).toString()], ['stored', 'contents'])
  // Brought back to where it is from, it changes nothing.
  const before = await contentOf(source.id)
  const again = await load(ctx, folder, { channels: new Map() })
  assert.equal(again.counts.messages!.matched, 13)
  assert.equal(await contentOf(source.id), before)
})

test('nobody notices: nothing is sent, queued, announced or unread, and the reply window stays closed', async () => {
  const { ctx, id } = await makeTarget()
  const whatsapp = await make.channelAccount(id, 'whatsapp')
  const content = threadsOf(4)
  const recent = (content.messages as { createdAt: string }[]).map((one) => ({
    ...one,
    createdAt: new Date().toISOString(),
  }))
  const folder = makeArchive('other:1', { ...content, messages: recent })
  const { importId } = await load(ctx, folder, { channels: new Map([['ch', whatsapp]]) })
  const events = await db
    .selectFrom('events')
    .select(['type', 'data'])
    .where('workspace_id', '=', id)
    .execute()
  assert.deepEqual(events, [{ type: 'import.completed', data: { importId } }])
  for (const table of ['deliveries', 'automation_inputs']) assert.equal(await countIn(id, table), 0, table)
  const { rows } = await database.pool.query('select count(*)::integer as count from graphile_worker.jobs')
  assert.equal(rows[0].count, 0)
  const stored = await db
    .selectFrom('messages')
    .select('status')
    .distinct()
    .where('workspace_id', '=', id)
    .execute()
  assert.deepEqual(stored.map(({ status }) => status).sort(), ['read', 'sent'])
  const conversation = await db
    .selectFrom('conversations')
    .selectAll()
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow()
  const window = await findReplyWindow(ctx, {
    ...{ channel: 'whatsapp', contactId: conversation.contact_id, channelAccountId: whatsapp },
  })
  assert.deepEqual([window!.isOpen, window!.closesAt], [false, null])
})

test('a poller does not take history for news', async () => {
  const { ctx, id, token, telegram } = await makeTarget()
  const contact = await make.contact(id)
  const live = await make.conversation(id, {
    contactId: contact.id,
    channel: 'telegram',
    channelAccountId: telegram,
  })
  const { id: newest } = await make.message(id, live, { body: 'live' })
  await load(ctx, FOLDER)
  const { body } = await call(token, 'GET', '/messages?limit=2')
  assert.equal(body.messages[0].id, newest)
  const { body: conversations } = await call(token, 'GET', '/conversations?sort=created&limit=1')
  assert.equal(conversations.conversations[0].id, live.id)
})

test('a second run, two at once and one after half of the file bring nothing twice', async () => {
  const { ctx, id } = await makeTarget()
  const half = makeArchive('other:1', threadsOf(60))
  const file = join(half, 'messages.ndjson')
  truncateSync(file, Math.floor(readFileSync(file).length / 2))
  const cut = await load(ctx, half)
  assert.deepEqual(
    cut.problems.map(({ resource, problem }) => [resource, problem]),
    [['messages', 'is not JSON']],
  )
  await Promise.all([load(ctx, FOLDER), load(ctx, FOLDER)])
  assert.deepEqual(await sizesOf(id), SIZES)
  const before = await contentOf(id)
  const { counts } = await load(ctx, FOLDER)
  assert.deepEqual(counts.messages, { unchanged: 120 })
  assert.equal(await contentOf(id), before)
})

test('what has changed in the source changes here, and a dry run only counts', async () => {
  const { ctx, id } = await makeTarget()
  await load(ctx, FOLDER)
  const content = threadsOf(60)
  const [first, ...rest] = content.messages as { body: string }[]
  const [person, ...people] = content.contacts as { name: string }[]
  const changed = makeArchive('other:1', {
    ...content,
    messages: [{ ...first, body: 'Changed' }, ...rest],
    contacts: [{ ...person, name: 'New name' }, ...people],
  })
  const before = await contentOf(id)
  const dry = await load(ctx, changed, { isDryRun: true })
  assert.deepEqual(dry.counts.messages, { updated: 1, unchanged: 119 })
  assert.equal(await contentOf(id), before)
  await load(ctx, changed)
  const bodies = await db
    .selectFrom('messages')
    .select('body')
    .where('workspace_id', '=', id)
    .orderBy('id')
    .execute()
  assert.equal(bodies[0]!.body, 'Changed')
  const names = await db
    .selectFrom('contacts')
    .select('name')
    .where('workspace_id', '=', id)
    .orderBy('id')
    .execute()
  assert.equal(names[0]!.name, 'New name')
  assert.deepEqual(await sizesOf(id), SIZES)
})

test('killed in the middle and run again, an import gives the same', async () => {
  const { ctx, id } = await makeTarget()
  const large = makeArchive('other:1', threadsOf(600))
  const child = spawn(process.execPath, [PROGRAM, 'import', 'archive', '--workspace', id, large], {
    env: { PATH: process.env.PATH, DATABASE_URL: database.connectionString, SECRET_KEY: TEST_SECRET_KEY },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((done) => {
    // At its first batch.
    child.stderr.once('data', () => child.kill('SIGKILL'))
    child.once('exit', () => done())
  })
  assert.equal(child.signalCode, 'SIGKILL')
  assert.ok((await countIn(id, 'messages')) < 1_200)
  await load(ctx, large)
  assert.deepEqual(await sizesOf(id), { contacts: 300, conversations: 600, messages: 1_200, notes: 120 })
  const { rows } = await database.pool.query(
    `select count(*)::integer as wrong from conversations c where workspace_id = $1
      and last_message_id is distinct from (select max(id) from messages m where m.conversation_id = c.id)`,
    [id],
  )
  assert.equal(rows[0].wrong, 0)
  assert.deepEqual(await directoryOf(id), [
    { kind: 'channel', key: 'telegram', count: 300 },
    { kind: 'total', key: '', count: 300 },
  ])
})

test('lines that can’t be imported are reported, and the others are', async () => {
  const { ctx, id } = await makeTarget()
  const { messages, conversations, ...content } = threadsOf(2)
  const [message] = messages!
  const folder = makeArchive('other:1', {
    ...content,
    conversations: [...conversations!, { ...(conversations![0] as object), id: 'lost', contactId: 'nobody' }],
    messages: [
      '{"id": "broken"',
      '[]',
      { ...(message as object), id: 'early', createdAt: '1970-01-01T00:00:00Z' },
      { ...(message as object), id: 'before', createdAt: '1901-01-01T00:00:00Z' },
      { ...(message as object), id: 'late', createdAt: '2099-01-01T00:00:00Z' },
      { ...(message as object), id: 'never', createdAt: 'yesterday' },
      { ...(message as object), id: 'lost', conversationId: 'c99' },
      { ...(message as object), id: 'odd', body: 'a\0b\ud800', metadata: { a: '\0b\ud800' } },
      // Deeper than the stack.
      `${JSON.stringify({ ...(message as object), id: 'deep' }).slice(0, -1)},"metadata":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
      `{"id": "long", "body": "${'x'.repeat(5_000_000)}"}`,
      ...messages!,
    ],
  })
  const { problems } = await load(ctx, folder)
  assert.deepEqual(
    problems.map(({ resource, line, id, problem }) => [resource, line, id, problem]),
    [
      ['conversations', 3, 'lost', 'its contact is not here'],
      ['messages', 1, null, 'is not JSON'],
      ['messages', 2, null, 'is not a JSON object'],
      ['messages', 6, 'never', 'createdAt must be a time'],
      ['messages', 10, null, 'is too long'],
      ['messages', 7, 'lost', 'its conversation is not here'],
    ],
  )
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'body', 'metadata', 'created_at as at'])
    .where('workspace_id', '=', id)
    .orderBy('id')
    .execute()
  assert.equal(rows.length, 9)
  assert.deepEqual([rows[0]!.at, rows[1]!.at], ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'])
  assert.ok(Date.parse(rows.at(-1)!.at) <= Date.now() && rows.at(-1)!.id < newId())
  assert.deepEqual(rows.find(({ body }) => body === 'ab\ufffd')?.metadata, { a: 'b\ufffd' })
})

test('an archive of a newer version, of something else, or that leads out of its folder is refused', async () => {
  const { ctx, id } = await makeTarget()
  const refused = (folder: string) =>
    load(ctx, folder).then(
      () => 'loaded',
      ({ message }) => message,
    )
  const content = threadsOf(2)
  assert.match(await refused(makeArchive('other:1', content, { version: 2 })), /version 2/)
  assert.match(await refused(makeArchive('other:1', content, { format: 'zip' })), /not an archive/)
  assert.match(await refused(makeFolder()), /no manifest/)
  const broken = makeArchive('other:1', content)
  writeFileSync(join(broken, 'manifest.json'), '{')
  assert.match(await refused(broken), /isn't JSON/)
  const linked = makeArchive('other:1', { channels: content.channels! })
  symlinkSync('/etc/passwd', join(linked, 'contacts.ndjson'))
  assert.match(await refused(linked), /contacts.ndjson is a link/)
  const piped = makeArchive('other:1', { channels: content.channels! })
  execFileSync('mkfifo', [join(piped, 'contacts.ndjson')])
  assert.match(await refused(piped), /contacts.ndjson is not a file/)
  const foreign = makeArchive('other:1', {
    ...content,
    channels: [{ id: 'ch', channel: 'sms', address: '+1' }],
  })
  assert.match(await refused(foreign), /no channel here stands for ch \(sms, \+1\)/)

  // What a manifest names is not opened, and neither is where a row or an entry of the tar leads to.
  const sly = makeArchive(
    'other:1',
    { ...content, attachments: [{ id: 'a', messageId: 'm0a', name: '../../x', path: '../../etc/passwd' }] },
    { files: [{ name: '../../../etc/passwd', resource: 'messages' }] },
  )
  const evil = Buffer.from('evil')
  writeFileSync(
    join(sly, 'files.tar'),
    Buffer.concat([
      headerOfTar('../../evil', 4),
      evil,
      paddingOfTar(4),
      headerOfTar('files/zz', 4),
      evil,
      paddingOfTar(4),
      endOfTar(),
    ]),
  )
  const { problems } = await load(ctx, sly)
  assert.deepEqual(
    problems.map(({ id, problem }) => [id, problem]),
    [
      ['a', 'path must be of the form files/<id>'],
      ['../../evil', 'is not the name of a file'],
    ],
  )
  assert.equal(await countIn(id, 'attachments'), 0)
})

test('who was erased here does not come back, neither anew nor by a change in the source', async () => {
  const { ctx, id } = await makeTarget()
  const hash = hashOf(ctx, { kind: 'telegram', value: 't0' })
  await insertErasedIdentities(ctx, [hash])
  const { problems, counts } = await load(ctx, makeArchive('other:1', threadsOf(4)))
  assert.deepEqual(problems[0], {
    resource: 'contacts',
    line: 1,
    id: 'k0',
    problem: 'this person was erased here',
  })
  assert.deepEqual(
    [counts.contacts, counts.conversations],
    [
      { failed: 1, created: 1 },
      { failed: 2, created: 2 },
    ],
  )
  const left = await contentOf(id)
  assert.ok(!left.includes('Person 0') && !left.includes('Question 0') && left.includes('Question 2'))
  await insertErasedIdentities(ctx, [hashOf(ctx, { kind: 'telegram', value: 't2' })])
  const content = threadsOf(4)
  const renamed = (content.contacts as object[]).map((one) => ({ ...one, name: 'Known again' }))
  await load(ctx, makeArchive('other:1', { ...content, contacts: renamed }))
  assert.ok(!(await contentOf(id)).includes('Known again'))
  const contact = await db
    .selectFrom('contacts')
    .select('id')
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('erasures')
    .values({
      ...{ workspace_id: id, id: newId(), contact_id: contact.id, mode: 'anonymise', status: 'completed' },
      ...{ actor: 'system', created_at: new Date(), erased_at: new Date() },
    })
    .execute()
  const said = (content.messages as object[]).flatMap((one, n) => [
    { ...one, body: 'Said again' },
    { ...one, id: `new${n}`, body: 'Said later' },
  ])
  await load(ctx, makeArchive('other:1', { ...content, messages: said }))
  assert.ok(!/Said (again|later)/.test(await contentOf(id)))
})

test('ids that are ours by chance name nothing of ours', async () => {
  const { ctx, id, telegram } = await makeTarget()
  const contact = await make.contact(id, { name: 'Live' })
  const live = await make.conversation(id, {
    contactId: contact.id,
    channel: 'telegram',
    channelAccountId: telegram,
  })
  const message = await make.message(id, live, { body: 'live' })
  const at = '2024-01-01T00:00:00Z'
  const folder = makeArchive('other:1', {
    channels: [{ id: 'ch', channel: 'telegram' }],
    contacts: [{ id: contact.id, name: 'Theirs', createdAt: at }],
    conversations: [{ id: live.id, channelId: 'ch', contactId: contact.id, createdAt: at }],
    messages: [
      { id: message.id, conversationId: live.id, senderType: 'customer', body: 'theirs', createdAt: at },
    ],
  })
  await load(ctx, folder)
  const rows = await db
    .selectFrom('messages')
    .innerJoin('conversations', 'conversations.id', 'messages.conversation_id')
    .innerJoin('contacts', 'contacts.id', 'conversations.contact_id')
    .select(['contacts.name', 'messages.body'])
    .where('messages.workspace_id', '=', id)
    .orderBy('messages.id')
    .execute()
  assert.deepEqual(rows, [
    { name: 'Theirs', body: 'theirs' },
    { name: 'Live', body: 'live' },
  ])
})

test('an undo leaves what was here, and conversations in which somebody wrote since', async () => {
  const { ctx, id, telegram } = await makeTarget()
  const known = await make.contact(id, { name: 'Known' })
  await db
    .insertInto('identities')
    .values({ workspace_id: id, kind: 'telegram', value: 't2', contact_id: known.id, created_at: new Date() })
    .execute()
  await make.conversation(id, { contactId: known.id, channel: 'telegram', channelAccountId: telegram })
  const before = await contentOf(id)
  const first = await load(ctx, FOLDER)
  assert.equal(first.counts.contacts!.matched, 1)
  assert.deepEqual(await undoImport(ctx, first.importId!), { conversations: 60, contacts: 29, kept: 0 })
  assert.equal(await contentOf(id), before)

  const { importId } = await load(ctx, FOLDER)
  await receiveMessage(ctx, {
    ...{ channel: 'telegram', channelAccountId: telegram, body: 'I have another question', externalId: 'x1' },
    from: { identity: { kind: 'telegram', value: 't58', verified: true }, name: 'Person 58' },
    sentAt: new Date(),
  })
  const undone = await undoImport(ctx, importId!)
  assert.deepEqual(undone, { conversations: 59, contacts: 28, kept: 1 })
  const kept = await db
    .selectFrom('messages')
    .select('body')
    .where('workspace_id', '=', id)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    kept.map(({ body }) => body),
    [
      'Question 59',
      'Reply 59',
      "The customer's message reopened this conversation",
      'I have another question',
    ],
  )
  assert.deepEqual(await undoImport(ctx, importId!), { conversations: 0, contacts: 0, kept: 0 })
  const late = { ...ctx, now: () => new Date(Date.now() + 8 * 24 * 3_600_000) }
  const other = await load(ctx, FOLDER)
  await assert.rejects(undoImport(late, other.importId!), /seven days/)
  const stranger = await makeTarget()
  await assert.rejects(undoImport(stranger.ctx, other.importId!), /no import/)
})
