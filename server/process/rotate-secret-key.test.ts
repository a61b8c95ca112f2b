import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeDatabase } from '../../test/database.ts'
import { newId } from '../platform/db/id.ts'
import { makeSeal } from '../platform/seal.ts'
import { readConfig } from './config.ts'
import { rotateSecretKey } from './rotate-secret-key.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'
import { findSecretKey, findSecretKeys, replaceKeyFile } from './secret-key.ts'

const [OLD, NEW, LOST] = ['o', 'n', 'l'].map((letter) => letter.repeat(40)) as [string, string, string]
const database = await makeDatabase()
const { pool, connectionString } = database
const directory = await mkdtemp(join(tmpdir(), 'foyer-rotate-'))
after(async () => {
  await database.drop()
  await rm(directory, { recursive: true, force: true })
})

const configOf = (keys: Record<string, string>) => readConfig({ DATABASE_URL: connectionString, ...keys })
const rotate = (keys: Record<string, string>) => rotateSecretKey(configOf(keys), () => {})

const MOMENT = '2026-11-27T09:00:00Z'
const COMMON = { name: 'A', created_at: MOMENT }
/** What else a row of each table needs, and what its owner is made of. */
const ROWS: Record<string, Record<string, unknown>> = {
  channel_accounts: { ...COMMON, channel: 'web' },
  webhook_endpoints: {
    ...{ ...COMMON, url: 'https://a.example', payload: 'thin', ordering: 'none', max_in_flight: 1 },
    ...{ secret_prefix: 'whsec_', created_by: 'operator', updated_at: MOMENT },
  },
  actions: {
    ...{ ...COMMON, name_key: 'a', method: 'GET', url: 'https://a.example', parameters: '[]', keep: '[]' },
    ...{ timeout_ms: 1, is_repeatable: true, risk: 'read', needs: 'none', confirm: 'none' },
  },
  erasures: { contact_id: newId(), mode: 'erase', actor: 'operator', created_at: MOMENT },
  chat_boxes: { channel_account_id: newId() },
  ai_providers: {
    ...{ kind: 'responses', base_url: 'https://models.example/v1', model: 'm', updated_by: 'operator' },
    updated_at: MOMENT,
  },
  mcp_servers: { ...COMMON, name_key: 'a', url: 'https://mcp.example/mcp', next_check_at: MOMENT },
  push_keys: { public_key: 'public', created_at: MOMENT },
}

/** A row with a value in every sealed column of its table. */
const fill = async (table: string, key: string): Promise<void> => {
  const columns = SEALED_COLUMNS.filter((column) => column.table === table)
  const row: Record<string, unknown> = { ...ROWS[table] }
  if (table !== 'push_keys') row.workspace_id = newId()
  if (columns[0]!.key.includes('id')) row.id = newId()
  for (const { column, owner } of columns)
    row[column] = makeSeal(key).seal(`${table} ${column}`, owner(row as Record<string, string>))
  const client = await pool.connect()
  // Without the rows that foreign keys ask for.
  await client.query('begin; set local session_replication_role = replica')
  await client.query(
    `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row).map((_, at) => `$${at + 1}`)})`,
    Object.values(row),
  )
  await client.query('commit')
  client.release()
}

const opened = async (key: string): Promise<string[]> => {
  const found: string[] = []
  for (const { table, column, key: keys, more = [], owner } of SEALED_COLUMNS) {
    const { rows } = await pool.query(`select ${[...keys, ...more, column].join(', ')} from ${table}`)
    for (const row of rows)
      try {
        found.push(makeSeal(key).open(row[column], owner(row)))
      } catch {
        // Of another key.
      }
  }
  return found
}

test('rotating encrypts every stored secret with the new key, and a second run finds nothing to do', async () => {
  for (const table of Object.keys(ROWS)) await fill(table, OLD)
  const all = SEALED_COLUMNS.map(({ table, column }) => `${table} ${column}`)
  await assert.rejects(rotate({ SECRET_KEY: NEW }), /SECRET_KEY_OLD/)
  // As if it had been killed: some values are there already.
  await fill('channel_accounts', NEW)
  await fill('webhook_endpoints', LOST)
  const keys = { SECRET_KEY: NEW, SECRET_KEY_OLD: OLD }
  const unreadable = { 'webhook_endpoints.secrets': 1 }
  assert.deepEqual(await rotate(keys), { resealed: all.length, kept: 1, unreadable })
  assert.deepEqual((await opened(NEW)).sort(), [...all, 'channel_accounts secrets'].sort())
  assert.deepEqual(await opened(OLD), [])
  assert.deepEqual(await rotate(keys), { resealed: 0, kept: all.length + 1, unreadable })
})

/** Hashes, keys of others, and content: none of them is encrypted. */
const NOT_SEALED = [
  ...[
    'hash',
    'previous_hash',
    'content_hash',
    'passkey_handle',
    'request_hash',
    'vector',
    'owner',
    'public_key',
  ],
  ...['session_hash', 'browser_hash', 'token_hash'],
]

test('every column of bytes is rotated or known to hold no secret', () => {
  const schema = readFileSync(new URL('../../schema.sql', import.meta.url), 'utf8')
  const columns = [...schema.matchAll(/^create table (\w+) \(\n([^;]*)/gm)].flatMap(([, table, body]) =>
    [...body!.matchAll(/^ {2}(\w+) bytea/gm)].map(([, column]) => `${table}.${column}`),
  )
  const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(columns.filter((name) => !NOT_SEALED.includes(name.split('.')[1]!)).sort(), sealed.sort())
})

test('what the former key signed and sealed is still good, and nothing new is made with it', () => {
  const [former, both, present] = [makeSeal(OLD), makeSeal(NEW, OLD), makeSeal(NEW)]
  const owner = { workspaceId: 'w', id: 'i' }
  assert.equal(both.open(former.seal('text', owner), owner), 'text')
  assert.equal(present.open(both.seal('text', owner), owner), 'text')
  assert.ok(both.verify('feed', 'a', former.sign('feed', 'a')))
  assert.ok(!present.verify('feed', 'a', former.sign('feed', 'a')))
  assert.equal(both.sign('feed', 'a'), present.sign('feed', 'a'))
  assert.deepEqual(both.signatures('feed', 'a'), [present.sign('feed', 'a'), former.sign('feed', 'a')])
})

test('a new key file keeps the former one, also if the replacement was interrupted', async () => {
  const config = { secretKey: null, formerSecretKey: null, dataDir: directory }
  const first = await findSecretKey(config)
  assert.deepEqual(await findSecretKeys(config), { key: first, former: null })
  await replaceKeyFile(config)
  const { key, former } = await findSecretKeys(config)
  assert.equal(former, first)
  assert.notEqual(key, first)
  assert.deepEqual((await readdir(directory)).sort(), ['secret.key', 'secret.key.old'])
  assert.equal((await readFile(join(directory, 'secret.key'), 'utf8')).trim(), key)
})
