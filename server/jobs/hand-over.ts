// What every job that hands messages to a provider needs: a call that always ends in a word, the time of the next try,
// and patience with the database afterwards.
import { setTimeout as delay } from 'node:timers/promises'
import { type Accepted, DeliveryError } from '../../channels/channel.ts'
import type { Ctx } from '../ctx.ts'
import { backoffMs, type DeliveryTiming } from './delivery-timing.ts'

/** The outcome of a call is written down even when the database is away for a moment: that is worth some patience. */
const RECORD_TRIES_MAX = 6
const RECORD_WAIT_MS = 200

/** Calls the provider. Whatever goes wrong comes back as a DeliveryError; a failure of a way of its own is `unknown`. */
export const attemptSend = async (
  ctx: Ctx,
  deliveryId: string,
  send: () => Promise<Accepted>,
  timeoutMs: number,
): Promise<Accepted | DeliveryError> => {
  try {
    return await withDeadline(send(), timeoutMs)
  } catch (error) {
    if (error instanceof DeliveryError) return error
    ctx.log.error({ err: error, deliveryId }, 'a channel failed in a way of its own')
    return new DeliveryError('unknown', 'UNEXPECTED', 'Sending broke off unexpectedly.', { cause: error })
  }
}

/** When a message that was not taken is tried again; null: it has been tried for long enough. */
export const nextTry = (
  ctx: Ctx,
  timing: DeliveryTiming,
  { tries, createdAt }: { tries: number; createdAt: string },
  retryAfterMs = 0,
): Date | null => {
  const nowMs = ctx.now().getTime()
  const waitMs = Math.max(backoffMs(timing, tries), Math.min(retryAfterMs, timing.retryAfterMaxMs))
  return nowMs + waitMs - Date.parse(createdAt) > timing.givenUpAfterMs ? null : new Date(nowMs + waitMs)
}

/** A channel keeps to its timeout; should one not, the claim must still end before the sweep takes it. */
const withDeadline = async <T>(work: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, fail) => {
    timer = setTimeout(
      () => fail(new DeliveryError('unknown', 'TIMEOUT', 'The provider did not answer in time.')),
      timeoutMs + 1_000,
    )
    timer.unref()
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}

/** Writes down what came of calls, again where the database is away. */
export const patiently = async (ctx: Ctx, work: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (attempt === RECORD_TRIES_MAX) throw error
      ctx.log.warn({ err: error }, 'the outcome of a delivery is not written down yet')
      await delay(RECORD_WAIT_MS * 2 ** (attempt - 1))
    }
}
