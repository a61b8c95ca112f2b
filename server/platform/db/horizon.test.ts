// What a list may show while transactions are open. test/e2e/exact-lists.test.ts polls running processes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { runTransaction } from './horizon.ts'
import { idFloor, newId, newIdAfter, timeOfId } from './id.ts'
import { makeDb, makePool } from './pool.ts'

const { call, database, db, make } = await startApp()
const workspace = await make.workspace()
const other = await make.workspace()
for (const { id } of [workspace, other]) await make.channelAccount(id, 'web')

const create = async ({ token } = workspace): Promise<string> => {
  const { status, body } = await call(token, 'POST', '/conversations', {
    email: `${newId()}@customers.example`,
    channel: 'web',
  })
  assert.equal(status, 200)
  return body.conversation.id
}
const newest = async ({ token } = workspace): Promise<string | undefined> =>
  (await call(token, 'GET', '/conversations?sort=created&limit=1')).body.conversations[0]?.id

/** A transaction of a process of its own, open until it is told to end. */
const open = async (workspaceId: string) => {
  const pool = makePool({ connectionString: database.connectionString, max: 1 })
  const began = Promise.withResolvers<number>()
  const toEnd = Promise.withResolvers<void>()
  const ended = runTransaction({ db: makeDb(pool), workspaceId }, false, async (db) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    began.resolve(rows[0]!.pid)
    await toEnd.promise
  }).finally(() => pool.end())
  return {
    pid: await began.promise,
    end: () => {
      toEnd.resolve()
      return ended
    },
  }
}

test('a list shows nothing that is newer than an open transaction of its workspace', async () => {
  const before = await create()
  assert.equal(await newest(), before)
  const transaction = await open(workspace.id)
  const after = await create()
  assert.equal(await newest(), before)
  const elsewhere = await create(other)
  assert.equal(await newest(other), elsewhere)
  await transaction.end()
  assert.equal(await newest(), after)
})

test('a transaction of a dead process withholds nothing', async () => {
  const transaction = await open(workspace.id)
  const after = await create()
  await sql`select pg_terminate_backend(${transaction.pid}::integer, 5000)`.execute(db)
  assert.equal(await newest(), after)
  await assert.rejects(transaction.end())
})

test('a transaction that fails to begin leaves its connection as it was', async () => {
  const failing = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => ({ ...result, rows: [] }),
  })
  await assert.rejects(runTransaction({ db: failing, workspaceId: workspace.id }, false, async () => {}))
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`.execute(db)
  assert.equal(rows[0]!.count, 0)
})

test("a message sorts behind its conversation's last one, also when that was made by a faster clock", () => {
  const ahead = `${idFloor(Date.now() + 1_000).slice(0, 9)}0007${'z'.repeat(12)}`
  const behind = newIdAfter(ahead)
  assert.ok(behind > ahead, `${behind} > ${ahead}`)
  assert.equal(timeOfId(behind).getTime(), timeOfId(ahead).getTime())
  assert.ok(newIdAfter(null) < ahead, 'one conversation ahead does not carry the others away')
  const absurd = idFloor(Date.now() + 3_600_000) + 'z'.repeat(12)
  assert.ok(newIdAfter(absurd) < absurd)
})
