import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../test/app.ts'
import { listSparseIndexes, rebuildIndexes, releaseHeld } from './rebuild-indexes.ts'

const { app, call, database, db, make } = await startApp()
const deps = {
  db,
  log: app.log,
  now: () => new Date(),
  isStopping: () => false,
  connectionString: database.connectionString,
}

const PEOPLE = 2_000
const MESSAGES_EACH = 20

const bytesOf = async (name: string): Promise<number> => {
  const { rows } = await sql<{ bytes: number }>`select pg_relation_size(${name}::regclass) as bytes`.execute(
    db,
  )
  return rows[0]!.bytes
}

test('the index of contacts by activity stays within three times its fresh size, in exact order', async () => {
  const workspace = await make.workspace()
  await sql`
    insert into contacts (workspace_id, id, name, channels, search_text, created_at, last_activity_at)
    select ${workspace.id}, 'c' || lpad(n::text, 24, '0'), 'Person ' || n, '{web}', 'person ' || n, now(), now()
    from generate_series(1, ${PEOPLE}::integer) n`.execute(db)
  // People write a few times each and leave, so that each index page keeps a few entries.
  for (let first = 1; first <= PEOPLE; first += 100) {
    for (let n = 0; n < MESSAGES_EACH; n++)
      await sql`
        update contacts set last_activity_at = clock_timestamp()
        where workspace_id = ${workspace.id} and id between ${`c${String(first).padStart(24, '0')}`}
          and ${`c${String(first + 99).padStart(24, '0')}`}`.execute(db)
    await sql`vacuum contacts`.execute(db)
  }
  await sql`analyze contacts`.execute(db)
  const before = await bytesOf('contacts_activity')
  const sparse = await listSparseIndexes(db)
  assert.ok(
    sparse.some(({ name }) => name === 'contacts_activity'),
    JSON.stringify({ before, sparse }),
  )
  // One that takes too long is aborted and then skipped, however often the job runs.
  await rebuildIndexes({ ...deps, rebuildTimeoutMs: 1 })
  await rebuildIndexes(deps)
  assert.equal(await bytesOf('contacts_activity'), before)
  releaseHeld()
  await rebuildIndexes(deps)
  const after = await bytesOf('contacts_activity')
  await sql`reindex index contacts_activity`.execute(db)
  const fresh = await bytesOf('contacts_activity')
  assert.ok(before > fresh * 3, `${before} before, ${fresh} new`)
  assert.ok(after <= fresh * 1.1, `${after} after, ${fresh} new`)
  assert.deepEqual(await listSparseIndexes(db), [])
  const { body } = await call(workspace.token, 'GET', '/contacts')
  const times = body.contacts.map(({ lastActivityAt }: { lastActivityAt: string }) => lastActivityAt)
  assert.deepEqual(times, times.toSorted().reverse())
})

test('leftovers of an interrupted rebuild are removed', async () => {
  await sql`create index contacts_activity_ccnew on contacts (workspace_id, last_activity_at)`.execute(db)
  await sql`update pg_index set indisvalid = false
    where indexrelid = 'contacts_activity_ccnew'::regclass`.execute(db)
  await rebuildIndexes(deps)
  const { rows } = await sql`select to_regclass('contacts_activity_ccnew') as name`.execute(db)
  assert.deepEqual(rows, [{ name: null }])
})
