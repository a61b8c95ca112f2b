// Closes and deletes old conversations, once a day for each channel account. Runs every hour, so that what one run leaves is not left
// for a day. The accounts take turns, so that a large one does not hold up the others.
import { applyRule } from '../domain/retention/apply-rule.ts'
import { listDueRules } from '../domain/retention/queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobDeps } from './deps.ts'

const RULES_MAX = 10_000
/** No turn begins later than this. */
const RUN_MS = 20 * 60_000

export const applyRetention = async (deps: JobDeps): Promise<void> => {
  const { db, log, now, isStopping } = deps
  const endsAt = now().getTime() + RUN_MS
  let due = await listDueRules(db, now(), RULES_MAX)
  while (due.length > 0) {
    const left: typeof due = []
    for (const rule of due) {
      if (isStopping() || now().getTime() >= endsAt) return
      const ctx = systemCtx(deps, rule.workspaceId)
      try {
        if (!(await applyRule(ctx, rule.channelAccountId, { isStopping }))) left.push(rule)
      } catch (error) {
        // Tried again in an hour; the others go on.
        log.error({ err: error, ...rule }, 'a retention rule could not be applied')
      }
    }
    due = left
  }
}
