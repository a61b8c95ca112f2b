// What a provider tells later of messages that went out: sent, delivered, read, failed.
import { type Ctx, inTransaction } from '../../ctx.ts'
import { advanceStatus } from './message-status.ts'
import type { DeliveryFailure } from './queries.ts'
import {
  findReported,
  insertParked,
  lockReports,
  type ParkedStatus,
  setExternalIds,
  takeParked,
} from './status-queries.ts'

export type ReportedStatus = {
  channelAccountId: string
  externalId: string
  /** Our own id, where the provider hands it back. */
  messageId: string | null
  status: 'sent' | 'delivered' | 'read' | 'failed'
  /** Given with failed. */
  failure: DeliveryFailure | null
}

/** Of several reports of one message the highest counts, whatever their order: a failure yields to what arrived. */
const RANKS = { sent: 1, failed: 2, delivered: 3, read: 4 } satisfies Record<ReportedStatus['status'], number>

/** Failures of different kinds in one request; each is a statement of its own. */
const keyOf = ({ status, failure }: Pick<ReportedStatus, 'status' | 'failure'>): string =>
  JSON.stringify([status, failure?.code, failure?.message])

/**
 * Moves messages to what was reported of them, by the provider's id or by ours; steps back change nothing. What names
 * no message of ours is kept for a while: a report may come before the answer to the send itself, and is applied when
 * that brings the provider's id.
 */
export const applyStatuses = (ctx: Ctx, reports: readonly ReportedStatus[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (reports.length === 0) return
    const found = await findReported(ctx, reports)
    const unknown = reports.filter((_, index) => !found.has(index))
    if (unknown.length > 0) {
      // From here on nobody can learn the id of one of these without seeing what is parked.
      await lockReports(ctx, unknown)
      const meanwhile = await findReported(ctx, unknown)
      const parked: ParkedStatus[] = []
      for (const [index, report] of unknown.entries()) {
        const match = meanwhile.get(index)
        if (match) found.set(reports.indexOf(report), match)
        else parked.push(report)
      }
      await insertParked(ctx, parked)
    }
    const best = new Map<string, ReportedStatus>()
    const learnt = new Map<string, string>()
    for (const [index, { id, externalId }] of found) {
      const report = reports[index]!
      if (externalId === null) learnt.set(id, report.externalId)
      const known = best.get(id)
      if (!known || RANKS[report.status] > RANKS[known.status]) best.set(id, report)
    }
    if (learnt.size > 0) await setExternalIds(ctx, learnt)
    const groups = Map.groupBy(best, ([, report]) => keyOf(report))
    for (const [, members] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { status, failure } = members[0]![1]
      await advanceStatus(
        ctx,
        members.map(([id]) => id),
        status,
        status === 'failed' ? (failure ?? UNEXPLAINED) : undefined,
      )
    }
  })

const UNEXPLAINED: DeliveryFailure = { code: 'UNKNOWN', message: 'The provider gave no reason.' }

/** Applies what was reported of a message before its id was known. In the transaction that stores the id, before it. */
export const applyParked = async (
  ctx: Ctx,
  {
    messageId,
    channelAccountId,
    externalId,
  }: Pick<ReportedStatus, 'channelAccountId' | 'externalId'> & {
    messageId: string
  },
): Promise<void> => {
  const parked = await takeParked(ctx, { channelAccountId, externalId })
  const [last] = parked.sort((a, b) => RANKS[b.status] - RANKS[a.status])
  if (!last) return
  const failure = last.status === 'failed' ? (last.failure ?? UNEXPLAINED) : undefined
  await advanceStatus(ctx, [messageId], last.status, failure)
}
