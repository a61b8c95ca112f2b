// The database responds but accepts no writes: it is read-only, its disk is full, or another server is now the primary.
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { makePool } from '../../server/platform/db/pool.ts'
import { call, makeWorkspace, type Running, serve, temporaryDirectory, until } from './foyer.ts'
import { startPostgres, WITHOUT_POSTGRES } from './postgres.ts'

type Postgres = Awaited<ReturnType<typeof startPostgres>>

const RECOVERY_MAX_MS = 15_000

const configure = async (postgres: Postgres, setting: string): Promise<void> => {
  await postgres.query(`alter system ${setting}`)
  await postgres.query('select pg_reload_conf()')
}

suite('when the database takes no writes', { skip: WITHOUT_POSTGRES }, () => {
  const env = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '', SECRET_KEY: 'k'.repeat(40) }
  let postgres: Postgres
  let foyer: Running
  let secret = ''
  let channelId = ''

  before(async () => {
    postgres = await startPostgres()
    env.DATABASE_URL = postgres.url
    ;({ secret, channelId } = await makeWorkspace(env))
    foyer = await serve(env)
  })

  const write = () => call(foyer.url, null, 'POST', `/widget/${channelId}/session`, {})
  const readiness = () => call(foyer.url, null, 'GET', '/readyz')
  const isReady = async () => (await readiness()).status === 200

  test('a read-only server means 503 with Retry-After and not ready, until it accepts writes again', async () => {
    assert.equal((await write()).status, 200)
    await configure(postgres, 'set default_transaction_read_only = on')
    await until('the end of readiness', async () => !(await isReady()))
    assert.equal((await readiness()).body.checks.database, 'read-only')
    const { status, headers, body } = await write()
    assert.equal(status, 503)
    assert.equal(body.error.code, 'SERVICE_UNAVAILABLE')
    assert.ok(Number(headers.get('retry-after')) > 0)

    await configure(postgres, 'reset default_transaction_read_only')
    await until('readiness', isReady, RECOVERY_MAX_MS)
    await until('a write', async () => (await write()).status === 200, RECOVERY_MAX_MS)
    assert.equal((await call(foyer.url, secret, 'GET', '/api/v1/conversations')).status, 200)
  })

  test('a server without disk space is not ready', async () => {
    // This limit refuses the same file as a full disk.
    await configure(postgres, "set temp_file_limit = '64kB'")
    await until('the end of readiness', async () => !(await isReady()))
    await configure(postgres, 'reset temp_file_limit')
    await until('readiness', isReady, RECOVERY_MAX_MS)
  })

  test('of several hosts it uses the one that accepts writes, and follows when that changes', async () => {
    const other = await startPostgres()
    await configure(other, 'set default_transaction_read_only = on')
    const authority = (url: string) => new URL(url).host
    const pool = makePool({
      connectionString: `postgresql://foyer@${authority(other.url)},${authority(postgres.url)}/postgres?target_session_attrs=read-write`,
    })
    const portOf = async (): Promise<string> => (await pool.query('show port')).rows[0].port
    const portIn = (url: string) => new URL(url).port
    try {
      await pool.query('create table is_written (at int)')
      assert.equal(await portOf(), portIn(postgres.url))

      await configure(postgres, 'set default_transaction_read_only = on')
      await configure(other, 'reset default_transaction_read_only')
      // The first request fails, and the dead connections are closed.
      await until(
        'the other one',
        () =>
          pool.query('create table if not exists is_written (at int)').then(
            async () => (await portOf()) === portIn(other.url),
            () => false,
          ),
        RECOVERY_MAX_MS,
      )
    } finally {
      await pool.end()
      await configure(postgres, 'reset default_transaction_read_only')
    }
  })
})
