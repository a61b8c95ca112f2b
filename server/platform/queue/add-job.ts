import { sql } from 'kysely'
import type { Ctx } from '../ctx/ctx.ts'
import { traceparent } from '../tracing.ts'
import type { JobName, JobPayloads } from './catalogue.ts'

const ATTEMPTS_MAX = 25

/** Where a payload has the trace that the job belongs to, if traces are on. */
export const TRACE = 'traceparent'

type JobOptions = { runAt?: Date }

/** One job of a kind waits for each of these; another request for it reschedules the waiting one. */
const keyOf = (name: JobName, payload: JobPayloads[JobName]): string =>
  'conversationId' in payload
    ? `${name}:${payload.conversationId}`
    : 'sourceId' in payload
      ? `${name}:${payload.sourceId}`
      : 'runId' in payload
        ? `${name}:${payload.runId}`
        : 'attachmentId' in payload
          ? `${name}:${payload.attachmentId}`
          : 'browserHash' in payload
            ? `${name}:${payload.browserHash}`
            : 'broadcastId' in payload
              ? `${name}:${payload.broadcastId}:${'channelAccountId' in payload ? payload.channelAccountId : ''}`
              : 'reactedId' in payload
                ? `${name}:${payload.reactedId}`
                : 'externalId' in payload
                  ? `${name}:${payload.channelAccountId}:${payload.externalId}`
                  : 'channelAccountId' in payload
                    ? `${name}:${payload.channelAccountId}`
                    : 'codeId' in payload
                      ? `${name}:${payload.codeId}`
                      : 'period' in payload
                        ? `${name}:${payload.workspaceId}:${payload.period}`
                        : 'warning' in payload
                          ? `${name}:${payload.endpointId}:${payload.warning}`
                          : 'exportId' in payload
                            ? `${name}:${payload.exportId}`
                            : 'erasureId' in payload
                              ? `${name}:${payload.erasureId}`
                              : 'noticeId' in payload
                                ? `${name}:${payload.noticeId}`
                                : 'teamsOf' in payload
                                  ? `${name}:${payload.teamsOf}`
                                  : 'mailId' in payload
                                    ? `${name}:${payload.mailId}`
                                    : name

/**
 * Jobs of one queue run one after another. Background jobs do so per account: however many there are, and even if the
 * provider hangs, they take only one of the slots that deliveries need. A website has one reader, and a run of tests one player.
 * Exports keep a snapshot open and read everything, so there is one at a time; erasures read all of a workspace's log.
 */
const queueOf = (name: JobName, payload: JobPayloads[JobName]): string | null =>
  'sourceId' in payload
    ? `${name}:${payload.sourceId}`
    : 'runId' in payload
      ? `${name}:${payload.runId}`
      : (name === 'fetch_profile' || name === 'mark_read') && 'channelAccountId' in payload
        ? `${name}:${payload.channelAccountId}`
        : name === 'run_export' || name === 'erase_contact'
          ? name
          : null

/**
 * Adds a job in the caller's transaction, or many of a kind in one statement: they exist only if it commits. A
 * waiting job with the same key is replaced; a running one is allowed to finish, and this one runs after it.
 */
export const addJob = async <N extends JobName>(
  { db }: Pick<Ctx, 'db'>,
  name: N,
  payloads: JobPayloads[N] | readonly JobPayloads[N][],
  { runAt }: JobOptions = {},
): Promise<void> => {
  const trace = traceparent()
  const jobs = (isList(payloads) ? payloads : [payloads]).map((payload) => ({
    key: keyOf(name, payload),
    queue: queueOf(name, payload),
    payload: trace === null ? payload : { ...payload, [TRACE]: trace },
  }))
  if (jobs.length === 0) return
  await sql`select count(graphile_worker.add_job(
      ${name}, payload => j.payload, run_at => ${runAt ?? null}::timestamptz, max_attempts => ${ATTEMPTS_MAX}::int,
      job_key => j.key, queue_name => j.queue))
    from json_to_recordset(${JSON.stringify(jobs)}::json) as j (key text, queue text, payload json)`.execute(
    db,
  )
}

const isList = <P extends object>(payloads: P | readonly P[]): payloads is readonly P[] =>
  Array.isArray(payloads)
