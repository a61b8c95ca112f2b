import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { makeDatabase } from '../../../test/database.ts'
import { makeFactory } from '../../../test/make.ts'
import { listCopiedTables } from '../../platform/db/copy/catalog.ts'
import { measureTable } from '../../platform/db/copy/measure.ts'
import { openCopyConnection } from '../../platform/db/copy/sessions.ts'
import { newId } from '../../platform/db/id.ts'
import { makeFolderStore } from '../../platform/files/folder-store.ts'
import { fileKey } from '../../platform/files/store.ts'
import { readTar } from '../../platform/files/tar.ts'
import { makeSeal } from '../../platform/seal.ts'
import { readConfig } from '../config.ts'
import { HEADER_NAME, makeBackupWriter } from './format.ts'
import { restoreBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

const SECRET_KEY = 's'.repeat(40)
const directory = await mkdtemp(join(tmpdir(), 'foyer-backup-'))
const [source, target] = [await makeDatabase(), await makeDatabase()]
after(async () => {
  await Promise.all([source.drop(), target.drop()])
  await rm(directory, { recursive: true, force: true })
})

const configOf = ({ connectionString }: { connectionString: string }, dataDir: string, key = SECRET_KEY) =>
  readConfig({ DATABASE_URL: connectionString, SECRET_KEY: key, DATA_DIR: join(directory, dataDir) })
const say = () => {}
const options = { replace: false, withoutCredentials: false, say }

const make = makeFactory(source.db, () => new Date())
const workspace = await make.workspace()
const BIG = Buffer.alloc(9 * 1024 * 1024, 'a file of several parts ')
const KEYS = [newId(), newId(), newId()].map((id) => fileKey(workspace.id, id))

const storeFiles = async (): Promise<void> => {
  const files = makeFolderStore(join(directory, 'old', 'files'))
  for (const [at, key] of KEYS.entries()) {
    // The storage has lost the last one.
    if (at < 2) await files.put(key, at === 0 ? BIG : Buffer.alloc(0), { mimeType: 'text/plain' })
    await source.db
      .insertInto('attachments')
      .values({
        ...{ workspace_id: workspace.id, id: key.split('/').at(-1)!, type: 'file', name: 'a.txt' },
        ...{ mime_type: 'text/plain', size: 1, storage_key: key, created_at: new Date() },
      })
      .execute()
  }
}

const channelId = newId()
const owner = { workspaceId: workspace.id, id: channelId }
await storeFiles()
await source.db
  .insertInto('channel_accounts')
  .values({
    ...{
      address: null,
      settings: '{}',
      workspace_id: workspace.id,
      id: channelId,
      channel: 'telegram' as const,
      name: 'Bot',
      created_at: new Date(),
    },
    secrets: makeSeal(SECRET_KEY).seal('{"botToken":"1:a"}', owner),
  })
  .execute()
await source.pool.query(
  `insert into events (workspace_id, type, data, created_at) values ($1, 'tag.created', '{}', now())`,
  [workspace.id],
)

const file = join(directory, 'a.backup')
const backup = await writeBackup(configOf(source, 'old'), file, say)

/** Not on a connection of Foyer's: those count as somebody at work. */
const asked = async (text: string) => {
  const client = new pg.Client({ connectionString: target.connectionString })
  await client.connect()
  const result = await client.query(text)
  await client.end()
  return result
}

const restoring = (from: string, config = configOf(target, 'new'), more: Partial<typeof options> = {}) =>
  restoreBackup(config, from, { ...options, ...more })

const isUntouched = async (): Promise<void> => {
  const { rows } = await asked('select count(*)::int as count from workspaces')
  assert.equal(rows[0].count, 0)
}

test('a backup is a complete new file for its owner only, and says what the storage has lost', async () => {
  assert.deepEqual(backup.missingFiles, [KEYS[2]])
  assert.equal(backup.files, 2)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal((await stat(file)).size, backup.bytes)
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.includes('unfinished')),
    [],
  )
  await assert.rejects(writeBackup(configOf(source, 'old'), file, say), /exists already/)
  const names = []
  const tar = Readable.from([zstdDecompressSync(await readFile(file))])
  for await (const { name } of readTar(tar)) names.push(name)
  assert.equal(names[0], 'backup.json/000001')
  assert.equal(names.at(-1), 'end.json/000001')
  assert.equal(names.filter((name) => name.startsWith(`files/${KEYS[0]}/`)).length, 3)
})

test('half a backup, a damaged one and one of a newer version are refused, and nothing is restored', async () => {
  const bad = join(directory, 'bad.backup')
  const damaged = /^.+bad\.backup is damaged or incomplete, so nothing was restored: [^\n]+$/
  for (const part of [0.7]) {
    await copyFile(file, bad)
    await truncate(bad, Math.floor(backup.bytes * part))
    await assert.rejects(restoring(bad), { name: 'StartError', message: damaged })
  }
  // Recompressed, so that only our own checksum can tell.
  const plain = zstdDecompressSync(await readFile(file))
  const flipped = Buffer.from(plain)
  flipped[flipped.indexOf('several parts')]! ^= 1
  await writeFile(bad, zstdCompressSync(flipped))
  await assert.rejects(restoring(bad), { name: 'StartError', message: damaged })
  await writeFile(bad, zstdCompressSync(plain.subarray(0, plain.indexOf('end.json/000001'))))
  await assert.rejects(restoring(bad), { name: 'StartError', message: damaged })
  await writeFile(bad, 'something else')
  await assert.rejects(restoring(bad), { name: 'StartError', message: damaged })

  const header = { format: 'foyer-backup', version: 1, foyer: '9.0.0', migrations: ['9999_later.sql'] }
  const pieces: Buffer[] = []
  const json = Readable.from([Buffer.from(JSON.stringify(header))])
  for await (const piece of makeBackupWriter().section(HEADER_NAME, json)) pieces.push(piece)
  await writeFile(bad, zstdCompressSync(Buffer.concat(pieces)))
  await assert.rejects(restoring(bad), /made by a newer version of Foyer \(9\.0\.0\)/)
  await assert.rejects(restoring(join(directory, 'none.backup')), /can't be read/)
  await isUntouched()
})

test('a restore brings back every row and file, begins an epoch and loses no event; another key is refused', async () => {
  const other = 't'.repeat(40)
  await assert.rejects(restoring(file, configOf(target, 'new', other)), /encrypted with another SECRET_KEY/)
  // A new installation with the private database gets neither a key nor a database.
  const fresh = readConfig({ DATA_DIR: join(directory, 'fresh') })
  await assert.rejects(restoring(file, fresh), /in SECRET_KEY or .*fresh\/secret\.key/)
  await assert.rejects(stat(fresh.dataDir))
  await isUntouched()
  const busy = await openCopyConnection(target.connectionString, 'foyer jobs')
  await assert.rejects(restoring(file), /in use by a running Foyer/)
  await busy.end()
  const before = await source.pool.query('select number from event_epoch')
  const restored = await restoring(file)
  assert.equal(restored.rows, backup.rows)
  assert.deepEqual(restored.missingFiles, [KEYS[2]])

  const [one, two] = await Promise.all(
    [source, target].map(({ connectionString }) => openCopyConnection(connectionString, 'test')),
  )
  const changed = []
  for (const table of await listCopiedTables(one!))
    if ((await measureTable(one!, table)).sha256 !== (await measureTable(two!, table)).sha256)
      changed.push(table.name)
  // Otherwise the check for silent connections would drop one that only pauses.
  await new Promise(setImmediate)
  assert.deepEqual([one!.askedMs, two!.askedMs], [null, null])
  await Promise.all([one!.end(), two!.end()])
  assert.deepEqual(changed, ['event_epoch', 'events', 'feed_relay'])
  const { rows } = await asked(
    `select type, tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "isSettled" from events`,
  )
  assert.deepEqual(rows, [{ type: 'tag.created', isSettled: true }])
  const epoch = await asked('select number from event_epoch')
  assert.ok(Number(epoch.rows[0].number) > Number(before.rows[0].number))

  const schemaOf = `select indexdef as text from pg_indexes where schemaname in ('public', 'graphile_worker')
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
    union all select tgname || tgenabled::text from pg_trigger where not tgisinternal order by 1`
  assert.deepEqual((await asked(schemaOf)).rows, (await source.pool.query(schemaOf)).rows)
  const nextId = `select nextval(pg_get_serial_sequence('events', 'id'))::text`
  assert.deepEqual((await asked(nextId)).rows, (await source.pool.query(nextId)).rows)

  const files = makeFolderStore(join(directory, 'new', 'files'))
  const read = async (key: string): Promise<Buffer> =>
    Buffer.concat(await Readable.from(await files.open(key)).toArray())
  assert.ok((await read(KEYS[0]!)).equals(BIG))
  assert.equal((await read(KEYS[1]!)).length, 0)
  await assert.rejects(restoring(file), /isn't empty/)

  // Once more, over what is there, and without the key.
  const again = { replace: true, withoutCredentials: true }
  assert.equal((await restoring(file, configOf(target, 'new', other), again)).rows, backup.rows)
  const secrets = await asked('select secrets from channel_accounts')
  assert.deepEqual(secrets.rows, [{ secrets: null }])
})
