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

test('the contacts by activity stay within three times the size of their index when it is new, in exact order', async () => {
  const workspace = await make.workspace()
  await sql`
    insert into contacts (workspace_id, id, name, channels, search_text, created_at, last_activity_at)
    select ${workspace.id}, 'c' || lpad(n::text, 24, '0'), 'Person ' || n, '{web}', 'person ' || n, now(), now()
    from generate_series(1, ${PEOPLE}::integer) n`.execute(db)
  // One person after the other writes a few times and goes: of each page of the index a few entries stay for good.
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
  // One that takes too long is cut off and then left alone, however often the job runs.
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

test('what a rebuild that was cut off left behind is removed', async () => {
  await sql`create index contacts_activity_ccnew on contacts (workspace_id, last_activity_at)`.execute(db)
  await sql`update pg_index set indisvalid = false
    where indexrelid = 'contacts_activity_ccnew'::regclass`.execute(db)
  await rebuildIndexes(deps)
  const { rows } = await sql`select to_regclass('contacts_activity_ccnew') as name`.execute(db)
  assert.deepEqual(rows, [{ name: null }])
})
