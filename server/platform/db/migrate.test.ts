import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { makeDatabase } from '../../../test/database.ts'
import { until } from '../../../test/until.ts'
import { StartError } from '../start-error.ts'
import { migrate } from './migrate.ts'

const { connectionString, pool } = await makeDatabase()

/** Files beside those that the database already has, as far as their names go. */
const { rows: known } = await pool.query<{ name: string }>('select name from schema_migrations')
const directory = `${mkdtempSync(join(tmpdir(), 'foyer-migrations-'))}/`
after(() => rmSync(directory, { recursive: true, force: true }))
for (const { name } of known) writeFileSync(join(directory, name), '')
const add = (name: string, text: string): void => writeFileSync(join(directory, name), text)

const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  after(() => client.end().catch(() => {}))
  return client
}

const LOCK = 7_030_001

test('a migration that fails names its file, and leaves nothing of itself', async () => {
  add('9001_broken.sql', 'create table half (id int); select no_such_column;')
  await assert.rejects(
    migrate(connectionString, { directory }),
    (error) => error instanceof StartError && /9001_broken\.sql failed: .*no_such_column/.test(error.message),
  )
  assert.equal((await pool.query("select to_regclass('half') as half")).rows[0].half, null)
  add('9001_broken.sql', 'create table whole (id int);')
  assert.deepEqual(await migrate(connectionString, { directory }), ['9001_broken.sql'])
})

test('a migration whose table is in use lets others through and runs once the table is free', async () => {
  const holder = await connect()
  await holder.query('begin')
  await holder.query('select count(*) from whole')
  add('9002_column.sql', 'alter table whole add column name text;')
  const lines: string[] = []
  const migrating = migrate(connectionString, { directory, say: (line) => lines.push(line) })
  await until(() => lines.length > 0, 'the first failed try')
  assert.match(lines[0]!, /9002_column\.sql is waiting for a table that is in use/)
  // Readers get their turn between two tries.
  await pool.query('select count(*) from whole')
  await holder.query('commit')
  assert.deepEqual(await migrating, ['9002_column.sql'])
})

test('an index is built while others write, and again when its building was cut off', async () => {
  await pool.query('insert into whole (id) values (1), (1)')
  add(
    '9003_index.sql',
    '-- Outside of a transaction.\ncreate unique index concurrently if not exists whole_id on whole (id);\n',
  )
  // What cannot be built stays behind as an invalid index, as it does after a crash.
  await assert.rejects(migrate(connectionString, { directory }), /9003_index\.sql failed/)
  const isValid = async () =>
    (await pool.query("select indisvalid from pg_index where indexrelid = to_regclass('whole_id')")).rows[0]
      ?.indisvalid
  assert.equal(await isValid(), false)
  await pool.query('delete from whole')
  assert.deepEqual(await migrate(connectionString, { directory }), ['9003_index.sql'])
  assert.equal(await isValid(), true)
})

test('a process that waits for another to migrate logs it, and can be stopped', async () => {
  const holder = await connect()
  await holder.query('select pg_advisory_lock($1)', [LOCK])
  const stopping = new AbortController()
  const lines: string[] = []
  const waiting = migrate(connectionString, {
    directory,
    say: (line) => lines.push(line),
    signal: stopping.signal,
  })
  await until(() => lines.length > 0, 'a word about the wait')
  assert.match(lines[0]!, /waiting for another process that migrates/)
  stopping.abort()
  await assert.rejects(waiting, StartError)
  await holder.end()
})

test('a database that a newer version has migrated is refused', async () => {
  await pool.query("insert into schema_migrations (name) values ('9999_from_the_future.sql')")
  await assert.rejects(
    migrate(connectionString, { directory }),
    /newer version of Foyer \(9999_from_the_future/,
  )
})
