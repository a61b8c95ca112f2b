// DATABASE_REPLICA_URL: reachable, in recovery, a copy of this database, and not behind.
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, makeConnection } from '../../platform/db/connection.ts'
import type { Config } from '../config.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

/** How long it may take to come to where the primary is now. */
const CATCH_UP_MAX_MS = 3_000
const ASK_AGAIN_MS = 50
const UNTIL_THEN = 'Until then the primary answers all reads.'

const open = async (connectionString: string): Promise<Connection> => {
  const client = makeConnection({ connectionString, applicationName: 'foyer doctor' })
  await client.connect()
  return client
}

export const checkReplica = async ({ databaseUrl, databaseReplicaUrl }: Config): Promise<Finding[]> => {
  if (databaseReplicaUrl === null || databaseUrl === null) return []
  let replica: Connection
  try {
    replica = await open(databaseReplicaUrl)
  } catch (error) {
    return [fail('replica', reasonOf(error), `Check DATABASE_REPLICA_URL and the server. ${UNTIL_THEN}`)]
  }
  try {
    // Whether it is reachable is another check's finding.
    const primary = await open(databaseUrl).catch(() => null)
    if (!primary) return []
    try {
      return [await compare(primary, replica)]
    } finally {
      await primary.end().catch(() => {})
    }
  } finally {
    await replica.end().catch(() => {})
  }
}

/** Anyone may read it, unless that was revoked. */
const IDENTITY = `(select system_identifier::text from pg_control_system())`

type Server = { isReplica: boolean; identity: string; commits: string }

const readServer = async (client: Connection): Promise<Server> => {
  const { rows } = await client.query<Server>(
    `select pg_is_in_recovery() as "isReplica", ${IDENTITY} as identity, current_setting('synchronous_commit') as commits`,
  )
  return rows[0]!
}

const compare = async (primary: Connection, replica: Connection): Promise<Finding> => {
  const { identity, commits } = await readServer(primary)
  const copy = await readServer(replica)
  if (!copy.isReplica)
    return fail(
      'replica',
      'The server at DATABASE_REPLICA_URL is not a replica, or was promoted.',
      `Let it lead to a server in recovery. ${UNTIL_THEN}`,
    )
  if (copy.identity !== identity)
    return fail(
      'replica',
      'The server at DATABASE_REPLICA_URL is a replica of another database.',
      `Let it follow the server at DATABASE_URL. ${UNTIL_THEN}`,
    )
  if (commits === 'off')
    return warn(
      'replica',
      'synchronous_commit is off, so only reports are read from the replica.',
      'Turn it on: without it, a crash loses what was acknowledged.',
    )
  const behindBytes = await untilCaughtUp(primary, replica)
  return behindBytes <= 0
    ? ok('replica', 'It is a replica of the database, and has everything.')
    : warn(
        'replica',
        `The replica is ${Math.ceil(behindBytes / 1024 ** 2)} MiB behind.`,
        `Look at pg_stat_replication on the primary, and for long queries on the replica. ${UNTIL_THEN}`,
      )
}

/** How many bytes of the log it lacks of what the primary has now, after giving it some time. */
const untilCaughtUp = async (primary: Connection, replica: Connection): Promise<number> => {
  const positions = await primary.query<{ position: string; isCut: boolean }>(
    `select pg_current_wal_flush_lsn()::text as position, (pg_current_wal_flush_lsn() - '0/0')
       % current_setting('wal_block_size')::integer = 0 as "isCut"`,
  )
  const { position, isCut } = positions.rows[0]!
  const endMs = performance.now() + CATCH_UP_MAX_MS
  for (;;) {
    const { rows } = await replica.query<{ bytes: string; isReceived: boolean }>(
      `select ($1::pg_lsn - coalesce(pg_last_wal_replay_lsn(), '0/0')) as bytes,
         coalesce(pg_last_wal_receive_lsn() >= $1::pg_lsn, false) as "isReceived"`,
      [position],
    )
    const { isReceived, bytes } = rows[0]!
    if (Number(bytes) <= 0) return 0
    // The log may end within a record (see platform/db/positions.ts), which waits for its rest.
    if (performance.now() > endMs) return isCut && isReceived ? 0 : Number(bytes)
    await delay(ASK_AGAIN_MS)
  }
}
