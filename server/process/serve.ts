// Everything that runs on an open database: the demo, jobs and HTTP, each started when its dependencies are ready.
// Only wiring.
import { Server } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { channels } from '../../channels/index.ts'
import { allowOutbound, configureOutbound } from '../../channels/protocol/outbound.ts'
import type { Demo } from '../demo/demo.ts'
import { makeOidcProvider, type OidcProvider } from '../domain/accounts/oidc/provider.ts'
import { accountOfEndedAccess } from '../domain/accounts/session-queries.ts'
import { type MailOauth, makeMailOauth } from '../domain/channel-accounts/mailbox-oauth/provider.ts'
import { listenForEvents } from '../domain/feed/listen-for-events.ts'
import { makeTokens } from '../domain/tokens/find-tokens.ts'
import { startMailboxes } from '../inbound/email/mailboxes.ts'
import type { JobDeps } from '../jobs/deps.ts'
import type { Worker } from '../jobs/worker.ts'
import { CLOSED_ANNOUNCEMENT, readClosed } from '../platform/db/closed-workspaces.ts'
import { isOutage } from '../platform/db/failures.ts'
import { newIdAfter, timeOfId } from '../platform/db/id.ts'
import { listenForRevocations } from '../platform/db/listen.ts'
import { memoryRateLimiter, redisRateLimiter } from '../platform/http/rate-limit.ts'
import { type Mailer, makeMailer } from '../platform/mail.ts'
import { collectProcessMetrics } from '../platform/metrics.ts'
import { VERSION } from '../platform/version.ts'
import { within } from '../platform/within.ts'
import { buildApp } from './app.ts'
import { type Certificate, followCertificate } from './certificates.ts'
import { type Config, isReachable } from './config.ts'
import type { Foyer, Role } from './foyer.ts'
import { buildHealthApp } from './health-app.ts'
import { explainListen, listenUnlessTaken, ownUrlOf } from './listening.ts'
import type { Log } from './log.ts'
import { SANDBOX_ISSUER } from './oidc-settings.ts'
import { type Base, type BaseOptions, openBase } from './open-base.ts'
import { listOwnServices } from './own-services.ts'

/** How long requests may take to finish once it no longer listens, and then running jobs: 20 s together. */
const DRAIN_MS = 15_000
const STOP_JOBS_MS = 5_000
const RETRY_JOBS_MS = 1_000

type ServeOptions = Omit<BaseOptions, 'channels'> & { role: Role; tls: Certificate | null }

/** Starts everything beyond the database. If it throws, `started` already knows everything to stop. */
export const serve = async (config: Config, options: ServeOptions): Promise<Omit<Foyer, 'stop'>> => {
  const { role, log, started } = options
  const servesHttp = role !== 'worker'
  configureOutbound({
    allow: config.outboundAllow,
    own: listOwnServices(config),
    onRefused: (refusal) =>
      log.warn(refusal, 'a connection to a private address was refused; it is not in OUTBOUND_ALLOW'),
  })
  if (config.tracesUrl !== null) {
    const { openTracing } = await import('./open-tracing.ts')
    started('traces', await openTracing(log))
  }
  const base = await openBase(config, { ...options, channels })
  const demo = servesHttp ? await startDemo(config, base, options) : null
  const mail = openMail(config, demo)
  if (mail) started('the mail connection', mail.close)
  else if (!demo)
    log.info({}, 'SMTP_URL is not set, so sign-in codes cannot be sent; create links with foyer sign-in-link')
  // Jobs are started last, because loading them would delay the first request, and stopped after HTTP.
  let work: Work | undefined
  if (role !== 'api') started('the jobs', () => work?.stop())
  collectProcessMetrics()
  const served = servesHttp
    ? await serveApp(config, { base, demo, mail }, options)
    : { address: await showHealth(config, base, options), demo: null }
  if (role !== 'api' && !options.isStopping())
    work = await startWork(base, { mail, eventsKeptDays: config.eventsKeptDays }, options)
  return served
}

const startDemo = async (
  config: Config,
  { shared }: Base,
  { connectionString, log, started }: ServeOptions,
): Promise<Demo | null> => {
  if (!config.demo) {
    warnDemoIsReachable(config, null, log)
    return null
  }
  // The sandbox is only loaded for the demo.
  const { ensureDemo } = await import('../demo/demo.ts')
  const demo = await ensureDemo({
    ...shared,
    newId: newIdAfter,
    createdAt: timeOfId,
    connectionString,
    ownUrl: ownUrlOf(config),
  })
  if (demo) {
    started('the sandbox', demo.sandbox.stop)
    for (const url of [demo.sandbox.url, demo.sandbox.smtpUrl]) allowOutbound(url)
  }
  warnDemoIsReachable(config, demo, log)
  return demo
}

type Work = { stop: () => Promise<void> }

/** Starts the jobs, as soon as the database allows it: requests are served already. Undefined if stopped before. */
const startWork = async (
  { shared, ephemeral }: Base,
  { mail, eventsKeptDays }: Pick<JobDeps, 'mail' | 'eventsKeptDays'>,
  { connectionString, log, signal }: ServeOptions,
): Promise<Work | undefined> => {
  const deps = { ...shared, ephemeral, mail, eventsKeptDays }
  const { startWorker } = await import('../jobs/worker.ts')
  let worker: Worker | undefined
  while (!worker)
    try {
      worker = await startWorker({ connectionString, deps })
    } catch (error) {
      if (!isOutage(error)) throw error
      log.warn({ err: error }, 'the jobs cannot start yet')
      await delay(RETRY_JOBS_MS, undefined, signal && { signal }).catch(() => {})
      if (signal?.aborted) return undefined
    }
  const mailboxes = startMailboxes({ ...deps, connectionString })
  return {
    stop: async () => {
      await mailboxes.stop()
      // What is cut off here is resumed by the next worker.
      if (!(await within(worker.stop(), STOP_JOBS_MS)))
        log.warn({ seconds: STOP_JOBS_MS / 1000 }, 'jobs that did not finish in time were abandoned')
    },
  }
}

/** A worker's HTTP server. It receives no revocations and caches no tokens. */
const showHealth = async (
  config: Config,
  { watch }: Base,
  { role, log, tls, started }: ServeOptions,
): Promise<string | null> => {
  const health = buildHealthApp({ server: serverOptions(log, tls), operations: watch(() => true) })
  started('the health page', () => health.close())
  const address = await listenUnlessTaken(health, config, log)
  started('the certificate check', keepCertificate(health, config.tls, tls, log))
  log.info({ address, role, version: VERSION }, 'Foyer worker is ready')
  return address
}

type Parts = { base: Base; demo: Demo | null; mail: Mailer | null }

const serveApp = async (
  config: Config,
  { base, demo, mail }: Parts,
  { connectionString, role, log, tls, started }: ServeOptions,
): Promise<Omit<Foyer, 'stop'>> => {
  const { shared, redis, ephemeral, eventStreams, watch } = base
  const tokens = makeTokens({
    db: shared.db,
    now: shared.now,
    receivesRevocations: () => listener.isListening(),
    onError: (error) => log.warn({ err: error }, 'the last use of a token could not be saved'),
  })
  let app: FastifyInstance | null = null
  /** Whoever follows a workspace that has moved has to look for it elsewhere. */
  const followClosed = (): void => {
    readClosed(shared.db).then(
      () => {
        app?.recheckConsole()
        void app?.recheckHolds()
      },
      (error) => log.warn({ err: error }, 'it could not be read which workspaces are closed'),
    )
  }
  const listener = await listenForRevocations({
    connectionString,
    onRevoked: (announcement) => {
      if (announcement === CLOSED_ANNOUNCEMENT) {
        tokens.forgetAll()
        return followClosed()
      }
      const accountId = accountOfEndedAccess(announcement)
      if (accountId !== undefined) return app?.recheckConsole(accountId)
      tokens.forget(announcement)
      void app?.recheckHolds(announcement)
    },
    onListening: () => {
      followClosed()
      tokens.forgetAll()
      app?.recheckConsole()
      void app?.recheckHolds()
    },
    log,
  })
  started('the connection that listens for revocations', listener.close)
  const { news, close } = await listenForEvents({ connectionString, db: shared.db, log })
  started('the connection that listens for events', close)

  const memoryLimiter = memoryRateLimiter()
  const limiter = redis ? redisRateLimiter(redis.commands, memoryLimiter) : memoryLimiter
  const served = buildApp({
    ...shared,
    config,
    tokens,
    limiter: config.rateLimits ? limiter : null,
    ephemeral,
    eventStreams,
    feedNews: news,
    demoChannelId: demo?.channelId ?? null,
    sandbox: demo?.sandbox ?? null,
    console: {
      sendsMail: mail !== null,
      oidc: openOidc(config, demo, shared.now),
      mailOauth: openMailOauth(config, demo, shared.now),
      demo: demo && { workspaceId: demo.workspaceId, sandboxUrl: demo.sandbox.pageUrl },
    },
    server: serverOptions(log, tls),
    operations: watch(listener.isListening),
  })
  app = served
  started('the HTTP server', async () => {
    const limits = { delayMs: config.drainDelayMs, timeoutMs: DRAIN_MS }
    if (!(await served.drain(limits)))
      log.warn({ seconds: DRAIN_MS / 1000 }, 'requests that did not finish in time were cut off')
  })
  await served.listen({ port: config.port, host: config.host }).catch((error) => {
    throw explainListen(error, config)
  })
  started('the certificate check', keepCertificate(served, config.tls, tls, log))
  log.info({ address: config.publicUrl, role, version: VERSION }, 'Foyer is ready')
  return { address: config.publicUrl, demo }
}

/**
 * In the demo nobody should have to set up a mail server to get a sign-in code: the demo's own people get it in the
 * sandbox.
 */
const openMail = ({ smtpUrl, publicUrl }: Config, demo: Demo | null): Mailer | null => {
  if (smtpUrl) return makeMailer(smtpUrl, publicUrl)
  return demo ? makeMailer(demo.sandbox.smtpUrl, publicUrl, { onlyWorkspaceId: demo.workspaceId }) : null
}

/** With "sandbox" as its issuer, the demo's; null if the database has real workspaces instead. */
const openOidc = ({ oidc, publicUrl }: Config, demo: Demo | null, now: () => Date): OidcProvider | null => {
  if (!oidc) return null
  if (oidc.issuer !== SANDBOX_ISSUER) return makeOidcProvider(oidc, { publicUrl, now })
  return demo && makeOidcProvider({ ...oidc, ...demo.sandbox.oidc }, { publicUrl, now })
}

/** Those that the operator registered; in the demo, the sandbox plays the others. */
const openMailOauth = ({ mailOauth, publicUrl }: Config, demo: Demo | null, now: () => Date): MailOauth[] => {
  const played = demo
    ? (['google', 'microsoft'] as const)
        .filter((name) => !mailOauth.some((client) => client.name === name))
        .map((name) => ({ ...demo.sandbox.oidc, name, smtpUrl: demo.sandbox.smtpUrl, imapUrl: null }))
    : []
  return [...mailOauth, ...played].map((client) => makeMailOauth(client, { publicUrl, now }))
}

const warnDemoIsReachable = (config: Config, demo: Demo | null, log: Log): void => {
  if (!isReachable(config)) return
  const { host, publicUrl } = config
  if (demo)
    log.warn(
      { host, publicUrl },
      'THE DEMO IS RUNNING AT AN ADDRESS THAT OTHER MACHINES CAN REACH. Anyone with the key to its sandbox can sign in as ' +
        'its admin. Set DEMO=off for real use.',
    )
  else if (!config.isDemoChosen)
    log.info(
      { host, publicUrl },
      'the demo is off because HOST or PUBLIC_URL can be reached from other machines; set DEMO=on to start it anyway',
    )
}

/** Serves a renewed certificate without a restart. */
const keepCertificate = (
  { server }: FastifyInstance,
  paths: Config['tls'],
  served: Certificate | null,
  log: Log,
): (() => void) =>
  // Fastify's type is that of a plain server; with a certificate it made one for HTTPS.
  paths && served && server instanceof Server
    ? followCertificate(paths, { served, server, log }).stop
    : () => {}

const serverOptions = (log: Log, tls: Certificate | null) => ({
  loggerInstance: log,
  ...(tls && { https: tls }),
})
