// Foyer as it runs: what it needs is started in order and stopped in reverse. Everything here is wiring.
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { channels } from '../channels/index.ts'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { openDatabase } from './db/connect.ts'
import { newId } from './db/id.ts'
import { listenForRevocations } from './db/listen.ts'
import { migrate } from './db/migrate.ts'
import { makeDb, makePool, makeSearchPool } from './db/pool.ts'
import { type Demo, ensureDemo } from './demo/demo.ts'
import { makeEphemeral } from './events/ephemeral.ts'
import { startStream } from './events/stream.ts'
import { openFiles } from './files/open-files.ts'
import { buildHealthApp } from './health-app.ts'
import { makeTokens } from './http/authenticate.ts'
import { prepareDrain } from './http/drain.ts'
import type { OperationsDeps } from './http/operations-routes.ts'
import { memoryRateLimiter, redisRateLimiter } from './http/rate-limit.ts'
import { makeEventStreams } from './http/sse.ts'
import { oldestReadSeconds } from './inbound/email/cursor-queries.ts'
import { startMailboxes } from './inbound/email/mailboxes.ts'
import { migrateJobs, startWorker } from './jobs/worker.ts'
import type { Log } from './log.ts'
import { makeMailer } from './mail.ts'
import { collectProcessMetrics } from './metrics.ts'
import { connectRedis } from './redis.ts'
import { accountOfEndedAccess } from './resources/sessions/queries.ts'
import { makeSeal } from './seal.ts'
import { findSecretKey } from './secret-key.ts'
import { StartError } from './start-error.ts'
import { within } from './within.ts'

export const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

export type Foyer = {
  /** Where it listens; null for a worker whose port another process has. */
  address: string | null
  demo: Demo | null
  /** Stops everything that was started. Calling it again waits for the same end. */
  stop: () => Promise<void>
}

/** How long requests may take to finish once it is to stop, and then the jobs that run: 20 s together. */
const DRAIN_MS = 15_000
const STOP_JOBS_MS = 5_000

/**
 * Starts Foyer. Throws StartError, ConfigError or EmbeddedPostgresError, one plain line each, with nothing left
 * running.
 */
export const startFoyer = async (given: Config, { role, log }: { role: Role; log: Log }): Promise<Foyer> => {
  const steps: [name: string, undo: () => Promise<unknown> | unknown][] = []
  const started = (name: string, undo: () => Promise<unknown> | unknown) => steps.push([name, undo])
  let isStopping = false
  let stopped: Promise<void> | undefined

  const undoAll = async (): Promise<void> => {
    isStopping = true
    for (const [name, undo] of steps.reverse())
      try {
        await undo()
      } catch (error) {
        log.error({ err: error }, `could not stop ${name} cleanly`)
      }
  }
  const stop = (): Promise<void> => {
    stopped ??= undoAll()
    return stopped
  }

  try {
    const servesHttp = role !== 'worker'
    const tls = readTls(given.tls)
    // The slow steps come later: a taken port is said at once.
    const config = servesHttp ? await choosePort(given) : given

    const database = await openDatabase(config, (line) => log.info(line))
    started('the private PostgreSQL', database.release)
    const { connectionString } = database
    const seal = makeSeal(await findSecretKey(config))
    const files = openFiles(config)

    const applied = await migrate(connectionString)
    if (applied.length > 0) log.info({ applied }, 'the database was migrated')
    await migrateJobs(connectionString)

    const onError = (error: Error) => log.warn({ err: error }, 'an idle database connection broke')
    const pool = makePool({ connectionString, onError })
    const db = makeDb(pool)
    started('the database connections', () => pool.end())
    const searchPool = makeSearchPool({ connectionString, onError })
    const searchDb = makeDb(searchPool)
    started('the search connections', () => searchPool.end())

    const redis = config.redisUrl ? await connectRedis(config.redisUrl, log) : null
    if (redis) started('the Redis connections', redis.close)

    const now = () => new Date()
    const stream = startStream({ db, log, now, ...(redis && { redis: redis.events }) })
    started('the event stream', stream.close)

    const ephemeral = makeEphemeral(redis ? { redis: redis.events } : {})
    started('the ephemeral events', ephemeral.close)

    const demo =
      servesHttp && config.demo
        ? await ensureDemo({
            db,
            searchDb,
            channels,
            stream,
            seal,
            files,
            log,
            now,
            newId: () => newId(),
            publicUrl: config.publicUrl,
            connectionString,
            ownUrl: ownUrlOf(config),
          })
        : null
    if (demo) started('the sandbox', demo.sandbox.stop)

    // In the demo nobody has to set up a mail server to get a sign-in code.
    const smtpUrl = config.smtpUrl ?? demo?.sandbox.smtpUrl ?? null
    const mail = smtpUrl ? makeMailer(smtpUrl, config.publicUrl) : null
    if (mail) started('the mail connection', mail.close)
    else if (!demo)
      log.info({}, 'SMTP_URL is not set: nobody gets sign-in codes; foyer sign-in-link makes links')
    if (role !== 'api') {
      const { publicUrl } = config
      const deps = { db, searchDb, channels, stream, seal, files, publicUrl, log, now, mail }
      const worker = await startWorker({ connectionString, deps })
      started('the jobs', async () => {
        // What is cut off here is taken up by the next worker.
        if (!(await within(worker.stop(), STOP_JOBS_MS)))
          log.warn({ seconds: STOP_JOBS_MS / 1000 }, 'jobs that did not end in time were left')
      })
      started('the mailboxes', startMailboxes({ ...deps, connectionString }).stop)
    }

    collectProcessMetrics()
    const eventStreams = makeEventStreams()
    const watched = {
      readMailboxSeconds: () => oldestReadSeconds(db),
      countStreams: eventStreams.count,
      isStopping: () => isStopping,
    }

    if (!servesHttp) {
      // It hears of no revocations, and has no tokens to forget.
      const operations = watch(pool, { ...watched, isListening: () => true })
      const health = buildHealthApp({ server: serverOptions(log, tls), operations })
      started('the health page', () => health.close())
      const address = await listenUnlessTaken(health, config, log)
      log.info({ address, role }, 'Foyer works')
      return { address, demo: null, stop }
    }

    const tokens = makeTokens({
      db,
      now,
      hearsRevocations: () => listener.isListening(),
      onError: (error) => log.warn({ err: error }, 'the last use of a token was not noted'),
    })
    let app: FastifyInstance | null = null
    const listener = await listenForRevocations({
      connectionString,
      onRevoked: (announcement) => {
        const accountId = accountOfEndedAccess(announcement)
        if (accountId === undefined) tokens.forget(announcement)
        else app?.recheckConsole(accountId)
      },
      onListening: () => {
        tokens.forgetAll()
        app?.recheckConsole()
      },
      log,
    })
    started('the connection that hears revocations', listener.close)

    const memoryLimiter = memoryRateLimiter()
    const limiter = redis ? redisRateLimiter(redis.commands, memoryLimiter) : memoryLimiter

    app = buildApp({
      config,
      db,
      searchDb,
      channels,
      tokens,
      limiter: config.rateLimits ? limiter : null,
      now,
      stream,
      seal,
      files,
      publicUrl: config.publicUrl,
      ephemeral,
      eventStreams,
      demoChannelId: demo?.channelId ?? null,
      sandbox: demo?.sandbox ?? null,
      console: { sendsMail: mail !== null, isDemo: demo !== null, sandboxUrl: demo?.sandbox.pageUrl ?? null },
      server: serverOptions(log, tls),
      operations: watch(pool, { ...watched, isListening: listener.isListening }),
    })
    const served = app
    const drain = prepareDrain(served.server)
    started('the HTTP server', async () => {
      if (!(await drain(served.close(), DRAIN_MS)))
        log.warn({ seconds: DRAIN_MS / 1000 }, 'requests that did not end in time were cut off')
    })
    await served.listen({ port: config.port, host: config.host }).catch((error) => {
      throw explainListen(error, config)
    })
    log.info({ address: config.publicUrl, role }, 'Foyer serves')
    return { address: config.publicUrl, demo, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const serverOptions = (log: Log, tls: { cert: Buffer; key: Buffer } | null) =>
  // Fastify's type does not know that a logger and https go together.
  ({ loggerInstance: log, ...(tls && { https: tls }) }) as never

/** A worker goes on without its health page where another process of the machine has the port. */
const listenUnlessTaken = async (app: FastifyInstance, config: Config, log: Log): Promise<string | null> => {
  try {
    await app.listen({ port: config.port, host: config.host })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw explainListen(error as Error, config)
    log.info({ port: config.port }, 'another process has the port: set PORT for the health of this worker')
    return null
  }
  return ownUrlOf({ ...config, port: (app.server.address() as AddressInfo).port })
}

const readTls = (tls: Config['tls']): { cert: Buffer; key: Buffer } | null => {
  if (!tls) return null
  const read = (name: string, path: string): Buffer => {
    try {
      return readFileSync(path)
    } catch (error) {
      throw new StartError(`${name} cannot be read: ${(error as Error).message}`, { cause: error })
    }
  }
  const files = { cert: read('TLS_CERT', tls.certPath), key: read('TLS_KEY', tls.keyPath) }
  try {
    createSecureContext(files)
  } catch (error) {
    throw new StartError(`TLS_CERT and TLS_KEY cannot be used: ${(error as Error).message}`, { cause: error })
  }
  return files
}

const explainListen = (error: NodeJS.ErrnoException, { port, host }: Config): Error => {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is taken by another program. Stop it, or set PORT to another one.`,
        { cause: error },
      )
    case 'EACCES':
      return new StartError(`Port ${port} may not be used by this user. Set PORT to one above 1023.`, {
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new StartError(`HOST is ${host}, which is no address of this machine.`, { cause: error })
    default:
      return error
  }
}

/** Where a program on this machine reaches this process, whatever the world calls it. */
const ownUrlOf = ({ host, port, tls }: Config): string => {
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${tls ? 'https' : 'http'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** Tries the port; any free one becomes a certain one, also in the public address that was made from it. */
const choosePort = async (config: Config): Promise<Config> => {
  const probe = createServer()
  await new Promise<void>((done, fail) => {
    probe.once('error', (error) => fail(explainListen(error, config)))
    probe.listen({ port: config.port, host: config.host }, done)
  })
  const { port } = probe.address() as AddressInfo
  await new Promise((done) => probe.close(done))
  return { ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) }
}

const watch = (
  pool: pg.Pool,
  rest: Pick<OperationsDeps, 'readMailboxSeconds' | 'countStreams' | 'isListening' | 'isStopping'>,
): OperationsDeps => ({
  ...rest,
  pingDatabase: () => pool.query('select 1'),
  readQueue: async () => {
    const { rows } = await pool.query<{ depth: number; oldestSeconds: number }>(
      `select count(*) as depth, coalesce(extract(epoch from now() - min(run_at)), 0)::float8 as "oldestSeconds"
       from graphile_worker.jobs where run_at <= now() and attempts < max_attempts`,
    )
    return rows[0]!
  },
  readDeliveries: async () => {
    const { rows } = await pool.query<{ depth: number; oldestSeconds: number }>(
      `select count(*) as depth, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
       from deliveries where state in ('pending', 'sending')`,
    )
    return rows[0]!
  },
  readMigration: async () => {
    const { rows } = await pool.query<{ version: number }>(
      `select coalesce(max(split_part(name, '_', 1)::int), 0) as version from schema_migrations`,
    )
    return rows[0]!.version
  },
  readPool: () => ({
    inUse: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }),
})
