import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { fileEndings, fileMaxBytes } from '../../../widget/file-rules.ts'
import { lockVisitorFiles } from '../../domain/visitors/file-queries.ts'
import { VISITOR_FILE_ENDINGS, VISITOR_FILE_MAX_BYTES } from '../../domain/visitors/file-types.ts'
import { LIMITS } from './receive-file.ts'
import { makePage, until } from './testing/visitor.ts'

const started = await startApp({ stream: true })
const { app, call, db, deps, make } = started
const workspace = await make.workspace()
const channelId = await make.channelAccount(workspace.id)
const admin = await signIn(started, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
let base = ''
before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
const { ask, session } = makePage(() => base, channelId)

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const STREAMED = 'application/octet-stream'
let count = 0

type Upload = { name?: string; clientId?: string; content?: Buffer; type?: string }
const upload = async (token: string, given: Upload = {}) => {
  const { name = 'pot.png', clientId = `f${++count}`, content = PNG, type = STREAMED } = given
  const response = await fetch(
    `${base}/widget/${channelId}/files?clientId=${clientId}&name=${encodeURIComponent(name)}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: new Uint8Array(content),
    },
  )
  const retryAfter = response.headers.get('retry-after')
  return { status: response.status, body: JSON.parse(await response.text()), clientId, retryAfter }
}
/** An upload whose body is up to the test. */
const announce = (token: string, clientId: string, size: number) => {
  const call = request(`${base}/widget/${channelId}/files?clientId=${clientId}&name=pot.png`, {
    agent: false,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': STREAMED, 'content-length': size },
  })
  const status = new Promise<number | undefined>((resolve) => {
    call.on('response', (response) => resolve(response.resume().statusCode))
    call.on('error', () => resolve(undefined))
  })
  call.flushHeaders()
  return { call, status }
}
const files = () =>
  db.selectFrom('attachments').selectAll().where('workspace_id', '=', workspace.id).execute()
const countedAs = (clientId: string) =>
  db.selectFrom('visitor_files').selectAll().where('client_id', '=', clientId).executeTakeFirst()

test('a visitor’s file is in their message, for the team and in the page, and is served as a file and nothing else', async () => {
  const { token } = await session()
  const { body } = await upload(token)
  assert.deepEqual([body.file.type, body.file.mimeType, body.file.size], ['image', 'image/png', PNG.length])
  const text = await upload(token, {
    name: '../notes <b>.txt',
    content: Buffer.from('<script>alert(1)</script>'),
  })
  const ids = [body.file.id, text.body.file.id]
  const sent = await ask('/messages', { fileIds: ids, clientId: 'm1' }, { token })
  assert.equal(sent.status, 200)
  assert.deepEqual(sent.body.message.attachments.map(({ id }: { id: string }) => id).sort(), [...ids].sort())
  // A lost response: the same message, and a lost upload, the same file.
  const again = await ask('/messages', { fileIds: ids, clientId: 'm1' }, { token })
  assert.equal(again.body.message.id, sent.body.message.id)
  assert.equal((await ask('/messages', { fileIds: ids, clientId: 'm2' }, { token })).status, 400)
  const { body: thread } = await call(
    workspace.token,
    'GET',
    `/conversations/${sent.body.message.conversationId}/messages`,
  )
  assert.equal(thread.messages.length, 1)
  assert.equal(thread.messages[0].attachments.length, 2)
  const served = async (url: string) => app.inject(url.replace('http://foyer.test', ''))
  const picture = await served(body.file.url)
  assert.equal(picture.headers['content-disposition']!.toString().split(';')[0], 'inline')
  const page = await served(text.body.file.url)
  assert.equal(page.headers['content-disposition']!.toString().split(';')[0], 'attachment')
  for (const { headers } of [picture, page]) {
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /sandbox/)
  }
})

test('a repeated upload is one file, also after its connection broke', async () => {
  const { token } = await session()
  const before = (await files()).length
  const { call: broken } = announce(token, 'broken', 5_000)
  broken.write(PNG)
  await until(async () => (await files()).length === before + 1)
  broken.destroy()
  await until(async () => (await files()).length === before)
  const first = await upload(token, { clientId: 'broken' })
  const second = await upload(token, { clientId: 'broken' })
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.equal(second.body.file.id, first.body.file.id)
  assert.equal((await files()).length, before + 1)
})

test('what is too large, of another type, or none of a visitor’s is refused before it is read, and leaves nothing', async () => {
  const { token } = await session()
  const other = await session()
  const before = (await files()).length
  const statusOf = async (given: Upload, by = token) => (await upload(by, given)).status
  assert.equal(await statusOf({}, 'x'.repeat(43)), 401)
  for (const name of ['a.svg', 'a.html', 'a.exe', 'a.zip', 'pot', 'a.png.js', 'constructor'])
    assert.equal(await statusOf({ name }), 415)
  // It says it is an image, and is none.
  assert.equal(await statusOf({ content: Buffer.from('<html><script>') }), 415)
  assert.equal(await statusOf({ content: Buffer.from('<svg xmlns='.repeat(500)) }), 415)
  assert.equal(await statusOf({ content: Buffer.alloc(0) }), 400)
  assert.equal(await statusOf({ type: 'image/png' }), 415)
  // Nothing of it is sent: the announcement is enough.
  const large = announce(token, 'large', VISITOR_FILE_MAX_BYTES + 1)
  assert.equal(await large.status, 413)
  large.call.destroy()
  assert.equal((await files()).length, before)
  const { body } = await upload(token)
  assert.equal((await ask('/messages', { fileIds: [body.file.id] }, { token: other.token })).status, 400)
  assert.equal((await ask('/messages', { fileIds: ['c'.padEnd(25, '0')] }, { token })).status, 400)
  assert.equal((await ask('/messages', { fileIds: [] }, { token })).status, 400)
  assert.equal(
    (await ask('/messages', { fileIds: [body.file.id], choice: { messageId: 'x', number: 1 } }, { token }))
      .status,
    400,
  )
})

test('a visitor, an address and a workspace can upload so much an hour, counting what was announced; admins can switch it off', async () => {
  const { token, visitor } = await session()
  const row = (more: object) => ({
    ...{
      workspace_id: workspace.id,
      visitor_id: visitor.id,
      client_id: `c${++count}`,
      size: 1,
      address: '192.0.2.1',
      created_at: new Date(),
    },
    ...more,
  })
  const fill = (more: object) => db.insertInto('visitor_files').values(row(more)).execute()
  const free = () => db.deleteFrom('visitor_files').where('workspace_id', '=', workspace.id).execute()
  const stranger = 'c'.padEnd(25, '1')
  for (const full of [
    { size: LIMITS.visitorBytes },
    { visitor_id: stranger, address: '127.0.0.1', size: LIMITS.addressBytes },
    { visitor_id: stranger, size: LIMITS.hourBytes },
    { visitor_id: stranger, size: LIMITS.dayBytes, created_at: new Date(Date.now() - 5 * 3_600_000) },
  ]) {
    await free()
    assert.equal((await upload(token)).status, 200)
    await fill(full)
    assert.equal((await upload(token)).status, 429)
  }
  await free()
  const together = await Promise.all(Array.from({ length: LIMITS.visitorFiles + 3 }, () => upload(token)))
  assert.equal(together.filter(({ status }) => status === 200).length, LIMITS.visitorFiles)
  await free()
  await admin.call('PATCH', `/channels/${channelId}/chat-box`, { acceptsFiles: false })
  assert.equal((await upload(token)).status, 400)
  await admin.call('PATCH', `/channels/${channelId}/chat-box`, { acceptsFiles: true })
})

test('a repeat is charged by the most that was announced for the file, returns no other file, and counts again once the file can’t be sent', async () => {
  const { token, visitor } = await session()
  const before = (await files()).length
  const small = announce(token, 'charged', 1)
  await until(async () => (await files()).length === before + 1)
  small.call.destroy()
  await until(async () => (await files()).length === before)
  const content = Buffer.concat([PNG, Buffer.alloc(5_000)])
  const first = await upload(token, { clientId: 'charged', content })
  assert.equal(first.status, 200)
  assert.equal((await countedAs('charged'))?.size, content.length)
  assert.equal((await upload(token, { clientId: 'charged', content })).body.file.id, first.body.file.id)
  for (const other of [{ content: PNG }, { content, name: 'other.png' }]) {
    const { status, body } = await upload(token, { clientId: 'charged', ...other })
    assert.deepEqual([status, body.error.details[0].field], [400, 'clientId'])
  }
  // Too old for a message, and about to be deleted.
  const old = new Date(Date.now() - 23.5 * 3_600_000)
  const aged = { created_at: old }
  await db.updateTable('attachments').set(aged).where('id', '=', first.body.file.id).execute()
  await db.updateTable('visitor_files').set(aged).where('visitor_id', '=', visitor.id).execute()
  const late = await ask('/messages', { fileIds: [first.body.file.id], clientId: 'late' }, { token })
  assert.deepEqual([late.status, late.body.error.details[0].field], [400, 'fileIds'])
  const again = await upload(token, { clientId: 'charged', content })
  assert.equal(again.status, 200)
  assert.notEqual(again.body.file.id, first.body.file.id)
  assert.ok(new Date((await countedAs('charged'))!.created_at) > old)
  assert.equal((await ask('/messages', { fileIds: [again.body.file.id] }, { token })).status, 200)
})

test('one upload runs for a file: a repeat ends those before it, and what is answered is one file that is there once', async () => {
  const { token } = await session()
  const before = (await files()).length
  const slow = announce(token, 'once', 5_000)
  slow.call.write(PNG)
  await until(async () => (await files()).length === before + 1)
  const stuck = (await files()).find(({ state }) => state === 'uploading')!
  const repeat = await upload(token, { clientId: 'once' })
  assert.equal(repeat.status, 200)
  assert.equal(await slow.status, 409)
  slow.call.destroy()
  await until(async () => (await files()).length === before + 1)

  const together = await Promise.all(Array.from({ length: 6 }, () => upload(token, { clientId: 'six' })))
  const done = together.filter(({ status }) => status === 200)
  for (const { status, retryAfter } of together)
    if (status !== 200) assert.deepEqual([status, retryAfter], [409, '2'])
  const { body } = await upload(token, { clientId: 'six' })
  assert.ok(done.length > 0)
  for (const { body: one } of done) assert.equal(one.file.id, body.file.id)
  assert.equal((await files()).length, before + 2)

  // The repeat came to another process, which can't end this one's upload.
  const elsewhere = announce(token, 'elsewhere', PNG.length)
  await until(async () => (await files()).length === before + 3)
  const key = (await files()).find(({ state }) => state === 'uploading')!.storage_key!
  const taken = { attachment_id: 'c'.padEnd(25, '2') }
  await db.updateTable('visitor_files').set(taken).where('client_id', '=', 'elsewhere').execute()
  elsewhere.call.end(PNG)
  assert.equal(await elsewhere.status, 409)
  assert.equal((await files()).length, before + 2)
  for (const gone of [key, stuck.storage_key!])
    await assert.rejects(deps.files.open(gone), { name: 'MissingFileError' })
  assert.equal((await countedAs('six'))?.attachment_id, body.file.id)
})

test('an upload that is dropped right after its headers ends, and leaves nothing but its count', async () => {
  const { token } = await session()
  const before = (await files()).length
  let [begun, ended] = [0, 0]
  const { put } = deps.files
  deps.files.put = (...args) => {
    begun++
    return put(...args).finally(() => ended++)
  }
  const isWaiting = async () => {
    const { rows } = await sql`
      select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(db)
    return rows.length > 0
  }
  // Held, so that the connection is surely gone before the file is counted.
  await db.transaction().execute(async (trx) => {
    await lockVisitorFiles({ db: trx, workspaceId: workspace.id })
    let socket: Socket | undefined
    app.server.once('connection', (connection) => {
      socket = connection
    })
    const { call } = announce(token, 'dropped', 5_000)
    await until(isWaiting)
    call.destroy()
    await until(() => socket?.destroyed === true)
  })
  await until(async () => begun === 1 && ended === 1 && (await files()).length === before)
  deps.files.put = put
  assert.equal((await countedAs('dropped'))?.size, 5_000)
  assert.equal((await upload(token, { clientId: 'dropped' })).status, 200)
})

test('a file gets into one message, of several at once: the others are refused, and a repeat of that one is the same', async () => {
  const { token } = await session()
  const send = (fileIds: string[], clientId: string) => ask('/messages', { fileIds, clientId }, { token })
  const { body } = await upload(token)
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((id) => send([body.file.id], id)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
  for (const { status, body } of answers)
    if (status === 400) assert.deepEqual(body.error.details[0].field, 'fileIds')
  const second = await upload(token)
  const twice = await Promise.all([1, 2, 3].map(() => send([second.body.file.id], 'twice')))
  assert.deepEqual(
    twice.map(({ status, body }) => [status, body.message?.id]),
    twice.map(() => [200, twice[0]!.body.message.id]),
  )
})

test('the chat box knows the same types and the same size', () => {
  assert.deepEqual([...fileEndings].sort(), [...VISITOR_FILE_ENDINGS].sort())
  assert.equal(fileMaxBytes, VISITOR_FILE_MAX_BYTES)
})
