// Takes up what a process left behind: claims whose worker died, due deliveries without a job, messages that were never
// confirmed, and broadcasts that nobody works on. Runs every minute and when a worker starts, on any number of processes
// at once.
import type { Ctx } from '../ctx.ts'
import { listForsaken } from '../resources/broadcasts/queries.ts'
import { settleRecipients } from '../resources/broadcasts/settle-recipients.ts'
import {
  endTry,
  findOldestClaim,
  listAbandoned,
  listOverdue,
  listUnconfirmed,
  settleHeardOf,
} from '../resources/conversations/delivery-queries.ts'
import { advanceStatus } from '../resources/conversations/message-status.ts'
import { addJob } from './add-job.ts'
import type { JobPayloads } from './catalogue.ts'
import { type JobDeps, systemCtx } from './deps.ts'

const ROWS_MAX = 1_000

export const sweepDeliveries = async (
  deps: JobDeps,
  { isStart = false }: JobPayloads['sweep_deliveries'],
): Promise<void> => {
  await releaseAbandoned(deps)
  await settleHeardOf(deps.db, deps.now())
  await giveUpUnconfirmed(deps)
  await wakeOverdue(deps, isStart)
  await wakeBroadcasts(deps, isStart)
}

const before = (deps: JobDeps, ms: number): Date => new Date(deps.now().getTime() - ms)

const releaseAbandoned = async (deps: JobDeps): Promise<void> => {
  const { db, timing } = deps
  const lifetimeMs = timing.sendTimeoutMs + timing.claimMarginMs
  for (const row of await listAbandoned(db, before(deps, lifetimeMs), ROWS_MAX)) {
    const ctx = systemCtx(deps, row.workspaceId)
    const failure = {
      code: 'WORKER_LOST',
      message: 'The process that sent it ended before it knew the outcome.',
    }
    const isReleased = await endTry(
      ctx,
      row,
      ctx.channels[row.channel].isResendHarmless
        ? { state: 'pending', notBefore: ctx.now(), failure }
        : { state: 'unconfirmed', failure },
    )
    if (!isReleased) continue
    await settleRecipients(ctx, [row.messageId])
    await wake(ctx, row.conversationId)
  }
  // Claims that are not old enough yet may turn out to be abandoned too: this looks again just then.
  const oldest = await findOldestClaim(db)
  if (oldest)
    await addJob(deps, 'sweep_deliveries', {}, { runAt: new Date(oldest.getTime() + lifetimeMs + 100) })
}

const giveUpUnconfirmed = async (deps: JobDeps): Promise<void> => {
  const rows = await listUnconfirmed(deps.db, before(deps, deps.timing.unconfirmedAfterMs), ROWS_MAX)
  for (const [workspaceId, messages] of Map.groupBy(rows, (row) => row.workspaceId))
    await advanceStatus(
      systemCtx(deps, workspaceId),
      messages.map(({ messageId }) => messageId),
      'failed',
      {
        code: 'DELIVERY_UNCONFIRMED',
        message: 'Nothing was heard of it: it may or may not have arrived. It was not sent again.',
      },
    )
}

/** A worker that starts may be the heir of one that was killed, whose jobs stay locked for hours. */
const wakeOverdue = async (deps: JobDeps, isStart: boolean): Promise<void> => {
  const overdue = await listOverdue(deps.db, before(deps, isStart ? 0 : deps.timing.overdueAfterMs), ROWS_MAX)
  for (const { workspaceId, conversationId } of overdue)
    await wake(systemCtx(deps, workspaceId), conversationId)
}

const wake = (ctx: Ctx, conversationId: string): Promise<void> =>
  addJob(ctx, 'deliver_messages', { workspaceId: ctx.workspaceId, conversationId })

/** The same for broadcasts. Two workers at one part share its recipients, so one too many does no harm. */
const wakeBroadcasts = async (deps: JobDeps, isStart: boolean): Promise<void> => {
  const workedBefore = before(deps, isStart ? 0 : deps.timing.overdueAfterMs)
  for (const part of await listForsaken(deps.db, { workedBefore, now: deps.now() }, ROWS_MAX))
    await addJob(deps, 'run_broadcast', part)
}
