// What a request to a model may use is reserved before it is made and settled afterwards, so that turns at the same time
// can't exceed a limit together. A reservation that is never settled keeps its size.
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { addJob } from '../../../platform/queue/add-job.ts'
import { AGAIN_MS } from './limits.ts'
import { insertUsage, lockUsage, type NewUsage, settleUsage, takeWarnings } from './queries.ts'
import type { Bound } from './schema.ts'

export type Reservation = { isGranted: true; id: string }

/** `retryAfterMs`: the turn may wait so long and ask again; null: it has to do without the model. */
export type Refusal = { isGranted: false; bound: Bound; retryAfterMs: number | null }

/** At most these tokens, of what is sent and of what comes back. A test has no conversation, and a share of the workspace's requests. */
type Asked = Omit<NewUsage, 'id'>

/** Before each request. The contact is that of the conversation; money is reserved at the dearer of the two prices. */
export const reserve = (ctx: Ctx, asked: Asked): Promise<Reservation | Refusal> =>
  inTransaction(ctx, async (ctx) => {
    const id = ctx.newId()
    await lockUsage(ctx)
    const bound = await insertUsage(ctx, { id, ...asked })
    if (bound === null) return { isGranted: true, id }
    const isOfMoment = bound === 'provider' || bound === 'requests' || bound === 'atOnce'
    return { isGranted: false, bound, retryAfterMs: isOfMoment ? AGAIN_MS : null }
  })

/** `cost` is in millionths of the provider's currency. */
type Used = { tokens: number; cost: number }

/** After each request, also a failed one. Settling again changes nothing. */
export const settle = (ctx: Ctx, { id }: Pick<Reservation, 'id'>, { tokens, cost }: Used): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await settleUsage(ctx, { id, tokens, cost: Math.round(cost) })
    for (const period of await takeWarnings(ctx))
      await addJob(ctx, 'warn_of_spending', { workspaceId: ctx.workspaceId, period })
  })
