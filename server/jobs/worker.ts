// Runs the jobs: graphile-worker on the same PostgreSQL, so that a job commits with the change it belongs to.
import { setTimeout as delay } from 'node:timers/promises'
import {
  Logger,
  type ParsedCronItem,
  parseCronItems,
  type Runner,
  run,
  runMigrations,
  type TaskList,
} from 'graphile-worker'
import pg from 'pg'
import { addJob } from './add-job.ts'
import { announceBroadcast } from './announce-broadcast.ts'
import type { JobName, JobPayloads } from './catalogue.ts'
import { deliverMessages } from './deliver-messages.ts'
import { DELIVERY_TIMING, type DeliveryTiming } from './delivery-timing.ts'
import type { JobDeps } from './deps.ts'
import { fetchMedia } from './fetch-media.ts'
import { fetchProfile } from './fetch-profile.ts'
import { markRead } from './mark-read.ts'
import { runBroadcast } from './run-broadcast.ts'
import { sendSignInCode } from './send-sign-in-code.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'
import { sweepFiles } from './sweep-files.ts'
import { sweepOldRows } from './sweep-old-rows.ts'

type Tasks = { [N in JobName]: (deps: JobDeps, payload: JobPayloads[N]) => Promise<void> }

const TASKS: Tasks = {
  deliver_messages: deliverMessages,
  fetch_media: fetchMedia,
  fetch_profile: fetchProfile,
  send_sign_in_code: sendSignInCode,
  mark_read: markRead,
  announce_broadcast: announceBroadcast,
  run_broadcast: runBroadcast,
  sweep_deliveries: sweepDeliveries,
  sweep_files: sweepFiles,
  sweep_old_rows: sweepOldRows,
}

const EVERY_MINUTE = '* * * * *'
const EVERY_HOUR = '23 * * * *'

const CRON: Partial<Record<JobName, string>> = {
  sweep_deliveries: EVERY_MINUTE,
  sweep_files: EVERY_MINUTE,
  sweep_old_rows: EVERY_HOUR,
}

/** Jobs mostly wait for providers, so there may be more of them than connections to the database. */
const CONCURRENCY = 20
/** The queue's own connections: one listens, the others fetch and complete. */
const CONNECTIONS = 4
const POLL_MS = 1_000
const CLOSE_MAX_MS = 1_000
const CLOSE_LOOK_MS = 10
const RESTART_MIN_MS = 250
const RESTART_MAX_MS = 10_000

export type WorkerOptions = {
  connectionString: string
  deps: Omit<JobDeps, 'timing' | 'isStopping'>
  timing?: Partial<DeliveryTiming>
  /** How often to look for jobs whose time has come; new ones announce themselves. */
  pollMs?: number
}

export type Worker = {
  /** Lets the jobs that run finish, and takes no more. */
  stop(): Promise<void>
}

/** Brings the queue's own tables up to date. Any number of processes may call it at once. */
export const migrateJobs = (connectionString: string): Promise<void> =>
  runMigrations({ connectionString, logger: new Logger(() => () => {}) })

/** Starts to run jobs, and goes on when the database was away. The queue's tables must be there: migrateJobs. */
export const startWorker = async ({
  connectionString,
  deps,
  timing,
  pollMs = POLL_MS,
}: WorkerOptions): Promise<Worker> => {
  let isStopping = false
  const jobDeps: JobDeps = {
    ...deps,
    timing: { ...DELIVERY_TIMING, ...timing },
    isStopping: () => isStopping,
  }
  const { pool, close } = makeQueuePool(connectionString)
  const start = (): Promise<Runner> =>
    run({
      pgPool: pool,
      taskList: taskList(jobDeps),
      parsedCronItems: cronItems(),
      logger: toLogger(deps.log),
      // Stopping is the program's own affair.
      noHandleSignals: true,
      preset: {
        worker: {
          concurrentJobs: CONCURRENCY,
          pollInterval: pollMs,
          localQueue: { size: CONCURRENCY },
        },
      },
    })

  let runner = await start().catch(async (error) => {
    await close()
    throw error
  })
  await addJob(deps, 'sweep_deliveries', { isStart: true })
  await addJob(deps, 'sweep_files', { isStart: true })
  const supervise = async (): Promise<void> => {
    for (let waitMs = RESTART_MIN_MS; !isStopping; ) {
      try {
        await runner.promise
      } catch (error) {
        deps.log.error({ err: error }, 'the job queue stopped')
      }
      if (isStopping) return
      await delay(waitMs, undefined, { ref: false })
      try {
        if (!isStopping) runner = await start()
        waitMs = RESTART_MIN_MS
      } catch (error) {
        deps.log.error({ err: error }, 'the job queue does not start again yet')
        waitMs = Math.min(waitMs * 2, RESTART_MAX_MS)
      }
    }
  }
  const supervising = supervise()

  return {
    stop: async () => {
      isStopping = true
      // A runner that stopped by itself refuses to be stopped.
      await runner.stop().catch(() => {})
      await supervising
      await close()
      for (const channel of Object.values(deps.channels)) channel.close?.()
    },
  }
}

/**
 * The queue's own connections. A pool that the library makes for itself loses its error handlers before its
 * connections are closed; and one that it listens on is not given back when it stops, so all are closed here.
 */
const makeQueuePool = (connectionString: string): { pool: pg.Pool; close: () => Promise<void> } => {
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS,
    application_name: 'foyer jobs',
    keepAlive: true,
  })
  const clients = new Set<pg.PoolClient>()
  // What breaks fails the query that uses it; the queue connects again by itself.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    clients.add(client)
    client.on('error', () => {})
    client.once('end', () => clients.delete(client))
  })
  // The library writes down that a job is done without waiting for it, also when it stops.
  const isBusy = (client: pg.PoolClient): boolean =>
    // Not in the type: false while a statement runs.
    !(client as unknown as { readyForQuery: boolean }).readyForQuery
  const close = async (): Promise<void> => {
    const endMs = performance.now() + CLOSE_MAX_MS
    while ((pool.waitingCount > 0 || [...clients].some(isBusy)) && performance.now() < endMs)
      await delay(CLOSE_LOOK_MS)
    pool.end().catch(() => {})
    // A pooled client is a client: only its type hides that it can be ended.
    const ending = [...clients].map((client) => (client as unknown as pg.Client).end().catch(() => {}))
    await Promise.race([Promise.all(ending), delay(CLOSE_MAX_MS, undefined, { ref: false })])
  }
  return { pool, close }
}

const taskList = (deps: JobDeps): TaskList =>
  Object.fromEntries(
    Object.entries(TASKS).map(([name, task]) => [
      name,
      // The catalogue pairs each name with its payload; addJob holds the two together.
      (payload: unknown) => task(deps, payload as never),
    ]),
  )

const cronItems = (): ParsedCronItem[] =>
  parseCronItems(
    Object.entries(CRON).map(([task, match]) => ({
      task,
      match,
      identifier: task,
      options: { jobKey: task, backfillPeriod: 0 },
    })),
  )

/** The queue tells of every job at its level info; that is debugging here. */
const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const

const toLogger = (log: JobDeps['log']): Logger =>
  new Logger(() => (level, message, meta) => {
    // Jobs wait for providers and not for the database: fewer connections than jobs is what we want.
    if (message.includes('maxPoolSize')) return
    const error = meta?.error
    log[LEVELS[level]]({ ...(error !== undefined && { err: error }), part: 'jobs' }, message)
  })
