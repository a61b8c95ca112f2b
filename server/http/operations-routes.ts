// For those who run Foyer: does it live (/healthz), may it get traffic (/readyz), how is it doing (/metrics).
import type { FastifyInstance } from 'fastify'
import { Gauge } from 'prom-client'
import { registry } from '../metrics.ts'
import { within } from '../within.ts'

const ANSWER_TIMEOUT_MS = 2_000

export type Queue = { depth: number; oldestSeconds: number }

export type OperationsDeps = {
  /** Resolves when the database answers a statement. */
  pingDatabase: () => Promise<unknown>
  /** Jobs that are due and not yet done. */
  readQueue: () => Promise<Queue>
  /** Messages that are stored and not yet handed to their channel, also those that wait for their next try. */
  readDeliveries: () => Promise<Queue>
  /** How long ago the mailbox that waits longest was read to its end; 0 without mailboxes. */
  readMailboxSeconds: () => Promise<number>
  readMigration: () => Promise<number>
  readPool: () => { inUse: number; idle: number; waiting: number }
  countStreams: () => number
  isListening: () => boolean
  isStopping: () => boolean
}

/** `ok`, or what is wrong in words. */
type Check = string

const check = async (work: () => Promise<unknown>): Promise<Check> => {
  try {
    return (await within(work(), ANSWER_TIMEOUT_MS)) ? 'ok' : `no answer within ${ANSWER_TIMEOUT_MS} ms`
  } catch {
    return 'unreachable'
  }
}

/** What can be read in time, or null. */
const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
  let answer: T | null = null
  const reading = async () => {
    answer = await work()
  }
  await within(reading(), ANSWER_TIMEOUT_MS).catch(() => {})
  return answer
}

/** However many ask at the same moment, the work is done once. */
const shared = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }
}

/** Read when somebody asks. What cannot be read now is left out: a gauge that shows an old value would lie. */
const defineGauges = (deps: OperationsDeps): void => {
  const gauges: Record<string, [help: string, read: () => number]> = {
    foyer_event_streams_open: ['Live event streams that are open.', deps.countStreams],
    foyer_database_connections_in_use: ['Connections that work.', () => deps.readPool().inUse],
    foyer_database_connections_idle: ['Connections that wait for work.', () => deps.readPool().idle],
    foyer_database_requests_waiting: ['Requests that wait for a connection.', () => deps.readPool().waiting],
    foyer_hears_revocations: [
      'Whether revoked tokens are heard of at once (1) or each request asks the database (0).',
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
  const fromDeliveries = from(deps.readDeliveries)
  define(
    'foyer_jobs_due',
    'Jobs that are due and not done.',
    fromQueue(({ depth }) => depth),
  )
  define(
    'foyer_jobs_oldest_seconds',
    'How long the oldest due job has waited.',
    fromQueue(({ oldestSeconds }) => oldestSeconds),
  )
  define(
    'foyer_deliveries_waiting',
    'Messages that are not yet handed to their channel, tries to come included.',
    fromDeliveries(({ depth }) => depth),
  )
  define(
    'foyer_deliveries_oldest_seconds',
    'How long the oldest of these messages has waited.',
    fromDeliveries(({ oldestSeconds }) => oldestSeconds),
  )
  defineRead(
    'foyer_mailboxes_oldest_read_seconds',
    'How long ago the mailbox that waits longest was read to its end.',
    deps.readMailboxSeconds,
  )
  defineRead(
    'foyer_migration_version',
    'The number of the newest migration that was applied.',
    deps.readMigration,
  )
}

const defineRead = (name: string, help: string, read: () => Promise<number>): void =>
  define(name, help, async (gauge) => {
    const value = await attempt(read)
    if (value === null) gauge.remove()
    else gauge.set(value)
  })

const define = (name: string, help: string, collect: (gauge: Gauge) => void | Promise<void>): void => {
  // One process may start Foyer again (the tests do): the newest one is asked.
  registry.removeSingleMetric(name)
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => collect(gauge) })
}

export const registerOperations = (app: FastifyInstance, deps: OperationsDeps): void => {
  defineGauges(deps)
  const readiness = shared(async () => {
    const [database, queue] = await Promise.all([check(deps.pingDatabase), check(deps.readQueue)])
    return { database, queue }
  })

  app.get('/healthz', { schema: { hide: true } }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'ok' }
  })

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const checks = await readiness()
    const isReady = checks.database === 'ok' && checks.queue === 'ok' && !deps.isStopping()
    reply.code(isReady ? 200 : 503).header('cache-control', 'no-store')
    if (!isReady) reply.header('retry-after', '2')
    return { status: isReady ? 'ready' : deps.isStopping() ? 'stopping' : 'not ready', checks }
  })

  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.type(registry.contentType).header('cache-control', 'no-store')
    return registry.metrics()
  })
}
