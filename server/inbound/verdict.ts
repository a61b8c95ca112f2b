// What to do with an item (of a webhook, or an email) that could not be stored. The default is to retry: unless the
// item is known to be at fault we assume the fault is ours, and the provider is told to resend it. Those errors can't
// all be listed; this list has the few that prove an item bad.

import { isDatabaseUnavailable } from '../platform/db/failures.ts'
import { ApiError } from '../platform/errors.ts'
import { StorageError } from '../platform/files/store.ts'

const RETRY_AFTER_SECONDS = '2'

/** Data exceptions and constraint violations: PostgreSQL rejects the values themselves. */
const BAD_VALUES = /^2[23][0-9A-Z]{3}$/
/** System errors of files and networks, such as ENOSPC. */
const SYSTEM = /^E[A-Z]{2,}$/
/** What a single locked row can cause. */
const HELD = /^(?:55P03|57014|40P01|40001)$/

const codeOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

/** Whether the values are at fault. Only valid for a single item tried twice: it may have lost a race. */
export const isBadValue = (error: unknown): boolean => BAD_VALUES.test(codeOf(error))

/** Says something about our environment and nothing about the item. */
export const isOfSurroundings = (error: unknown): boolean =>
  isDatabaseUnavailable(error) ||
  SYSTEM.test(codeOf(error)) ||
  error instanceof StorageError ||
  error instanceof ApiError

/** Whether a single item among many may have caused it. */
export const mayBeOneItems = (error: unknown): boolean => HELD.test(codeOf(error)) || !isOfSurroundings(error)

/** Tells the sender to retry. */
export const tryAgain = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', {
    message: 'This delivery could not be stored. Send it again.',
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  })

/** An item that fails by itself this often, for this long, is kept and retried by us: a provider would give up. */
const FAILURES_MIN = 5
const FAILING_MIN_MS = 10 * 60_000
const REMEMBERED_MAX = 10_000

/** Counts how often each item has failed for an unknown reason. Per process. */
export const makeRetryPeriod = (nowMs: () => number) => {
  const failures = new Map<string, { count: number; sinceMs: number }>()
  return {
    /** True once the item has failed often enough. `key` identifies it. */
    isOver: (key: string, error: unknown): boolean => {
      if (isOfSurroundings(error)) return false
      const known = failures.get(key) ?? { count: 0, sinceMs: nowMs() }
      failures.delete(key)
      const count = known.count + 1
      if (count >= FAILURES_MIN && nowMs() - known.sinceMs >= FAILING_MIN_MS) return true
      for (const oldest of failures.keys()) {
        if (failures.size < REMEMBERED_MAX) break
        failures.delete(oldest)
      }
      failures.set(key, { ...known, count })
      return false
    },
  }
}
