import assert from 'node:assert/strict'
import { request } from 'node:http'
import { before, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { fileEndings, fileMaxBytes } from '../../../widget/file-rules.ts'
import { VISITOR_FILE_ENDINGS, VISITOR_FILE_MAX_BYTES } from '../../domain/visitors/file-types.ts'
import { LIMITS } from './receive-file.ts'
import { makePage, until } from './testing/visitor.ts'

const started = await startApp({ stream: true })
const { app, call, db, make } = started
const workspace = await make.workspace()
const channelId = await make.channelAccount(workspace.id)
const admin = await signIn(started, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
let base = ''
before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
const { ask, session } = makePage(() => base, channelId)

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
let count = 0

type Upload = { name?: string; clientId?: string; content?: Buffer; type?: string; channel?: string }
const upload = async (token: string, given: Upload = {}) => {
  const {
    name = 'pot.png',
    clientId = `f${++count}`,
    content = PNG,
    type = 'application/octet-stream',
    channel = channelId,
  } = given
  const response = await fetch(
    `${base}/widget/${channel}/files?clientId=${clientId}&name=${encodeURIComponent(name)}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: new Uint8Array(content),
    },
  )
  return { status: response.status, body: JSON.parse(await response.text()), clientId }
}
const files = () =>
  db.selectFrom('attachments').selectAll().where('workspace_id', '=', workspace.id).execute()

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
  const broken = request(`${base}/widget/${channelId}/files?clientId=broken&name=pot.png`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/octet-stream',
      'content-length': 5_000,
    },
  })
  broken.on('error', () => {})
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
  const large = await new Promise<number | undefined>((resolve) => {
    // Nothing of it is sent: the announcement is enough.
    const call = request(
      `${base}/widget/${channelId}/files?clientId=large&name=a.png`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/octet-stream',
          'content-length': VISITOR_FILE_MAX_BYTES + 1,
        },
      },
      ({ statusCode }) => resolve(statusCode),
    )
    call.on('error', () => {})
    call.flushHeaders()
  })
  assert.equal(large, 413)
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

test('the chat box knows the same types and the same size', () => {
  assert.deepEqual([...fileEndings].sort(), [...VISITOR_FILE_ENDINGS].sort())
  assert.equal(fileMaxBytes, VISITOR_FILE_MAX_BYTES)
})
