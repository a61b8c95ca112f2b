import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { startApp } from '../../../test/app.ts'
import { storeAttachment, storeUpload } from '../../domain/attachments/store-attachment.ts'
import { deleteMessage } from '../../domain/messages/alter-queries.ts'
import { receiveMessage } from '../../domain/messages/receive-messages.ts'
import { sendMessage } from '../../domain/messages/send-message.ts'
import { DELIVERY_TIMING } from '../../jobs/delivery-timing.ts'
import { sweepFiles } from '../../jobs/sweep-files.ts'
import type { Ctx } from '../ctx/ctx.ts'
import { newId } from '../db/id.ts'
import { ApiError } from '../errors.ts'
import { MissingFileError } from './store.ts'

const HOUR_MS = 3_600_000
const telegram = { delivery: 'sent', isResendHarmless: false, send: async () => ({ externalId: '1' }) }
const testApp = await startApp({ channels: { telegram } as never })
const { app, call, clock, ctxOf, db, deps, make } = testApp

const workspace = await make.workspace()
const other = await make.workspace()

const agentCtx = async (workspaceId = workspace.id): Promise<Ctx> => {
  const { id } = await make.agent(workspaceId)
  return {
    ...ctxOf(workspaceId),
    actor: { type: 'agent', accountId: id, role: 'agent', permissions: ['see_all_conversations'] },
  }
}
const jane = await agentCtx()

const upload = (ctx: Ctx, content: Buffer | string, mimeType = 'image/png', name = 'bike.png') =>
  storeUpload(ctx, { name, mimeType, stream: Readable.from([Buffer.from(content)]) })

const get = (url: string, headers: InjectOptions['headers'] = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: url.replace('http://foyer.test', ''), headers })

const isRefused = (code: string, text?: RegExp) => (error: unknown) =>
  error instanceof ApiError &&
  error.code === code &&
  (!text || text.test(`${error.message} ${JSON.stringify(error.details)}`))

const rowsOf = (workspaceId: string) =>
  db.selectFrom('attachments').selectAll().where('workspace_id', '=', workspaceId).execute()

test('a file that an agent sends is in the thread at a signed address, and comes back byte for byte', async () => {
  const bytes = randomBytes(100_000)
  const { id } = await make.conversation(workspace.id)
  const first = await upload(jane, bytes)
  const second = await upload(jane, 'a,b', 'text/csv', 'list.csv')
  assert.deepEqual([first.type, first.size, second.type], ['image', 100_000, 'file'])
  const sent = await sendMessage(jane, { conversationId: id, body: '', attachmentIds: [second.id, first.id] })
  assert.deepEqual(sent.attachments, [first, second])
  const { body } = await call(workspace.token, 'GET', `/conversations/${id}/messages`)
  const [shown] = body.messages[0].attachments
  assert.match(shown.url, new RegExp(`^http://foyer\\.test/files/${first.id}\\?e=\\d+&s=[\\w-]{43}$`))
  const answer = await get(shown.url)
  assert.equal(answer.statusCode, 200)
  assert.ok(answer.rawPayload.equals(bytes))
  assert.equal(answer.headers['content-type'], 'image/png')
  assert.equal(answer.headers['content-length'], '100000')
  assert.equal(answer.headers['content-security-policy'], "sandbox; default-src 'none'")
  assert.equal(answer.headers['cross-origin-resource-policy'], 'cross-origin')
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  assert.match(String(answer.headers['content-disposition']), /^inline; filename="bike\.png"/)
})

test('a visitor of the web chat gets an agent’s file at its address', async () => {
  const channelId = await make.channelAccount(workspace.id, 'web')
  const ask = async (path: string, token: string | null, payload: object) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const answer = await app.inject({ method: 'POST', url: `/widget/${channelId}${path}`, payload, headers })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json()
  }
  const { token } = await ask('/session', null, {})
  const { message } = await ask('/messages', token, { body: 'Do you have a picture?' })
  const { conversationId } = message
  const { id, url } = await upload(jane, 'picture')
  await sendMessage(jane, { conversationId, body: '', attachmentIds: [id] })
  const { messages } = await ask('/session', null, { token })
  assert.deepEqual([messages[1].body, messages[1].attachments[0].url], ['', url])
  assert.equal((await get(url)).body, 'picture')
})

test('an address stays the same for an hour, is good for one to two, and opens nothing else', async () => {
  const start = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
  let now = start
  clock.now = () => new Date(now)
  try {
    const { id } = await make.conversation(workspace.id)
    const file = await upload(jane, 'bytes')
    const foreign = await upload(await agentCtx(other.id), 'theirs')
    await sendMessage(jane, { conversationId: id, body: 'Look', attachmentIds: [file.id] })
    const address = async () =>
      (await call(workspace.token, 'GET', `/conversations/${id}/messages`)).body.messages[0].attachments[0]
        .url
    now = start + HOUR_MS - 1
    assert.equal(await address(), file.url)
    const { statusCode, headers } = await get(file.url)
    assert.deepEqual([statusCode, headers['cache-control']], [200, 'private, max-age=3601, immutable'])
    now = start + HOUR_MS
    assert.notEqual(await address(), file.url)
    now = start + 2 * HOUR_MS - 1
    assert.equal((await get(file.url)).statusCode, 200)
    now = start + 2 * HOUR_MS
    assert.equal((await get(file.url)).statusCode, 403)
    now = start
    const [, e, s] = /e=(\d+)&s=(.+)$/.exec(file.url)!
    const refusals = await Promise.all(
      [
        file.url.replace(file.id, foreign.id),
        file.url.replace(file.id, newId()),
        `/files/${foreign.id}`,
        `/files/${file.id}`,
        `/files/${file.id}?e=${Number(e) + 3600}&s=${s}`,
        `/files/${file.id}?e=${e}&s=${s}x`,
        `/files/${file.id}?e=${e}&s=`,
        `/files/${file.id}?e=0${e}&s=${s}`,
        `/files/${file.id}?e=${e}&e=${e}&s=${s}`,
        `/files/..%2f..%2fsecret.key?e=${e}&s=${s}`,
      ].map((url) => get(url)),
    )
    for (const { statusCode, body } of refusals) {
      assert.equal(statusCode, 403)
      assert.equal(body, refusals[0]!.body)
    }
    assert.equal(JSON.parse(refusals[0]!.body).error.code, 'FILE_LINK_INVALID')
  } finally {
    clock.now = () => new Date()
  }
})

test('what the people of a workspace upload stays within its limit, however many do so at once', async () => {
  const small = await make.workspace()
  const ctx = await agentCtx(small.id)
  await db.updateTable('workspaces').set({ upload_quota_bytes: 1_000 }).where('id', '=', small.id).execute()
  const kept = await upload(ctx, 'x'.repeat(400))
  const both = await Promise.allSettled([upload(ctx, 'x'.repeat(350)), upload(ctx, 'x'.repeat(350))])
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const isFull = isRefused('UPLOAD_QUOTA_EXCEEDED', /upload-limit/)
  await assert.rejects(upload(ctx, 'x'.repeat(300)), isFull)
  await upload(ctx, 'x'.repeat(250))
  await assert.rejects(upload(ctx, ''), isFull)
  assert.equal((await rowsOf(small.id)).length, 3)
  // What customers send is never refused, and other workspaces are not concerned.
  await storeAttachment(ctx, { name: 'a', mimeType: null, content: Buffer.from('x'.repeat(5_000)) })
  await upload(jane, 'x')
  // What no message took makes room again.
  const { id } = await make.conversation(small.id)
  await sendMessage(ctx, { conversationId: id, body: 'Look', attachmentIds: [kept.id] })
  clock.now = () => new Date(Date.now() + 25 * HOUR_MS)
  try {
    await sweepFiles(
      { ...deps, now: clock.now, timing: DELIVERY_TIMING, log: app.log, isStopping: () => false },
      {},
    )
    const usage = await db
      .selectFrom('upload_usage')
      .select('bytes')
      .where('workspace_id', '=', small.id)
      .execute()
    assert.deepEqual(usage, [{ bytes: 400 }])
  } finally {
    clock.now = () => new Date()
  }
})

test("active content is always a download, and a file name can't inject anything", async () => {
  const types: [given: string, served: string, kind: string][] = [
    ['image/svg+xml', 'image/svg+xml', 'attachment'],
    ['text/html', 'text/html', 'attachment'],
    ['TEXT/HTML; charset=utf-7', 'text/html', 'attachment'],
    ['application/xhtml+xml', 'application/xhtml+xml', 'attachment'],
    ['application/pdf', 'application/pdf', 'attachment'],
    ['image/png; junk=<script>', 'image/png', 'inline'],
    ['image/png\r\nset-cookie: a=b', 'application/octet-stream', 'attachment'],
    ['nonsense', 'application/octet-stream', 'attachment'],
    ['', 'application/octet-stream', 'attachment'],
    ['video/mp4', 'video/mp4', 'inline'],
  ]
  for (const [given, served, kind] of types) {
    const { headers } = await get((await upload(jane, '<script>alert(1)</script>', given)).url)
    assert.equal(headers['content-type'], served, given)
    assert.match(String(headers['content-disposition']), new RegExp(`^${kind};`), given)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /^sandbox/)
    assert.equal(headers['set-cookie'], undefined)
  }
  const names: [given: string, kept: string][] = [
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\system.ini', 'system.ini'],
    ['.\u200b.htaccess', 'htaccess'],
    ['photo\u202Egpj.exe', 'photogpj.exe'],
    ['a\u0000b\r\nSet-Cookie: x.txt', 'abSet-Cookie_ x.txt'],
    ['\uD800lone.txt', 'lone.txt'],
    ['ﬁle．html', 'file.html'],
    ['rechnung "Müller" 50%.pdf', 'rechnung _Müller_ 50%.pdf'],
    ['請求書.pdf', '請求書.pdf'],
    ['...', 'file'],
    ['', 'file'],
    [`${'x'.repeat(400)}.jpeg`, `${'x'.repeat(250)}.jpeg`],
  ]
  for (const [given, kept] of names) {
    const { name, url } = await upload(jane, 'x', 'text/plain', given)
    assert.equal(name, kept)
    const disposition = String((await get(url)).headers['content-disposition'])
    const [, plain, whole] = /^attachment; filename="([ -~]*)"; filename\*=UTF-8''(\S+)$/.exec(disposition)!
    assert.equal(decodeURIComponent(whole!), kept)
    assert.doesNotMatch(plain!, /["\\%/]/)
  }
})

test('parts, heads and known versions of a file are answered as HTTP asks', async () => {
  const { url, id } = await upload(jane, '0123456789', 'video/mp4')
  const part = async (range: string, more = {}) => {
    const { statusCode, headers, body } = await get(url, { range, ...more })
    return [statusCode, headers['content-range'], body]
  }
  assert.deepEqual(await part('bytes=2-4'), [206, 'bytes 2-4/10', '234'])
  assert.deepEqual(await part('bytes=7-'), [206, 'bytes 7-9/10', '789'])
  assert.deepEqual(await part('bytes=-3'), [206, 'bytes 7-9/10', '789'])
  assert.deepEqual(await part('bytes=-99'), [206, 'bytes 0-9/10', '0123456789'])
  assert.deepEqual(await part('bytes=0-999999'), [206, 'bytes 0-9/10', '0123456789'])
  for (const whole of ['bytes=0-1,3-4', 'lines=0-1', 'bytes=-', 'bytes=4-2', 'bytes=a-b'])
    assert.deepEqual(await part(whole), [200, undefined, '0123456789'], whole)
  assert.deepEqual(await part('bytes=2-4', { 'if-range': `"${id}"` }), [206, 'bytes 2-4/10', '234'])
  assert.deepEqual(await part('bytes=2-4', { 'if-range': '"another"' }), [200, undefined, '0123456789'])
  for (const beyond of ['bytes=10-', 'bytes=-0', 'bytes=99-100']) {
    const [status, range, body] = await part(beyond)
    assert.deepEqual([status, range], [416, 'bytes */10'])
    assert.equal(JSON.parse(String(body)).error.code, 'RANGE_NOT_SATISFIABLE')
  }
  const head = await get(url, {}, 'HEAD')
  assert.deepEqual(
    [head.statusCode, head.headers['content-length'], head.headers['accept-ranges'], head.body],
    [200, '10', 'bytes', ''],
  )
  for (const tag of [head.headers.etag, `W/"x", W/${head.headers.etag}`, '*']) {
    const known = await get(url, { 'if-none-match': String(tag) })
    assert.deepEqual([known.statusCode, known.body], [304, ''])
  }
  assert.equal((await get(url, { 'if-none-match': '"other"' })).statusCode, 200)
  assert.equal((await get((await upload(jane, '')).url)).headers['content-length'], '0')
  const post = await app.inject({ method: 'POST', url: url.replace('http://foyer.test', '') })
  assert.deepEqual([post.statusCode, post.headers.allow], [405, 'GET, HEAD'])
})

test('a file that is pending or missing has its own error; a file that came with the message is available at once', async () => {
  const channelAccountId = await make.channelAccount(workspace.id, 'web')
  const kept = await storeAttachment(ctxOf(workspace.id), {
    name: 'invoice.pdf',
    mimeType: 'application/pdf',
    content: Buffer.from('%PDF'),
  })
  const { message } = await receiveMessage(ctxOf(workspace.id), {
    channel: 'web',
    channelAccountId,
    from: { identity: { kind: 'visitor', value: 'v1', verified: true }, name: 'Ada' },
    body: '',
    externalId: 'with-files',
    sentAt: new Date(),
    attachments: [
      { type: 'image', name: 'a.jpg', mimeType: 'image/jpeg', size: 0, state: 'pending', source: {} },
      {
        type: 'location',
        name: 'Here',
        mimeType: 'application/json',
        size: 9,
        state: 'inline',
        source: { latitude: 1 },
      },
    ],
    attachmentIds: [kept.id],
  })
  assert.equal(message.attachments.length, 3)
  const byType = (type: string) => message.attachments.find((attachment) => attachment.type === type)!
  assert.equal((await get(byType('file').url)).body, '%PDF')
  assert.deepEqual((await get(byType('location').url)).json(), { latitude: 1 })
  const missing = async (url: string) => {
    const { statusCode, headers, body } = await get(url)
    assert.deepEqual([statusCode, headers['content-disposition']], [404, undefined])
    return JSON.parse(body).error
  }
  const pending = byType('image')
  assert.deepEqual(await missing(pending.url), {
    code: 'FILE_NOT_AVAILABLE',
    message: 'The file is still being downloaded from the provider. Try again shortly.',
  })
  await db.updateTable('attachments').set({ state: 'failed' }).where('id', '=', pending.id).execute()
  assert.match((await missing(pending.url)).message, /could not be downloaded/)
  const { storage_key: key } = await db
    .selectFrom('attachments')
    .select('storage_key')
    .where('id', '=', kept.id)
    .executeTakeFirstOrThrow()
  await deps.files.remove(key!)
  assert.equal((await missing(kept.url)).message, 'The file is no longer available.')
  const { open } = deps.files
  deps.files.open = async () => {
    throw new Error('the storage cannot be reached')
  }
  const down = await get(kept.url)
  deps.files.open = open
  assert.deepEqual([down.statusCode, down.headers['retry-after']], [503, '5'])
})

test('an upload is its own agent’s, for one message, in its own workspace', async () => {
  const { id: conversationId } = await make.conversation(workspace.id)
  const send = (ctx: Ctx, attachmentIds: string[], body = '') =>
    sendMessage(ctx, { conversationId, body, attachmentIds })
  const mine = await upload(jane, 'mine')
  const notMine = isRefused('VALIDATION_ERROR', /files that you uploaded in the last 24 hours/)
  await assert.rejects(send(await agentCtx(), [mine.id]), notMine)
  await assert.rejects(send(jane, [(await upload(await agentCtx(other.id), 'theirs')).id]), notMine)
  await assert.rejects(send(jane, [mine.id, newId()]), notMine)
  const incoming = await storeAttachment(ctxOf(workspace.id), {
    name: 'in.png',
    mimeType: 'image/png',
    content: Buffer.from('x'),
  })
  await assert.rejects(send(jane, [incoming.id]), notMine)
  await assert.rejects(send(jane, []), isRefused('VALIDATION_ERROR', /must not be empty without a file/))
  const eleven = await Promise.all(Array.from({ length: 11 }, () => upload(jane, 'x')))
  await assert.rejects(
    send(
      jane,
      eleven.map(({ id }) => id),
    ),
    isRefused('VALIDATION_ERROR', /10 files/),
  )
  // Two messages at once: one gets it, the other is not sent.
  const both = await Promise.allSettled([send(jane, [mine.id], 'One'), send(jane, [mine.id], 'Two')])
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await assert.rejects(send(jane, [mine.id]), notMine)
  const { body } = await call(workspace.token, 'GET', `/conversations/${conversationId}/messages`)
  assert.deepEqual(
    body.messages.map((message: { attachments: object[] }) => message.attachments.length),
    [1],
  )
  const onTelegram = await make.conversation(workspace.id, { channel: 'telegram' })
  await assert.rejects(
    sendMessage(jane, { conversationId: onTelegram.id, body: 'x', attachmentIds: [eleven[0]!.id] }),
    isRefused('ATTACHMENTS_NOT_SUPPORTED'),
  )
})

test('what no message took is swept after a day with its file, and what a deleted message had', async () => {
  const sweeper = await make.workspace()
  const ctx = await agentCtx(sweeper.id)
  const { id: conversationId } = await make.conversation(sweeper.id)
  const sent = await upload(ctx, 'sent')
  const left = await upload(ctx, 'left')
  const withdrawn = await upload(ctx, 'withdrawn')
  await sendMessage(ctx, { conversationId, body: '', attachmentIds: [sent.id] })
  const { id } = await sendMessage(ctx, { conversationId, body: '', attachmentIds: [withdrawn.id] })
  await db.updateTable('messages').set({ status: 'failed' }).where('id', '=', id).execute()
  assert.ok(await deleteMessage(ctx, { id, conversationId }))
  // A process that died while it stored a file.
  await db
    .insertInto('attachments')
    .values({
      workspace_id: sweeper.id,
      id: newId(),
      type: 'file',
      name: 'x',
      mime_type: 'a/b',
      size: 0,
      state: 'uploading',
      storage_key: `${sweeper.id}/xx/never`,
      created_at: new Date(),
    })
    .execute()
  const keys = new Map((await rowsOf(sweeper.id)).map((row) => [row.id, row.storage_key!]))
  const sweepAfter = (ms: number) =>
    sweepFiles(
      {
        ...deps,
        log: app.log,
        now: () => new Date(Date.now() + ms),
        timing: DELIVERY_TIMING,
        isStopping: () => false,
      },
      {},
    )
  await sweepAfter(23.9 * HOUR_MS)
  assert.equal((await rowsOf(sweeper.id)).length, 4)
  const late: Ctx = { ...ctx, now: () => new Date(Date.now() + 23.5 * HOUR_MS) }
  await assert.rejects(
    sendMessage(late, { conversationId, body: '', attachmentIds: [left.id] }),
    isRefused('VALIDATION_ERROR'),
  )
  await sweepAfter(24.1 * HOUR_MS)
  assert.deepEqual(
    (await rowsOf(sweeper.id)).map((row) => row.id),
    [sent.id],
  )
  for (const gone of [left, withdrawn])
    await assert.rejects(deps.files.open(keys.get(gone.id)!), MissingFileError)
  assert.equal((await get(sent.url)).body, 'sent')
})
