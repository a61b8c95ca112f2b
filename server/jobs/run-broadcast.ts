// Sends a broadcast's waiting messages from one number. A job works for a limited time, then another continues. It
// takes recipients in batches, each claimed and stored in one transaction before the first call, keeps many calls in
// flight, and records their outcomes in batches too. What it claimed and did not record is settled like any other
// delivery (sweep-deliveries.ts): no recipient gets it twice, and none is missed.
import { setTimeout as delay } from 'node:timers/promises'
import { DeliveryError } from '../../channels/channel.ts'
import { giveUpPart } from '../domain/broadcasts/give-up-part.ts'
import { findPart, type Part, resumePart } from '../domain/broadcasts/queries.ts'
import { type ReadySend, takeTurns } from '../domain/broadcasts/take-turns.ts'
import { recordChannelProblem } from '../domain/channel-accounts/record-channel-problem.ts'
import { findNextTurn } from '../domain/recipients/turn-queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import { makeGate } from '../platform/queue/gate.ts'
import { circuitOf } from './account-circuit.ts'
import { prepareHeader } from './broadcast-header.ts'
import { makeOutcomes } from './broadcast-outcomes.ts'
import { makePauses } from './broadcast-pauses.ts'
import { claimThrough } from './claims-in-hand.ts'
import { isAnswering, recordAnswer } from './deliver-messages.ts'
import type { JobDeps } from './deps.ts'
import { attemptSend, CHANNEL_REMOVED, findSender } from './hand-over.ts'
import { paceOf, slotsOf, takeSlots } from './pace.ts'

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
const RECHECK_MS = 500
const CALL_AT_ONCE_MS = 2
/** Apart from a full batch, fewer recipients than this don't justify a transaction while other calls are running. */
const BATCH_MIN = 50

const CANCELED = { code: 'CANCELED', message: 'The broadcast was canceled.' }

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
    if (part.isCanceled) {
      while (!deps.isStopping()) if (await giveUpPart(ctx, part, CANCELED, 'skipped')) return
      return again()
    }
    // Resuming it adds a job.
    if (part.isPaused) return
    if (part.scheduledAt && Date.parse(part.scheduledAt) > nowMs) return again(new Date(part.scheduledAt))
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
  const sender = await findSender(deps, ctx, part.channelAccountId)
  if (!sender) {
    while (!deps.isStopping()) if (await giveUpPart(ctx, part, CHANNEL_REMOVED)) break
    return undefined
  }
  if (!sender.send) throw new Error(`broadcast ${part.broadcastId} has no number to send from`)
  const { account, send, files } = sender
  const perSecond = paceOf(account) ?? Number.POSITIVE_INFINITY
  const circuit = circuitOf(account.id)
  const pauses = makePauses(deps, ctx, part)
  const header = await prepareHeader(part, files)
  if (header instanceof DeliveryError) {
    if (header.outcome === 'retry' || header.concerns === 'account') return pauses.pause(header)
    while (!deps.isStopping()) if (await giveUpPart(ctx, part, header)) break
    return undefined
  }
  const outcomes = makeOutcomes(deps, ctx, (work) => transactions.through(work))
  const calls = makeCalls()

  const call = async (ready: ReadySend, inMs: number): Promise<void> => {
    try {
      if (inMs > CALL_AT_ONCE_MS) await delay(inMs)
      const work = () => send(toOutbound(header.fill(ready)))
      const result = await attemptSend(ctx, ready.claim.id, work, deps.timing.sendTimeoutMs)
      if (result instanceof DeliveryError) {
        await recordAnswer(ctx, account, circuit, result)
        outcomes.add(
          ready.claim,
          (await header.outcomeOf(ctx, result, ready)) ?? (await pauses.outcomeOf(result, ready)),
        )
      } else {
        circuit.answered()
        pauses.accepted()
        outcomes.add(ready.claim, { is: 'accepted', ...result })
      }
    } finally {
      flight.leave(1)
    }
  }

  let after = ''
  /** Claims the next recipients and calls the provider for each, at the number's rate. False if there were none left. */
  const callNext = async (slots: number): Promise<boolean> => {
    let used = 0
    try {
      const taken = await takeSlots(ctx, account.id, { slots, perSecond })
      if ('fullForMs' in taken) {
        await delay(Math.min(taken.fullForMs, RECHECK_MS))
        return true
      }
      const askedMs = performance.now()
      const { ready, last } = await claimNext(ctx, part, { after, limit: slots })
      used = ready.length
      for (const [index, one] of ready.entries())
        calls.add(call(one, taken.startsInMs + (index * 1000) / perSecond - (performance.now() - askedMs)))
      const isEnd = last === undefined && after === ''
      after = last ?? ''
      return !isEnd
    } finally {
      flight.leave(slots - used)
    }
  }

  const endMs = performance.now() + JOB_MS
  let isProbe = part.pausedSince !== null || circuit.isOpen()
  const mayGoOn = () =>
    !pauses.until() &&
    !header.isGone() &&
    (isProbe || !circuit.isOpen()) &&
    !deps.isStopping() &&
    performance.now() < endMs
  try {
    while (mayGoOn()) {
      await outcomes.room()
      const window = circuit.window(IN_FLIGHT_OF_ONE)
      const wanted = isProbe ? 1 : Math.min(slotsOf(perSecond, BATCH_MAX), window)
      const least = Math.min(wanted, BATCH_MIN, Math.ceil(window / 2))
      const room = window - calls.count()
      if (room < least) {
        await calls.oneEnded()
        continue
      }
      if (!(await callNext(await flight.enter(Math.min(wanted, room), least)))) break
      if (isProbe && calls.count() > 0) {
        await calls.allEnded()
        if (pauses.until() || circuit.isOpen()) break
        isProbe = false
        await resumePart(ctx, part)
        await recordChannelProblem(ctx, account.id, null)
      }
    }
  } finally {
    await calls.allEnded().finally(() => outcomes.close())
  }
  return pauses.until()
}

const claimNext = (ctx: Ctx, part: Part, page: { after: string; limit: number }) =>
  transactions.through(() =>
    claimThrough(
      () => takeTurns(ctx, part, page),
      ({ ready }) => ready.map(({ claim }) => claim),
    ),
  )

/** Calls under way. A failed one fails those who wait. */
const makeCalls = () => {
  const calls = new Set<Promise<void>>()
  let ended = () => {}
  let failure: unknown
  const rethrow = () => {
    if (failure) throw failure
  }
  return {
    count: () => calls.size,
    add: (call: Promise<void>): void => {
      const calling = call
        .catch((error) => {
          failure ??= error
        })
        .finally(() => {
          calls.delete(calling)
          ended()
        })
      calls.add(calling)
    },
    oneEnded: async (): Promise<void> => {
      await new Promise<void>((resolve) => {
        ended = resolve
      })
      rethrow()
    },
    allEnded: async (): Promise<void> => {
      await Promise.all(calls)
      rethrow()
    },
  }
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
