// The operator's own PostgreSQL, in the oldest supported version.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, command, makeWorkspace, run, serve, temporaryDirectory, until } from './foyer.ts'
import { startPostgres, WITHOUT_POSTGRES } from './postgres.ts'

/** The limit is 100 ms, but requests take longer on a machine that is busy with other tests. */
const HEARD_WITHIN_MS = 1_000
const LONGER_THAN_CONNECTING_MS = 6_000

describe('on a PostgreSQL of its operator', { skip: WITHOUT_POSTGRES }, async () => {
  if (WITHOUT_POSTGRES) return
  const postgres = await startPostgres()
  const env = {
    DATABASE_URL: postgres.url,
    SECRET_KEY: 'a key for the tests, of forty characters',
    DATA_DIR: temporaryDirectory(),
  }
  const foyer = await serve(env)
  const { secret, workspaceId } = await makeWorkspace(env)
  const makeToken = () => command(env, 'token', 'create', '--workspace', workspaceId, '--name', 'x')
  const me = (token: string) => call(foyer.url, token, 'GET', '/api/v1/me')

  test('it serves, and says so', async () => {
    const [{ version }] = await postgres.query("select current_setting('server_version') as version")
    console.log(`PostgreSQL ${version}`)
    assert.equal((await me(secret)).status, 200)
    const { status, body } = await call(foyer.url, null, 'GET', '/readyz')
    assert.equal(status, 200)
    assert.deepEqual(body, { status: 'ready', checks: { database: 'ok', queue: 'ok' } })
    assert.equal(foyer.errors(), '')
    for (const line of foyer.output().trim().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line)
  })

  test('it starts on a machine so busy that loading takes longer than a connection may', async () => {
    const hook = `import { registerHooks } from 'node:module'
      registerHooks({ load: (url, context, next) => {
        if (url.endsWith('/process/serve.ts'))
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${LONGER_THAN_CONNECTING_MS})
        return next(url, context)
      } })`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`
    const busy = await serve({ ...env, NODE_OPTIONS })
    await busy.stop()
  })

  test('a token revoked on the command line is refused within 100 ms', async () => {
    const { token, secret: other } = await makeToken()
    assert.equal((await me(other)).status, 200)
    const revoking = command(env, 'token', 'revoke', token.id)
    // The time is measured from the commit of this row.
    await until('the revocation', async () => {
      const [row] = await postgres.query('select revoked_at from api_tokens where id = $1', [token.id])
      return row.revoked_at !== null
    })
    const committed = performance.now()
    await until('the refusal', async () => (await me(other)).status === 401, HEARD_WITHIN_MS)
    console.log(`refused ${Math.round(performance.now() - committed)} ms after the revocation was seen`)
    await revoking
  })

  test('while the connection that receives revocations is cut, each request checks the database', async () => {
    const made = await makeToken()
    assert.equal((await me(made.secret)).status, 200)
    const isReceiving = async (): Promise<boolean> =>
      /^foyer_receives_revocations 1$/m.test((await call(foyer.url, null, 'GET', '/metrics')).body)
    await until('the cut', async () => {
      await postgres.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'foyer (revocations)'",
      )
      return !(await isReceiving())
    })
    // Revoked directly in the database and not announced, so the cache still has the token.
    await postgres.query('update api_tokens set revoked_at = now() where id = $1', [made.token.id])
    assert.equal((await me(made.secret)).status, 401)
    await until('the connection', isReceiving)
  })

  test('while the database is down calls get a 503, and afterwards they work again without a restart', async () => {
    assert.equal((await me(secret)).status, 200)
    await postgres.stop()
    const answer = await call(foyer.url, secret, 'GET', '/api/v1/conversations')
    assert.equal(answer.status, 503)
    assert.equal(answer.body.error.code, 'SERVICE_UNAVAILABLE')
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    // The token may have been revoked in the meantime.
    assert.equal((await me(secret)).status, 503)
    assert.equal((await call(foyer.url, null, 'GET', '/healthz')).status, 200)
    const ready = await call(foyer.url, null, 'GET', '/readyz')
    assert.equal(ready.status, 503)
    assert.equal(ready.body.checks.database, 'unreachable')
    assert.equal((await call(foyer.url, null, 'GET', '/metrics')).status, 200)

    await postgres.start()
    await until('the return', async () => (await me(secret)).status === 200)
    await until('readiness', async () => (await call(foyer.url, null, 'GET', '/readyz')).status === 200)
    assert.equal((await call(foyer.url, secret, 'GET', '/api/v1/conversations')).status, 200)
  })

  test('a database that isn’t UTF-8 is refused', async () => {
    await postgres.query(
      "create database latin encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'",
    )
    const DATABASE_URL = postgres.url.replace(/postgres$/, 'latin')
    const { code, output, errors } = await run({ ...env, DATABASE_URL }, 'migrate')
    assert.equal(code, 1)
    assert.equal(output, '')
    assert.match(errors, /^The database in DATABASE_URL uses the encoding LATIN1\. .* UTF8\.\n$/)
  })

  test('a key that can’t decrypt the stored credentials is refused by the server and by commands', async () => {
    const address = ['--address', 'help@northwind.example', '--smtp-url', 'smtps://mail.northwind.example']
    const add = ['channel', 'add', 'email', '--workspace', workspaceId]
    await command(env, ...add, ...address)
    const wrong = { ...env, SECRET_KEY: 'another key for the tests, of forty characters' }
    for (const args of [['serve'], [...add, '--address', 'sales@northwind.example', ...address.slice(2)]]) {
      const { code, output, errors } = await run(wrong, ...args)
      assert.equal(code, 1, output)
      assert.match(errors, /^SECRET_KEY .* is not the key the credentials .*\n$/)
    }
  })

  test('an old version refuses a database that a newer one has migrated', async () => {
    await postgres.query("insert into schema_migrations (name) values ('9999_later.sql')")
    const { code, errors } = await run(env, 'serve')
    await postgres.query("delete from schema_migrations where name = '9999_later.sql'")
    assert.equal(code, 1)
    assert.match(errors, /^The database was migrated by a newer version of Foyer \(9999_later\.sql\)\..*\n$/)
  })

  test('it stops cleanly, even while the database is down', async () => {
    await postgres.stop()
    const { code } = await foyer.stop()
    assert.equal(code, 0)
    await postgres.start()
  })
})
