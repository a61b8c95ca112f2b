// Applies migrations/*.sql in order, forward only. Several processes may call it at once: the first migrates, the
// others wait. A file runs in one transaction; one that starts with OUTSIDE runs statement by statement, so that
// indexes can be built without blocking writes. CONTRIBUTING.md explains how to write one.
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { StartError } from '../start-error.ts'
import { type Connection, makeConnection } from './connection.ts'
import { takeTurn, type Waiting } from './take-turn.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const LOCK = 7_030_001
/**
 * While a migration waits for a lock, other sessions queue behind it, so it waits briefly and retries. Shorter than
 * PostgreSQL waits before it looks for a deadlock (a second), so that the migration gives way and not a request.
 */
const LOCK_TIMEOUT_MS = 400
const RETRY_AFTER_MS = 1_000
const TRIES_MAX = 180
const OUTSIDE = '-- Outside of a transaction.'

/** Lock timeout and deadlock: a retry may succeed. */
const RETRYABLE = new Set(['55P03', '40P01'])

type Options = Waiting & {
  directory?: string
  /** Applies no others: those of an earlier version, whose backup is restored. */
  only?: readonly string[]
}

/**
 * Brings the database up to date and returns the names of the migrations applied. Throws StartError naming the file
 * that failed, or when a newer version has migrated the database.
 */
export const migrate = async (connectionString: string, options: Options = {}): Promise<string[]> => {
  const { directory = MIGRATIONS } = options
  const client = makeConnection({
    connectionString,
    applicationName: 'foyer migrate',
    statementTimeoutMs: 0,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    // A hundred files would wait for the disk a hundred times. It is waited for once, at the end.
    settings: { synchronous_commit: 'off' },
  })
  await client.connect()
  try {
    await takeTurn(client, LOCK, 'migrates the database', options)
    await client.query(
      'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name')
    const applied = new Set(rows.map((row) => row.name))
    const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
    const unknown = [...applied].filter((name) => !files.includes(name)).at(-1)
    if (unknown)
      throw new StartError(
        `The database was migrated by a newer version of Foyer (${unknown}). Start that version, or restore an older backup.`,
      )
    const pending = files.filter(
      (name) => !applied.has(name) && (!options.only || options.only.includes(name)),
    )
    for (const name of pending)
      await applyPatiently(client, name, await readFile(`${directory}${name}`, 'utf8'), options)
    if (pending.length > 0) {
      await client.query('set synchronous_commit to default')
      // What is on the disk when a commit returns is everything before it, too. Without a change there would be no wait.
      await client.query('update schema_migrations set applied_at = applied_at where name = $1', [
        pending.at(-1),
      ])
    }
    return pending
  } finally {
    await client.end()
  }
}

/** Keeps other processes from starting on the database until the connection ends: they wait to migrate it. */
export const holdMigrations = (client: Connection, waiting: Waiting): Promise<void> =>
  takeTurn(client, LOCK, 'migrates the database', waiting)

const applyPatiently = async (
  client: Connection,
  name: string,
  text: string,
  { say, signal }: Waiting,
): Promise<void> => {
  const apply = text.startsWith(OUTSIDE) ? applyOutside : applyInside
  for (let attempt = 1; ; attempt++)
    try {
      return await apply(client, name, text)
    } catch (error) {
      const { code, message } = error as Error & { code?: string }
      if (!code || !RETRYABLE.has(code) || attempt === TRIES_MAX || signal?.aborted)
        throw new StartError(`The migration ${name} failed: ${message.split('\n', 1)[0]}`, { cause: error })
      if (attempt === 1) say?.(`the migration ${name} is waiting for a table that is in use`)
      await delay(RETRY_AFTER_MS, undefined, { ...(signal && { signal }) }).catch(() => {})
    }
}

const NOTE = 'insert into schema_migrations (name) values ($1)'

const applyInside = async (client: Connection, name: string, text: string): Promise<void> => {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query(NOTE, [name])
    await client.query('commit')
  } catch (error) {
    // A broken connection has already rolled back, and its original error is the one to report.
    await client.query('rollback').catch(() => {})
    throw error
  }
}

const INDEX = /create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)/i

/** An interrupted attempt may already have run a statement, so each must be safe to repeat. */
const applyOutside = async (client: Connection, name: string, text: string): Promise<void> => {
  const statements = text
    .split(/;[ \t]*$/m)
    .filter((statement) => statement.split('\n').some((line) => /^\s*[a-z]/i.test(line)))
  for (const statement of statements) {
    const index = INDEX.exec(statement)?.[1]
    if (index) await dropUnfinished(client, index)
    // The build waits for open transactions and blocks nothing meanwhile.
    if (index) await client.query('set lock_timeout = 0')
    await client.query(statement).finally(() => client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`))
  }
  await client.query(NOTE, [name])
}

/** An interrupted index build leaves an invalid index, which is maintained but never used. */
const dropUnfinished = async (client: Connection, index: string): Promise<void> => {
  const { rows } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  )
  if (rows.length > 0) await client.query(`drop index concurrently if exists ${index}`)
}
