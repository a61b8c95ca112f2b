// Background work: jobs, with graphile-worker on the same PostgreSQL, so that a job commits with the change it
// belongs to, and deliveries.

import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type JobHelpers,
  Logger,
  type ParsedCronItem,
  parseCronItems,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker'
import { handOverAll } from '../domain/ai/settings.ts'
import { releaseTurnsOf } from '../domain/ai/turn-queries.ts'
import { foldContactDays } from '../domain/contacts/contact-days.ts'
import { addNotificationInputs } from '../domain/notifications/add-inputs.ts'
import { fanOut } from '../domain/webhooks/fan-out.ts'
import { returnClaims } from '../domain/webhooks/send-queries.ts'
import { listWorkspaceIds } from '../domain/workspaces/queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { isOutage } from '../platform/db/failures.ts'
import { addJob, TRACE } from '../platform/queue/add-job.ts'
import type { JobName, JobPayloads } from '../platform/queue/catalogue.ts'
import { makeQueuePool } from '../platform/queue/queue-pool.ts'
import { inSpan } from '../platform/tracing.ts'
import { adoptLeftovers } from './adopt-leftovers.ts'
import { announceBroadcast } from './announce-broadcast.ts'
import { announceOverdueAnswers } from './announce-overdue.ts'
import { applyRetention } from './apply-retention.ts'
import { startCaller } from './call-actions.ts'
import { checkMcpServers } from './check-mcp-servers.ts'
import { returnLostClaims, watchClaims } from './claims-in-hand.ts'
import { startConductor } from './conduct.ts'
import { DELIVERY_TIMING, type DeliveryTiming } from './delivery-timing.ts'
import type { JobDeps } from './deps.ts'
import { startDispatcher } from './dispatch-deliveries.ts'
import { embedKnowledge } from './embed-knowledge.ts'
import { eraseContact } from './erase-contact.ts'
import { evaluateAgent } from './evaluate-agent.ts'
import { fetchMedia } from './fetch-media.ts'
import { fetchProfile } from './fetch-profile.ts'
import { handOutIn, sweepTeams } from './hand-out.ts'
import { watchWorkers } from './living-workers.ts'
import { markRead } from './mark-read.ts'
import { markReplies } from './mark-replies.ts'
import { startNotifier } from './notify.ts'
import { readSource, sweepSources } from './read-source.ts'
import { rebuildIndexes } from './rebuild-indexes.ts'
import { startRelay } from './relay-events.ts'
import { releaseCallsOf } from './release-calls.ts'
import { retryLeftovers } from './retry-leftovers.ts'
import { rollUpReports } from './roll-up-reports.ts'
import { runBroadcast } from './run-broadcast.ts'
import { runExport, sweepExports } from './run-export.ts'
import { prepareChatEmails, sendChatEmail } from './send-chat-emails.ts'
import { sendDigests } from './send-digests.ts'
import { startHeldSender } from './send-held.ts'
import { sendIdentityCode } from './send-identity-code.ts'
import { releaseReactionsOf, sendReaction } from './send-reaction.ts'
import { sendSignInCode } from './send-sign-in-code.ts'
import { startWebhookSender } from './send-webhooks.ts'
import { releaseClaimsOf, sweepDeliveries } from './sweep-deliveries.ts'
import { releaseFiles, sweepFiles } from './sweep-files.ts'
import { sweepOldRows } from './sweep-old-rows.ts'
import { sweepWebhooks } from './sweep-webhooks.ts'
import { tellOfPasskey } from './tell-of-passkey.ts'
import { startThinker } from './think.ts'
import { wakeSnoozed } from './wake-snoozed.ts'
import { warnOfSpending } from './warn-of-spending.ts'
import { warnOfWebhook } from './warn-of-webhook.ts'

type WorkerDeps = JobDeps & { connectionString: string }

type Tasks = { [N in JobName]: (deps: WorkerDeps, payload: JobPayloads[N]) => Promise<void> }

const TASKS: Tasks = {
  fetch_media: fetchMedia,
  fetch_profile: fetchProfile,
  send_identity_code: sendIdentityCode,
  send_sign_in_code: sendSignInCode,
  mark_read: markRead,
  send_reaction: sendReaction,
  warn_of_spending: warnOfSpending,
  announce_broadcast: announceBroadcast,
  run_broadcast: runBroadcast,
  retry_leftovers: retryLeftovers,
  adopt_leftovers: adoptLeftovers,
  sweep_deliveries: async (deps, payload) => {
    // The sweep can't know that they were never started, and would not send them again.
    await returnLostClaims(deps)
    await sweepDeliveries(deps, payload)
  },
  sweep_files: async (deps, payload) => {
    await sweepFiles(deps, payload)
    await sweepExports(deps)
  },
  sweep_old_rows: sweepOldRows,
  tell_of_passkey: tellOfPasskey,
  warn_of_webhook: warnOfWebhook,
  sweep_webhooks: sweepWebhooks,
  read_source: readSource,
  sweep_sources: sweepSources,
  check_mcp_servers: checkMcpServers,
  rebuild_indexes: rebuildIndexes,
  fold_contact_days: ({ db }) => foldContactDays(db),
  embed_knowledge: embedKnowledge,
  evaluate_agent: evaluateAgent,
  run_export: runExport,
  erase_contact: eraseContact,
  apply_retention: applyRetention,
  send_digests: sendDigests,
  prepare_chat_emails: prepareChatEmails,
  send_chat_email: sendChatEmail,
  wake_snoozed: wakeSnoozed,
  hand_out: handOutIn,
  sweep_teams: sweepTeams,
  roll_up_reports: rollUpReports,
  announce_overdue: announceOverdueAnswers,
}

const EVERY_MINUTE = '* * * * *'
const EVERY_HOUR = '23 * * * *'

const CRON: Partial<Record<JobName, string>> = {
  sweep_deliveries: EVERY_MINUTE,
  sweep_files: EVERY_MINUTE,
  rebuild_indexes: EVERY_MINUTE,
  fold_contact_days: EVERY_MINUTE,
  embed_knowledge: EVERY_MINUTE,
  retry_leftovers: EVERY_MINUTE,
  sweep_sources: EVERY_MINUTE,
  check_mcp_servers: EVERY_MINUTE,
  sweep_old_rows: EVERY_HOUR,
  apply_retention: EVERY_HOUR,
  sweep_webhooks: EVERY_MINUTE,
  send_digests: EVERY_MINUTE,
  prepare_chat_emails: EVERY_MINUTE,
  wake_snoozed: EVERY_MINUTE,
  sweep_teams: EVERY_MINUTE,
  roll_up_reports: EVERY_MINUTE,
  announce_overdue: EVERY_MINUTE,
}

/**
 * Jobs mostly wait for providers, so there may be more of them than database connections. Files, broadcasts,
 * asides, websites and tests are each limited and can block at most 84 of these slots together: the rest is for sign-in
 * codes and sweeps.
 */
const CONCURRENCY = 96
const POLL_MS = 1_000
const RESTART_MIN_MS = 250
const RESTART_MAX_MS = 10_000

type WorkerOptions = {
  connectionString: string
  deps: Omit<JobDeps, 'timing' | 'isStopping'>
  timing?: Partial<DeliveryTiming>
  /** How often to check for jobs that have become due; new ones are announced. */
  pollMs?: number
}

export type Worker = {
  /** Lets running jobs finish, and takes no more. */
  stop(): Promise<void>
}

/**
 * Starts running jobs, and then recovers from database outages. The queue's tables must exist
 * (platform/queue/migrate-jobs.ts). Throws the database's error, with nothing left running, if it can't start now.
 */
export const startWorker = async ({
  connectionString,
  deps,
  timing,
  pollMs = POLL_MS,
}: WorkerOptions): Promise<Worker> => {
  let isStopping = false
  const jobDeps: WorkerDeps = {
    ...deps,
    connectionString,
    timing: { ...DELIVERY_TIMING, ...timing },
    isStopping: () => isStopping,
  }
  const { pool, hasOutcomesLeft, close } = makeQueuePool(connectionString)
  const events: WorkerEvents = new EventEmitter()
  const { workerId, jobIds } = followOwnJobs(events)
  const start = async (): Promise<Runner> => {
    await addJob(deps, 'sweep_deliveries', { isStart: true })
    await addJob(deps, 'sweep_files', { isStart: true })
    return run({
      pgPool: pool,
      events,
      taskList: taskList(jobDeps),
      parsedCronItems: cronItems(),
      logger: toLogger(deps.log),
      // The program handles signals itself.
      noHandleSignals: true,
      preset: {
        worker: {
          concurrentJobs: CONCURRENCY,
          pollInterval: pollMs,
          localQueue: { size: CONCURRENCY },
          // Without these, a connection that breaks while a job's outcome is recorded ends the process.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    })
  }

  const queue = await keepRunning(start, deps.log).catch(async (error) => {
    await close()
    throw error
  })
  const workers = watchWorkers({
    connectionString,
    own: { workerId, jobIds: () => (hasOutcomesLeft() ? null : jobIds()) },
    releaseClaims: async (claimants) => {
      await releaseClaimsOf(jobDeps, claimants)
      await releaseFiles(jobDeps, claimants)
      await releaseCallsOf(jobDeps, claimants)
      await releaseReactionsOf(jobDeps, claimants)
      await releaseTurnsOf(jobDeps.db, claimants)
      await returnClaims(jobDeps.db, jobDeps.now(), { claimants, before: new Date(0) })
    },
    log: deps.log,
  })
  const claims = watchClaims(jobDeps)
  const dispatcher = await startDispatcher(jobDeps, { connectionString, pollMs })
  if (deps.isAiOff)
    for (const workspaceId of await listWorkspaceIds(deps.db)) await handOverAll(systemCtx(deps, workspaceId))
  const conductor = await startConductor(jobDeps, { connectionString, pollMs })
  const caller = await startCaller(jobDeps, { connectionString, pollMs })
  const thinker = await startThinker(jobDeps, { connectionString, pollMs })
  const held = startHeldSender(deps, { pollMs })
  const relay = startRelay(deps, {
    connectionString,
    pollMs,
    onNumbered: (trx, rows) =>
      fanOut(trx, rows, { now: deps.now(), ctxOf: (workspaceId) => systemCtx(deps, workspaceId) }),
    onSettled: async (trx, events) => {
      await addNotificationInputs(trx, events)
      await markReplies(trx, events)
    },
  })
  const webhooks = await startWebhookSender(jobDeps, { connectionString, pollMs })
  const notifier = await startNotifier(jobDeps, { connectionString, pollMs })

  const stop = async (): Promise<void> => {
    isStopping = true
    await Promise.all(
      [held, conductor, dispatcher, caller, thinker, relay, webhooks, notifier, queue].map((part) =>
        part.stop(),
      ),
    )
    await claims.close()
    await close()
    await workers.close()
    for (const channel of Object.values(deps.channels)) channel.close?.()
  }
  let stopping: Promise<void> | undefined
  return {
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}

/** Starts the queue, and again whenever it stops by itself. Throws if it can't be started at first. */
const keepRunning = async (
  start: () => Promise<Runner>,
  log: JobDeps['log'],
): Promise<{ stop: () => Promise<void> }> => {
  let runner = await start()
  let isStopping = false
  const supervise = async (): Promise<void> => {
    for (let waitMs = RESTART_MIN_MS; !isStopping; ) {
      try {
        await runner.promise
      } catch (error) {
        log.error({ err: error }, 'the job queue stopped')
      }
      if (isStopping) return
      await delay(waitMs, undefined, { ref: false })
      try {
        if (!isStopping) runner = await start()
        waitMs = RESTART_MIN_MS
      } catch (error) {
        log.error({ err: error }, 'the job queue could not restart yet')
        waitMs = Math.min(waitMs * 2, RESTART_MAX_MS)
      }
    }
  }
  const supervising = supervise()
  return {
    stop: async () => {
      isStopping = true
      // A runner that stopped by itself throws when stopped.
      await runner.stop().catch(() => {})
      await supervising
    },
  }
}

const taskList = (deps: WorkerDeps): TaskList =>
  Object.fromEntries(
    Object.entries(TASKS).map(([name, task]) => [
      name,
      async (given: unknown, { job, withPgClient }: JobHelpers) => {
        const { [TRACE]: parent, ...payload } = given as Record<string, unknown>
        try {
          // The catalogue pairs each name with its payload; addJob keeps them consistent.
          await inSpan(`job ${name}`, jobSpan(parent, job.attempts), () => task(deps, payload as never))
        } catch (error) {
          if (isOutage(error)) await withPgClient((client) => client.query(forgetAttempts(job.id)))
          throw error
        }
      },
    ]),
  )

const jobSpan = (parent: unknown, attempt: number) => ({
  kind: 'consumer' as const,
  parent: typeof parent === 'string' ? parent : null,
  attributes: { 'foyer.attempt': attempt },
})

/** The delays between attempts grow. Jobs that failed because of the database must run soon after it is back. */
const forgetAttempts = (jobId: string) => ({
  name: 'foyer_outcome',
  text: 'update graphile_worker._private_jobs set attempts = 1 where id = $1',
  values: [jobId],
})

/** What the queue has fetched and not released, by its own account. */
const followOwnJobs = (events: WorkerEvents) => {
  const jobIds = new Set<string>()
  let workerId: string | null = null
  events.on('pool:create', ({ workerPool }) => {
    workerId = workerPool.id
    jobIds.clear()
  })
  events.on('localQueue:getJobs:complete', ({ jobs }) => {
    for (const { id } of jobs) jobIds.add(id)
  })
  events.on('localQueue:returnJobs', ({ jobs }) => {
    for (const { id } of jobs) jobIds.delete(id)
  })
  events.on('job:complete', ({ job }) => jobIds.delete(job.id))
  return { workerId: () => workerId, jobIds: () => [...jobIds] }
}

const cronItems = (): ParsedCronItem[] =>
  parseCronItems(
    Object.entries(CRON).map(([task, match]) => ({
      task,
      match,
      identifier: task,
      options: { jobKey: task, backfillPeriod: 0 },
    })),
  )

/** The queue logs every job at info level; for us that is debug. */
const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const

const toLogger = (log: JobDeps['log']): Logger =>
  new Logger(() => (level, message, meta) => {
    // Jobs wait for providers and not for the database, so fewer connections than jobs is intended.
    if (message.includes('maxPoolSize')) return
    const error = meta?.error
    // The queue tries again; while the database is away, that is no error of ours.
    const at = isOutage(error) ? 'warn' : LEVELS[level]
    log[at]({ ...(error !== undefined && { err: error }), part: 'jobs' }, message)
  })
