import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError } from './config.ts'
import { findSecretKey } from './secret-key.ts'

const directory = await mkdtemp(join(tmpdir(), 'foyer-key-'))
after(() => rm(directory, { recursive: true, force: true }))

test('many who ask for a key at once get the same one, in a file for its owner only', async () => {
  const dataDir = join(directory, 'data')
  const keys = await Promise.all(
    Array.from({ length: 20 }, () => findSecretKey({ secretKey: null, dataDir })),
  )
  assert.equal(new Set(keys).size, 1)
  assert.equal(Buffer.from(keys[0]!, 'base64url').length, 32)
  assert.deepEqual(await readdir(dataDir), ['secret.key'])
  assert.equal((await stat(join(dataDir, 'secret.key'))).mode & 0o777, 0o600)
  assert.equal((await readFile(join(dataDir, 'secret.key'), 'utf8')).trim(), keys[0])
})

test('the setting goes before the file, and then there is no file', async () => {
  const dataDir = join(directory, 'unused')
  assert.equal(await findSecretKey({ secretKey: 'k'.repeat(32), dataDir }), 'k'.repeat(32))
  await assert.rejects(readdir(dataDir))
})

test('a damaged key file is reported and not replaced', async () => {
  const path = join(directory, 'secret.key')
  await writeFile(path, 'short\n')
  await assert.rejects(findSecretKey({ secretKey: null, dataDir: directory }), ConfigError)
  assert.equal(await readFile(path, 'utf8'), 'short\n')
})
