// What a provider later reports about sent messages: sent, delivered, read, failed.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { planByIndex } from '../../platform/db/plan-by-index.ts'
import type { DeliveryFailure } from '../deliveries/move-messages.ts'
import { settleRecipients } from '../recipients/settle-recipients.ts'
import { moveAlong } from './message-status.ts'
import { applyParkedAlterations } from './parked-alterations.ts'
import { failReaction, reactionClaimOf } from './record-reaction.ts'
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
  /** Our own id of the attempt to send it, if the provider returns it. */
  attemptId: string | null
  status: 'sent' | 'delivered' | 'read' | 'failed'
  /** Given with failed. */
  failure: DeliveryFailure | null
}

/**
 * Of several reports for one message the highest rank applies, in whatever order they come: any sign of arrival
 * outranks a failure.
 */
const RANKS = { sent: 1, failed: 2, delivered: 3, read: 4 } satisfies Record<ReportedStatus['status'], number>

/** Different failures in one request; each is a separate statement. */
const keyOf = ({ status, failure }: Pick<ReportedStatus, 'status' | 'failure'>): string =>
  JSON.stringify([status, failure?.code, failure?.message])

/**
 * Applies reported statuses, matched by the provider's id or ours; steps back change nothing. Reports that match no
 * message are kept for a while: one may arrive before the response to the send itself, and is applied when that brings
 * the provider's id. A report about a failed attempt does not affect the attempt after it.
 */
export const applyStatuses = (ctx: Ctx, given: readonly ReportedStatus[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const reports = await takeReactionReports(ctx, given)
    if (reports.length === 0) return
    await planByIndex(ctx.db)
    const found = await findReported(ctx, reports)
    const unknown = reports.filter((_, index) => !found.has(index))
    if (unknown.length > 0) {
      // From here on nobody can store one of these ids without seeing what is parked.
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
    const best = new Map<string, Reported>()
    const identified = new Map<string, ReportedStatus>()
    for (const [index, { id, externalId, isPast }] of found) {
      if (isPast) continue
      const report = reports[index]!
      if (externalId === null) identified.set(id, report)
      keepBest(best, id, report)
    }
    if (identified.size > 0) {
      await setExternalIds(ctx, new Map([...identified].map(([id, { externalId }]) => [id, externalId])))
      await applyParkedAlterations(ctx, [...identified.values()])
    }
    await advanceAll(ctx, best)
  })

/** Those of reactions have our ids of the attempts. Only failures say anything new. Returns the others. */
const takeReactionReports = async (
  ctx: Ctx,
  reports: readonly ReportedStatus[],
): Promise<readonly ReportedStatus[]> => {
  const others: ReportedStatus[] = []
  for (const report of reports) {
    const claim = reactionClaimOf(report.attemptId)
    if (!claim) others.push(report)
    else if (report.status === 'failed') await failReaction(ctx, claim, report.failure ?? UNEXPLAINED)
  }
  return others
}

type Reported = Pick<ReportedStatus, 'status' | 'failure'>

const keepBest = (best: Map<string, Reported>, messageId: string, report: Reported): void => {
  const known = best.get(messageId)
  if (!known || RANKS[report.status] > RANKS[known.status]) best.set(messageId, report)
}

/** One statement for each kind of report; the recipients of broadcasts are updated at the end, all together. */
const advanceAll = async (ctx: Ctx, best: ReadonlyMap<string, Reported>): Promise<void> => {
  const groups = Map.groupBy(best, ([, report]) => keyOf(report))
  const ofBroadcasts: string[] = []
  for (const [, members] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { status, failure } = members[0]![1]
    const ids = members.map(([id]) => id)
    const moved = await moveAlong(
      ctx,
      ids,
      status,
      status === 'failed' ? (failure ?? UNEXPLAINED) : undefined,
    )
    ofBroadcasts.push(...moved.filter(({ isOfBroadcast }) => isOfBroadcast).map(({ id }) => id))
  }
  await settleRecipients(ctx, ofBroadcasts)
}

const UNEXPLAINED: DeliveryFailure = { code: 'UNKNOWN', message: 'No reason given.' }

type Sent = Pick<ReportedStatus, 'channelAccountId' | 'externalId'> & { messageId: string }

/**
 * Takes the statuses reported before the messages' ids were known, and locks these ids, before any message is locked
 * (reports lock in the same order). The returned function applies the statuses. Call in the transaction that stores the
 * ids.
 */
export const takeReports = async (ctx: Ctx, sends: readonly Sent[]): Promise<() => Promise<void>> => {
  const parked = sends.length > 0 ? await takeParked(ctx, sends) : []
  return async () => {
    if (parked.length === 0) return
    const placeOf = ({ channelAccountId, externalId }: Pick<Sent, 'channelAccountId' | 'externalId'>) =>
      `${channelAccountId}\n${externalId}`
    const messages = new Map(sends.map((send) => [placeOf(send), send.messageId]))
    const best = new Map<string, Reported>()
    for (const report of parked) keepBest(best, messages.get(placeOf(report))!, report)
    await advanceAll(ctx, best)
  }
}
