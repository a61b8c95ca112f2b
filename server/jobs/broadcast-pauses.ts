// What a failed call of a broadcast means for its recipient, and for all others of the same number: they may have to
// wait.
import type { DeliveryError } from '../../channels/channel.ts'
import { type Part, pausePart } from '../domain/broadcasts/queries.ts'
import type { ReadySend } from '../domain/broadcasts/take-turns.ts'
import { recordChannelProblem } from '../domain/channel-accounts/record-channel-problem.ts'
import type { Outcome } from '../domain/messages/record-outcomes.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { circuitOf, isSilence } from './account-circuit.ts'
import { backoffMs } from './delivery-timing.ts'
import type { JobDeps } from './deps.ts'
import { withRetries } from './hand-over.ts'
import { holdPace } from './pace.ts'

/** If a provider asks for a longer delay than this, the part is paused. */
const PATIENCE_MS = 60_000

/** Numbers paused because their provider throttles them; how many times in a row, and until when. */
const rests = new Map<string, { count: number; untilMs: number }>()

type Pauses = {
  /** Until when the part is paused, if its number was rejected as a whole. */
  until: () => Date | undefined
  /** Pauses the part: nothing can be sent before the problem is over. */
  pause: (error: DeliveryError) => Promise<Date>
  /** The provider accepted a message. */
  accepted: () => void
  outcomeOf: (error: DeliveryError, send: ReadySend) => Promise<Outcome>
}

export const makePauses = (deps: JobDeps, ctx: Ctx, part: Part): Pauses => {
  const { timing } = deps
  const { channelAccountId } = part
  const circuit = circuitOf(channelAccountId)
  let pausedUntil: Date | undefined

  /** The number is rejected, whatever it sends. */
  const pause = async ({ code, message, retryAfterMs = 0 }: DeliveryError): Promise<Date> => {
    if (pausedUntil) return pausedUntil
    const doubled = Math.min(timing.pauseMinMs * 2 ** Math.min(part.pauses, 20), timing.pauseMaxMs)
    const waitMs = Math.max(doubled, Math.min(retryAfterMs, timing.retryAfterMaxMs))
    const until = new Date(ctx.now().getTime() + waitMs)
    pausedUntil = until
    ctx.log.warn({ channelAccountId, code, until }, 'a broadcast is paused because its number was rejected')
    await withRetries(deps, () => pausePart(ctx, part, { until, code, message }))
    await withRetries(deps, () => recordChannelProblem(ctx, channelAccountId, { code, message }))
    return until
  }

  /** The number is throttled or can't be reached: it pauses, longer each time. One pause covers all rejected calls. */
  const rest = async ({ retryAfterMs = 0 }: DeliveryError): Promise<Date> => {
    const nowMs = ctx.now().getTime()
    const { count, untilMs } = rests.get(channelAccountId) ?? { count: 0, untilMs: 0 }
    if (nowMs < untilMs) return new Date(untilMs)
    const ms = Math.min(Math.max(backoffMs(timing, count + 1), retryAfterMs), PATIENCE_MS)
    rests.set(channelAccountId, { count: count + 1, untilMs: nowMs + ms })
    await withRetries(deps, () => holdPace(ctx, channelAccountId, ms))
    return new Date(nowMs + ms)
  }

  return {
    until: () => pausedUntil,
    pause,
    accepted: () => {
      const resting = rests.get(channelAccountId)
      if (resting && ctx.now().getTime() >= resting.untilMs) rests.delete(channelAccountId)
    },
    outcomeOf: async (error, { claim, to }) => {
      const { outcome, concerns, code, message, retryAfterMs = 0 } = error
      if (outcome === 'unknown') return { is: 'unconfirmed', code, message }
      const isOptOut = concerns === 'customer'
      if (outcome === 'refused' && concerns !== 'account')
        return {
          is: 'refused',
          code,
          message,
          ...(isOptOut && { optedOut: { contactId: to.contactId, channel: 'whatsapp' } }),
        }
      if (ctx.now().getTime() - Date.parse(claim.createdAt) > timing.givenUpAfterMs)
        return { is: 'refused', code, message }
      if (concerns === 'account') {
        const isPause = outcome === 'refused' || retryAfterMs > PATIENCE_MS
        return { is: 'postponed', until: await (isPause ? pause(error) : rest(error)), code, message }
      }
      const isHeld = circuit.isOpen() && isSilence(error)
      const waitMs = isHeld ? circuit.probeInMs() : Math.max(backoffMs(timing, claim.tries), retryAfterMs)
      return { is: 'postponed', until: new Date(ctx.now().getTime() + waitMs), code, message }
    },
  }
}
