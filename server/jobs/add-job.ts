import { sql } from 'kysely'
import type { Ctx } from '../ctx.ts'
import type { JobName, JobPayloads } from './catalogue.ts'

const ATTEMPTS_MAX = 25

type JobOptions = { runAt?: Date }

/** One job of a kind waits for each of these; another request for it moves the waiting one. */
const keyOf = (name: JobName, payload: JobPayloads[JobName]): string =>
  'conversationId' in payload
    ? `${name}:${payload.conversationId}`
    : 'attachmentId' in payload
      ? `${name}:${payload.attachmentId}`
      : 'browserHash' in payload
        ? `${name}:${payload.browserHash}`
        : 'broadcastId' in payload
          ? `${name}:${payload.broadcastId}:${'channelAccountId' in payload ? payload.channelAccountId : ''}`
          : 'externalId' in payload
            ? `${name}:${payload.channelAccountId}:${payload.externalId}`
            : name

/**
 * Jobs of one queue run one after another. Those that nobody waits for do, for each account: however many there are, with
 * a provider that hangs, they take one of the places that deliveries need and not all.
 */
const queueOf = (name: JobName, payload: JobPayloads[JobName]): string | null =>
  (name === 'fetch_profile' || name === 'mark_read') && 'channelAccountId' in payload
    ? `${name}:${payload.channelAccountId}`
    : null

/**
 * Adds a job in the caller's transaction: it is there when that commits, and never was when it does not. A job of the
 * same key that waits is replaced; one that runs already is let finish, and this one runs after it.
 */
export const addJob = async <N extends JobName>(
  { db }: Pick<Ctx, 'db'>,
  name: N,
  payload: JobPayloads[N],
  { runAt }: JobOptions = {},
): Promise<void> => {
  await sql`select graphile_worker.add_job(
    ${name}, payload => ${JSON.stringify(payload)}::json, run_at => ${runAt ?? null}::timestamptz,
    max_attempts => ${ATTEMPTS_MAX}::int, job_key => ${keyOf(name, payload)},
    queue_name => ${queueOf(name, payload)})`.execute(db)
}

/** The same for many jobs of a kind, which start at once: one statement, whatever their number. */
export const addJobs = async <N extends JobName>(
  { db }: Pick<Ctx, 'db'>,
  name: N,
  payloads: readonly JobPayloads[N][],
): Promise<void> => {
  if (payloads.length === 0) return
  const jobs = payloads.map((payload) => ({
    key: keyOf(name, payload),
    queue: queueOf(name, payload),
    payload,
  }))
  await sql`select count(graphile_worker.add_job(
      ${name}, payload => j.payload, max_attempts => ${ATTEMPTS_MAX}::int, job_key => j.key,
      queue_name => j.queue))
    from json_to_recordset(${JSON.stringify(jobs)}::json) as j (key text, queue text, payload json)`.execute(
    db,
  )
}
