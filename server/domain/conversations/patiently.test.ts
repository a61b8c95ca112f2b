import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { startApp } from '../../../test/app.ts'
import { makeDb } from '../../platform/db/pool.ts'
import { bigramsOf, indexBigrams } from '../search/bigrams.ts'
import { listConversations } from './list-conversations.ts'
import { countFound, searchInbox } from './search-inbox.ts'

const app = await startApp()
const { ctxOf, database, db, make } = app
const { id: workspaceId } = await make.workspace()

/** Cancels every statement whose time limit nobody has raised, as the server does with the slow ones. */
const exhausted = makeDb({
  options: database.pool.options,
  connect: async () => {
    const client = await database.pool.connect()
    let isPatient = false
    return {
      query: async (given: string | { text: string }) => {
        const text = typeof given === 'string' ? given : given.text
        isPatient ||= text.startsWith('set local statement_timeout')
        if (!isPatient && !/^(begin|commit|rollback)/.test(text))
          throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
        return client.query(given as string)
      },
      release: () => client.release(),
    }
  },
} as unknown as pg.Pool)

const ctx = { ...ctxOf(workspaceId), searchDb: exhausted }
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

const person = await make.contact(workspaceId, { name: 'Clara Grübel', email: 'clara.gruebel@post.example' })
const old = await make.conversation(workspaceId, {
  contactId: person.id,
  status: 'closed',
  at: hoursAgo(2_000),
})
const body = 'Zanzibar, in qz'
await make.message(workspaceId, old, { body, at: hoursAgo(2_000) })
await indexBigrams(ctxOf(workspaceId), [{ conversationId: old.id, grams: bigramsOf(body) }])
await db
  .updateTable('conversations')
  .set({ updated_at: hoursAgo(2_000) })
  .where('id', '=', old.id)
  .execute()
// More than are read where nothing has a time limit, and none has any of the words.
for (let n = 1; n <= 20; n++) {
  const conversation = await make.conversation(workspaceId, { at: hoursAgo(n) })
  await make.message(workspaceId, conversation, { body: 'Hello', at: hoursAgo(n) })
}

const SEARCHES = ['zanzibar', 'clara', 'clara.gruebel@post.example', 'qz', 'in']

test('a first page is not empty while there are matches, however little time a statement gets', async () => {
  for (const q of SEARCHES)
    for (const status of ['all', 'closed'] as const)
      for (const sort of ['updated', 'created'] as const) {
        const page = JSON.parse(await listConversations(ctx, { q, status, sort, limit: 10 }))
        assert.deepEqual(
          page.conversations.map(({ id }: { id: string }) => id),
          [old.id],
          `${q} ${status} ${sort}`,
        )
      }
  const { conversations, nextCursor } = JSON.parse(
    await listConversations(ctx, { q: 'zanzibar', status: 'open', sort: 'updated', limit: 10 }),
  )
  assert.deepEqual([conversations, nextCursor], [[], null])
})

test('neither is one in the console, and what is not found is not said to be absent', async () => {
  for (const q of [...SEARCHES, 'clara grubel', 'grübel clara', 'clara zanzibar', 'clara in'])
    for (const status of ['all', 'closed'] as const) {
      const { results } = await searchInbox(ctx, { q, status, limit: 10 })
      assert.deepEqual(
        results.map(({ conversation }) => conversation.id),
        [old.id],
        `${q} ${status}`,
      )
    }
  assert.deepEqual(await countFound(ctx, { q: 'zanzibar' }), { open: 0, closed: 1, isMore: false })
  const none = await searchInbox(ctx, { q: 'zanzibar clarissa', status: 'all', limit: 10 })
  assert.deepEqual([none.results, none.nextCursor], [[], null])
})
