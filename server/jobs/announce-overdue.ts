// Says which customers should have been answered by now. What is due are rows, so nothing is lost with a process.
import { announceOverdue, listDueWaits } from '../domain/conversations/waits.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { isOutage } from '../platform/db/failures.ts'
import type { JobDeps } from './deps.ts'

const FOUND_MAX = 100
const ANNOUNCED_MAX = 10_000

export const announceOverdueAnswers = async (deps: JobDeps): Promise<void> => {
  const failed: string[] = []
  for (let announced = 0; announced < ANNOUNCED_MAX; ) {
    const due = await listDueWaits(deps.db, { by: deps.now(), max: FOUND_MAX, after: failed })
    if (due.length === 0) return
    for (const { workspaceId, conversationId, waitId } of due) {
      if (deps.isStopping()) return
      try {
        await announceOverdue(systemCtx(deps, workspaceId), { conversationId, waitId })
      } catch (error) {
        if (isOutage(error)) throw error
        deps.log.warn({ err: error, workspaceId, conversationId }, 'an overdue answer could not be announced')
        failed.push(waitId)
      }
      announced += 1
    }
  }
}
