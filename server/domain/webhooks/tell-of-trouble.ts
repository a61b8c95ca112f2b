// Endpoints that have been failing for a while, or were disabled: an event for programs, and a mail to admins. An event
// about an endpoint is never sent to it (matching.ts), and there are few: one for each warning, and one at the end. So
// two endpoints that both fail don't go on telling of each other.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import { record } from '../../platform/events/record.ts'
import { addJob } from '../../platform/queue/add-job.ts'

export type Trouble = {
  workspaceId: string
  endpointId: string
  /** Since when every request has failed. */
  since: string | null
  /** Why it was disabled, or what the last request got. */
  reason: string
  /** How many warnings there were of this failure; null if it was disabled. */
  warnings: number | null
}

export type CtxOf = (workspaceId: string) => Ctx

/**
 * In the transaction that finds it out; returns what to call after the commit. One statement for each workspace, and
 * one for the mails.
 */
export const tellOfTrouble = async (
  trx: Db,
  troubles: readonly Trouble[],
  ctxOf: CtxOf,
): Promise<() => void> => {
  const afterCommit = new Set<() => void>()
  for (const [workspaceId, list] of Map.groupBy(troubles, (trouble) => trouble.workspaceId))
    await record(
      { ...ctxOf(workspaceId), db: trx, afterCommit },
      list.map(({ endpointId, since, reason, warnings }) => ({
        type: warnings === null ? 'webhook_endpoint.disabled' : 'webhook_endpoint.failing',
        data: { endpointId, since, reason },
      })),
    )
  await addJob(
    { db: trx },
    'warn_of_webhook',
    troubles.map(({ workspaceId, endpointId, reason, warnings }) => ({
      workspaceId,
      endpointId,
      warning: warnings === null ? reason : String(warnings),
    })),
  )
  return () => {
    for (const callback of afterCommit) callback()
  }
}
