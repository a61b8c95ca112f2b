// Brings conversations back whose snooze has ended. What is due are rows, so nothing is lost with a process.
import { wakeConversation } from '../domain/conversations/snooze-conversation.ts'
import { listDueSnoozes } from '../domain/conversations/triage-queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { isOutage } from '../platform/db/failures.ts'
import type { JobDeps } from './deps.ts'

const FOUND_MAX = 100
const WOKEN_MAX = 10_000

export const wakeSnoozed = async (deps: JobDeps): Promise<void> => {
  const failed: string[] = []
  for (let woken = 0; woken < WOKEN_MAX; ) {
    const due = await listDueSnoozes(deps.db, { by: deps.now(), max: FOUND_MAX, after: failed })
    if (due.length === 0) return
    for (const { workspaceId, conversationId } of due) {
      if (deps.isStopping()) return
      try {
        await wakeConversation(systemCtx(deps, workspaceId), conversationId)
      } catch (error) {
        if (isOutage(error)) throw error
        deps.log.warn({ err: error, workspaceId, conversationId }, 'a conversation could not be woken')
        failed.push(conversationId)
      }
      woken += 1
    }
  }
}
