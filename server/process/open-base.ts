// The connections, the clock and the streams, which everything in a running process needs.
import type { Channels } from '../../channels/channel.ts'
import { readPendingFiles } from '../domain/attachments/pending-queries.ts'
import { readInputQueue } from '../domain/automation/inputs.ts'
import { checkSecretKey } from '../domain/channel-accounts/check-secret-key.ts'
import type { Signals } from '../domain/conversations/signals.ts'
import { readFeedLag } from '../domain/feed/queries.ts'
import { readWebhookBacklog } from '../domain/webhooks/backlog-queries.ts'
import { oldestReadSeconds } from '../inbound/email/cursor-queries.ts'
import { readLeftovers } from '../inbound/leftovers/queries.ts'
import { databaseNow, followClock } from '../platform/db/clock.ts'
import { readFloorSeconds } from '../platform/db/horizon.ts'
import { migrate } from '../platform/db/migrate.ts'
import {
  type Db,
  makeDb,
  makeOperationsPool,
  makePool,
  makeReplicaPool,
  makeReplicaSearchPool,
  makeSearchPool,
} from '../platform/db/pool.ts'
import { watchReplica } from '../platform/db/replica.ts'
import { makeEventStreams } from '../platform/http/sse.ts'
import { makeEphemeral } from '../platform/live/ephemeral.ts'
import { checkNotMoved } from '../platform/live/moved.ts'
import { startStream } from '../platform/live/stream.ts'
import { migrateJobs } from '../platform/queue/migrate-jobs.ts'
import { makeSeal } from '../platform/seal.ts'
import type { Config } from './config.ts'
import type { Started } from './foyer.ts'
import type { Log } from './log.ts'
import { openFiles } from './open-files.ts'
import { findSecretKeys } from './secret-key.ts'
import { watchDatabase } from './watch-database.ts'

export type BaseOptions = {
  channels: Channels
  connectionString: string
  log: Log
  signal?: AbortSignal
  started: Started
  isStopping: () => boolean
}

export type Base = Awaited<ReturnType<typeof openBase>>

export const openBase = async (
  config: Config,
  { channels, connectionString, log, signal, started, isStopping }: BaseOptions,
) => {
  const { key, former } = await findSecretKeys(config)
  const seal = makeSeal(key, former)
  const applied = await migrate(connectionString, { say: (line) => log.info(line), signal })
  if (applied.length > 0) log.info({ applied }, 'the database was migrated')
  await migrateJobs(connectionString)

  const onError = (error: Error) => log.warn({ err: error }, 'an idle database connection was lost')
  const pool = makePool({ connectionString, onError })
  const db = makeDb(pool)
  started('the database connections', () => pool.end())
  await checkNotMoved(pool)
  await checkSecretKey(db, seal)
  const searchPool = makeSearchPool({ connectionString, onError })
  started('the search connections', () => searchPool.end())
  const operationsPool = makeOperationsPool({ connectionString, onError })
  const operationsDb = makeDb(operationsPool)
  started('the connections for health and metrics', () => operationsPool.end())

  const replica = openReplica(config.databaseReplicaUrl, { db, log, started, onError })
  const redis = config.redisUrl
    ? await (await import('../platform/redis.ts')).connectRedis(config.redisUrl, log)
    : null
  if (redis) started('the Redis connections', redis.close)
  const clock = await followClock(db, (error) =>
    log.warn({ err: error }, "the database's clock could not be read"),
  )
  started('the clock', clock.stop)
  const stream = startStream({ db, log, now: databaseNow, ...(redis && { redis: redis.events }) })
  started('the event stream', stream.close)
  const ephemeral: Signals = makeEphemeral(redis ? { redis: redis.events } : {})
  started('the ephemeral events', ephemeral.close)

  const eventStreams = makeEventStreams()
  const watch = (isListening: () => boolean) =>
    watchDatabase(
      { pool, operationsPool, db },
      {
        readMailboxSeconds: () => oldestReadSeconds(operationsDb),
        readLeftovers: () => readLeftovers(operationsDb),
        readAutomation: () => readInputQueue(operationsDb),
        readFeedLag: () => readFeedLag(operationsDb),
        readWebhooks: () => readWebhookBacklog(operationsDb, databaseNow()),
        readFloorSeconds: () => readFloorSeconds(operationsDb),
        readPendingFiles: () => readPendingFiles(operationsDb),
        countStreams: eventStreams.count,
        isStopping,
        isListening,
        metricsToken: config.metricsToken,
      },
    )
  const shared = {
    db,
    searchDb: makeDb(searchPool),
    channels,
    stream,
    seal,
    files: openFiles(config),
    publicUrl: config.publicUrl,
    log,
    now: databaseNow,
    ...(!config.ai && { isAiOff: true }),
    ...(replica && { replica }),
  }
  return { shared, redis, ephemeral, eventStreams, watch }
}

type ReplicaOptions = Pick<BaseOptions, 'log' | 'started'> & { db: Db; onError: (error: Error) => void }

const openReplica = (url: string | null, { db, log, started, onError }: ReplicaOptions) => {
  if (url === null) return undefined
  const pool = makeReplicaPool({ connectionString: url, onError })
  started('the connections to the replica', () => pool.end())
  const searchPool = makeReplicaSearchPool({ connectionString: url, onError })
  started('the search connections to the replica', () => searchPool.end())
  const replica = watchReplica({ primary: db, replica: makeDb(pool), search: makeDb(searchPool), log })
  started('the watch of the replica', replica.close)
  return replica
}
