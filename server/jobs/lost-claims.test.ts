// A claim whose response never arrives: the database connection is cut just after the commit.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { startApp, TEST_SECRET_KEY } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { connect, startGraph } from '../inbound/whatsapp/testing/provider.ts'

const app = await startApp({ deps: { settleMs: 50 } })
const { call, database, db, make } = app
const graph = await startGraph()
after(graph.stop)

const WORKER = new URL('./testing/worker-process.ts', import.meta.url).pathname
/** Recovery takes a few seconds; a claim that counts as abandoned, after 25 s, is never sent. */
const SENT_MAX_MS = 60_000

/** A delivery is listed here once any transaction has claimed it. */
const isClaimed = async (): Promise<boolean> =>
  (await db.selectFrom('deliveries').select('id').where('state', '=', 'sending').execute()).length > 0

/** A prepared statement is sent by name, which is derived from its text (db/pool.ts). */
const nameOf = (text: string): string => createHash('sha1').update(text).digest('base64url').slice(0, 16)

/**
 * A database proxy that cuts a connection once: when these statements went through it in order and a claim committed.
 * No byte of the last response gets through.
 */
const startLine = async (...texts: string[]) => {
  const url = new URL(database.connectionString)
  const { searchParams, hostname } = url
  const port = Number(searchParams.get('port') ?? url.port)
  const folder = searchParams.get('host')
  const sockets = new Set<Socket>()
  let isCut = false
  const cut = async (near: Socket, far: Socket): Promise<void> => {
    await until(isClaimed, 'the claim to be committed')
    isCut = true
    near.destroy()
    far.destroy()
  }
  const server = createServer((near) => {
    const far = folder ? connectTo(`${folder}/.s.PGSQL.${port}`) : connectTo(port, hostname)
    const left = [...texts]
    let isDeaf = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    near.on('data', (bytes) => {
      far.write(bytes)
      if (left.length > 0 && (bytes.includes(left[0]!) || bytes.includes(nameOf(left[0]!)))) left.shift()
      if (isCut || isDeaf || left.length > 0) return
      isDeaf = true
      void cut(near, far)
    })
    far.on('data', (bytes) => {
      if (!isDeaf) near.write(bytes)
    })
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  searchParams.delete('host')
  searchParams.delete('port')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.toString(), isCut: () => isCut }
}

const startWorkerOn = async (url: string) => {
  const child = spawn(process.execPath, [WORKER, url, TEST_SECRET_KEY, '{}'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  after(() => child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

const statusOf = async (messageId: string): Promise<string> =>
  (await db.selectFrom('messages').select('status').where('id', '=', messageId).executeTakeFirstOrThrow())
    .status

/** A customer with an open reply window on WhatsApp. */
const customer = async (workspaceId: string, channelAccountId: string, phone: string) => {
  const contact = await make.contact(workspaceId, { phone, email: null })
  const conversation = await make.conversation(workspaceId, {
    contactId: contact.id,
    channel: 'whatsapp',
    channelAccountId,
  })
  await db
    .updateTable('conversations')
    .set({ last_inbound_at: new Date() })
    .where('id', '=', conversation.id)
    .execute()
  return { contactId: contact.id, conversationId: conversation.id }
}

test('a message whose claim committed without a response is sent once', async () => {
  const workspace = await make.workspace()
  const account = await connect(app, workspace.id, { apiUrl: graph.url })
  const { conversationId } = await customer(workspace.id, account, '+351912345001')
  const line = await startLine('with head as (')
  const worker = await startWorkerOn(line.url)
  const { body } = await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, {
    body: 'Hello',
  })

  await until(line.isCut, 'the line to be cut')
  assert.deepEqual(graph.sent(), [], 'nothing was sent before')
  await until(async () => (await statusOf(body.message.id)) === 'sent', 'the message to be sent', SENT_MAX_MS)
  assert.equal(graph.sent().length, 1)
  worker.kill('SIGKILL')
})

test('broadcast recipients whose claims committed without a response get the message once', async () => {
  graph.asked.length = 0
  const workspace = await make.workspace()
  const account = await connect(app, workspace.id, {
    apiUrl: graph.url,
    phoneNumberId: '106540352242933',
    businessAccountId: '102290129340399',
  })
  await make.template(workspace.id, '102290129340399', { name: 'sale' })
  const contactIds: string[] = []
  for (const phone of ['+351912345002', '+351912345003', '+351912345004'])
    contactIds.push((await customer(workspace.id, account, phone)).contactId)
  const line = await startLine('insert into deliveries', 'commit')
  const worker = await startWorkerOn(line.url)
  const { body } = await call(workspace.token, 'POST', '/broadcasts', {
    templateName: 'sale',
    audience: { type: 'contacts', contactIds },
  })
  await until(line.isCut, 'the line to be cut')
  assert.deepEqual(graph.sent(), [], 'nothing was sent before')
  const latest = async () =>
    (await call(workspace.token, 'GET', `/broadcasts/${body.broadcast.id}`)).body.broadcast
  await until(async () => (await latest()).status === 'completed', 'the broadcast to end', SENT_MAX_MS)
  assert.equal((await latest()).sentCount, 3)
  assert.equal(graph.sent().length, 3)
  worker.kill('SIGKILL')
})
