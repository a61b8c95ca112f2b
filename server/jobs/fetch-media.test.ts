// Files on WhatsApp, both ways, against a provider whose behaviour each test sets.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startApp, TEST_SECRET_KEY } from '../../test/app.ts'
import { attemptOf } from '../../test/attempts.ts'
import { until } from '../../test/until.ts'
import { readPendingFiles } from '../domain/attachments/pending-queries.ts'
import { storeUpload } from '../domain/attachments/store-attachment.ts'
import { sendMessage } from '../domain/messages/send-message.ts'
import { connect, deliver, messageOf, webhook } from '../inbound/whatsapp/testing/provider.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { makeFolderStore } from '../platform/files/folder-store.ts'
import { DELIVERY_TIMING } from './delivery-timing.ts'
import { FETCH_BYTES_MAX } from './fetch-media.ts'
import { sweepFiles } from './sweep-files.ts'
import { startWorker } from './worker.ts'

const timing = { backoffMinMs: 20, backoffMaxMs: 40, fetchTimeoutMs: 1_500, fetchMarginMs: 500 }
const testApp = await startApp({ worker: timing })
const { app, call, ctxOf, database, db, deps, make } = testApp

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void
type ProvidersFile = {
  bytes: Buffer
  type?: string
  /** One for each request; after them, requests succeed. */
  info: Behaviour[]
  download: Behaviour[]
}

const files = new Map<string, ProvidersFile>()
const asked: { path: string; authorization: string | undefined }[] = []
const sent: Record<string, unknown>[] = []
const uploaded: { type: string; name: string; bytes: Buffer }[] = []
const uploadBehaviour: Behaviour[] = []
let open = 0
let openMax = 0

const answer = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const status =
  (code: number, error?: object): Behaviour =>
  (_, response) =>
    answer(response, error ? { error } : {}, code)
const hang: Behaviour = () => {}

const server = createServer(async (request, response) => {
  const path = (request.url ?? '').split('?')[0]!
  asked.push({ path, authorization: request.headers.authorization })
  if (request.method === 'POST' && path.endsWith('/media')) {
    const body = await buffer(request)
    const behaviour = uploadBehaviour.shift()
    if (behaviour) return behaviour(request, response)
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': request.headers['content-type']! },
    }).formData()
    const file = form.get('file') as File
    uploaded.push({
      type: String(form.get('type')),
      name: file.name,
      bytes: Buffer.from(await file.arrayBuffer()),
    })
    return answer(response, { id: String(4_490_709_327_384_033 + uploaded.length) })
  }
  if (request.method === 'POST') {
    sent.push(JSON.parse(String(await buffer(request))))
    return answer(response, { messages: [{ id: `wamid.sent.${sent.length}` }] })
  }
  const file = files.get(path.split('/').at(-1)!)
  if (!file)
    return status(400, { code: 100, error_subcode: 33, message: 'does not exist' })(request, response)
  if (!path.startsWith('/download')) {
    const behaviour = file.info.shift()
    if (behaviour) return behaviour(request, response)
    return answer(response, {
      url: `${url}/download/${path.split('/').at(-1)}`,
      mime_type: 'image/jpeg',
      file_size: String(file.bytes.length),
    })
  }
  open++
  openMax = Math.max(open, openMax)
  response.on('close', () => open--)
  const behaviour = file.download.shift()
  if (behaviour) return behaviour(request, response)
  response.writeHead(200, { 'content-type': file.type ?? 'image/jpeg' }).end(file.bytes)
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
after(() => {
  server.closeAllConnections()
  server.close()
})

const workspace = await make.workspace()
const channelId = await connect(testApp, workspace.id, { apiUrl: url })

let count = 0
type Options = Partial<ProvidersFile> & { waId?: string; media?: object; isUnknown?: boolean }

/** A customer sends an image; returns functions that read it. */
const receive = async ({ waId = '16505550001', media = {}, isUnknown, ...more }: Options = {}) => {
  const mediaId = String(1_003_383_421_387_256 + count++)
  const file: ProvidersFile = { bytes: randomBytes(2_000), info: [], download: [], ...more }
  if (!isUnknown) files.set(mediaId, file)
  const change = messageOf({ waId, name: 'Ines' }, '', {
    type: 'image',
    image: { id: mediaId, mime_type: 'image/jpeg', ...media },
  })
  const { status } = await deliver(testApp, channelId, webhook(change))
  assert.equal(status, 200)
  const row = async () =>
    db
      .selectFrom('attachments')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where(sql`source ->> 'mediaId'`, '=', mediaId)
      .executeTakeFirstOrThrow()
  return {
    mediaId,
    file,
    row,
    ends: async (state: string) => {
      await until(async () => (await row()).state === state, `${mediaId} to be ${state}`)
      return row()
    },
  }
}

const attachmentOf = async (messageId: string) => {
  const message = await db
    .selectFrom('messages')
    .select('conversation_id')
    .where('id', '=', messageId)
    .executeTakeFirstOrThrow()
  const { body } = await call(workspace.token, 'GET', `/conversations/${message.conversation_id}/messages`)
  return body.messages.find(({ id }: { id: string }) => id === messageId).attachments[0]
}
const get = (address: string) => app.inject({ method: 'GET', url: address.replace('http://foyer.test', '') })

const { id: accountId } = await make.agent(workspace.id)
const jane: Ctx = {
  ...ctxOf(workspace.id),
  actor: { type: 'agent', accountId, role: 'admin', permissions: [] },
}
await receive({ waId: '16505550002' })
const { id: conversationId } = await db
  .selectFrom('conversations')
  .select('id')
  .where('workspace_id', '=', workspace.id)
  .orderBy('id', 'desc')
  .executeTakeFirstOrThrow()

test('an image is downloaded after its message is stored, kept unchanged, and announced', async () => {
  const wait = Promise.withResolvers<void>()
  const { mediaId, file, row, ends } = await receive({
    info: [
      async (_, response) => {
        await wait.promise
        answer(response, { url: `${url}/download/${mediaId}`, mime_type: 'image/jpeg', file_size: 2000 })
      },
    ],
  })
  const { message_id: messageId } = await row()
  const pending = await attachmentOf(messageId!)
  assert.equal((await get(pending.url)).statusCode, 404)
  wait.resolve()
  const stored = await ends('stored')
  assert.deepEqual([stored.size, stored.failure, stored.not_before], [2000, null, null])
  const shown = await attachmentOf(messageId!)
  assert.deepEqual(
    [shown.name, shown.size, shown.mimeType, shown.url],
    ['image.jpg', 2000, 'image/jpeg', pending.url],
  )
  assert.ok((await get(shown.url)).rawPayload.equals(file.bytes))
  const events = await db
    .selectFrom('events')
    .select('id')
    .where('workspace_id', '=', workspace.id)
    .where('type', '=', 'message.updated')
    .where(sql`data ->> 'messageId'`, '=', messageId)
    .execute()
  assert.equal(events.length, 1)
  assert.deepEqual(
    asked.filter(({ path }) => path.includes(mediaId)).map(({ authorization }) => authorization),
    ['Bearer EAAtest', 'Bearer EAAtest'],
  )
})

test('the URL in a webhook is used while it is valid, and a new one is requested once it has expired', async () => {
  const ask = (id: string) => asked.filter(({ path }) => path.includes(id)).map(({ path }) => path)
  const next = () => String(1_003_383_421_387_256 + count)
  const good = await receive({ media: { url: `${url}/download/${next()}` } })
  await good.ends('stored')
  assert.deepEqual(ask(good.mediaId), [`/download/${good.mediaId}`])
  const old = await receive({ media: { url: `${url}/download/${next()}` }, download: [status(404)] })
  await old.ends('stored')
  assert.deepEqual(ask(old.mediaId), [
    `/download/${old.mediaId}`,
    `/v25.0/${old.mediaId}`,
    `/download/${old.mediaId}`,
  ])
  const foreign = await receive({ media: { url: `https://files.example/${next()}` } })
  await foreign.ends('stored')
  // Expired between the two requests: the next attempt requests a new one.
  const expired = await receive({ download: [status(404)] })
  assert.equal((await expired.ends('stored')).tries, 2)
})

test('a download that fails, hangs, is cut off or is rejected for its token is retried until it succeeds', async () => {
  const breakOff: Behaviour = (_, response) => {
    response.writeHead(200, { 'content-length': '2000' })
    response.write(Buffer.alloc(500), () => response.destroy())
  }
  const stall: Behaviour = (_, response) => {
    response.writeHead(200, { 'content-length': '2000' })
    response.write(Buffer.alloc(500))
  }
  const troubled = await receive({
    info: [
      status(500),
      status(401, { code: 190, message: 'expired' }),
      (_, response) => answer(response, '<html>'),
      hang,
    ],
    download: [status(503), breakOff, stall],
  })
  // Behind it, in the same conversation.
  await (await receive()).ends('stored')
  const stored = await troubled.ends('stored')
  assert.equal(stored.tries, 8)
  assert.ok((await buffer(await deps.files.open(stored.storage_key!))).equals(troubled.file.bytes))
})

test('a file that can never be downloaded fails with the reason, and its message stays', async () => {
  const redirect =
    (location: string): Behaviour =>
    (_, response) =>
      void response.writeHead(302, { location }).end()
  const cases: [Options, RegExp][] = [
    [{ isUnknown: true }, /WhatsApp/],
    [
      {
        download: [
          (_, response) =>
            response.writeHead(200, { 'content-length': String(FETCH_BYTES_MAX + 1) }).flushHeaders(),
        ],
      },
      /larger than/,
    ],
    [
      {
        info: [
          (_, response) => answer(response, { url: `${url}/download/x`, file_size: FETCH_BYTES_MAX + 1 }),
        ],
      },
      /larger than/,
    ],
    [{ download: [redirect('http://169.254.169.254/latest/meta-data')] }, /doesn’t belong to WhatsApp/],
    [{ download: [redirect('https://fbcdn.net.example/x')] }, /doesn’t belong to WhatsApp/],
    [
      { info: [(_, response) => answer(response, { url: 'file:///etc/passwd' })] },
      /doesn’t belong to WhatsApp/,
    ],
    [{ download: Array.from({ length: 9 }, () => redirect(`${url}/download/again`)) }, /./],
  ]
  for (const [options, reason] of cases) {
    const { ends } = await receive(options)
    const { failure, message_id: messageId, storage_key: key } = await ends('failed')
    assert.match(failure ?? '', reason)
    assert.equal(key, null)
    assert.match((await get((await attachmentOf(messageId!)).url)).body, /could not be downloaded/)
  }
})

test("browsers don't trust the declared type of a file", async () => {
  const { ends } = await receive({ bytes: Buffer.from('<script>'), type: 'text/html' })
  const { message_id: messageId } = await ends('stored')
  const { headers } = await get((await attachmentOf(messageId!)).url)
  assert.deepEqual([headers['content-type'], headers['x-content-type-options']], ['image/jpeg', 'nosniff'])
  const untold = await receive({ media: { mime_type: undefined }, type: 'text/html' })
  const { message_id: second } = await untold.ends('stored')
  assert.match(
    String((await get((await attachmentOf(second!)).url)).headers['content-disposition']),
    /^attachment/,
  )
})

test('a file that could not be downloaded for three days fails', async () => {
  const { row, ends } = await receive({ info: Array.from({ length: 500 }, () => status(500)) })
  await until(async () => (await row()).tries > 1, 'a second try')
  const { id } = await row()
  await db
    .updateTable('attachments')
    .set({ created_at: new Date(Date.now() - 73 * 3_600_000) })
    .where('id', '=', id)
    .execute()
  assert.match((await ends('failed')).failure ?? '', /WhatsApp/)
})

test('the metrics show how many files are pending, and for how long', async () => {
  const before = await readPendingFiles(db)
  const { row, ends } = await receive({ download: [hang] })
  await until(async () => (await readPendingFiles(db)).depth === before.depth + 1, 'the file to be counted')
  // A claim skips rows that are locked, so the change below must not meet it.
  await until(async () => (await row()).tries === 1, 'the first try')
  const { id } = await row()
  await db
    .updateTable('attachments')
    .set({ created_at: new Date(Date.now() - 100_000) })
    .where('id', '=', id)
    .execute()
  const { oldestSeconds } = await readPendingFiles(db)
  assert.ok(oldestSeconds >= 100, String(oldestSeconds))
  await ends('stored')
})

test("hanging downloads only use their own account's slots, and each file is downloaded by one worker", async (t) => {
  const second = await startWorker({
    connectionString: database.connectionString,
    deps: { ...deps, log: app.log, now: () => new Date() },
    timing,
    pollMs: 50,
  })
  t.after(second.stop)
  openMax = 0
  const hanging = await Promise.all(Array.from({ length: 24 }, () => receive({ download: [hang] })))
  for (const { ends } of hanging) assert.equal((await ends('stored')).tries, 2)
  assert.ok(openMax <= 16, `${openMax} at once`)
})

test('the sweep restarts the download of a file whose process died', async () => {
  const gone = await receive({ isUnknown: true })
  const { id } = await gone.ends('failed')
  files.set(gone.mediaId, gone.file)
  await db
    .updateTable('attachments')
    .set({ state: 'pending', not_before: new Date(Date.now() - 31_000) })
    .where('id', '=', id)
    .execute()
  await sweepFiles(
    { ...deps, log: app.log, now: () => new Date(), timing: DELIVERY_TIMING, isStopping: () => false },
    {},
  )
  await gone.ends('stored')
})

// Outbound --------------------------------------------------------------------------------------------------------

const upload = (mimeType: string, name: string, content = Buffer.from('content')) =>
  storeUpload(jane, { name, mimeType, stream: Readable.from([content]) })

/** Sends a file and waits for the outcome. */
const send = async (attachmentIds: string[], body = '') => {
  const { id } = await sendMessage(jane, { conversationId, body, attachmentIds })
  const row = () =>
    db.selectFrom('messages').select(['status', 'metadata']).where('id', '=', id).executeTakeFirstOrThrow()
  await until(async () => (await row()).status !== 'queued', 'the send')
  return { id, ...(await row()) }
}

test('files are sent as the types that WhatsApp supports, with the text as caption', async () => {
  const kinds: [mimeType: string, name: string, body: string, uploadType: string, content: object][] = [
    ['image/png', 'bike.png', 'Your bike', 'image/png', { image: { caption: 'Your bike' } }],
    ['application/pdf', 'bill "1".pdf', '', 'application/pdf', { document: { filename: 'bill _1_.pdf' } }],
    ['audio/mpeg', 'hello.mp3', '', 'audio/mpeg', { audio: {} }],
    ['video/mp4', 'ride.mp4', 'Look', 'video/mp4', { video: { caption: 'Look' } }],
    [
      'image/svg+xml',
      'logo.svg',
      'x',
      'application/octet-stream',
      { document: { filename: 'logo.svg', caption: 'x' } },
    ],
  ]
  for (const [mimeType, name, body, uploadType, content] of kinds) {
    const bytes = randomBytes(70_000)
    const { id, status } = await send([(await upload(mimeType, name, bytes)).id], body)
    assert.equal(status, 'sent')
    const up = uploaded.at(-1)!
    assert.equal(up.type, uploadType)
    assert.ok(up.bytes.equals(bytes))
    const { type, biz_opaque_callback_data: data, to, ...out } = sent.at(-1)! as Record<string, never>
    const [[kind, more]] = Object.entries(content) as [[string, object]]
    assert.deepEqual([type, data, to], [kind, await attemptOf(db, id), '16505550002'])
    assert.deepEqual(out[kind], { id: String(4_490_709_327_384_033 + uploaded.length), ...more })
  }
})

test('a failed upload to WhatsApp is retried, and its message is sent once', async () => {
  const before = sent.length
  uploadBehaviour.push(status(500), status(503), (_, response) => void response.destroy())
  const { status: end } = await send([(await upload('image/png', 'again.png')).id])
  assert.deepEqual([end, sent.length], ['sent', before + 1])
  uploadBehaviour.push(status(400, { code: 131053, message: 'upload' }))
  const refused = await send([(await upload('image/png', 'refused.png')).id])
  assert.deepEqual([refused.status, sent.length], ['failed', before + 1])
})

test('files that WhatsApp would reject are rejected before sending, with a clear message', async () => {
  const large = Buffer.alloc(5 * 1024 * 1024 + 1)
  const cases: [mimeType: string, content: Buffer<ArrayBuffer> | undefined, body: string, reason: RegExp][] =
    [
      ['image/png', large, '', /images up to 5 MiB/],
      ['audio/ogg', undefined, 'Listen', /can’t show text with audio/],
      ['image/png', undefined, 'x'.repeat(1025), /at most 1024 characters/],
      ['application/pdf', Buffer.alloc(0), '', /doesn’t accept empty files/],
    ]
  for (const [mimeType, content, body, reason] of cases) {
    const { id } = await upload(mimeType, 'file', content)
    await assert.rejects(
      sendMessage(jane, { conversationId, body, attachmentIds: [id] }),
      (error: { details?: unknown }) => reason.test(JSON.stringify(error.details)),
    )
  }
  const two = [await upload('image/png', 'a'), await upload('image/png', 'b')].map(({ id }) => id)
  await assert.rejects(
    sendMessage(jane, { conversationId, body: '', attachmentIds: two }),
    (error: { details?: unknown }) => /one file on this channel/.test(JSON.stringify(error.details)),
  )
})

test('a stopping worker aborts a hanging download, and the next worker restarts it', async (t) => {
  await testApp.worker?.stop()
  const start = (fetchTimeoutMs: number) =>
    startWorker({
      connectionString: database.connectionString,
      deps: { ...deps, log: app.log, now: () => new Date() },
      timing: { ...timing, fetchTimeoutMs },
      pollMs: 50,
    })
  const patient = await start(60_000)
  t.after(patient.stop)
  const { row, ends } = await receive({ download: [hang] })
  await until(() => open === 1, 'the file to hang')
  const stopAt = performance.now()
  await patient.stop()
  assert.ok(performance.now() - stopAt < 5_000)
  assert.equal((await row()).state, 'pending')
  const next = await start(4_000)
  t.after(next.stop)
  assert.equal((await ends('stored')).tries, 2)
})

test('a file whose worker was killed during the download is downloaded in full by the next worker', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-files-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const program = new URL('./testing/worker-process.ts', import.meta.url).pathname
  const leased = { ...timing, fetchTimeoutMs: 1_000 }
  const child = spawn(
    process.execPath,
    [program, database.connectionString, TEST_SECRET_KEY, JSON.stringify(leased), folder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const half: Behaviour = (_, response) => {
    response.writeHead(200, { 'content-length': '2000' })
    response.write(Buffer.alloc(1_000))
  }
  const { file, row } = await receive({ download: [half] })
  const unfinished = join(folder, 'unfinished')
  const halves = () => readdir(unfinished).catch(() => [])
  await until(async () => (await halves()).length === 1, 'half of the file')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const next = await startWorker({
    connectionString: database.connectionString,
    deps: { ...deps, log: app.log, now: () => new Date() },
    timing,
    pollMs: 50,
  })
  t.after(next.stop)
  const sweeping = { ...deps, log: app.log, now: () => new Date(), isStopping: () => false }
  await until(async () => {
    await sweepFiles({ ...sweeping, timing: { ...DELIVERY_TIMING, overdueAfterMs: 0 } }, {})
    return (await row()).state === 'stored'
  }, 'the next worker to fetch it')
  const { storage_key: key, tries } = await row()
  assert.equal(tries, 2)
  assert.ok((await buffer(await deps.files.open(key!))).equals(file.bytes))
  // The file that the dead worker had started is deleted once it is old.
  const [name] = await halves()
  await utimes(join(unfinished, name!), 0, 0)
  await makeFolderStore(folder).put('w/xx/y', Buffer.from('y'), { mimeType: 'a/b' })
  assert.deepEqual(await halves(), [])
})
