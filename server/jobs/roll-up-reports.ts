// Stores what reports count, once a day is over and again when it changed. What is due follows from rows, so nothing is
// lost with a process. One process at a time does it; the workspaces take turns, so that a long history does not hold up the others.
import { countWaits } from '../domain/conversations/count-waits.ts'
import { rollUpWorkspace, SETTLE_MS } from '../domain/reports/roll-up.ts'
import { listDueBroadcasts, listDueWorkspaces, rollUpBroadcast } from '../domain/reports/roll-up-queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { openLeases } from '../platform/db/leases.ts'
import type { JobDeps } from './deps.ts'

const WORKSPACES_MAX = 1_000
const BROADCASTS_MAX = 50
const WAITS_MAX = 2_000
/** A run of the job; the next begins where it stopped. */
const RUN_MS = 45_000
const EMPTY_AGAIN_MS = 10 * 60_000

const LEASE = 'reports'

type RollUpDeps = JobDeps & { connectionString: string }

export const rollUpReports = async (deps: RollUpDeps): Promise<void> => {
  const leases = await openLeases(deps.connectionString)
  try {
    if (await leases.take(LEASE)) await rollUpAll(deps, leases.lost)
  } finally {
    await leases.close()
  }
}

const rollUpAll = async (deps: RollUpDeps, lost: AbortSignal): Promise<void> => {
  const { db, log, now, isStopping } = deps
  const started = now()
  const isOver = () => isStopping() || lost.aborted || now().getTime() - started.getTime() >= RUN_MS
  // Before the days on which they ended are stored.
  while (!isOver() && (await countWaits(deps, WAITS_MAX)) === WAITS_MAX);
  let due = await listDueWorkspaces(db, {
    settledAt: new Date(started.getTime() - SETTLE_MS),
    emptyBefore: new Date(started.getTime() - EMPTY_AGAIN_MS),
    max: WORKSPACES_MAX,
  })
  while (due.length > 0) {
    const left: string[] = []
    for (const workspaceId of due) {
      if (isOver()) return
      try {
        if (await rollUpSome(systemCtx(deps, workspaceId))) left.push(workspaceId)
      } catch (error) {
        log.error({ err: error, workspaceId }, 'reports could not be stored')
      }
    }
    due = left
  }
  for (const { workspaceId, broadcastId } of await listDueBroadcasts(db, {
    now: started,
    max: BROADCASTS_MAX,
  })) {
    if (isOver()) return
    await rollUpBroadcast(systemCtx(deps, workspaceId), broadcastId)
  }
}

/** Where several days take longer than a statement may, a day alone. */
const rollUpSome = async (ctx: Ctx): Promise<boolean> => {
  try {
    return await rollUpWorkspace(ctx)
  } catch (error) {
    ctx.log.warn({ err: error, workspaceId: ctx.workspaceId }, 'days of reports are stored one by one')
    return rollUpWorkspace(ctx, { batchDays: 1 })
  }
}
