// If Foyer can't start, it prints one plain line on standard error, exits with code 1, and leaves nothing running.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { atTheEnd, type Env, freePort, run, temporaryDirectory } from './foyer.ts'

const directory = temporaryDirectory()

const refuses = async (env: Env, line: RegExp): Promise<void> => {
  const dataDir = join(directory, Math.random().toString(36).slice(2))
  const { code, output, errors } = await run({ DATA_DIR: dataDir, ...env }, 'serve')
  assert.equal(code, 1, errors)
  assert.match(errors, line)
  assert.equal(errors.trim().split('\n').length, 1, errors)
  assert.doesNotMatch(errors, /\bat .*\.[tj]s:\d+/)
  assert.equal(output, '')
}

test('a port in use is reported before anything else is started', async () => {
  const other = createServer()
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
  atTheEnd(() => other.close())
  const address = other.address()
  assert.ok(address && typeof address === 'object')
  const dataDir = join(directory, 'untouched')
  await refuses(
    { PORT: String(address.port), DATA_DIR: dataDir },
    new RegExp(`Port ${address.port} .* is in use`),
  )
  assert.equal(existsSync(dataDir), false)
})

test('all invalid settings are reported', () =>
  refuses({ PORT: 'eighty', LOG_LEVEL: 'loud' }, /PORT .*LOG_LEVEL /))

test('an address of another machine is reported', () =>
  refuses({ HOST: '203.0.113.7' }, /HOST is 203\.0\.113\.7/))

test('an unreachable database is reported', async () =>
  refuses(
    {
      DATABASE_URL: `postgresql://foyer:hunter2@127.0.0.1:${await freePort()}/foyer`,
      SECRET_KEY: 'k'.repeat(40),
    },
    /^The database in DATABASE_URL cannot be reached: (?!.*hunter2)/,
  ))

test('a database without a key is refused', () =>
  refuses({ DATABASE_URL: 'postgresql://foyer@127.0.0.1:1/foyer' }, /SECRET_KEY is required/))

test('a missing certificate is reported', async () =>
  refuses({ TLS_CERT: join(directory, 'none.pem'), TLS_KEY: join(directory, 'none.pem') }, /TLS_CERT cannot/))

test('an invalid certificate is reported', async () => {
  const path = join(directory, 'nonsense.pem')
  writeFileSync(path, 'this is no certificate\n')
  await refuses({ TLS_CERT: path, TLS_KEY: path }, /TLS_CERT and TLS_KEY cannot be used/)
})

test('an unusable data directory is reported', async () => {
  const path = join(directory, 'file')
  writeFileSync(path, '')
  await refuses({ DATA_DIR: path }, /data directory/)
  mkdirSync(join(directory, 'parent'))
  writeFileSync(join(directory, 'parent', 'file'), '')
  await refuses({ DATA_DIR: join(directory, 'parent', 'file', 'data') }, /data directory|ENOTDIR/)
})

test('an unknown role is a usage error', async () => {
  const { code, errors } = await run({ DATA_DIR: directory }, 'serve', '--role', 'king')
  assert.equal(code, 2, errors)
})
