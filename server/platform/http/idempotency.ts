// Idempotency-Key on every POST: repeating a request with the same key does the work once and returns the same
// response. The response is stored in the transaction that does the work, so a crash can't separate the two.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Ctx, inTransaction } from '../ctx/ctx.ts'
import { ApiError, invalid } from '../errors.ts'

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/
export const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000
/** How long the response to a send stays provisional before a retry gets it as is: the send waits five seconds. */
const PROVISIONAL_MS = 6_000

export type Once<T> = { answer: T; isReplay: boolean }

/** The request's key, or undefined if it has none. Throws VALIDATION_ERROR if it is malformed. */
export const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY_PATTERN.test(key))
    throw invalid({
      field: 'Idempotency-Key',
      message: 'must have 1 to 255 printable ASCII characters without spaces',
    })
  return key
}

/** Two requests are the same when path and body are equal, byte by byte. */
export const hashRequest = (request: FastifyRequest): Buffer =>
  createHash('sha256')
    .update(`${request.url}\n`)
    .update(request.rawBody ?? '')
    .digest()

type Key = { operation: string; key: string }
type OnceInput<T> = Key & {
  requestHash: Buffer
  /** False for a response that may still improve after the commit; see finish. */
  isFinal: (answer: T) => boolean
  /** How long it may still improve; defaults to that of a send. */
  provisionalMs?: number | undefined
}

/**
 * Runs `work` in a transaction together with the record of its response, or returns the response already recorded.
 * Only successes are recorded. Throws IDEMPOTENCY_KEY_IN_USE while another request with the key runs, and
 * IDEMPOTENCY_KEY_REUSED when the key belongs to a different request.
 */
export const once = <T>(ctx: Ctx, input: OnceInput<T>, work: (ctx: Ctx) => Promise<T>): Promise<Once<T>> =>
  inTransaction(ctx, async (ctx) => {
    const { db, workspaceId } = ctx
    const lock = `${workspaceId}\n${input.operation}\n${input.key}`
    const locked = await sql<{
      ok: boolean
    }>`select pg_try_advisory_xact_lock(hashtextextended(${lock}, 1)) as ok`.execute(db)
    if (!locked.rows[0]?.ok) throw new ApiError('IDEMPOTENCY_KEY_IN_USE')
    const row = await db
      .selectFrom('idempotency_keys')
      .select(['request_hash', 'response', 'is_final', 'created_at'])
      .where('workspace_id', '=', workspaceId)
      .where('operation', '=', input.operation)
      .where('key', '=', input.key)
      .executeTakeFirst()
    const ageMs = row ? ctx.now().getTime() - Date.parse(row.created_at) : 0
    if (row && ageMs < IDEMPOTENCY_KEPT_MS) {
      if (!row.request_hash.equals(input.requestHash)) throw new ApiError('IDEMPOTENCY_KEY_REUSED')
      if (!row.is_final && ageMs < (input.provisionalMs ?? PROVISIONAL_MS))
        throw new ApiError('IDEMPOTENCY_KEY_IN_USE')
      return { answer: JSON.parse(row.response) as T, isReplay: true }
    }
    const answer = await work(ctx)
    const values = {
      request_hash: input.requestHash,
      response: JSON.stringify(answer),
      is_final: input.isFinal(answer),
      created_at: ctx.now(),
    }
    await db
      .insertInto('idempotency_keys')
      .values({ workspace_id: workspaceId, operation: input.operation, key: input.key, ...values })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'operation', 'key']).doUpdateSet(values))
      .execute()
    return { answer, isReplay: false }
  })

/** Deletes a provisional response: a step after the work failed, and only successes are kept. */
export const forget = async (ctx: Ctx, input: Key): Promise<void> => {
  await ctx.db
    .deleteFrom('idempotency_keys')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('operation', '=', input.operation)
    .where('key', '=', input.key)
    .where('is_final', '=', false)
    .execute()
}

/** Replaces a provisional response with the final one. */
export const finish = async (ctx: Ctx, input: Key, answer: unknown): Promise<void> => {
  await ctx.db
    .updateTable('idempotency_keys')
    .set({ response: JSON.stringify(answer), is_final: true })
    .where('workspace_id', '=', ctx.workspaceId)
    .where('operation', '=', input.operation)
    .where('key', '=', input.key)
    .execute()
}
