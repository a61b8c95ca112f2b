import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Embedded, EmbeddedPostgresError, startEmbedded } from './embedded.ts'

const isRoot = process.getuid?.() === 0
const deadlineMs = 20_000
const root = mkdtempSync(join(tmpdir(), 'embedded-test-'))
// The database's own user must be able to get to it, and what mkdtemp makes is for its owner alone.
chmodSync(root, 0o755)
// One cluster for most tests, because making one takes a second.
const dataDir = join(root, 'data')

after(() => rmSync(root, { recursive: true, force: true }))

async function query(embedded: Pick<Embedded, 'connectionString'>, text: string) {
  const client = new pg.Client({ connectionString: embedded.connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await delay(10)
    }
  }
}

const pidPath = (directory = dataDir) => join(directory, 'postgres', 'postmaster.pid')
const readPid = (directory?: string) => Number(readFileSync(pidPath(directory), 'utf8').split('\n')[0])
const isRunning = () => existsSync(pidPath())

function assertDead(pid: number) {
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
}

/** Another Foyer process: it starts the database, says where, and inserts numbers for as long as it lives. */
async function startOther(): Promise<{
  child: ChildProcess
  connectionString: string
  acknowledged: number[]
}> {
  const code = `
    import pg from ${JSON.stringify(import.meta.resolve('pg'))}
    import { startEmbedded } from ${JSON.stringify(import.meta.resolve('./embedded.ts'))}
    const embedded = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)} })
    console.log(embedded.connectionString)
    const client = new pg.Client({ connectionString: embedded.connectionString })
    client.on('error', () => {})
    await client.connect()
    process.on('SIGTERM', async () => {
      await client.end()
      await embedded.release()
      process.exit(0)
    })
    await client.query('create table if not exists numbers (n int)')
    for (let n = 1; n <= 20000; n++) {
      await client.query('insert into numbers values ($1)', [n]).then(() => console.log(n), () => {})
    }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged: number[] = []
  let connectionString = ''
  const lines = createInterface({ input: child.stdout! })
  lines.on('line', (line) => {
    if (connectionString) acknowledged.push(Number(line))
    else connectionString = line
  })
  await eventually(() => assert.ok(connectionString))
  return { child, connectionString, acknowledged }
}

async function end(child: ChildProcess, signal: NodeJS.Signals) {
  const closed = once(child, 'close')
  child.kill(signal)
  return closed
}

test('the first start makes a database that keeps its rows through a stop', async () => {
  const first = await startEmbedded({ dataDir })
  await query(first, `create table kept as select 'yes' as kept`)
  const [settings] = await query(
    first,
    `select current_setting('fsync') fsync, current_setting('synchronous_commit') commit,
       current_setting('listen_addresses') addresses, current_setting('timezone') zone,
       current_setting('server_encoding') encoding, 'É' ilike 'é' as folds`,
  )
  await first.release()
  assert.deepEqual(settings, {
    fsync: 'on',
    commit: 'on',
    addresses: '',
    zone: 'UTC',
    encoding: 'UTF8',
    folds: true,
  })
  assert.equal(isRunning(), false)

  const second = await startEmbedded({ dataDir })
  assert.deepEqual(await query(second, 'select kept from kept'), [{ kept: 'yes' }])
  await second.release()
})

test('what was acknowledged before a kill -9 of the owner is there after adoption', async () => {
  const other = await startOther()
  await eventually(() => assert.ok(other.acknowledged.length >= 50))
  const pid = readPid()
  await end(other.child, 'SIGKILL')

  const adopter = await startEmbedded({ dataDir })
  assert.equal(readPid(), pid)
  assert.equal(adopter.connectionString, other.connectionString)
  const rows = await query(adopter, 'select n from numbers order by n')
  const stored = new Set(rows.map((row) => row.n))
  assert.deepEqual(
    other.acknowledged.filter((n) => !stored.has(n)),
    [],
  )
  await adopter.release()
  assert.equal(isRunning(), false)
  await eventually(() => assertDead(pid))
})

test('a server that is killed comes back at the same address while somebody uses it', async () => {
  const embedded = await startEmbedded({ dataDir })
  await query(embedded, 'create table survives (n int)')
  await query(embedded, 'insert into survives values (1)')
  const pid = readPid()
  process.kill(pid, 'SIGKILL')
  const rows = await eventually(() => query(embedded, 'select n from survives'))
  assert.deepEqual(rows, [{ n: 1 }])
  assert.notEqual(readPid(), pid)
  await embedded.release()
  assert.equal(isRunning(), false)
})

test('a start after a kill -9 of both the owner and the server recovers', async () => {
  const other = await startOther()
  await eventually(() => assert.ok(other.acknowledged.length >= 5))
  const pid = readPid()
  const closed = end(other.child, 'SIGKILL')
  process.kill(pid, 'SIGKILL')
  await closed
  const embedded = await startEmbedded({ dataDir })
  const [row] = await query(embedded, 'select count(*)::int as count from numbers')
  assert.ok(row.count >= other.acknowledged.length)
  await embedded.release()
})

test('a postmaster.pid whose process id belongs to another program does not stop a start', async () => {
  const bystander = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  writeFileSync(
    pidPath(),
    `${bystander.pid}\n${join(dataDir, 'postgres')}\n1700000000\n5432\n/tmp/foyer-gone\n\n1 1\nready\n`,
  )
  const embedded = await startEmbedded({ dataDir })
  assert.notEqual(readPid(), bystander.pid)
  assert.deepEqual(await query(embedded, 'select 1 as one'), [{ one: 1 }])
  await embedded.release()
  assert.equal(bystander.exitCode, null)
  await end(bystander, 'SIGKILL')
})

test('starters at the same instant share one server, and the last to leave stops it', async () => {
  const [others, own] = await Promise.all([
    Promise.all([startOther(), startOther()]),
    startEmbedded({ dataDir }),
  ])
  const addresses = new Set([own.connectionString, ...others.map((other) => other.connectionString)])
  assert.equal(addresses.size, 1)

  await own.release()
  assert.equal(isRunning(), true)
  await end(others[0]!.child, 'SIGTERM')
  assert.equal(isRunning(), true)
  assert.deepEqual(await query(others[1]!, 'select 1 as one'), [{ one: 1 }])
  await end(others[1]!.child, 'SIGTERM')
  assert.equal(isRunning(), false)
  const socketDir = decodeURIComponent(/host=([^&]+)/.exec(own.connectionString)![1]!)
  assert.equal(existsSync(socketDir), false)
})

test('a start while the server stops waits and succeeds, repeatedly', async () => {
  let embedded = await startEmbedded({ dataDir })
  for (let round = 0; round < 5; round++) {
    const stopping = embedded.release()
    embedded = await startEmbedded({ dataDir })
    await stopping
    assert.deepEqual(await query(embedded, 'select 1 as one'), [{ one: 1 }])
  }
  await Promise.all([embedded.release(), embedded.release()])
  assert.equal(isRunning(), false)
})

test('a first start that was killed half-way leaves nothing in the way', async () => {
  const directory = join(root, 'half')
  mkdirSync(join(directory, 'postgres.new-dead'), { recursive: true })
  writeFileSync(join(directory, 'postgres.new-dead', 'PG_VERSION'), '18\n')
  const embedded = await startEmbedded({ dataDir: directory })
  await embedded.release()
  assert.deepEqual(readdirSync(directory).sort(), ['postgres', 'postgres.lock', 'postgres.log'])
})

test('a data directory of another PostgreSQL version is refused in one line and left alone', async () => {
  const directory = join(root, 'old')
  mkdirSync(join(directory, 'postgres'), { recursive: true })
  writeFileSync(join(directory, 'postgres', 'PG_VERSION'), '14\n')
  await assert.rejects(startEmbedded({ dataDir: directory }), (error: Error) => {
    assert.ok(error instanceof EmbeddedPostgresError)
    assert.match(error.message, /PostgreSQL 14.*DATABASE_URL/)
    assert.ok(!error.message.includes('\n'))
    return true
  })
  assert.deepEqual(readdirSync(join(directory, 'postgres')), ['PG_VERSION'])
})

test('a server that cannot start is reported with its last log line', async () => {
  const configuration = join(dataDir, 'postgres', 'postgresql.conf')
  const before = readFileSync(configuration, 'utf8')
  writeFileSync(configuration, `${before}\nno_such_setting = 1\n`)
  try {
    await assert.rejects(startEmbedded({ dataDir }), (error: Error) => {
      assert.ok(error instanceof EmbeddedPostgresError)
      assert.match(error.message, /did not start.*postgresql\.conf.*postgres\.log/)
      assert.ok(!error.message.includes('\n'))
      return true
    })
  } finally {
    writeFileSync(configuration, before)
  }
})

test('a data directory that cannot be made is refused in one line', async () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  await assert.rejects(startEmbedded({ dataDir: join(file, 'data') }), {
    message: /data directory .* cannot be written to .*DATA_DIR/,
  })
})

test('as root, a data directory that no other user can reach has its cluster elsewhere', {
  skip: !isRoot,
}, async () => {
  const closed = join(root, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  const directory = join(closed, 'data')
  const first = await startEmbedded({ dataDir: directory })
  const place = JSON.parse(readFileSync(join(directory, 'postgres.json'), 'utf8')).directory
  try {
    await query(first, 'create table kept as select 1 as n')
    await first.release()
    const second = await startEmbedded({ dataDir: directory })
    assert.deepEqual(await query(second, 'select n from kept'), [{ n: 1 }])
    await second.release()
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  assert.equal(dirname(place), '/var/lib/foyer')
  assert.ok(existsSync(join(directory, 'postgres.log')))
  await assert.rejects(startEmbedded({ dataDir: directory }), { message: /postgres\.json.*not there/ })
})
