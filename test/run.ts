// Runs the tests against their own PostgreSQL: `node test/run.ts [file…]`. Without files, all of them. With `--script
// FILE`, runs that file there instead; `--durable --script FILE` has the data on the disk, and commits wait for it, as
// in production. TEST_SERVER_URL may name a running server; its databases foyer_template_* and foyer_test_* are ours.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { startEmbedded } from '../server/platform/db/embedded.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import { prepareLibraries } from './libraries.ts'
import { buildProgram } from './program.ts'
import { listTestFiles } from './test-files.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** For two cores: many test files wait for a process, a browser or a timer, so two would leave a third of them idle. */
const CONCURRENCY = 3
/** Tests whose subject is time itself run at the end, one file at a time, so that no other test takes their processor. */
const ALONE = '.alone.test.ts'
/** Per test; file-bound.ts limits a file. */
const TEST_MAX_MS = 180_000
/** Without it, each file would compile all that it loads. */
const COMPILED = join(ROOT, 'node_modules/.cache/foyer')
/** A file system in memory. */
const MEMORY = '/dev/shm'
const MEMORY_MIN_BYTES = 6 * 1024 ** 3

/** The template includes the job queue's tables, so its name includes their version. */
const QUEUE_PACKAGE = 'node_modules/graphile-worker/package.json'

/**
 * The template's name depends on the migrations, so that runs on one server share it and a new migration creates
 * another.
 */
const templateName = (): string => {
  const hash = createHash('sha256')
  for (const file of globSync('migrations/*.sql', { cwd: ROOT }).sort())
    hash.update(readFileSync(join(ROOT, file)))
  hash.update(readFileSync(join(ROOT, QUEUE_PACKAGE)))
  return `foyer_template_${hash.digest('hex').slice(0, 12)}`
}

const quietLogger = new Logger(() => () => {})

const prepareTemplate = async (serverUrl: string): Promise<string> => {
  const name = templateName()
  const admin = new pg.Client({ connectionString: serverUrl })
  admin.on('error', () => {})
  await admin.connect()
  await admin.query('select pg_advisory_lock(7030002)')
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
  if (!rowCount) {
    await admin.query(`drop database if exists ${name}_new with (force)`)
    await admin.query(`create database ${name}_new`)
    const url = new URL(serverUrl)
    url.pathname = `/${name}_new`
    await migrate(url.toString())
    await runMigrations({ connectionString: url.toString(), logger: quietLogger })
    await admin.query(`alter database ${name}_new rename to ${name}`)
  }
  await admin.end()
  return name
}

/** Nothing on our own server outlives a crash. */
const waitForNoDisk = async (serverUrl: string): Promise<void> => {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  await admin.query('alter role current_user set synchronous_commit = off')
  await admin.end()
}

/**
 * In memory where there is room for them, as each of several hundred databases is a thousand files. On a disk without a
 * journal ext4 looks past every file deleted in the last minutes for each that it creates: 0.5 s for a database.
 */
const placeOfData = (): string => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (Math.min(bavail * bsize, process.availableMemory()) > MEMORY_MIN_BYTES) return MEMORY
  } catch {
    // Only Linux has it.
  }
  return tmpdir()
}

const run = async (args: string[], serverUrl: string): Promise<number> => {
  const template = await prepareTemplate(serverUrl)
  const libraries = await prepareLibraries()
  buildProgram()
  return new Promise((done) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: 'inherit',
      env: {
        ...process.env,
        TEST_SERVER_URL: serverUrl,
        TEST_TEMPLATE: template,
        TEST_LIBRARIES: libraries,
        NODE_COMPILE_CACHE: COMPILED,
        NODE_ENV: 'test',
      },
    })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
    child.on('exit', (code) => done(code ?? 1))
  })
}

const testArgs = (files: string[], concurrency: number) => [
  ...['load-quickly.ts', 'file-bound.ts'].map(
    (file) => `--import=${pathToFileURL(join(import.meta.dirname, file))}`,
  ),
  '--test',
  `--test-concurrency=${concurrency}`,
  `--test-timeout=${TEST_MAX_MS}`,
  ...files,
]

const DURABLE = '--durable'
const isDurable = process.argv[2] === DURABLE

const runAll = async (serverUrl: string): Promise<number> => {
  const [first, ...rest] = process.argv.slice(isDurable ? 3 : 2)
  if (first === '--script') return run(rest, serverUrl)
  const files = first ? [first, ...rest] : listTestFiles()
  const { alone = [], together = [] } = Object.groupBy(files, (file) =>
    file.endsWith(ALONE) ? 'alone' : 'together',
  )
  const codes: number[] = []
  if (together.length > 0) codes.push(await run(testArgs(together, CONCURRENCY), serverUrl))
  if (alone.length > 0) codes.push(await run(testArgs(alone, 1), serverUrl))
  return Math.max(...codes)
}

if (process.env.TEST_SERVER_URL) {
  process.exitCode = await runAll(process.env.TEST_SERVER_URL)
} else {
  const dataDir = mkdtempSync(join(isDurable ? tmpdir() : placeOfData(), 'foyer-test-'))
  // As root, the server runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o755)
  const postgres = await startEmbedded({ dataDir })
  try {
    if (!isDurable) await waitForNoDisk(postgres.connectionString)
    process.exitCode = await runAll(postgres.connectionString)
  } finally {
    await postgres.release()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
