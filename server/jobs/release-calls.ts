// Calls of actions whose process died or lost its claim. Whether the request was made is unknown then: it is made again
// only if that does no harm, and otherwise the run goes on with the outcome `unknown`.
import {
  type AbandonedCall,
  type CallRef,
  listAbandonedCalls,
  listCallsOf,
  postponeCall,
} from '../domain/actions/call-queries.ts'
import { finishCall } from '../domain/actions/finish-call.ts'
import { findAction } from '../domain/actions/queries.ts'
import { TIMEOUT_MAX_MS } from '../domain/actions/schema.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { CLAIMANT } from '../platform/db/claimant.ts'
import type { JobDeps } from './deps.ts'

const ROWS_MAX = 1_000
/** Beyond the time limit of any call, for recording its outcome. */
const LEASE_MS = TIMEOUT_MAX_MS + 20_000

/**
 * What this process has claimed: calls that run, and those whose outcome could not be recorded. A claim in its name that
 * isn't here was lost on its way, so no request was made.
 */
const held = new Map<string, 'running' | 'unrecorded'>()
const keyOf = ({ id, tries }: CallRef): string => `${id} ${tries}`

export const holdCall = (call: CallRef): void => {
  held.set(keyOf(call), 'running')
}
/** Its outcome is recorded, or no request was made. */
export const dropCall = (call: CallRef): void => {
  held.delete(keyOf(call))
}
export const leaveCall = (call: CallRef): void => {
  held.set(keyOf(call), 'unrecorded')
}

/** Releases what processes that died were calling. */
export const releaseCallsOf = async (deps: JobDeps, claimants: readonly string[]): Promise<void> => {
  for (;;) {
    const rows = await listCallsOf(deps.db, claimants, ROWS_MAX)
    for (const row of rows) await release(deps, row)
    if (rows.length < ROWS_MAX) return
  }
}

/** Releases what was claimed too long ago, by this process or another. */
export const releaseAbandonedCalls = async (deps: JobDeps): Promise<void> => {
  const rows = await listAbandonedCalls(deps.db, new Date(deps.now().getTime() - LEASE_MS), ROWS_MAX)
  for (const row of rows) if (held.get(keyOf(row)) !== 'running') await release(deps, row)
}

const release = async (deps: JobDeps, call: AbandonedCall): Promise<void> => {
  const ctx = systemCtx(deps, call.workspaceId)
  const wasLost = call.claimedBy === CLAIMANT && !held.has(keyOf(call))
  const isRepeatable = wasLost || (await findAction(ctx, call.actionId))?.isRepeatable
  if (isRepeatable) await postponeCall(ctx, call, ctx.now())
  else
    await finishCall(ctx, call, {
      outcome: 'unknown',
      status: null,
      kept: null,
      problem: {
        code: 'WORKER_LOST',
        message:
          'The process that made the call stopped before the response was recorded. It was not repeated.',
      },
    })
}
