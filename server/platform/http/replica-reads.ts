// Routes that only read and may be answered by a replica (`config.reads`). If the replica can't be used, or fails or is
// lost meanwhile, the same handler runs on the primary.
import type { RouteOptions } from 'fastify'
import type { Ctx } from '../ctx/ctx.ts'
import { isDatabaseUnavailable } from '../db/failures.ts'
import { dbOf } from '../db/pool.ts'
import type { Replica } from '../db/replica.ts'

class Lost extends Error {}

/** Rejects when the replica is lost; what it was doing ends by itself, unheard. */
const unless = async <T>(lost: AbortSignal, work: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const onLost = () => reject(new Lost('the replica was lost'))
  if (lost.aborted) onLost()
  lost.addEventListener('abort', onLost, { once: true })
  promise.catch(() => {})
  work.catch(() => {})
  try {
    return await Promise.race([work, promise])
  } finally {
    lost.removeEventListener('abort', onLost)
  }
}

/** Calls `work` with a context whose database is the replica, or with the one given. */
export const readFromReplica = async <T>(
  ctx: Ctx,
  replica: Replica,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> => {
  const found = replica.use()
  if (!found) return work(ctx)
  try {
    return await unless(found.lost, work({ ...ctx, db: dbOf(found.db, ctx.workspaceId) }))
  } catch (error) {
    if (!(error instanceof Lost)) {
      if (!isDatabaseUnavailable(error)) throw error
      replica.giveUp(error)
    }
    return work(ctx)
  }
}

/** Wraps the handler of a route that says so. Nothing changes without a replica. */
export const withReplica = (route: RouteOptions, replica: Replica | undefined): RouteOptions['handler'] => {
  const { handler } = route
  if (!replica || route.config?.reads !== 'replica') return handler
  return function (request, reply) {
    const { ctx: own } = request
    return readFromReplica(own, replica, (ctx) => {
      // A handler takes its context before it waits for anything.
      request.ctx = ctx
      const answer = Promise.resolve(handler.call(this, request, reply))
      request.ctx = own
      return answer
    })
  }
}
