// Sends a broadcast's waiting messages from one number. A job works for a limited time, then another continues. It
// takes recipients in batches, each claimed and stored in one transaction before the first call, keeps many calls in
// flight, and records their outcomes in batches too. What it claimed and did not record is settled like any other
// delivery (sweep-deliveries.ts): no recipient gets it twice, and none is missed.
import { setTimeout as delay } from 'node:timers/promises'
import { type Accepted, DeliveryError } from '../../channels/channel.ts'
import { giveUpPart } from '../domain/broadcasts/give-up-part.ts'
import { findPart, type Part, pausePart, resumePart } from '../domain/broadcasts/queries.ts'
import { type ReadySend, takeTurns } from '../domain/broadcasts/take-turns.ts'
import { webhookUrl } from '../domain/channel-accounts/add-channel-account.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'
import { recordChannelProblem } from '../domain/channel-accounts/record-channel-problem.ts'
import type { Outcome } from '../domain/messages/record-outcomes.ts'
import { findNextTurn } from '../domain/recipients/turn-queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import { makeGate } from '../platform/queue/gate.ts'
import { circuitOf, isSilence, SILENT_PROBLEM } from './account-circuit.ts'
import { makeOutcomes } from './broadcast-outcomes.ts'
import { claimThrough } from './claims-in-hand.ts'
import { isAnswering } from './deliver-messages.ts'
import { backoffMs } from './delivery-timing.ts'
import type { JobDeps } from './deps.ts'
import { attemptSend } from './hand-over.ts'
import { holdPace, paceOf, slotsOf, takeSlots } from './pace.ts'

const JOB_MS = 15_000
/** Out of the queue's slots in a process; the rest stays free for everything else. */
const PARTS_AT_ONCE_MAX = 16
const TURN_AGAIN_MS = 1_000
/**
 * Concurrent calls of all broadcasts of a process, and those of one number: at first, and once its provider responds.
 */
const IN_FLIGHT_MAX = 600
const IN_FLIGHT_OF_ONE = { start: 20, max: 200 }
/** Recipients taken in one transaction. */
const BATCH_MAX = 100
/** Concurrent broadcast transactions in a process: requests need connections too. */
const TRANSACTIONS_MAX = 3
/** When slots are booked further ahead than this, check again after this long. */
const LOOK_MS = 500
const CALL_AT_ONCE_MS = 2
/** If a provider asks for a longer delay than this, the part is paused. */
const PATIENCE_MS = 60_000
/** Apart from a full batch, fewer recipients than this don't justify a transaction while other calls are running. */
const BATCH_MIN = 50

/** Numbers paused because their provider throttles them; how many times in a row, and until when. */
const rests = new Map<string, { count: number; untilMs: number }>()

const parts = makeGate(PARTS_AT_ONCE_MAX)
const flight = makeGate(IN_FLIGHT_MAX)
const transactions = makeGate(TRANSACTIONS_MAX)

type Payload = JobPayloads['run_broadcast']

export const runBroadcast = async (deps: JobDeps, payload: Payload): Promise<void> => {
  const ctx = systemCtx(deps, payload.workspaceId)
  const again = (runAt?: Date) => addJob(ctx, 'run_broadcast', payload, runAt ? { runAt } : {})
  if (parts.free() === 0) return again(new Date(deps.now().getTime() + TURN_AGAIN_MS))
  await parts.enter(1)
  try {
    const part = await findPart(ctx, payload)
    if (!part) return
    const nowMs = ctx.now().getTime()
    if (part.pausedUntil && Date.parse(part.pausedUntil) > nowMs) return again(new Date(part.pausedUntil))
    const isHopeless = part.pausedSince && nowMs - Date.parse(part.pausedSince) > deps.timing.givenUpAfterMs
    if (isHopeless) {
      const reason = {
        code: part.pauseCode ?? 'PAUSED',
        message: part.pauseMessage ?? 'Sending was given up.',
      }
      while (!deps.isStopping()) if (await giveUpPart(ctx, part, reason)) return
      return again()
    }
    const circuit = circuitOf(part.channelAccountId)
    const probeAt = () => new Date(ctx.now().getTime() + circuit.probeInMs())
    if (circuit.isOpen()) {
      if (circuit.probeInMs() > 0) return again(probeAt())
      circuit.takeProbe()
      if (!(await isAnswering(deps, ctx, part.channelAccountId, circuit))) return again(probeAt())
    }
    const pausedUntil = await send(deps, ctx, part)
    if (!pausedUntil && circuit.isOpen()) return again(probeAt())
    const next = pausedUntil ?? (await findNextTurn(ctx, part))
    if (next) await again(next)
  } finally {
    parts.leave(1)
  }
}

/** Works on a part for a while. Returns until when it is paused, if the number was rejected as a whole. */
const send = async (deps: JobDeps, ctx: Ctx, part: Part): Promise<Date | undefined> => {
  const { timing } = deps
  const account = await findChannelAccount(ctx, part.channelAccountId)
  const channel = account && ctx.channels[account.channel]
  if (!account || !channel?.send) throw new Error(`broadcast ${part.broadcastId} has no number to send from`)
  const { send } = channel
  const perSecond = paceOf(account) ?? Number.POSITIVE_INFINITY
  const opened = { ...account, secrets: openSecrets(deps.seal, account) }
  const options = {
    timeoutMs: timing.sendTimeoutMs,
    webhookUrl: webhookUrl(ctx.publicUrl, account.channel, account.id),
  }
  const endMs = performance.now() + JOB_MS
  let pausedUntil: Date | undefined
  const circuit = circuitOf(account.id)
  const outcomes = makeOutcomes(deps, ctx, (work) => transactions.through(work))

  /** The number is rejected, whatever it sends. */
  const pause = async (error: DeliveryError): Promise<Date> => {
    if (pausedUntil) return pausedUntil
    const { code, message, retryAfterMs = 0 } = error
    const doubled = Math.min(timing.pauseMinMs * 2 ** Math.min(part.pauses, 20), timing.pauseMaxMs)
    const waitMs = Math.max(doubled, Math.min(retryAfterMs, timing.retryAfterMaxMs))
    const until = new Date(ctx.now().getTime() + waitMs)
    pausedUntil = until
    ctx.log.warn(
      { channelAccountId: account.id, code, until },
      'a broadcast is paused because its number was rejected',
    )
    await pausePart(ctx, part, { until, code, message })
    await recordChannelProblem(ctx, account.id, { code, message })
    return until
  }

  /**
   * The number is throttled or can't be reached: it pauses, longer each time. One pause covers all rejected calls.
   */
  const rest = async (error: DeliveryError): Promise<Date> => {
    const nowMs = ctx.now().getTime()
    const { count, untilMs } = rests.get(account.id) ?? { count: 0, untilMs: 0 }
    if (nowMs < untilMs) return new Date(untilMs)
    const ms = Math.min(Math.max(backoffMs(timing, count + 1), error.retryAfterMs ?? 0), PATIENCE_MS)
    rests.set(account.id, { count: count + 1, untilMs: nowMs + ms })
    await holdPace(ctx, account.id, ms)
    return new Date(nowMs + ms)
  }

  const outcomeOf = async (error: DeliveryError, { claim, to }: ReadySend): Promise<Outcome> => {
    const { outcome, concerns, code, message, retryAfterMs = 0 } = error
    if (outcome === 'unknown') return { is: 'unconfirmed', code, message }
    const isRefused = outcome === 'refused' && concerns !== 'account'
    if (isRefused)
      return {
        is: 'refused',
        code,
        message,
        ...(concerns === 'customer' && { optedOutContactId: to.contactId }),
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
  }

  const call = async (ready: ReadySend, inMs: number): Promise<void> => {
    try {
      if (inMs > CALL_AT_ONCE_MS) await delay(inMs)
      const work = () => send(opened, toOutbound(ready), options)
      const result: Accepted | DeliveryError = await attemptSend(
        ctx,
        ready.claim.id,
        work,
        timing.sendTimeoutMs,
      )
      if (!(result instanceof DeliveryError)) {
        const resting = rests.get(account.id)
        if (resting && ctx.now().getTime() >= resting.untilMs) rests.delete(account.id)
        circuit.answered()
        outcomes.add(ready.claim, { is: 'accepted', ...result })
      } else {
        if (!isSilence(result)) circuit.answered()
        else if (circuit.silent())
          await recordChannelProblem(ctx, account.id, SILENT_PROBLEM).catch((error) =>
            ctx.log.warn(
              { err: error, channelAccountId: account.id },
              'an unresponsive provider could not be saved',
            ),
          )
        outcomes.add(ready.claim, await outcomeOf(result, ready))
      }
    } finally {
      flight.leave(1)
    }
  }

  const calls = new Set<Promise<void>>()
  let after = ''
  let callEnded = () => {}
  let isProbe = part.pausedSince !== null || circuit.isOpen()
  try {
    while (
      !pausedUntil &&
      (isProbe || !circuit.isOpen()) &&
      !deps.isStopping() &&
      performance.now() < endMs
    ) {
      await outcomes.room()
      const window = circuit.window(IN_FLIGHT_OF_ONE)
      const wanted = isProbe ? 1 : Math.min(slotsOf(perSecond, BATCH_MAX), window)
      const least = Math.min(wanted, BATCH_MIN, Math.ceil(window / 2))
      const room = window - calls.size
      if (room < least) {
        await new Promise<void>((resolve) => {
          callEnded = resolve
        })
        continue
      }
      const slots = await flight.enter(Math.min(wanted, room), least)
      let used = 0
      try {
        const taken = await takeSlots(ctx, account.id, { slots, perSecond })
        if ('fullForMs' in taken) {
          await delay(Math.min(taken.fullForMs, LOOK_MS))
          continue
        }
        const askedMs = performance.now()
        const { ready, last } = await transactions.through(() =>
          claimThrough(
            () => takeTurns(ctx, part, { after, limit: slots }),
            ({ ready }) => ready.map(({ claim }) => claim),
          ),
        )
        used = ready.length
        for (const [index, one] of ready.entries()) {
          const dueMs = taken.startsInMs + (index * 1000) / perSecond - (performance.now() - askedMs)
          const calling = call(one, dueMs).finally(() => {
            calls.delete(calling)
            callEnded()
          })
          calls.add(calling)
        }
        if (last === undefined && after === '') break
        after = last ?? ''
      } finally {
        flight.leave(slots - used)
      }
      if (isProbe && calls.size > 0) {
        await Promise.all(calls)
        if (pausedUntil || circuit.isOpen()) break
        isProbe = false
        await resumePart(ctx, part)
        await recordChannelProblem(ctx, account.id, null)
      }
    }
  } finally {
    await Promise.all(calls)
    await outcomes.close()
  }
  return pausedUntil
}

const toOutbound = ({ claim, template, to }: ReadySend) => ({
  id: claim.messageId,
  attemptId: claim.id,
  conversationId: claim.conversationId,
  body: '',
  subject: null,
  senderName: '',
  template,
  attachments: [],
  to: {
    contactId: to.contactId,
    name: to.name,
    email: to.email,
    phone: to.phone,
    externalId: to.externalIds[0] ?? null,
  },
  createdAt: claim.createdAt,
})
