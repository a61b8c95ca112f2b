import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { FIRST_TRY_MS, insertLeftovers, type Leftover } from './queries.ts'

/** Keeps what could not be stored, and schedules a retry soon. Throws if it could not be kept either. */
export const keepLeftover = (ctx: Ctx, leftover: Leftover): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await insertLeftovers(ctx, [leftover])
    await addJob(ctx, 'retry_leftovers', {}, { runAt: new Date(ctx.now().getTime() + FIRST_TRY_MS) })
  })
