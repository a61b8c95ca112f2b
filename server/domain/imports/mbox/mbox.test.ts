// The emails of an mbox, in the conversations that they would have had if they had arrived here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../../test/app.ts'
import { receiveMessage } from '../../messages/receive-messages.ts'
import { openArchive } from '../archive-folder.ts'
import { openArchiveWriter } from '../archive-writer.ts'
import { loadArchive } from '../load-archive.ts'
import { makeFolder } from '../testing/make-archive.ts'
import { readMbox } from './read-mbox.ts'
import { MAIL_BYTES_MAX, splitMbox } from './split-mbox.ts'

const app = await startApp()
const { call, ctxOf, database, db, make } = app
const workspace = await make.workspace()
const mailbox = await make.channelAccount(workspace.id, 'email')
const ctx = ctxOf(workspace.id)

async function* streamOf(...parts: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part)
}

type Mail = {
  id: string
  from: string
  to?: string
  date?: string
  refs?: string
  subject?: string
  body?: string
}

const mailOf = ({
  id,
  from,
  to = 'support@example.com',
  date,
  refs,
  subject = 'Order 4711',
  body = id,
}: Mail) =>
  [
    'From x@example.com Thu Nov  9 10:00:00 2023',
    `Message-ID: <${id}@x>`,
    `From: ${from}`,
    `To: ${to}`,
    ...(date === undefined ? ['Date: Thu, 09 Nov 2023 10:00:00 +0000'] : date ? [`Date: ${date}`] : []),
    ...(refs ? [`References: ${refs.replace(/\w+/g, '<$&@x>')}`] : []),
    `Subject: ${subject}`,
    '',
    body,
    '',
    '',
  ].join('\n')

const ADA = 'Ada Moreau <ada@customer.example>'
const US = 'Support <support@example.com>'

const MAILS: Mail[] = [
  // Before what it refers to.
  { id: 'third', from: ADA, refs: 'first second', date: 'Thu, 09 Nov 2023 12:00:00 +0000' },
  { id: 'first', from: ADA, body: 'Where is it?\n>From the shop\nThanks' },
  { id: 'second', from: US, to: ADA, refs: 'first', date: 'Thu, 09 Nov 2023 11:00:00 +0000' },
  { id: 'stranger', from: 'Eve <eve@else.example>', refs: 'first', date: 'Thu, 09 Nov 2023 13:00:00 +0000' },
  { id: 'egg', from: ADA, refs: 'hen', subject: 'Circle' },
  { id: 'hen', from: ADA, refs: 'egg', subject: 'Circle' },
  { id: 'self', from: ADA, refs: 'self', subject: 'Mirror' },
  { id: 'old', from: ADA, date: 'Thu, 01 Jan 1970 00:00:00 +0000', subject: 'Old' },
  { id: 'far', from: ADA, date: 'Thu, 01 Jan 2099 00:00:00 +0000', subject: 'Far' },
  { id: 'dateless', from: ADA, date: '', subject: 'Dateless' },
  { id: 'first', from: ADA, body: 'Where is it?' },
  { id: 'memo', from: US },
]

const FILE = `From a\nMIME-Version: 1.0\nMessage-ID: <files@x>\nFrom: ${ADA}\nTo: ${US}\nDate: Thu, 09 Nov 2023 14:00:00 +0000
Subject: File\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nSee file\n--b
Content-Type: text/plain; name="../../order.txt"\nContent-Disposition: attachment; filename="../../order.txt"\n\ncontents\n--b--\n\n`

const importMails = async () => {
  const folder = makeFolder()
  const writer = openArchiveWriter(folder, 'mbox:support@example.com')
  const problems: string[] = []
  const read = await readMbox(ctx, streamOf(...MAILS.map(mailOf), FILE), {
    addresses: ['support@example.com'],
    writer,
    onProblem: ({ problem }) => problems.push(problem),
  })
  await writer.finish(new Date())
  const loaded = await loadArchive(ctx, {
    archive: await openArchive(folder),
    channels: new Map([['support@example.com', mailbox]]),
    report: ({ problem }) => problems.push(problem),
  })
  return { read, loaded, problems }
}

test('emails are in threads with their customers, ours are replies, and a second import brings nothing', async () => {
  const { read, problems } = await importMails()
  assert.deepEqual(read, { emails: 13, repeated: 1, left: 1 })
  assert.deepEqual(problems, ['is to nobody else'])
  const { rows } = await database.pool.query<{ subject: string; name: string; thread: string[] }>(
    `select c.subject, k.name, array_agg(m.sender_type || ' ' || m.body order by m.id) as thread
     from conversations c join contacts k on k.id = c.contact_id join messages m on m.conversation_id = c.id
     where c.workspace_id = $1 group by c.workspace_id, c.id, k.name order by min(m.id)`,
    [workspace.id],
  )
  assert.deepEqual(
    rows.map(({ subject, name, thread }) => [subject, name, ...thread]),
    [
      ['Old', 'Ada Moreau', 'customer old'],
      ...rows.slice(1, 5).map(({ subject, name, thread }) => [subject, name, ...thread]),
      ['Order 4711', 'Eve', 'customer stranger'],
      ['File', 'Ada Moreau', 'customer See file'],
      ['Far', 'Ada Moreau', 'customer far'],
    ],
  )
  const threads = new Map(rows.map(({ subject, name, thread }) => [`${subject} ${name}`, thread]))
  assert.deepEqual(threads.get('Order 4711 Ada Moreau'), [
    'customer Where is it?\n>From the shop\nThanks'.replace('>From', 'From'),
    'agent second',
    'customer third',
  ])
  assert.deepEqual(threads.get('Circle Ada Moreau'), ['customer egg', 'customer hen'])
  assert.deepEqual(threads.get('Mirror Ada Moreau'), ['customer self'])
  assert.deepEqual(threads.get('Dateless Ada Moreau'), ['customer dateless'])
  const file = await db
    .selectFrom('attachments')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual([file.state, file.name.includes('/')], ['stored', false])
  const { loaded } = await importMails()
  assert.deepEqual(loaded.counts.messages, { unchanged: 11 })
  const { body } = await call(workspace.token, 'GET', '/contacts')
  assert.deepEqual(
    body.contacts.map(({ name }: { name: string }) => name),
    ['Ada Moreau', 'Eve'],
  )
})

test('over a mailbox that is connected, an mbox adds what is missing to the threads that are here', async () => {
  const other = await make.workspace()
  const mailbox = await make.channelAccount(other.id, 'email')
  const there = ctxOf(other.id)
  const { conversationId } = await receiveMessage(there, {
    ...{ channel: 'email', channelAccountId: mailbox, body: 'second', externalId: '<second@x>' },
    from: { identity: { kind: 'email', value: 'ada@customer.example', verified: true }, name: 'Ada' },
    sentAt: new Date(Date.UTC(2023, 10, 9, 11)),
  })
  const folder = makeFolder()
  const writer = openArchiveWriter(folder, 'mbox:support@example.com')
  await readMbox(there, streamOf(...MAILS.slice(0, 4).map(mailOf)), {
    addresses: ['support@example.com'],
    writer,
    onProblem: () => {},
  })
  await writer.finish(new Date())
  const { counts } = await loadArchive(there, {
    archive: await openArchive(folder),
    channels: new Map([['support@example.com', mailbox]]),
  })
  assert.deepEqual(counts.conversations, { created: 1, matched: 1 })
  const { rows } = await database.pool.query<{ id: string; bodies: string[] }>(
    `select c.id, array(select m.body from messages m where m.workspace_id = c.workspace_id
       and m.conversation_id = c.id order by m.id) as bodies
     from conversations c where c.workspace_id = $1 order by c.id = $2 desc`,
    [other.id, conversationId],
  )
  assert.equal(rows[0]!.id, conversationId)
  assert.deepEqual(rows[0]!.bodies.toSorted(), ['Where is it?\nFrom the shop\nThanks', 'second', 'third'])
  assert.deepEqual(
    rows.slice(1).map(({ bodies }) => bodies),
    [['stranger']],
  )
})

test('an email of any size is passed through without being held', async () => {
  const line = Buffer.from(`${'x'.repeat(1_023)}\n`)
  async function* huge(): AsyncGenerator<Buffer> {
    yield Buffer.from(mailOf({ id: 'huge', from: ADA }))
    for (let count = 0; count < 38 * 1_024; count++) yield line
    yield Buffer.alloc(5 * 1_024 * 1_024, 'y')
    yield Buffer.from(`\n\n${mailOf({ id: 'next', from: ADA })}`)
  }
  const found: [boolean, boolean][] = []
  for await (const { raw, isCut } of splitMbox(huge())) found.push([isCut, raw.length <= MAIL_BYTES_MAX])
  assert.deepEqual(found, [
    [true, true],
    [false, true],
  ])
})
