// Handles what a process left behind: claims whose worker died, messages that were never confirmed, and broadcasts
// that no worker is processing. Runs every minute and when a worker starts, on any number of processes at once.
import { listStalled } from '../domain/broadcasts/queries.ts'
import {
  type Abandoned,
  claimAgain,
  findOldestClaim,
  listAbandoned,
  listClaimsOf,
  listLate,
  listUnconfirmed,
  settleReported,
} from '../domain/deliveries/delivery-queries.ts'
import { advanceStatus } from '../domain/messages/message-status.ts'
import { listAwaited } from '../domain/messages/parked-alteration-queries.ts'
import { applyParkedAlterations } from '../domain/messages/parked-alterations.ts'
import { recordOutcomes } from '../domain/messages/record-outcomes.ts'
import { listBehind, listEnded } from '../domain/recipients/recount-queries.ts'
import { recountBroadcast, settleRecipients } from '../domain/recipients/settle-recipients.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import { SILENT_PROBLEM } from './account-circuit.ts'
import { claimThrough, releaseClaim } from './claims-in-hand.ts'
import type { JobDeps } from './deps.ts'
import { endClaim } from './end-claim.ts'
import { wakeReactions } from './send-reaction.ts'

const ROWS_MAX = 1_000
/** Messages queued behind a silent provider are not tried, so they are given up here, an hour later than others. */
const LATE_MARGIN_MS = 3_600_000

export const sweepDeliveries = async (
  deps: JobDeps,
  { isStart = false }: JobPayloads['sweep_deliveries'],
): Promise<void> => {
  await releaseAbandoned(deps)
  await settleRecipientsOfReported(deps)
  await giveUpUnconfirmed(deps)
  await applyAwaited(deps)
  await giveUpLate(deps)
  await wakeReactions(deps)
  await wakeBroadcasts(deps, isStart)
}

const before = (deps: JobDeps, ms: number): Date => new Date(deps.now().getTime() - ms)

const releaseAbandoned = async (deps: JobDeps): Promise<void> => {
  const { db, timing } = deps
  const lifetimeMs = timing.sendTimeoutMs + timing.claimMarginMs
  for (const row of await listAbandoned(db, before(deps, lifetimeMs), ROWS_MAX)) await release(deps, row)
  // Claims that are not old enough yet may turn out to be abandoned too: check again just then.
  const oldest = await findOldestClaim(db)
  if (oldest)
    await addJob(deps, 'sweep_deliveries', {}, { runAt: new Date(oldest.getTime() + lifetimeMs + 100) })
}

/** Releases what processes that died were sending, without waiting for the claims to expire. */
export const releaseClaimsOf = async (deps: JobDeps, claimants: readonly string[]): Promise<void> => {
  for (;;) {
    const rows = await listClaimsOf(deps.db, claimants, ROWS_MAX)
    for (const row of rows) await release(deps, row)
    if (rows.length < ROWS_MAX) return
  }
}

const release = async (deps: JobDeps, row: Abandoned): Promise<void> => {
  const ctx = systemCtx(deps, row.workspaceId)
  const failure = {
    code: 'WORKER_LOST',
    message: 'The process that sent it stopped before the outcome was known.',
  }
  await endClaim(
    ctx,
    row,
    ctx.channels[row.channel].isResendHarmless
      ? { state: 'pending', notBefore: ctx.now(), failure }
      : { state: 'unconfirmed', failure },
  )
}

/** Reports also settle the recipients of broadcasts, even if a process died between the two. */
const settleRecipientsOfReported = async (deps: JobDeps): Promise<void> => {
  const reported = await settleReported(deps.db, deps.now(), ROWS_MAX)
  const behind = await listBehind(deps.db, ROWS_MAX)
  for (const [workspaceId, rows] of Map.groupBy([...reported, ...behind], (row) => row.workspaceId)) {
    const ids = [...new Set(rows.map(({ messageId }) => messageId))]
    await settleRecipients(systemCtx(deps, workspaceId), ids)
  }
  for (const { workspaceId, broadcastId } of await listEnded(deps.db, ROWS_MAX))
    await recountBroadcast(systemCtx(deps, workspaceId), broadcastId)
}

/** Reports put aside at the very moment their message was stored. */
const applyAwaited = async (deps: JobDeps): Promise<void> => {
  const awaited = await listAwaited(deps.db, ROWS_MAX)
  for (const [workspaceId, messages] of Map.groupBy(awaited, (row) => row.workspaceId))
    await applyParkedAlterations(systemCtx(deps, workspaceId), messages)
}

const giveUpUnconfirmed = async (deps: JobDeps): Promise<void> => {
  const rows = await listUnconfirmed(deps.db, before(deps, deps.timing.unconfirmedAfterMs), ROWS_MAX)
  for (const [workspaceId, messages] of Map.groupBy(rows, (row) => row.workspaceId))
    await advanceStatus(
      systemCtx(deps, workspaceId),
      messages.map(({ messageId }) => messageId),
      'failed',
      {
        code: 'DELIVERY_UNCONFIRMED',
        message: 'Delivery could not be confirmed. The message may have arrived and was not sent again.',
      },
    )
}

const giveUpLate = async (deps: JobDeps): Promise<void> => {
  const { givenUpAfterMs } = deps.timing
  const late = await listLate(deps.db, before(deps, givenUpAfterMs + LATE_MARGIN_MS), ROWS_MAX)
  for (const { workspaceId, messageId } of late) {
    const ctx = systemCtx(deps, workspaceId)
    const claims = await claimThrough(
      () => claimAgain(ctx, [messageId]),
      (claims) => claims,
    )
    for (const claim of claims)
      try {
        await recordOutcomes(ctx, [
          {
            claim,
            outcome: {
              is: 'refused',
              code: SILENT_PROBLEM.code,
              message: 'The provider didn’t respond for a day, so the message was not sent.',
            },
          },
        ])
      } finally {
        releaseClaim(claim)
      }
  }
}

/**
 * Restarts broadcasts that no worker is processing. A starting worker may be replacing one that was killed, whose
 * jobs stay locked for hours. Two workers on one part share its recipients, so an extra one does no harm.
 */
const wakeBroadcasts = async (deps: JobDeps, isStart: boolean): Promise<void> => {
  const workedBefore = before(deps, isStart ? 0 : deps.timing.overdueAfterMs)
  for (const part of await listStalled(deps.db, { workedBefore, now: deps.now() }, ROWS_MAX))
    await addJob(deps, 'run_broadcast', part)
}
