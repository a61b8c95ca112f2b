// Routes that only read and may be answered by a replica (`config.reads`). If the replica can't be used, or fails or is
// lost meanwhile, the same handler runs on the primary.
import type { RouteOptions } from 'fastify'
import type { Ctx } from '../ctx/ctx.ts'
import { isDatabaseUnavailable } from '../db/failures.ts'
import { dbOf } from '../db/pool.ts'
import { NotThere } from '../db/positions.ts'
import type { Current, Refusal, Replica } from '../db/replica.ts'
import { replicaReads } from '../metrics.ts'

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

/** Which databases answer: those of a context, or why they can't be the replica's. */
type Answering = Pick<Ctx, 'db' | 'searchDb'> & { lost: AbortSignal }

const readFrom = async <T>(
  ctx: Ctx,
  replica: Replica,
  found: Answering | Refusal,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> => {
  const onPrimary = (reason: string): Promise<T> => {
    replicaReads.inc({ place: 'primary', reason })
    return work(ctx)
  }
  if (typeof found === 'string') return onPrimary(found)
  const { lost, ...databases } = found
  try {
    const answer = await unless(lost, work({ ...ctx, ...databases }))
    replicaReads.inc({ place: 'replica', reason: '' })
    return answer
  } catch (error) {
    if (error instanceof NotThere) return onPrimary('behind')
    if (!(error instanceof Lost)) {
      if (!isDatabaseUnavailable(error)) throw error
      replica.giveUp(error)
    }
    return onPrimary('failed')
  }
}

/** Calls `work` with a context whose database is the replica, which may be behind, or with the one given. */
export const readFromReplica = <T>(
  ctx: Ctx,
  replica: Replica,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> => {
  const found = replica.use()
  const { searchDb, workspaceId } = ctx
  return readFrom(
    ctx,
    replica,
    found ? { db: dbOf(found.db, workspaceId), searchDb, lost: found.lost } : 'unusable',
    work,
  )
}

/** The same with a replica that has everything committed before the call, or else with the database given. */
export const readFromCurrent = async <T>(
  ctx: Ctx,
  replica: Replica,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> => {
  const found: Current | Refusal = await replica.useCurrent(ctx.workspaceId)
  return readFrom(ctx, replica, found, work)
}

/** Wraps the handler of a route that says so. Nothing changes without a replica. */
export const withReplica = (route: RouteOptions, replica: Replica | undefined): RouteOptions['handler'] => {
  const { handler } = route
  const reads = route.config?.reads
  if (!replica || !reads) return handler
  const read = reads === 'replica' ? readFromReplica : readFromCurrent
  return function (request, reply) {
    const { ctx: own } = request
    return read(own, replica, (ctx) => {
      // A handler takes its context before it waits for anything.
      request.ctx = ctx
      try {
        return Promise.resolve(handler.call(this, request, reply))
      } finally {
        request.ctx = own
      }
    })
  }
}
