// The database: reachable, new enough, with the right clock and schema, and opened by the key that is there.
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Connection } from '../../platform/db/connection.ts'
import { listMigrations } from '../../platform/db/copy/catalog.ts'
import { openCopyConnection } from '../../platform/db/copy/sessions.ts'
import { hasCluster } from '../../platform/db/embedded-place.ts'
import { checkNotMoved } from '../../platform/live/moved.ts'
import { makeSeal } from '../../platform/seal.ts'
import type { Config } from '../config.ts'
import { openDatabase } from '../open-database.ts'
import { listSealed, openValue, SEALED_COLUMNS } from '../sealed-columns.ts'
import { findSecretKeys, readSecretKey } from '../secret-key.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const CLOCK_MAX_MS = 2_000
/** Of one process; docs/operations.md counts them. */
const CONNECTIONS_OF_A_PROCESS = 25

export const checkDatabase = async (config: Config): Promise<Finding[]> => {
  try {
    if (config.databaseUrl === null && !hasCluster(config.dataDir))
      return [warn('database', 'There is no database yet.', 'The first start creates it.')]
    const { connectionString, release } = await openDatabase(config, () => {})
    try {
      const client = await openCopyConnection(connectionString, 'foyer doctor')
      try {
        return await look(client, config)
      } finally {
        await client.end().catch(() => {})
      }
    } finally {
      await release()
    }
  } catch (error) {
    return [
      fail('database', reasonOf(error), 'Check DATABASE_URL and the server, or the disk under DATA_DIR.'),
    ]
  }
}

const look = async (client: Connection, config: Config): Promise<Finding[]> => {
  const findings: Finding[] = []
  const sentMs = Date.now()
  const { rows } = await client.query<{ version: string; ms: number; connections: number }>(
    `select current_setting('server_version') as version, extract(epoch from clock_timestamp())::float8 * 1000 as ms,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections`,
  )
  const { version, ms, connections } = rows[0]!
  findings.push(ok('database', `PostgreSQL ${version}${config.databaseUrl === null ? ', private' : ''}`))
  if (connections < CONNECTIONS_OF_A_PROCESS)
    findings.push(
      warn(
        'connections',
        `The database allows ${connections} connections, and one process uses about ${CONNECTIONS_OF_A_PROCESS}.`,
        'Raise max_connections.',
      ),
    )
  const offMs = Math.max(sentMs - ms, ms - Date.now(), 0)
  findings.push(
    offMs <= CLOCK_MAX_MS
      ? ok('clock', 'This machine and the database agree.')
      : warn(
          'clock',
          `The clocks of this machine and of the database differ by ${Math.round(offMs / 1000)} s.`,
          'Synchronize both with NTP. Foyer uses the database’s.',
        ),
  )
  const applied = await listMigrations(client)
  findings.push(await checkMigrations(applied))
  if (applied.length === 0) return findings
  await checkNotMoved(client).catch((error) =>
    findings.push(fail('moved', reasonOf(error), 'Set DATABASE_URL, or run foyer restored.')),
  )
  findings.push(await checkKey(client, config))
  return findings
}

const checkMigrations = async (applied: readonly string[]): Promise<Finding> => {
  const known = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql'))
  const unknown = applied.filter((name) => !known.includes(name)).at(-1)
  if (unknown)
    return fail(
      'migrations',
      `The database was migrated by a newer version of Foyer (${unknown}).`,
      'Start that version, or restore an older backup.',
    )
  const pending = known.length - applied.length
  return pending === 0
    ? ok('migrations', `All ${applied.length} are applied.`)
    : warn('migrations', `${pending} are pending.`, 'The next start applies them, or foyer migrate.')
}

const checkKey = async (client: Connection, config: Config): Promise<Finding> => {
  if ((await readSecretKey(config)) === undefined)
    return fail('secret key', `${config.dataDir}/secret.key is missing.`, 'Restore it, or set SECRET_KEY.')
  const { key, former } = await findSecretKeys(config)
  const seal = makeSeal(key, former)
  let [opens, fails, formerOnly] = [0, 0, 0]
  const present = makeSeal(key)
  for (const column of SEALED_COLUMNS)
    for await (const value of listSealed(client, column))
      if (openValue(present, value) !== null) opens += 1
      else if (openValue(seal, value) !== null) formerOnly += 1
      else fails += 1
  if (fails > 0)
    return fail(
      'secret key',
      `SECRET_KEY opens ${opens + formerOnly} of ${opens + formerOnly + fails} stored secrets.`,
      'Start with the original key, or enter the others again: see "A lost key" in docs/operations.md.',
    )
  if (formerOnly > 0)
    return warn(
      'secret key',
      `${formerOnly} stored secrets are still encrypted with the former key.`,
      'Run foyer secret-key rotate.',
    )
  return ok(
    'secret key',
    opens === 0 ? 'There are no stored secrets yet.' : `It opens all ${opens} stored secrets.`,
  )
}
