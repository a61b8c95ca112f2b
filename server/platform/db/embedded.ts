// The bundled PostgreSQL in the data directory: started on first use, shared by every Foyer process using that
// directory, stopped by the last one. It survives if a process is killed, and the next one adopts it. Where it lives
// and which user runs it is in embedded-place.ts.

import { spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { constrainedMemory } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import {
  asUser,
  canEnter,
  createCluster,
  describeForeignOwner,
  EmbeddedPostgresError,
  findPlace,
  isCluster,
  lastLine,
  type Place,
  serverEnvironment,
  superuser,
} from './embedded-place.ts'

export { EmbeddedPostgresError } from './embedded-place.ts'

export type Embedded = {
  /**
   * For pg.Pool: a Unix socket (the host in the query wins). Stays the same when the server crashes and is restarted.
   */
  connectionString: string
  /** Releases the server; the last process to do so stops it. Further calls do nothing. */
  release(): Promise<void>
}

type EmbeddedOptions = { dataDir: string; log?: (line: string) => void }

const database = 'foyer'
const port = 5432
const connectionsMax = 200
const pollMs = 5
const startTimeoutMs = 300_000
const stopTimeoutMs = 60_000
const turnTimeoutMs = startTimeoutMs + stopTimeoutMs
const leftoverTimeoutMs = 15_000
const connectTimeoutMs = 10_000
const attachAttemptsMax = 5
const restoreDelayMs = 100
const restoreDelayMaxMs = 5_000
const logBytesMax = 16 * 1024 * 1024
const logTailBytes = 8 * 1024
// With "/.s.PGSQL.5432" it must fit into the 104 bytes that macOS allows for a socket address.
const socketDirCharactersMax = 80
const socketDirPrefix = 'foyer-'
// An arbitrary constant: one lock, held shared by each process that uses the server. It is taken in a database other
// than `foyer`, so that our session does not prevent copying or dropping `foyer`.
const usersLock = 7_046_029_254
const usersDatabase = 'postgres'

/**
 * Starts or adopts the PostgreSQL of a data directory, creating it on first use. Any number of processes may do so at
 * the same time. Throws EmbeddedPostgresError with a one-line message.
 */
export async function startEmbedded({ dataDir, log = () => {} }: EmbeddedOptions): Promise<Embedded> {
  const directory = resolve(dataDir)
  try {
    const session = await openSession(directory, log)
    return {
      connectionString: `postgresql://${superuser}@localhost/${database}?host=${encodeURIComponent(session.socketDir)}&port=${port}&sslmode=disable`,
      release: session.release,
    }
  } catch (error) {
    throw explain(error, directory)
  }
}

async function openSession(dataDir: string, log: (line: string) => void) {
  mkdirSync(dataDir, { recursive: true })
  let current = await takeTurn(dataDir, () => attach(dataDir, log))
  const { socketDir } = current
  let released: Promise<void> | undefined
  let restoring: Promise<void> | undefined

  // The connection breaks when the server crashes or is killed. It is restarted at the same address, and the pools
  // connected to it recover by themselves.
  const watch = () =>
    current.holder.once('end', () => {
      if (!released) restoring = restore()
    })

  const restore = async () => {
    log('The private PostgreSQL stopped. Restarting it.')
    for (let wait = restoreDelayMs; !released; wait = Math.min(wait * 2, restoreDelayMaxMs)) {
      try {
        current = await takeTurn(dataDir, () => attach(dataDir, log, socketDir))
        watch()
        return
      } catch (error) {
        log(`The private PostgreSQL did not start: ${explain(error, dataDir).message}`)
        await delay(wait)
      }
    }
  }

  const release = async () => {
    await restoring
    await takeTurn(dataDir, () => detach(current))
  }

  watch()
  return {
    socketDir,
    release: () => {
      released ??= release()
      return released
    },
  }
}

type Attached = { place: Place; socketDir: string; holder: pg.Client }

/** Makes sure that the server is running and registers this process as a user. */
async function attach(
  dataDir: string,
  log: (line: string) => void,
  socketDirBefore?: string,
): Promise<Attached> {
  const place = await findPlace(dataDir)
  if (!isCluster(place.cluster)) {
    log('Creating the database. This takes about a second…')
    await createCluster(dataDir, place)
  }
  for (let attempt = 1; ; attempt++) {
    const socketDir = await ensureRunning(dataDir, place, log, socketDirBefore)
    try {
      return { place, socketDir, holder: await connectHolder(socketDir) }
    } catch (error) {
      if (attempt === attachAttemptsMax) throw error
      // The socket directory of a running server was deleted, so nobody can reach it any more.
      if (isErrno(error, 'ENOENT', 'ECONNREFUSED')) await stopServer(place)
      else await delay(restoreDelayMs)
      socketDirBefore ??= socketDir
    }
  }
}

/** Unregisters this process and stops the server if no other is using it. */
async function detach({ place, socketDir, holder }: Attached) {
  try {
    const { rows } = await holder.query<{ last: boolean }>(
      `select pg_advisory_unlock_shared(${usersLock}), pg_try_advisory_lock(${usersLock}) as last`,
    )
    await holder.end()
    if (!rows[0]?.last) return
  } catch {
    // The server has stopped or is stopping; the next process that needs it starts it.
    return
  }
  await stopServer(place)
  removeSocketDir(socketDir)
}

async function connectHolder(socketDir: string): Promise<pg.Client> {
  const holder = new pg.Client({
    host: socketDir,
    port,
    user: superuser,
    database: usersDatabase,
    ssl: false,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'foyer (keeps the server running)',
  })
  // Without a listener a broken connection would end the process; the `end` event that follows is handled.
  holder.on('error', () => {})
  await holder.connect()
  try {
    const { rows } = await holder.query<{ exists: boolean }>(
      `select pg_advisory_lock_shared(${usersLock}), exists (select from pg_database where datname = '${database}')`,
    )
    if (!rows[0]?.exists) await holder.query(`create database ${database}`)
    return holder
  } catch (error) {
    await holder.end().catch(() => {})
    throw error
  }
}

/** Returns the socket directory of the running server, starting it if needed. */
async function ensureRunning(
  dataDir: string,
  place: Place,
  log: (line: string) => void,
  socketDirBefore?: string,
): Promise<string> {
  const deadline = performance.now() + startTimeoutMs
  let leftoverDeadline: number | undefined
  while (performance.now() < deadline) {
    const found = readPidFile(place.cluster)
    if (found && isServer(found.pid, place.cluster)) {
      if (found.status === 'ready') return found.socketDir
      await delay(pollMs)
      continue
    }
    if (found && isAlive(found.pid)) removeStaleFiles(place, found)
    const socketDir = openSocketDir(place, socketDirBefore ?? found?.socketDir)
    const failure = await launch(dataDir, place, socketDir, deadline, log)
    if (!failure) return socketDir
    removeSocketDir(socketDir)

    // Processes of a killed server can take a moment to notice.
    if (failure.includes('pre-existing shared memory block')) {
      leftoverDeadline ??= performance.now() + leftoverTimeoutMs
      if (performance.now() < leftoverDeadline) {
        await delay(restoreDelayMs)
        continue
      }
    }
    throw new EmbeddedPostgresError(`PostgreSQL did not start: ${failure}. The log is ${logPath(dataDir)}.`)
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL was not ready within ${startTimeoutMs / 1000} s: ${readLogTail(dataDir, 0)}. The log is ${logPath(dataDir)}.`,
  )
}

/**
 * Runs the server in its own session, so that neither Ctrl-C in the terminal nor the end of this process reaches it.
 * This is what `pg_ctl start` does, without a shell in between and without its wait of up to 100 ms. Returns what
 * went wrong, or undefined once connections are accepted.
 */
async function launch(
  dataDir: string,
  place: Place,
  socketDir: string,
  deadline: number,
  log: (line: string) => void,
): Promise<string | undefined> {
  const path = logPath(dataDir)
  if (existsSync(path) && statSync(path).size > logBytesMax) renameSync(path, `${path}.1`)
  const logFile = openSync(path, 'a', 0o600)
  const logStart = statSync(path).size
  let failure: string | undefined
  const server = spawn(join(place.native, 'bin', 'postgres'), ['-D', place.cluster, ...settings(socketDir)], {
    ...asUser(place.runAs),
    cwd: '/',
    env: serverEnvironment,
    detached: true,
    stdio: ['ignore', logFile, logFile],
  })
  closeSync(logFile)
  server.once('error', (error) => {
    failure = error.message
  })
  server.once('exit', () => {
    failure ??= readLogTail(dataDir, logStart)
  })
  server.unref()

  let nextWord = performance.now() + 5_000
  while (performance.now() < deadline) {
    if (failure) return failure
    const found = readPidFile(place.cluster)
    if (found && found.pid === server.pid && found.status === 'ready') return undefined
    if (performance.now() > nextWord) {
      log(`PostgreSQL is still starting: ${readLogTail(dataDir, logStart)}`)
      nextWord += 10_000
    }
    await delay(pollMs)
  }
  return `it was not ready in time: ${readLogTail(dataDir, logStart)}`
}

/** A fast stop: open transactions are rolled back, and everything committed is already on disk. */
async function stopServer({ cluster }: Place) {
  const found = readPidFile(cluster)
  if (!found || !isServer(found.pid, cluster)) return
  process.kill(found.pid, 'SIGINT')
  const deadline = performance.now() + stopTimeoutMs
  // After the deadline it keeps stopping in the background, and the next start waits for it.
  while (performance.now() < deadline && readPidFile(cluster)?.pid === found.pid && isAlive(found.pid)) {
    await delay(pollMs)
  }
}

/** Passed at every start rather than written to postgresql.conf, because the machine's memory may have changed. */
function settings(socketDir: string): string[] {
  const gigabyte = 1024 ** 3
  const megabyte = 1024 ** 2
  // The container's limit, if there is one, not the host's memory.
  const limit = constrainedMemory()
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  const megabytes = (bytes: number, min: number, max: number) =>
    `${Math.round(Math.min(Math.max(bytes, min), max) / megabyte)}MB`
  const values = {
    listen_addresses: '',
    port,
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    max_connections: connectionsMax,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    wal_compression: 'on',
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    shared_buffers: megabytes(memory / 4, 128 * megabyte, gigabyte),
    effective_cache_size: megabytes(memory / 2, 256 * megabyte, 1024 * gigabyte),
    maintenance_work_mem: megabytes(memory / 32, 64 * megabyte, gigabyte / 2),
    work_mem: '16MB',
    random_page_cost: 1.1,
    // What one connection reads ahead at most (effective_io_concurrency). More would be reserved for each that may come.
    io_max_concurrency: 16,
    // Plans are kept indefinitely (pool.ts), so those made while a table was empty must not last: they are remade
    // when it is analysed. Importing 10,000 emails into a new database took 95 s with the default of a minute between
    // checks, and 28 s with this.
    autovacuum_naptime: '10s',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // A failed statement must not put messages, addresses or tokens into the log.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_line_prefix: '%m [%p] ',
    cluster_name: 'foyer',
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Reuses the previous directory if it is ours and safe, so that addresses already handed out stay valid; otherwise
 * creates a new one.
 */
function openSocketDir({ runAs }: Place, before: string | undefined): string {
  if (before && basename(before).startsWith(socketDirPrefix)) {
    try {
      mkdirSync(before, { mode: 0o700 })
      if (runAs) chownSync(before, runAs.uid, runAs.gid)
      return before
    } catch {
      if (isOwnSocketDir(before, runAs?.uid ?? process.getuid?.())) return before
    }
  }
  const temporary = tmpdir()
  const isUsable = temporary.length <= socketDirCharactersMax && (!runAs || canEnter(temporary, runAs))
  const directory = mkdtempSync(join(isUsable ? temporary : '/tmp', socketDirPrefix))
  if (runAs) chownSync(directory, runAs.uid, runAs.gid)
  return directory
}

/** Never deletes the contents: a manually started server may have its socket directly in /tmp. */
function removeSocketDir(directory: string) {
  if (!basename(directory).startsWith(socketDirPrefix)) return
  try {
    rmdirSync(directory)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

function isOwnSocketDir(directory: string, uid: number | undefined): boolean {
  if (!basename(directory).startsWith(socketDirPrefix)) return false
  const found = lstatSync(directory, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o777) === 0o700
}

type PidFile = { pid: number; socketDir: string; status: string }

/** https://www.postgresql.org/docs/18/storage-file-layout.html documents the lines; the eighth is the status. */
function readPidFile(cluster: string): PidFile | undefined {
  const text = readText(join(cluster, 'postmaster.pid'))
  if (!text) return undefined
  const lines = text.split('\n').map((line) => line.trim())
  return { pid: Number(lines[0]), socketDir: lines[4] ?? '', status: lines[7] ?? '' }
}

/**
 * The process id in the file may belong to another program by now, for example after a reboot. Leftover socket files
 * are removed too: by the same process id, PostgreSQL would take their lock file for a live one.
 */
function removeStaleFiles({ cluster, runAs }: Place, { socketDir }: PidFile) {
  rmSync(join(cluster, 'postmaster.pid'), { force: true })
  if (!isOwnSocketDir(socketDir, runAs?.uid ?? process.getuid?.())) return
  for (const name of [`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`])
    rmSync(join(socketDir, name), { force: true })
}

/**
 * Whether this process is the server of this cluster. Checked by its command line, because in a container root may
 * not read the executable or working directory of another user's process.
 */
function isServer(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout.includes('postgres') && stdout.includes(cluster)
  }
  const words = (readText(`/proc/${pid}/cmdline`) ?? '').split('\0')
  if (!basename(words[0] ?? '').startsWith('postgres')) return false
  const directory = words[words.indexOf('-D') + 1]
  return directory === cluster || readWorkingDirectory(pid) === cluster
}

function readWorkingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isErrno(error, 'EPERM')
  }
}

/**
 * Only one process at a time may start, stop or adopt. The lock is SQLite's on an empty file: the kernel releases it
 * when the holder dies, so it can't become stale.
 */
async function takeTurn<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const path = join(dataDir, 'postgres.lock')
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    const deadline = performance.now() + turnTimeoutMs
    while (!tryLock(lock)) {
      if (performance.now() > deadline) {
        throw new EmbeddedPostgresError(
          `Another Foyer process has been starting or stopping the database in ${dataDir} for ${turnTimeoutMs / 1000} s. End it and try again.`,
        )
      }
      await delay(pollMs)
    }
    return await work()
  } finally {
    lock.close()
  }
}

const sqliteBusy = 5

function tryLock(lock: DatabaseSync): boolean {
  try {
    // Nothing is ever written, so no journal file is needed.
    lock.exec('pragma journal_mode = memory; begin exclusive')
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return false
    throw error
  }
}

/** A disk or system error as a sentence for the person starting Foyer. */
function explain(error: unknown, dataDir: string): Error {
  if (error instanceof EmbeddedPostgresError) return error
  if (isErrno(error, 'ENOSPC', 'EDQUOT')) {
    return new EmbeddedPostgresError(
      `The disk of ${dataDir} is full. Free some space, or set DATA_DIR to another disk.`,
      { cause: error },
    )
  }
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid
  const message = error instanceof Error ? error.message : String(error)
  if (isErrno(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ERR_SQLITE_ERROR')) {
    if (owner !== undefined && process.getuid?.() !== 0 && owner !== process.getuid?.()) {
      return new EmbeddedPostgresError(describeForeignOwner(dataDir, owner), { cause: error })
    }
    return new EmbeddedPostgresError(
      `The data directory ${dataDir} cannot be written to (${message}). Fix its permissions, or set DATA_DIR to another directory.`,
      { cause: error },
    )
  }
  return new EmbeddedPostgresError(`The private PostgreSQL cannot be used: ${message}.`, { cause: error })
}

const isErrno = (error: unknown, ...codes: string[]) =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

const logPath = (dataDir: string) => join(dataDir, 'postgres.log')

/** The reason for a failed start if there is one, otherwise the last line after a position, without its timestamp. */
function readLogTail(dataDir: string, from: number): string {
  const path = logPath(dataDir)
  if (!existsSync(path)) return 'no reason given'
  const size = statSync(path).size
  const start = Math.max(from, size - logTailBytes)
  const bytes = Buffer.alloc(Math.max(size - start, 0))
  const file = openSync(path, 'r')
  readSync(file, bytes, 0, bytes.length, start)
  closeSync(file)
  const lines = bytes.toString('utf8').trim().split('\n')
  const reason = lines.findLast((line) => /(FATAL|PANIC):/.test(line)) ?? lastLine(lines.join('\n'))
  return reason.replace(/^.*?\] /, '').replace(/\.$/, '')
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
