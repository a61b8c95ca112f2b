// What a provider tells later of messages that went out: sent, delivered, read, failed.
import { type Ctx, inTransaction } from '../../ctx.ts'
import { planByIndex } from '../../db/plan-by-index.ts'
import { settleRecipients } from '../broadcasts/settle-recipients.ts'
import { moveForward } from './message-status.ts'
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
  /** Our own id of the attempt to send it, where the provider hands that back. */
  attemptId: string | null
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
 * that brings the provider's id. What is said of an attempt that failed says nothing of the one that came after it.
 */
export const applyStatuses = (ctx: Ctx, reports: readonly ReportedStatus[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (reports.length === 0) return
    await planByIndex(ctx.db)
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
    const best = new Map<string, Reported>()
    const learnt = new Map<string, string>()
    for (const [index, { id, externalId, isPast }] of found) {
      if (isPast) continue
      const report = reports[index]!
      if (externalId === null) learnt.set(id, report.externalId)
      keepBest(best, id, report)
    }
    if (learnt.size > 0) await setExternalIds(ctx, learnt)
    await advanceAll(ctx, best)
  })

type Reported = Pick<ReportedStatus, 'status' | 'failure'>

const keepBest = (best: Map<string, Reported>, messageId: string, report: Reported): void => {
  const known = best.get(messageId)
  if (!known || RANKS[report.status] > RANKS[known.status]) best.set(messageId, report)
}

/** One statement for each kind of report; the recipients of broadcasts follow at the end, all together. */
const advanceAll = async (ctx: Ctx, best: ReadonlyMap<string, Reported>): Promise<void> => {
  const groups = Map.groupBy(best, ([, report]) => keyOf(report))
  const ofBroadcasts: string[] = []
  for (const [, members] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { status, failure } = members[0]![1]
    const ids = members.map(([id]) => id)
    const moved = await moveForward(
      ctx,
      ids,
      status,
      status === 'failed' ? (failure ?? UNEXPLAINED) : undefined,
    )
    ofBroadcasts.push(...moved.filter(({ isOfBroadcast }) => isOfBroadcast).map(({ id }) => id))
  }
  await settleRecipients(ctx, ofBroadcasts)
}

const UNEXPLAINED: DeliveryFailure = { code: 'UNKNOWN', message: 'The provider gave no reason.' }

type Sent = Pick<ReportedStatus, 'channelAccountId' | 'externalId'> & { messageId: string }

/** Applies what was reported of messages before their ids were known. In the transaction that stores the ids. */
export const applyParked = async (ctx: Ctx, sends: readonly Sent[]): Promise<void> =>
  (await takeReports(ctx, sends))()

/**
 * The same in two steps, for many: what is parked is taken, and with it the turn of whoever reports these ids, before
 * any message is locked (a report takes them in this order too). The returned function applies it.
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
