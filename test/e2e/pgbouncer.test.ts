// Behind PgBouncer: Foyer works in session mode, and refuses to start in the others, with one line.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import pg from 'pg'
import { atTheEnd, call, freePort, makeWorkspace, run, serve, temporaryDirectory, until } from './foyer.ts'
import { startPostgres, WITHOUT_POSTGRES } from './postgres.ts'

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path))

const WITHOUT =
  WITHOUT_POSTGRES || (PGBOUNCER ? false : 'there is no PgBouncer in /usr/sbin (apt-get install pgbouncer)')

/** It refuses to run as root. */
const nobody = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const [, , uid, gid] = /^nobody:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))![0].split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

const startPgbouncer = async (target: string, poolMode: 'session' | 'transaction'): Promise<string> => {
  const directory = temporaryDirectory()
  const listenPort = await freePort()
  const { hostname, port } = new URL(target)
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
postgres = host=${hostname} port=${port} user=foyer
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = 60
max_client_conn = 200
`,
  )
  const user = nobody()
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid ?? user.uid)
  assert.ok(PGBOUNCER)
  const child = spawn(PGBOUNCER, [file], { ...user, stdio: 'ignore' })
  atTheEnd(() => child.kill('SIGKILL'))
  const url = `postgresql://foyer@127.0.0.1:${listenPort}/postgres`
  await until('PgBouncer', async () => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  })
  return url
}

suite('behind PgBouncer', { skip: WITHOUT }, () => {
  const env = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '', SECRET_KEY: 'k'.repeat(40) }
  let postgres: Awaited<ReturnType<typeof startPostgres>>

  before(async () => {
    postgres = await startPostgres()
  })

  test('session mode works', async () => {
    const DATABASE_URL = await startPgbouncer(postgres.url, 'session')
    const { secret, channelId } = await makeWorkspace({ ...env, DATABASE_URL })
    const foyer = await serve({ ...env, DATABASE_URL })
    assert.equal((await call(foyer.url, null, 'POST', `/widget/${channelId}/session`, {})).status, 200)
    assert.equal((await call(foyer.url, secret, 'GET', '/api/v1/conversations')).status, 200)
    await until('readiness', async () => (await call(foyer.url, null, 'GET', '/readyz')).status === 200)
    assert.equal((await foyer.stop()).code, 0)
  })

  test('transaction mode is refused with one line, and leaves no lock', async () => {
    const DATABASE_URL = await startPgbouncer(postgres.url, 'transaction')
    for (const args of [['serve'], ['migrate']]) {
      const { code, errors } = await run({ ...env, DATABASE_URL }, ...args)
      assert.equal(code, 1)
      assert.match(errors, /^DATABASE_URL points to a pooler that shares sessions .* pool_mode=session .*\n$/)
    }
    const locks = await postgres.query("select from pg_locks where locktype = 'advisory'")
    assert.equal(locks.length, 0)
  })
})
