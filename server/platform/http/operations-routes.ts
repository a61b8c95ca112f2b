// For operators: is it alive (/healthz), can it take traffic (/readyz), how is it doing (/metrics).
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Gauge } from 'prom-client'
import { describeObstacle } from '../db/check-writable.ts'
import { CHANNELS, type ChannelName } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { hashSecret } from '../hash-secret.ts'
import { registry } from '../metrics.ts'
import { VERSION } from '../version.ts'
import { within } from '../within.ts'
import { bearerOf } from './bearer.ts'

const ANSWER_TIMEOUT_MS = 2_000

export type Queue = { depth: number; oldestSeconds: number }

const WEBHOOK_STATES = ['working', 'failing', 'paused', 'disabled'] as const
export type WebhookBacklog = { waiting: number; oldestSeconds: number } & Record<
  (typeof WEBHOOK_STATES)[number],
  number
>

export type OperationsDeps = {
  /** Resolves when a write to the database succeeds. */
  checkDatabase: () => Promise<void>
  /** Jobs that are due but not done. */
  readQueue: () => Promise<Queue>
  /** Messages stored but not yet handed to their channel, including those waiting for a retry. */
  readDeliveries: () => Promise<ReadonlyMap<ChannelName, Queue>>
  /** How long ago the most overdue mailbox was read to its end; 0 without mailboxes. */
  readMailboxSeconds: () => Promise<number>
  /** Items from webhooks and mailboxes that could not be stored yet. */
  readLeftovers: () => Promise<Queue>
  readAutomation: () => Promise<Queue>
  /** How long the oldest event that is not in the feed has waited. */
  readFeedLag: () => Promise<number>
  /** What waits to be sent to webhook endpoints, and how those are. */
  readWebhooks: () => Promise<WebhookBacklog>
  /** How long the oldest open transaction has kept new rows out of lists. */
  readFloorSeconds: () => Promise<number>
  /** Files of inbound messages not yet downloaded from their provider. */
  readPendingFiles: () => Promise<Queue>
  readMigration: () => Promise<number>
  readPool: () => { inUse: number; idle: number; waiting: number }
  countStreams: () => number
  isListening: () => boolean
  isStopping: () => boolean
  /** The password for /metrics; without one it is open to anyone who can reach it. */
  metricsToken: string | null
}

/** `ok`, or what is wrong. */
type Check = string

const check = async (work: () => Promise<unknown>): Promise<Check> => {
  try {
    return (await within(work(), ANSWER_TIMEOUT_MS)) ? 'ok' : `no response within ${ANSWER_TIMEOUT_MS} ms`
  } catch (error) {
    return describeObstacle(error)
  }
}

/** What could be read in time, or null. */
const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
  let answer: T | null = null
  const reading = async () => {
    answer = await work()
  }
  await within(reading(), ANSWER_TIMEOUT_MS).catch(() => {})
  return answer
}

/** A result this recent is reused: anyone may ask, and each check costs a write. */
const READINESS_KEPT_MS = 250

/** Concurrent callers share one check. */
const shared = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }
}

/** Read on request. A gauge that can't be read is left out: an old value would be misleading. */
const defineGauges = (deps: OperationsDeps): void => {
  const gauges: Record<string, [help: string, read: () => number]> = {
    foyer_event_streams_open: ['Open live event streams.', deps.countStreams],
    foyer_database_connections_in_use: ['Connections in use.', () => deps.readPool().inUse],
    foyer_database_connections_idle: ['Idle connections.', () => deps.readPool().idle],
    foyer_database_requests_waiting: ['Requests waiting for a connection.', () => deps.readPool().waiting],
    foyer_receives_revocations: [
      'Whether token revocations arrive immediately (1) or each request checks the database (0).',
      () => Number(deps.isListening()),
    ],
  }
  for (const [name, [help, read]] of Object.entries(gauges)) define(name, help, (gauge) => gauge.set(read()))
  const from = (work: () => Promise<Queue>) => {
    const read = shared(() => attempt(work))
    return (pick: (queue: Queue) => number) => async (gauge: Gauge) => {
      gauge.reset()
      const queue = await read()
      if (queue) gauge.set(pick(queue))
      else gauge.remove()
    }
  }
  const fromQueue = from(deps.readQueue)
  const readDeliveries = shared(() => attempt(deps.readDeliveries))
  const fromDeliveries = (pick: (queue: Queue) => number) => async (gauge: Gauge) => {
    gauge.reset()
    const deliveries = await readDeliveries()
    if (!deliveries) return
    for (const channel of CHANNELS)
      gauge.set({ channel }, pick(deliveries.get(channel) ?? { depth: 0, oldestSeconds: 0 }))
  }
  define(
    'foyer_jobs_due',
    'Jobs that are due and not finished.',
    fromQueue(({ depth }) => depth),
  )
  define(
    'foyer_jobs_oldest_seconds',
    'How long the oldest due job has been waiting.',
    fromQueue(({ oldestSeconds }) => oldestSeconds),
  )
  define(
    'foyer_deliveries_waiting',
    'Messages not yet handed to their channel, including those waiting for a retry, by channel.',
    fromDeliveries(({ depth }) => depth),
    ['channel'],
  )
  define(
    'foyer_deliveries_oldest_seconds',
    'How long the oldest of these messages has been waiting, by channel.',
    fromDeliveries(({ oldestSeconds }) => oldestSeconds),
    ['channel'],
  )
  const defineQueue = (name: string, what: string, read: () => Promise<Queue>): void => {
    const fromRead = from(read)
    define(
      `${name}_waiting`,
      what,
      fromRead(({ depth }) => depth),
    )
    define(
      `${name}_oldest_seconds`,
      'How long the oldest of these has been waiting.',
      fromRead(({ oldestSeconds }) => oldestSeconds),
    )
  }
  defineQueue(
    'foyer_automation_inputs',
    'Messages and events that flows have yet to look at.',
    deps.readAutomation,
  )
  defineQueue(
    'foyer_leftovers',
    'Inbound deliveries that could not be stored and will be retried.',
    deps.readLeftovers,
  )
  defineQueue(
    'foyer_files',
    'Files of inbound messages that are not downloaded and stored yet.',
    deps.readPendingFiles,
  )
  defineReads(deps)
  defineWebhooks(deps)
}

const defineWebhooks = (deps: OperationsDeps): void => {
  const read = shared(() => attempt(deps.readWebhooks))
  const defineOne = (
    name: string,
    help: string,
    set: (gauge: Gauge, found: WebhookBacklog) => void,
    labels = [] as string[],
  ) =>
    define(
      name,
      help,
      async (gauge) => {
        gauge.reset()
        const found = await read()
        if (found) set(gauge, found)
        // One with labels has no value left by now.
        else if (labels.length === 0) gauge.remove()
      },
      labels,
    )
  defineOne('foyer_webhooks_waiting', 'Webhook deliveries that wait, whatever for.', (gauge, { waiting }) =>
    gauge.set(waiting),
  )
  defineOne(
    'foyer_webhooks_oldest_seconds',
    'How long the oldest delivery to an endpoint that works has been due.',
    (gauge, { oldestSeconds }) => gauge.set(oldestSeconds),
  )
  defineOne(
    'foyer_webhook_endpoints',
    'Webhook endpoints by state; disabled ones that Foyer disabled.',
    (gauge, found) => {
      for (const state of WEBHOOK_STATES) gauge.set({ state }, found[state])
    },
    ['state'],
  )
}

const defineReads = (deps: OperationsDeps): void => {
  defineRead(
    'foyer_mailboxes_oldest_read_seconds',
    'Time since the longest-waiting mailbox was last read completely.',
    deps.readMailboxSeconds,
  )
  defineRead(
    'foyer_feed_lag_seconds',
    'How long the oldest event that the feed has yet to take up has waited.',
    deps.readFeedLag,
  )
  defineRead(
    'foyer_lists_floor_seconds',
    'How long the oldest open transaction has kept newer rows of its workspace out of lists.',
    deps.readFloorSeconds,
  )
  defineRead('foyer_migration_version', 'Number of the latest applied migration.', deps.readMigration)
}

const defineRead = (name: string, help: string, read: () => Promise<number>): void =>
  define(name, help, async (gauge) => {
    const value = await attempt(read)
    if (value === null) gauge.remove()
    else gauge.set(value)
  })

const define = (
  name: string,
  help: string,
  collect: (gauge: Gauge) => void | Promise<void>,
  labelNames: string[] = [],
): void => {
  // A process may start Foyer more than once (the tests do): the newest instance counts.
  registry.removeSingleMetric(name)
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect: () => collect(gauge),
  })
}

/** Constant-time comparison. */
const isSecret = (given: string | undefined, wanted: string): boolean =>
  given !== undefined && timingSafeEqual(hashSecret(given), hashSecret(wanted))

export const registerOperations = (app: FastifyInstance, deps: OperationsDeps): void => {
  defineGauges(deps)
  let checked = { atMs: Number.NEGATIVE_INFINITY, checks: { database: '', queue: '' } }
  const lookAgain = shared(async () => {
    const [database, queue] = await Promise.all([check(deps.checkDatabase), check(deps.readQueue)])
    checked = { atMs: performance.now(), checks: { database, queue } }
  })
  const readiness = async () => {
    if (performance.now() - checked.atMs > READINESS_KEPT_MS) await lookAgain()
    return checked.checks
  }

  app.get('/healthz', { schema: { hide: true } }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'ok', version: VERSION }
  })

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const checks = await readiness()
    const isReady = checks.database === 'ok' && checks.queue === 'ok' && !deps.isStopping()
    reply.code(isReady ? 200 : 503).header('cache-control', 'no-store')
    if (!isReady) reply.header('retry-after', '2')
    return { status: isReady ? 'ready' : deps.isStopping() ? 'stopping' : 'not ready', checks }
  })

  app.get('/metrics', { schema: { hide: true } }, async ({ headers }, reply) => {
    if (deps.metricsToken !== null && !isSecret(bearerOf(headers.authorization), deps.metricsToken))
      throw new ApiError('METRICS_TOKEN_REQUIRED', { headers: { 'www-authenticate': 'Bearer' } })
    reply.type(registry.contentType).header('cache-control', 'no-store')
    return registry.metrics()
  })
}
