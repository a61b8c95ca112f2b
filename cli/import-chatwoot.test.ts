// A Chatwoot account, as its API shows it: pages of 25, 15 and 20, limits, and files behind redirects.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openArchive } from '../server/domain/imports/archive-folder.ts'
import { openArchiveWriter } from '../server/domain/imports/archive-writer.ts'
import { makeChatwootApi } from '../server/domain/imports/chatwoot/chatwoot-api.ts'
import { readChatwoot } from '../server/domain/imports/chatwoot/read-chatwoot.ts'
import { loadArchive } from '../server/domain/imports/load-archive.ts'
import { makeFolder } from '../server/domain/imports/testing/make-archive.ts'
import { startApp } from '../test/app.ts'
import { atTheEnd } from '../test/at-the-end.ts'
import { getGuarded } from './import-chatwoot-command.ts'

const app = await startApp()
const { ctxOf, database, make } = app
const workspace = await make.workspace()
const ctx = ctxOf(workspace.id)
const web = await make.channelAccount(workspace.id, 'web')
const jane = await make.agent(workspace.id, { email: 'jane@example.com', nickname: 'Jane' })

const TOKEN = 'administrator'
const SECOND = 1_700_000_000
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const contacts = numbers(17).map((id) => ({
  ...{ id, name: `Person ${id}`, email: `p${id}@example.com`, phone_number: null, identifier: `crm-${id}` },
  ...{ created_at: SECOND, custom_attributes: { plan: 'pro', nested: { not: 'kept' } } },
}))
const visitor = { id: 99, name: 'quiet-river-7', email: null, phone_number: null, identifier: null }
const conversations = numbers(27).map((id) => ({
  ...{ id, inbox_id: 3, status: id === 1 ? 'open' : 'resolved', labels: id === 1 ? ['vip'] : [] },
  ...{ created_at: SECOND + id, last_activity_at: SECOND + 1_000 + id, custom_attributes: {} },
  meta: {
    sender: id <= 17 ? contacts[id - 1]! : visitor,
    assignee: id === 1 ? { id: 8, email: 'jane@example.com' } : null,
  },
}))

const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const JANE = { id: 8, name: 'Jane', type: 'user' }

/** The first conversation has three pages, whose messages are all of one second. */
const messagesOf = (conversation: number) =>
  conversation > 1
    ? [
        {
          id: 1_000 + conversation,
          content: 'Hi',
          message_type: 0,
          private: false,
          created_at: SECOND,
          attachments: [],
        },
      ]
    : numbers(45).map((id) => ({
        ...{ id, content: `Message ${id}`, created_at: SECOND, status: 'sent', source_id: null },
        message_type: id % 2 === 1 ? 0 : 1,
        private: id === 44,
        content_attributes: id === 45 ? { in_reply_to: 2 } : {},
        ...(id % 2 === 0 && { sender: JANE }),
        attachments:
          id === 43
            ? [
                { id: 5, file_type: 'image', data_url: `${base()}/rails/blobs/redirect/photo%20one.png` },
                { id: 6, file_type: 'file', data_url: `${base()}/gone.pdf` },
              ]
            : [],
      }))

let calls = 0
const tokens = new Set<string>()
const server = createServer((request, response) => {
  const url = new URL(request.url!, base())
  const path = url.pathname.replace('/api/v1/accounts/7/', '')
  const json = (body: unknown, status = 200, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
  if (path.startsWith('/rails/')) {
    tokens.add(String(request.headers.api_access_token))
    response.writeHead(302, { location: '/disk/photo.png' })
    response.end()
    return
  }
  if (path === '/disk/photo.png') {
    response.writeHead(200, { 'content-type': 'image/png' })
    response.end('pixels')
    return
  }
  if (path === '/gone.pdf') return json({}, 404)
  if (request.headers.api_access_token !== TOKEN) return json({ error: 'Invalid Access Token' }, 401)
  calls++
  if (calls % 10 === 3) return json({ error: 'Retry later' }, 429, { 'retry-after': '3' })
  if (calls % 10 === 6) return json({}, 502)
  const page = Number(url.searchParams.get('page') ?? 1)
  const paged = <T>(all: T[], size: number): T[] => all.slice((page - 1) * size, page * size)
  const [, conversation] = /^conversations\/(\d+)\/messages$/.exec(path) ?? []
  if (conversation) {
    const before = Number(url.searchParams.get('before') ?? Number.POSITIVE_INFINITY)
    return json({
      meta: {},
      payload: messagesOf(Number(conversation))
        .filter(({ id }) => id < before)
        .slice(-20),
    })
  }
  if (path === 'conversations') return json({ data: { meta: {}, payload: paged(conversations, 25) } })
  if (path === 'contacts') return json({ meta: {}, payload: paged(contacts, 15) })
  if (path === 'inboxes')
    return json({
      payload: [
        { id: 3, name: 'Shop', channel_type: 'Channel::WebWidget' },
        { id: 4, name: 'Unused', channel_type: 'Channel::Line' },
      ],
    })
  if (path === 'labels')
    return json({
      payload: [
        { id: 1, title: 'vip', color: '#AA0000' },
        { id: 2, title: 'b2b', color: '#00aa00' },
      ],
    })
  if (path === 'agents') return json([{ id: 8, email: 'jane@example.com', name: 'Jane' }])
  if (/^contacts\/\d+\/labels$/.test(path)) return json({ payload: path.includes('/2/') ? ['b2b'] : [] })
  return json({}, 404)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
atTheEnd(async () => {
  server.close()
})

const waits: number[] = []
const importAccount = async (token = TOKEN) => {
  const folder = makeFolder()
  const writer = openArchiveWriter(folder, 'chatwoot:test/7')
  const problems: string[] = []
  const wait = async (ms: number) => waits.push(ms)
  const api = makeChatwootApi({ url: base(), account: '7', token, get: getGuarded, wait })
  const read = await readChatwoot(api, { writer, onProblem: ({ problem }) => problems.push(problem) })
  await writer.finish(new Date())
  const loaded = await loadArchive(ctx, {
    archive: await openArchive(folder),
    report: ({ problem }) => problems.push(problem),
  })
  return { read, loaded, problems }
}

const rowsOf = async (query: string) => (await database.pool.query(query, [workspace.id])).rows

test('contacts, conversations, messages, notes, labels and files come over, and a second import brings nothing', async () => {
  const { read, problems } = await importAccount()
  assert.deepEqual(read, { conversations: 27, messages: 71, contacts: 18, files: 1 })
  assert.deepEqual(problems, ['an attachment can’t be downloaded: status 404'])
  assert.ok(waits.includes(3_000) && waits.length > 2)
  assert.deepEqual([...tokens], ['undefined'], 'the token went to where the files are')
  const thread = await rowsOf(
    `select m.body, m.sender_type, m.sender_id, r.body as reply from messages m
     left join messages r on r.id = m.reply_to_message_id
     where m.workspace_id = $1 and m.body like 'Message%' order by m.id`,
  )
  assert.deepEqual(
    thread.map(({ body }) => body),
    numbers(45)
      .filter((id) => id !== 44)
      .map((id) => `Message ${id}`),
  )
  assert.deepEqual(
    [thread[1].sender_type, thread[1].sender_id, thread.at(-1).reply],
    ['agent', jane.id, 'Message 2'],
  )
  assert.deepEqual(await rowsOf('select body, author_id from notes where workspace_id = $1'), [
    { body: 'Message 44', author_id: jane.id },
  ])
  assert.deepEqual(
    await rowsOf(
      `select k.name, t.name as tag from contact_tags c join contacts k on k.id = c.contact_id
       join tags t on t.id = c.tag_id where c.workspace_id = $1 order by 1`,
    ),
    [
      { name: 'Person 1', tag: 'vip' },
      { name: 'Person 2', tag: 'b2b' },
    ],
  )
  assert.deepEqual(
    await rowsOf(`select state, name from attachments where workspace_id = $1 order by state`),
    [
      { state: 'failed', name: 'gone.pdf' },
      { state: 'stored', name: 'photo one.png' },
    ],
  )
  const [open] = await rowsOf(
    `select channel_account_id, agent_id from conversations where workspace_id = $1 and status = 'open'`,
  )
  assert.deepEqual(open, { channel_account_id: web, agent_id: jane.id })
  const [person] = await rowsOf(
    `select custom_fields from contacts where workspace_id = $1 and name = 'Person 1'`,
  )
  assert.deepEqual(person.custom_fields, { plan: 'pro' })
  const { loaded } = await importAccount()
  assert.deepEqual(loaded.counts.messages, { unchanged: 70 })
  assert.deepEqual(loaded.counts.contacts, { unchanged: 18 })
})

test('a wrong token is said in plain words, and an address of the operator’s network is not called', async () => {
  await assert.rejects(importAccount('wrong'), /Chatwoot refuses the token/)
  const api = makeChatwootApi({
    ...{ url: 'http://10.0.0.1:3000', account: '7', token: TOKEN, get: getGuarded },
    wait: async () => {},
  })
  await assert.rejects(api.read('labels'), /aren’t allowed/)
})
