// Sends what waits of a broadcast from one number. A job works for a bounded time, then another goes on. It takes people
// in batches, each claimed and stored in one transaction before the first call, keeps many calls in flight, and writes
// down their ends in batches too. What it took and did not write down is settled as any other message's delivery is
// (sweep-deliveries.ts): nobody is sent to twice, and nobody is left behind.
import { setTimeout as delay } from 'node:timers/promises'
import { type Accepted, DeliveryError } from '../../channels/channel.ts'
import type { Ctx } from '../ctx.ts'
import { giveUpPart } from '../resources/broadcasts/give-up-part.ts'
import { findPart, type Part, pausePart, resumePart } from '../resources/broadcasts/queries.ts'
import { findNextTurn } from '../resources/broadcasts/recipient-queries.ts'
import { type ReadySend, takeTurns } from '../resources/broadcasts/take-turns.ts'
import { webhookUrl } from '../resources/channel-accounts/add-channel-account.ts'
import { noteChannelProblem } from '../resources/channel-accounts/note-channel-problem.ts'
import { findChannelAccount, openSecrets } from '../resources/channel-accounts/queries.ts'
import { addJob } from './add-job.ts'
import { type BroadcastResult, makeOutcomes } from './broadcast-outcomes.ts'
import type { JobPayloads } from './catalogue.ts'
import { backoffMs } from './delivery-timing.ts'
import { type JobDeps, systemCtx } from './deps.ts'
import { makeGate } from './gate.ts'
import { attemptSend } from './hand-over.ts'
import { holdPace, paceOf, slotsOf, takeSlots } from './pace.ts'

const JOB_MS = 15_000
/** Of the queue's places in a process; the rest stays free for everything else. */
const PARTS_AT_ONCE_MAX = 8
const TURN_AGAIN_MS = 1_000
/** Calls of all broadcasts of a process that are under way. */
const IN_FLIGHT_MAX = 200
/** People taken in one transaction. */
const BATCH_MAX = 100
/** Transactions of broadcasts at once in a process: requests need connections too. */
const TRANSACTIONS_MAX = 3
/** A look for slots that are taken further ahead is repeated no later than this. */
const LOOK_MS = 500
const CALL_AT_ONCE_MS = 2
/** A provider that asks for more patience than this pauses the part. */
const PATIENCE_MS = 60_000
/** Beside a full batch, fewer people than this are not worth a transaction of their own while others are called. */
const BATCH_MIN = 50

/** The numbers that rest because their provider found them too fast; how many times in a row, and until when. */
const rests = new Map<string, { count: number; untilMs: number }>()

const parts = makeGate(PARTS_AT_ONCE_MAX)
const flight = makeGate(IN_FLIGHT_MAX)
const transactions = makeGate(TRANSACTIONS_MAX)

type Payload = JobPayloads['run_broadcast']

export const runBroadcast = async (deps: JobDeps, payload: Payload): Promise<void> => {
  const ctx = systemCtx(deps, payload.workspaceId)
  const again = (runAt?: Date) => addJob(ctx, 'run_broadcast', payload, runAt ? { runAt } : {})
  if (parts.free() === 0) return again(new Date(Date.now() + TURN_AGAIN_MS))
  await parts.enter(1)
  try {
    const part = await findPart(ctx, payload)
    if (!part) return
    const nowMs = ctx.now().getTime()
    if (part.pausedUntil && Date.parse(part.pausedUntil) > nowMs) return again(new Date(part.pausedUntil))
    const isHopeless = part.pausedSince && nowMs - Date.parse(part.pausedSince) > deps.timing.givenUpAfterMs
    if (isHopeless) {
      const reason = { code: part.pauseCode ?? 'PAUSED', message: part.pauseMessage ?? 'It was given up.' }
      while (!deps.isStopping()) if (await giveUpPart(ctx, part, reason)) return
      return again()
    }
    const pausedUntil = await send(deps, ctx, part)
    const next = pausedUntil ?? (await findNextTurn(ctx, part))
    if (next) await again(next)
  } finally {
    parts.leave(1)
  }
}

/** Works on a part for a while. Returns until when it is paused, where the number turned out to be refused as a whole. */
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
  const outcomes = makeOutcomes(deps, ctx, (work) => transactions.through(work))

  /** The number is refused, whatever it sends. */
  const pause = async (error: DeliveryError): Promise<Date> => {
    if (pausedUntil) return pausedUntil
    const { code, message, retryAfterMs = 0 } = error
    const doubled = Math.min(timing.pauseMinMs * 2 ** Math.min(part.pauses, 20), timing.pauseMaxMs)
    const waitMs = Math.max(doubled, Math.min(retryAfterMs, timing.retryAfterMaxMs))
    const until = new Date(ctx.now().getTime() + waitMs)
    pausedUntil = until
    ctx.log.warn(
      { channelAccountId: account.id, code, until },
      'a broadcast is paused: its number is refused',
    )
    await pausePart(ctx, part, { until, code, message })
    await noteChannelProblem(ctx, account.id, { code, message })
    return until
  }

  /** The number is too fast, or cannot be reached: it rests, longer each time. One rest is for all that were refused. */
  const rest = async (error: DeliveryError): Promise<Date> => {
    const nowMs = ctx.now().getTime()
    const { count, untilMs } = rests.get(account.id) ?? { count: 0, untilMs: 0 }
    if (nowMs < untilMs) return new Date(untilMs)
    const ms = Math.min(Math.max(backoffMs(timing, count + 1), error.retryAfterMs ?? 0), PATIENCE_MS)
    rests.set(account.id, { count: count + 1, untilMs: nowMs + ms })
    await holdPace(ctx, account.id, ms)
    return new Date(nowMs + ms)
  }

  const resultOf = async (error: DeliveryError, { claim }: ReadySend): Promise<BroadcastResult> => {
    const { outcome, concerns, code, message, retryAfterMs = 0 } = error
    if (outcome === 'unknown') return { is: 'unconfirmed', code, message }
    const isRefused = outcome === 'refused' && concerns !== 'account'
    if (isRefused) return { is: 'refused', code, message, isOptOut: concerns === 'customer' }
    if (ctx.now().getTime() - Date.parse(claim.createdAt) > timing.givenUpAfterMs)
      return { is: 'refused', code, message, isOptOut: false }
    if (concerns === 'account') {
      const isPause = outcome === 'refused' || retryAfterMs > PATIENCE_MS
      return { is: 'postponed', until: await (isPause ? pause(error) : rest(error)), code, message }
    }
    const waitMs = Math.max(backoffMs(timing, claim.tries), retryAfterMs)
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
        outcomes.add(ready, { is: 'accepted', ...result })
      } else outcomes.add(ready, await resultOf(result, ready))
    } finally {
      flight.leave(1)
    }
  }

  const calls = new Set<Promise<void>>()
  let after = ''
  let isProbe = part.pausedSince !== null
  try {
    while (!pausedUntil && !deps.isStopping() && performance.now() < endMs) {
      await outcomes.room()
      const wanted = isProbe ? 1 : slotsOf(perSecond, BATCH_MAX)
      const slots = await flight.enter(wanted, Math.min(wanted, BATCH_MIN))
      let used = 0
      try {
        const taken = await takeSlots(ctx, account.id, { slots, perSecond })
        if ('fullForMs' in taken) {
          await delay(Math.min(taken.fullForMs, LOOK_MS))
          continue
        }
        const askedMs = performance.now()
        const { ready, last } = await transactions.through(() =>
          takeTurns(ctx, part, { after, limit: slots }),
        )
        used = ready.length
        for (const [index, one] of ready.entries()) {
          const dueMs = taken.startsInMs + (index * 1000) / perSecond - (performance.now() - askedMs)
          const calling = call(one, dueMs).finally(() => calls.delete(calling))
          calls.add(calling)
        }
        if (last === undefined && after === '') break
        after = last ?? ''
      } finally {
        flight.leave(slots - used)
      }
      if (isProbe && calls.size > 0) {
        await Promise.all(calls)
        if (pausedUntil) break
        isProbe = false
        await resumePart(ctx, part)
        await noteChannelProblem(ctx, account.id, null)
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
