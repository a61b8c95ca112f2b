import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { makeDatabase } from '../../test/database.ts'
import { readConfig } from './config.ts'
import { moveDatabase } from './move-database.ts'

const directory = await mkdtemp(join(tmpdir(), 'foyer-move-'))
const [source, target] = [await makeDatabase(), await makeDatabase()]
after(async () => {
  await Promise.all([source.drop(), target.drop()])
  await rm(directory, { recursive: true, force: true })
})

type Place = Awaited<ReturnType<typeof makeDatabase>>

/** Not on a connection of Foyer's: those count as somebody at work. */
const query = async ({ connectionString }: Place, text: string) => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

const move = (from: Place, to: string, replace = false) =>
  moveDatabase(
    readConfig({ DATABASE_URL: from.connectionString, SECRET_KEY: 's'.repeat(40), DATA_DIR: directory }),
    { to, replace, say: () => {} },
  )

test('a move refuses itself, a used target and another program’s, and goes over a used one only when told', async () => {
  await query(source, `insert into workspaces (id, name, created_at) values ('w', 'Ours', now())`)
  await query(target, `insert into workspaces (id, name, created_at) values ('w', 'Theirs', now())`)
  await assert.rejects(move(source, target.connectionString), /isn't empty.*--replace/)
  await assert.rejects(move(source, source.connectionString), /is the database that is copied/)
  await assert.rejects(move(source, 'mysql://a'), /^StartError: --to cannot be used: must be a URL/)
  const none = new URL(target.connectionString)
  none.pathname = '/foyer_test_none'
  await assert.rejects(move(source, none.href), /The database in --to cannot be reached/)
  await query(target, 'alter table feed add column theirs int')
  await assert.rejects(move(source, target.connectionString, true), /The table feed differs/)
  await query(target, 'alter table feed drop column theirs')
  const left = await query(target, 'select name from workspaces')
  assert.deepEqual(left, [{ name: 'Theirs' }])

  const { tables, to } = await move(source, target.connectionString, true)
  assert.ok(tables > 80)
  assert.ok(!to.includes('@'))
  assert.deepEqual(
    await query(target, 'select name from workspaces'),
    await query(source, 'select name from workspaces'),
  )
  await assert.rejects(move(source, target.connectionString, true), /was moved to/)
  await query(target, 'drop schema public cascade; drop schema graphile_worker cascade; create schema public')
  await query(target, 'create table public.theirs (id int)')
  await query(source, 'update event_epoch set moved_to = null')
  await assert.rejects(move(source, target.connectionString), /tables of another program/)
})
