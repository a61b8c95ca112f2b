import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { endTurns } from '../recipients/recipient-queries.ts'
import { announce } from '../recipients/settle-recipients.ts'
import {
  cleanAuditLog,
  cleanDeliveries,
  cleanEvents,
  cleanFeed,
  cleanRecipients,
  deleteAnswers,
  deleteLeftovers,
  type KeyPlace,
  type Traces,
} from './trace-queries.ts'

const ERASED = { outcome: 'failed', code: 'CONTACT_ERASED', message: null } as const

/** Removes the copies in logs and queues, page by page. False if it was interrupted. */
export const cleanTraces = async (ctx: Ctx, traces: Traces, isStopping: () => boolean): Promise<boolean> => {
  for (
    let after: number | undefined = 0;
    after !== undefined;
    after = await cleanFeed(ctx, traces, { after })
  )
    if (isStopping()) return false
  for (
    let after: string | undefined = '';
    after !== undefined;
    after = await cleanDeliveries(ctx, traces, { after })
  )
    if (isStopping()) return false
  for (
    let after: KeyPlace | undefined = { operation: '', key: '' };
    after !== undefined;
    after = await deleteAnswers(ctx, traces, { after })
  )
    if (isStopping()) return false
  await cleanEvents(ctx, traces)
  await deleteLeftovers(ctx, traces)
  await cleanAuditLog(ctx, traces)
  await inTransaction(ctx, async (ctx) => {
    for (const broadcastId of await cleanRecipients(ctx, traces))
      await announce(ctx, await endTurns(ctx, broadcastId, traces.contactIds, ERASED))
  })
  return true
}
