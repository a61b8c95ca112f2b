// Deletes what is only kept for a while: events (live streams resume from them), the feed, responses stored for
// Idempotency-Keys, leftovers of webhooks that can't be stored, calls of actions, turns of the AI agent and
// what they sent to a model, the audit log, and web chat visitors who never wrote.
import { sql } from 'kysely'
import { deleteOldCodes } from '../domain/accounts/code-queries.ts'
import { deleteOldStates } from '../domain/accounts/oidc/queries.ts'
import { deleteExpiredChallenges } from '../domain/accounts/passkeys/challenge-queries.ts'
import { deleteExpiredPending } from '../domain/accounts/pending-queries.ts'
import { deleteOldSessions } from '../domain/accounts/session-queries.ts'
import { sessionBounds } from '../domain/accounts/session-time.ts'
import { deleteOldCalls } from '../domain/actions/call-queries.ts'
import { USAGE_KEPT_MS } from '../domain/ai/budgets/limits.ts'
import { deleteOldUsage } from '../domain/ai/budgets/queries.ts'
import { deleteOldDrafts } from '../domain/ai/drafts/queries.ts'
import { deleteOldRequests } from '../domain/ai/turn-log-queries.ts'
import { deleteOldTurns } from '../domain/ai/turn-queries.ts'
import { deleteOldEntries } from '../domain/audit/queries.ts'
import { deleteOldChatMails } from '../domain/chat-emails/mail-queries.ts'
import { ERASED_KEPT_MS } from '../domain/erasures/erased-identities.ts'
import { deleteOldIdentities } from '../domain/erasures/queries.ts'
import { SWEPT_MAX, sweepFeed } from '../domain/feed/queries.ts'
import { deleteOldSteps } from '../domain/flow-runs/due-queries.ts'
import { deleteOldIdentityCodes } from '../domain/identity-codes/queries.ts'
import { takeExpiredAlterations } from '../domain/messages/parked-alteration-queries.ts'
import { deleteParked } from '../domain/messages/status-queries.ts'
import { deleteOldNotifications } from '../domain/notifications/decide-queries.ts'
import { deleteOldMerges, UNDO_WITHIN_MS } from '../domain/people/merge-record-queries.ts'
import { deleteOldVisitorFiles } from '../domain/visitors/file-queries.ts'
import { deleteSilentVisitors } from '../domain/visitors/queries.ts'
import { deleteLeftovers, insertLeftovers, leftoverOf } from '../inbound/leftovers/queries.ts'
import { IDEMPOTENCY_KEPT_MS } from '../platform/http/idempotency.ts'
import type { JobDeps } from './deps.ts'

/** What runs of flows did, step by step. */
export const FLOW_STEPS_KEPT_MS = 90 * 24 * 3_600_000
const EVENTS_KEPT_MS = 24 * 3_600_000
const DAY_MS = 24 * 3_600_000
const FEED_KEPT_DAYS = 30
export const SILENT_VISITORS_KEPT_MS = 30 * 24 * 3_600_000
/** A status that arrived before the response to its send waits seconds for it; a retried send, minutes. */
export const PARKED_KEPT_MS = 24 * 3_600_000
/** Webhook items we didn't understand, once an admin has seen them: long enough to look into a complaint. */
export const LEFTOVERS_KEPT_MS = 90 * 24 * 3_600_000
/** The same if nobody has ever seen them. */
export const UNSEEN_LEFTOVERS_KEPT_MS = 365 * 24 * 3_600_000
/** As long as the steps of runs. */
const CALLS_KEPT_MS = 90 * 24 * 3_600_000
/** What the AI agent was asked and found. */
export const TURNS_KEPT_MS = 90 * 24 * 3_600_000
export const AUDIT_KEPT_MS = 400 * 24 * 3_600_000
/** As long as they count towards the limit of sign-in codes. */
const SIGN_IN_CODES_KEPT_MS = 24 * 3_600_000
/** Longer than a sign-in through an identity provider may take. */
const OIDC_STATES_KEPT_MS = 3_600_000
/** As long as what was said is shown to models, in which used ones are hidden. */
const IDENTITY_CODES_KEPT_MS = 30 * 24 * 3_600_000
/** As long as somebody may answer one of the emails about a chat, or follow its link. */
const CHAT_MAILS_KEPT_MS = 400 * 24 * 3_600_000
/** Longer than any of them waits for an email. */
const NOTIFICATIONS_KEPT_MS = 30 * 24 * 3_600_000
/** Small batches, so that no lock is held long; the next run handles the rest. */
const BATCH = 5_000
const BATCHES_MAX = 2_000

type SweepDeps = Pick<JobDeps, 'db' | 'now' | 'isStopping' | 'eventsKeptDays'>

export const sweepOldRows = async (deps: SweepDeps): Promise<void> => {
  const { db } = deps
  const cutoff = (keptMs: number) => new Date(deps.now().getTime() - keptMs)
  await inBatches(deps, async () => {
    const { numAffectedRows } = await sql`
      delete from events where (tx, id) in (
        select tx, id from events where created_at < ${cutoff(EVENTS_KEPT_MS)} order by created_at limit ${BATCH})`.execute(
      db,
    )
    return Number(numAffectedRows ?? 0)
  })
  await inBatches(deps, async () => {
    const { numAffectedRows } = await sql`
      delete from idempotency_keys where (workspace_id, operation, key) in (
        select workspace_id, operation, key from idempotency_keys
        where created_at < ${cutoff(IDEMPOTENCY_KEPT_MS)} order by created_at limit ${BATCH})`.execute(db)
    return Number(numAffectedRows ?? 0)
  })
  const feedCutoff = cutoff((deps.eventsKeptDays ?? FEED_KEPT_DAYS) * DAY_MS)
  await inBatches(deps, () => sweepFeed(db, feedCutoff), SWEPT_MAX)
  await inBatches(deps, () => deleteOldSteps(db, cutoff(FLOW_STEPS_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteParked(db, cutoff(PARKED_KEPT_MS), BATCH))
  await inBatches(deps, () => dropAlterations(deps, cutoff(PARKED_KEPT_MS)))
  const leftovers = {
    shownBefore: cutoff(LEFTOVERS_KEPT_MS),
    createdBefore: cutoff(UNSEEN_LEFTOVERS_KEPT_MS),
  }
  await inBatches(deps, () => deleteLeftovers(db, leftovers, BATCH))
  await inBatches(deps, () => deleteOldCalls(db, cutoff(CALLS_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldRequests(db, cutoff(0), BATCH))
  await inBatches(deps, () => deleteOldTurns(db, cutoff(TURNS_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldDrafts(db, cutoff(TURNS_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldUsage(db, cutoff(USAGE_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldCodes(db, cutoff(SIGN_IN_CODES_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldStates(db, cutoff(OIDC_STATES_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteExpiredPending(db, deps.now(), BATCH))
  await inBatches(deps, () => deleteExpiredChallenges(db, deps.now(), BATCH))
  await inBatches(deps, () => deleteOldIdentityCodes(db, cutoff(IDENTITY_CODES_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldChatMails(db, cutoff(CHAT_MAILS_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldVisitorFiles(db, cutoff(2 * DAY_MS), BATCH))
  await inBatches(deps, () => deleteOldSessions(db, sessionBounds(deps.now()), BATCH))
  await inBatches(deps, () => deleteOldMerges(db, cutoff(UNDO_WITHIN_MS), BATCH))
  await inBatches(deps, () => deleteOldEntries(db, cutoff(AUDIT_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldIdentities(db, cutoff(ERASED_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldNotifications(db, cutoff(NOTIFICATIONS_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteSilentVisitors(db, cutoff(SILENT_VISITORS_KEPT_MS), BATCH))
}

/** Without its message, a reaction or deletion is useless; an edit contains the customer's text. */
const dropAlterations = ({ db, now }: SweepDeps, before: Date): Promise<number> =>
  db.transaction().execute(async (db) => {
    const expired = await takeExpiredAlterations(db, before, BATCH)
    for (const { workspaceId, alteration } of expired)
      if (alteration.is === 'edit')
        await insertLeftovers({ db, workspaceId, now }, [
          leftoverOf(alteration.channelAccountId, 'edit', JSON.stringify(alteration)),
        ])
    return expired.length
  })

const inBatches = async (
  { isStopping }: SweepDeps,
  deleteBatch: () => Promise<number>,
  batchMax = BATCH,
): Promise<void> => {
  for (let batch = 0; batch < BATCHES_MAX && !isStopping(); batch++)
    if ((await deleteBatch()) < batchMax) return
}
