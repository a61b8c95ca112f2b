// A PostgreSQL as an operator runs it: a separate process, over TCP, of a different version than the bundled one.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { atTheEnd, freePort, temporaryDirectory, until } from './foyer.ts'

const VERSIONS = ['15', '16', '17', '18']

/** Where Debian installs the servers; the oldest first, because 15 is the minimum supported version. */
const binaries = VERSIONS.map((version) => `/usr/lib/postgresql/${version}/bin`).find((path) =>
  existsSync(join(path, 'postgres')),
)

export const WITHOUT_POSTGRES =
  binaries === undefined
    ? 'there is no PostgreSQL under /usr/lib/postgresql (apt-get install postgresql)'
    : false

/** PostgreSQL refuses to run as root. */
const runAs = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres' || name === 'nobody')
  return { uid: Number(entry?.[2]), gid: Number(entry?.[3]) }
}

/** An empty server, or with `primaryUrl` a replica that streams from it. */
export const startPostgres = async (primaryUrl?: string) => {
  assert.ok(binaries)
  const user = runAs()
  const parent = temporaryDirectory()
  if (user.uid !== undefined) chownSync(parent, user.uid, user.gid ?? user.uid)
  const directory = join(parent, 'data')
  const [program, ...args] = primaryUrl
    ? ['pg_basebackup', '-D', directory, '-R', '-c', 'fast', '--no-sync', '-d', primaryUrl]
    : ['initdb', '-D', directory, '-U', 'foyer', '-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust', '--no-sync']
  execFileSync(join(binaries, program!), args, { ...user, cwd: '/', stdio: 'ignore' })
  const port = await freePort()
  const url = `postgresql://foyer@127.0.0.1:${port}/postgres`
  let server: ReturnType<typeof spawn> | undefined

  const start = async (): Promise<void> => {
    server = spawn(
      join(binaries, 'postgres'),
      ['-D', directory, '-p', String(port), '-c', `unix_socket_directories=${parent}`, '-c', 'fsync=off'],
      { ...user, cwd: '/', stdio: 'ignore' },
    )
    await until('PostgreSQL', () => query('select 1').catch(() => undefined), 30_000)
  }

  const stop = async (): Promise<void> => {
    const stopping = server
    server = undefined
    if (!stopping) return
    const ended = new Promise((done) => stopping.once('exit', done))
    stopping.kill('SIGINT')
    await ended
  }

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** One statement on its own connection. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
  const query = async (text: string, values: unknown[] = []): Promise<any[]> => {
    const client = await connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Locks a table against all others until released. */
  const lock = async (table: string): Promise<() => Promise<void>> => {
    const client = await connect()
    await client.query(`begin; lock table ${table} in access exclusive mode`)
    return () => client.end()
  }

  /** SIGSTOP to the server and its sessions: connections stay open and nothing is answered. */
  const freeze = async (): Promise<() => void> => {
    const rows = await query('select pid from pg_stat_activity where pid <> pg_backend_pid()')
    const pids = [server!.pid!, ...rows.map(({ pid }) => pid as number)]
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    const thaw = (): void => {
      for (const pid of pids) process.kill(pid, 'SIGCONT')
    }
    return thaw
  }

  atTheEnd(stop)
  await start()
  return { url, start, stop, query, lock, freeze }
}
