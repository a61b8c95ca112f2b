// Two releases on one database: the next one migrates it and starts while the former one serves. Any upgrade of several
// processes passes through this, however short it is.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import {
  atTheEnd,
  call,
  command,
  type Env,
  RELEASE,
  type Running,
  run,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'
import { makeFormerRelease, makeNextRelease, NEXT_MIGRATIONS } from './releases.ts'

const WRITERS = 3
/** Between the moments at which something happens to the processes. */
const WRITES = 8

const urlOf = (database: string): string => {
  const url = new URL(process.env.TEST_SERVER_URL ?? '')
  url.pathname = `/${database}`
  return url.toString()
}

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

const admin = await connect(urlOf('postgres'))
atTheEnd(() => admin.end())

const makeEmpty = async (): Promise<string> => {
  const name = `foyer_test_${randomBytes(6).toString('hex')}`
  await admin.query(`create database ${name}`)
  atTheEnd(async () => {
    await admin.query(`drop database ${name} with (force)`)
  })
  return urlOf(name)
}

/** What customers get by email: the message's text by its Message-ID would do, but each text is its own. */
const startMailServer = async () => {
  const received: string[] = []
  const mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: async (stream, _session, callback) => {
      const text = Buffer.concat(await stream.toArray()).toString('utf8')
      received.push(/text-([\w-]{36})/.exec(text)?.[1] ?? text)
      callback()
    },
  })
  mail.listen(0, '127.0.0.1')
  await once(mail.server, 'listening')
  atTheEnd(() => mail.close())
  return { received, port: (mail.server.address() as { port: number }).port }
}

const mail = await startMailServer()
const database = await makeEmpty()
const place = temporaryDirectory()
const base: Env = {
  DATABASE_URL: database,
  SECRET_KEY: 'a key for two releases, of forty letters',
  DATA_DIR: join(place, 'data'),
}
const former = makeFormerRelease()
const oldEnv: Env = { ...base, [RELEASE]: former.folder }
const newEnv: Env = { ...base, [RELEASE]: makeNextRelease() }
const newest = Object.keys(NEXT_MIGRATIONS).at(-1)!
/** Of the former release, with so many rows. */
const before = join(place, 'before.backup')
let rows = 0

const makeTenant = async () => {
  const { workspace } = await command(
    oldEnv,
    'workspace',
    'create',
    '--name',
    'Two releases',
    '--admin',
    'jane@northwind.example',
  )
  const [{ secret }] = await Promise.all([
    command(oldEnv, 'token', 'create', '--workspace', workspace.id, '--name', 'Tests'),
    command(
      oldEnv,
      ...['channel', 'add', 'email', '--workspace', workspace.id, '--address', 'support@northwind.example'],
      ...['--smtp-url', `smtp://127.0.0.1:${mail.port}`],
    ),
  ])
  return secret as string
}

/** Writes, reads and changes through whichever processes are in `targets`, until told to stop. */
const makeTraffic = (secret: string, targets: Running[]) => {
  const acknowledged = new Map<string, string>()
  const failures: string[] = []
  let [writes, turn, isOver] = [0, 0, false]
  const ask = async (method: string, path: string, body?: unknown, key?: string) => {
    const { url } = targets[turn++ % targets.length]!
    const answer = await call(
      url,
      secret,
      method,
      `/api/v1${path}`,
      body,
      key ? { 'idempotency-key': key } : {},
    )
    if (answer.status !== 200)
      failures.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const writer = async (): Promise<void> => {
    while (!isOver) {
      const key = randomUUID()
      const opening = { email: `${key}@customers.example`, channel: 'email', message: `text-${key}` }
      const { conversation, contact, message } = await ask('POST', '/conversations', opening, key)
      if (message) acknowledged.set(key, message.id)
      await ask('PATCH', `/contacts/${contact?.id}`, { name: `Customer ${key}` })
      await ask('GET', `/conversations/${conversation?.id}/messages`)
      await ask('POST', `/conversations/${conversation?.id}/close`)
      await ask('GET', '/contacts')
      await ask('GET', '/conversations?limit=5')
      writes += 1
    }
  }
  const writing = Promise.all(
    Array.from({ length: WRITERS }, () => writer().catch((error) => failures.push(String(error)))),
  )
  const passes = (count = WRITES) => {
    const end = writes + count
    return until('the traffic', () => writes >= end || failures.length > 0, 60_000)
  }
  const stop = async () => {
    isOver = true
    await writing
    return { acknowledged, failures }
  }
  return { passes, stop }
}

/** A start that is not waited for. */
const begin = ({ [RELEASE]: cwd, ...env }: Env) => {
  const child = spawn(process.execPath, ['cli/foyer.ts', 'serve'], {
    cwd,
    env: { PATH: process.env.PATH, PORT: '0', DEMO: 'off', ...env },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  atTheEnd(() => child.kill('SIGKILL'))
  return { isRunning: () => child.exitCode === null, kill: () => child.kill('SIGKILL') && ended }
}

const refusal = async (env: Env, ...args: string[]): Promise<string> => {
  const { code, output, errors } = await run(env, ...args)
  assert.equal(code, 1, output)
  assert.match(errors, /^[^\n]+\n$/)
  return errors
}

const logged = ({ output }: Running, text: string) =>
  output()
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line))

test('a release starts beside the one before it, even after a migration that was killed: nothing is lost, doubled or answered with an error', async (t) => {
  t.diagnostic(
    former.isFormer
      ? 'the former release is a commit of this clone'
      : 'no history: the former release is this one',
  )
  const secret = await makeTenant()
  const old = await serve(oldEnv)
  const targets = [old]
  const traffic = makeTraffic(secret, targets)
  await traffic.passes()
  const { backup } = await command(oldEnv, 'backup', before)
  rows = backup.rows

  // An open transaction has a snapshot from before the index: its building waits, and is killed there.
  const holder = await connect(database)
  atTheEnd(() => holder.end())
  await holder.query('begin isolation level repeatable read')
  await holder.query('select 1')
  const killed = begin(newEnv)
  const building = `select pid from pg_stat_activity where datname = '${new URL(database).pathname.slice(1)}' and application_name = 'foyer migrate'
    and query ~ 'create index concurrently' and wait_event_type = 'Lock'`
  const [backend] = await until(
    'the index to wait',
    async () => {
      const { rows } = await admin.query<{ pid: number }>(building)
      assert.ok(killed.isRunning(), 'it ended before it could be killed')
      return rows.length > 0 && rows
    },
    60_000,
  )
  await killed.kill()
  await holder.query('rollback')
  await admin.query('select pg_terminate_backend($1)', [backend!.pid])
  await traffic.passes()
  const { rows: done } = await holder.query<{ name: string }>('select name from schema_migrations')
  const left = readdirSync(join(newEnv[RELEASE]!, 'migrations')).filter(
    (file) => file.endsWith('.sql') && !done.some(({ name }) => name === file),
  )

  const fresh = await serve(newEnv)
  targets.push(fresh)
  // What is done isn't done again: the rest is.
  const [line] = logged(fresh, 'the database was migrated')
  assert.deepEqual(line.applied, left.sort())
  assert.ok(left.includes(newest))
  await traffic.passes(WRITES * 2)

  // Whoever starts the former release again hears why not, and the running one goes on.
  const refusing = new RegExp(`migrated by a newer version of Foyer \\(${newest}\\)\\. Start that version`)
  const refusals = [['serve'], ['token', 'list', '--workspace', 'any']].map((args) =>
    refusal(oldEnv, ...args),
  )
  for (const said of await Promise.all(refusals)) assert.match(said, refusing)
  await traffic.passes()
  targets.shift()
  const since = fresh.output().length
  assert.equal((await old.stop()).code, 0)
  await traffic.passes()
  assert.ok(fresh.output().length > since)

  const { acknowledged, failures } = await traffic.stop()
  assert.deepEqual(failures.slice(0, 3), [])
  assert.ok(acknowledged.size >= 5 * WRITES)
  const stored = await holder.query<{ body: string; id: string }>(
    "select body, id from messages where body like 'text-%'",
  )
  const ids = new Map(stored.rows.map(({ body, id }) => [body, id]))
  assert.equal(stored.rows.length, acknowledged.size)
  for (const [key, id] of acknowledged) assert.equal(ids.get(`text-${key}`), id)
  await until('the last email', () => mail.received.length >= acknowledged.size, 60_000)
  assert.deepEqual(mail.received.toSorted(), [...acknowledged.keys()].toSorted())
  const invalid = await holder.query('select indexrelid::regclass::text from pg_index where not indisvalid')
  assert.deepEqual(invalid.rows, [])
  for (const { output } of [old, fresh]) assert.doesNotMatch(output(), /"level":"(error|fatal)"/)

  assert.equal((await fresh.stop()).code, 0)
})

test('a backup of the former release becomes a database of the next one; the other way round it is refused', async () => {
  const restored: Env = { ...newEnv, DATABASE_URL: await makeEmpty(), DATA_DIR: join(place, 'restored') }
  const empty: Env = { ...oldEnv, DATABASE_URL: await makeEmpty() }
  const later = join(place, 'after.backup')
  const [taken] = await Promise.all([
    command(restored, 'restore', before),
    command(newEnv, 'backup', later).then(async () =>
      assert.match(await refusal(empty, 'restore', later), /was made by a newer version of Foyer \(/),
    ),
  ])
  assert.equal(taken.restored.rows, rows)
  // As the next start does.
  await command(restored, 'migrate')
  const [migrated, untouched] = [await connect(restored.DATABASE_URL!), await connect(empty.DATABASE_URL!)]
  const last = await migrated.query('select name from schema_migrations order by name desc limit 1')
  assert.deepEqual(last.rows, [{ name: newest }])
  const tables = await untouched.query("select from pg_tables where schemaname = 'public'")
  assert.equal(tables.rows.length, 0)
  await Promise.all([migrated.end(), untouched.end()])
})
