// Files by API: uploads as forms, and messages that send them.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { storeAttachment, UPLOAD_BYTES_MAX } from '../domain/attachments/store-attachment.ts'
import { createToken } from '../domain/tokens/tokens.ts'
import { newId } from '../platform/db/id.ts'
import { MissingFileError, StorageError } from '../platform/files/store.ts'

const HOUR_MS = 3_600_000
const { app, call, clock, ctxOf, db, deps, make } = await startApp()
const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
const workspace = await make.workspace()
const other = await make.workspace()

const get = (url: string, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: url.replace('http://foyer.test', '') })

const rowsOf = (workspaceId: string) =>
  db.selectFrom('attachments').selectAll().where('workspace_id', '=', workspaceId).execute()

const post = async (
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
  token = workspace.token,
) => {
  const response = await fetch(`${baseUrl}/api/v1/attachments`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}
const form = (size: number, name = 'a.txt', type = 'text/plain') => {
  const data = new FormData()
  data.set('file', new File([Buffer.alloc(size, 'a')], name, { type }))
  return data
}

test('a file is uploaded as a form, of 25 MiB at the most, and leaves nothing when it is refused', async () => {
  const before = (await rowsOf(workspace.id)).length
  const { status, body } = await post(form(UPLOAD_BYTES_MAX, '../évil.txt'))
  assert.equal(status, 200)
  assert.deepEqual(
    { ...body.attachment, id: '', url: '' },
    { id: '', type: 'file', name: 'évil.txt', mimeType: 'text/plain', size: UPLOAD_BYTES_MAX, url: '' },
  )
  assert.equal((await get(body.attachment.url, 'HEAD')).headers['content-length'], String(UPLOAD_BYTES_MAX))
  const large = await post(form(UPLOAD_BYTES_MAX + 1))
  assert.deepEqual(
    [large.status, large.body.error],
    [413, { code: 'PAYLOAD_TOO_LARGE', message: 'The file is larger than 25 MiB.' }],
  )
  const boundary = { 'content-type': 'multipart/form-data; boundary=b' }
  const refusals: [
    body: NonNullable<RequestInit['body']>,
    headers: Record<string, string>,
    status: number,
  ][] = [
    ['{}', { 'content-type': 'application/json' }, 415],
    [new FormData(), {}, 400],
    ['--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nno end', boundary, 400],
    ['nothing', boundary, 400],
    ['nothing', { 'content-type': `multipart/form-data; boundary=${'b'.repeat(10_000)}` }, 400],
    ['nothing', { 'content-type': `multipart/form-data; boundary="${'\\'.repeat(10_000)}` }, 400],
    [form(1), { 'idempotency-key': 'a key' }, 400],
  ]
  for (const [given, headers, expected] of refusals) {
    const refused = await post(given, headers)
    assert.equal(refused.status, expected, JSON.stringify(refused.body))
  }
  assert.equal((await rowsOf(workspace.id)).length, before + 1)
})

test('an upload that the storage refuses is answered with 503 and Retry-After, and leaves nothing', async () => {
  const before = (await rowsOf(workspace.id)).length
  const { put } = deps.files
  for (const error of [
    new StorageError('the storage refused: XMinioStorageFull'),
    Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' }),
  ]) {
    deps.files.put = () => Promise.reject(error)
    const refused = await post(form(10))
    deps.files.put = put
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '2'], error.message)
  }
  assert.equal((await rowsOf(workspace.id)).length, before)
})

test('an upload is stored as it arrives, and one that is cut off leaves nothing', async () => {
  const uploader = await make.workspace()
  const body =
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\ncontent-type: a/b\r\n\r\n'
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `POST /api/v1/attachments HTTP/1.1\r\nhost: foyer.test\r\nauthorization: Bearer ${uploader.token}\r\n` +
      'content-type: multipart/form-data; boundary=b\r\ncontent-length: 20000000\r\n\r\n',
  )
  socket.write(body + 'x'.repeat(1_000_000))
  await until(async () => (await rowsOf(uploader.id)).length === 1, 'a row before the file has arrived')
  const [row] = await rowsOf(uploader.id)
  socket.destroy()
  await until(async () => (await rowsOf(uploader.id)).length === 0, 'the row to be gone')
  await assert.rejects(deps.files.open(row!.storage_key!), MissingFileError)
  const usage = await db
    .selectFrom('upload_usage')
    .select('bytes')
    .where('workspace_id', '=', uploader.id)
    .execute()
  assert.deepEqual(usage, [])
})

test('a file goes out with a message of the API: alone or with text, in one message, by the token that uploaded it', async () => {
  const sender = await make.workspace()
  const { id: conversationId } = await make.conversation(sender.id)
  const path = `/conversations/${conversationId}/messages`
  const send = (body: object, token = sender.token) => call(token, 'POST', path, body)
  const { body: uploaded } = await post(form(3), { 'idempotency-key': 'k' }, sender.token)
  const { body: another } = await post(form(3), { 'idempotency-key': 'k' }, sender.token)
  const [first, second] = [uploaded.attachment.id, another.attachment.id]
  assert.notEqual(first, second)

  const limited = await createToken(ctxOf(sender.id), { name: 'Other', scopes: ['messages:send'] })
  const foreign = await send({ attachmentIds: [first] }, limited.secret)
  assert.deepEqual(foreign.body.error.details[0].field, 'attachmentIds')
  for (const body of [
    { attachmentIds: [] },
    { body: ' ', attachmentIds: [first] },
    { attachmentIds: [first, first] },
    { attachmentIds: Array.from({ length: 11 }, newId) },
    { attachmentIds: [first, newId()] },
    { attachmentIds: first },
  ])
    assert.equal((await send(body)).body.error?.code, 'VALIDATION_ERROR', JSON.stringify(body))

  const { body: sent } = await send({ attachmentIds: [first] })
  assert.deepEqual([sent.message.body, sent.message.attachments], ['', [uploaded.attachment]])
  assert.equal((await send({ body: 'Again', attachmentIds: [first] })).status, 400)
  const { body: both } = await send({ body: 'With text', attachmentIds: [second] })
  assert.deepEqual([both.message.body, both.message.attachments.length], ['With text', 1])
  // What worked before works the same.
  const { body: plain } = await send({ body: 'Only text' })
  assert.deepEqual([plain.message.body, plain.message.attachments], ['Only text', []])
  for (const [body, message] of [
    [{ body: '' }, 'must not be empty'],
    [{ body: '  ' }, 'must not be empty'],
    [{ body: 'x'.repeat(2001) }, 'must have at most 2000 characters'],
    [{ body: null }, 'must be a string'],
  ] as const)
    assert.deepEqual((await send(body)).body.error.details, [{ field: 'body', message }])
})

test('a token gets the files that it sees, and its own uploads, with a new address each hour', async () => {
  const reader = await make.workspace()
  const asked = async (id: string, token = reader.token) => call(token, 'GET', `/attachments/${id}`)
  const { body } = await post(form(3, 'a.png', 'image/png'), {}, reader.token)
  const { id } = body.attachment
  assert.deepEqual((await asked(id)).body, body)
  // Not yet sent: nobody else's.
  const colleague = await createToken(ctxOf(reader.id), { name: 'Other' })
  const missing = await asked(id, colleague.secret)
  assert.equal(missing.body.error.code, 'ATTACHMENT_NOT_FOUND')
  const { id: conversationId } = await make.conversation(reader.id)
  assert.equal(
    (await call(reader.token, 'POST', `/conversations/${conversationId}/messages`, { attachmentIds: [id] }))
      .status,
    200,
  )
  assert.equal((await asked(id, colleague.secret)).status, 200)
  const ofOthers = await createToken(ctxOf(reader.id), { name: 'SMS', channels: ['sms'] })
  assert.equal((await asked(id, ofOthers.secret)).text, missing.text)
  assert.equal((await asked(id, other.token)).text, missing.text)
  // Knowledge and avatars are not files of messages.
  const kept = await storeAttachment(ctxOf(reader.id), {
    name: 'a',
    mimeType: null,
    content: Buffer.from('a'),
  })
  assert.equal((await asked(kept.id)).text, missing.text)
  clock.now = () => new Date(Date.now() + 3 * HOUR_MS)
  try {
    const { attachment } = (await asked(id)).body
    assert.notEqual(attachment.url, body.attachment.url)
    assert.equal((await get(attachment.url)).body, 'aaa')
  } finally {
    clock.now = () => new Date()
  }
})
