import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeDatabase } from '../../../test/database.ts'
import { makeFactory } from '../../../test/make.ts'
import { PROGRAM } from '../../../test/program.ts'
import { newId } from '../../platform/db/id.ts'
import { makeSeal } from '../../platform/seal.ts'
import { VERSION } from '../../platform/version.ts'
import { readConfig } from '../config.ts'
import { runDoctor } from './doctor.ts'

const [KEY, FORMER] = ['k'.repeat(40), 'f'.repeat(40)] as const
const database = await makeDatabase()
const directory = await mkdtemp(join(tmpdir(), 'foyer-doctor-'))

let answer = JSON.stringify({ status: 'ok', version: VERSION })
const web = createServer((_, response) => response.end(answer))
await new Promise<void>((done) => web.listen(0, '0.0.0.0', done))
const { port } = web.address() as AddressInfo
/** Nothing listens there any more. */
const closed = createServer()
await new Promise<void>((done) => closed.listen(0, '127.0.0.1', done))
const { port: nobody } = closed.address() as AddressInfo
await new Promise((done) => closed.close(done))

after(async () => {
  web.close()
  await database.drop()
  await rm(directory, { recursive: true, force: true })
})

const env = {
  ...{ DATABASE_URL: database.connectionString, SECRET_KEY: KEY, DATA_DIR: directory },
  PORT: String(port),
}

/** By check, `status: message`. */
const examine = async (more: Record<string, string> = {}): Promise<Record<string, string>> => {
  const findings = await runDoctor(() => readConfig({ ...env, ...more }))
  for (const { check, status, next } of findings)
    assert.equal(status === 'ok', next === undefined, `${check} says what to do`)
  return Object.fromEntries(findings.map(({ check, status, message }) => [check, `${status}: ${message}`]))
}

test('a healthy installation has no failure, and doctor leaves nothing behind', async () => {
  const found = await examine()
  assert.deepEqual(Object.keys(found), [
    ...['version', 'settings', 'data directory', 'disk', 'database', 'clock', 'migrations', 'secret key'],
    ...['files', 'port', 'public URL', 'mail'],
  ])
  assert.deepEqual(
    Object.values(found).filter((text) => text.startsWith('fail')),
    [],
  )
  assert.match(found.database!, /^ok: PostgreSQL \d+/)
  assert.match(found.migrations!, /^ok: All \d+ are applied/)
  assert.equal(found['secret key'], 'ok: There are no stored secrets yet.')
  assert.equal(found.port, `ok: Foyer ${VERSION} is running on ${port}.`)
  assert.equal((await examine({ PORT: String(nobody) })).port, `ok: ${nobody} is free.`)
  assert.deepEqual(await readdir(join(directory, 'files', 'doctor')), [])
})

test('each service that can’t be reached is a failure of its own', async () => {
  answer = 'some other program'
  const at = `127.0.0.1:${nobody}`
  const found = await examine({
    ...{
      DATABASE_URL: `postgresql://foyer@${at}/foyer`,
      DATABASE_REPLICA_URL: `postgresql://foyer@${at}/foyer`,
      REDIS_URL: `redis://${at}`,
      SMTP_URL: `smtp://${at}`,
    },
    ...{
      FILES_URL: `s3://bucket?endpoint=http://${at}`,
      FILES_ACCESS_KEY_ID: 'a',
      FILES_SECRET_ACCESS_KEY: 'b',
    },
    ...{ PUBLIC_URL: `http://0.0.0.0:${port}`, TLS_CERT: 'none.pem', TLS_KEY: 'none.pem' },
  })
  for (const check of ['database', 'replica', 'Redis', 'mail', 'files', 'port', 'certificate'])
    assert.match(found[check]!, /^fail: \S/, check)
  assert.match(found['public URL']!, /^warn: .* can’t be reached from here: the answer has status 200/)
  const tls = await examine({ PUBLIC_URL: `https://0.0.0.0:${nobody}` })
  assert.match(tls['public URL']!, /^warn: .*ECONNREFUSED/)
  assert.match(tls.proxy!, /^warn: /)
  const own = await examine({ DATABASE_REPLICA_URL: database.connectionString })
  assert.match(own.replica!, /^fail: .* is not a replica/)
})

test('a lost key, a moved database and one of a newer version are found', async () => {
  const workspace = await makeFactory(database.db, () => new Date()).workspace()
  const [id, workspaceId] = [newId(), workspace.id]
  const sealedBy = (key: string) => makeSeal(key).seal('{}', { workspaceId, id })
  await database.pool.query(
    `insert into channel_accounts (workspace_id, id, channel, name, created_at, secrets) values ($1, $2, 'web', 'Site', now(), $3)`,
    [workspaceId, id, sealedBy(FORMER)],
  )
  assert.equal((await examine())['secret key'], 'fail: SECRET_KEY opens 0 of 1 stored secrets.')
  const rotating = await examine({ SECRET_KEY_OLD: FORMER })
  assert.match(rotating['secret key']!, /^warn: 1 stored secrets are still encrypted with the former key/)
  await database.pool.query(`insert into schema_migrations (name) values ('9999_later.sql')`)
  await database.pool.query(`update event_epoch set moved_to = 'db.example.com:5432/foyer'`)
  const found = await examine()
  assert.match(found.migrations!, /^fail: .*newer version of Foyer \(9999_later\.sql\)/)
  assert.match(found.moved!, /^fail: .*moved to db\.example\.com/)
})

test('the command ends with 1 if something fails, and every invalid setting is a line', async () => {
  const ended = await new Promise<{ code: unknown; stdout: string }>((done) => {
    const options = { env: { PATH: process.env.PATH, PORT: 'x', DEMO: 'perhaps' } }
    execFile(process.execPath, [PROGRAM, 'doctor'], options, (error, stdout) =>
      done({ code: error?.code, stdout }),
    )
  })
  assert.equal(ended.code, 1)
  assert.match(
    ended.stdout,
    /^ok {4}version: .*\nFAIL {2}settings: PORT must be .*\n {6}.*\nFAIL {2}settings: DEMO must be/,
  )
})
