// Records the outcomes of a broadcast's calls, in batches while other calls run.
import { setTimeout as delay } from 'node:timers/promises'
import { type Claim, endTry, listBusyConversations } from '../domain/deliveries/delivery-queries.ts'
import { announceDeliveries } from '../domain/deliveries/due-deliveries.ts'
import { type Ended, type Outcome, recordOutcomes } from '../domain/messages/record-outcomes.ts'
import { settleRecipients } from '../domain/recipients/settle-recipients.ts'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { releaseClaim } from './claims-in-hand.ts'
import type { JobDeps } from './deps.ts'
import { withRetries } from './hand-over.ts'

const BATCH_MAX = 200
/** Outcomes arriving within this time are recorded together. */
const GATHER_MS = 20
/** With more than this unrecorded, no new recipients are taken. */
const UNWRITTEN_MAX = 1_000

type Outcomes = {
  add(claim: Claim, outcome: Outcome): void
  /** Waits until there is room for more. */
  room(): Promise<void>
  /** Waits until everything is recorded. */
  close(): Promise<void>
}

export const makeOutcomes = (
  deps: JobDeps,
  ctx: Ctx,
  inTurn: (work: () => Promise<void>) => Promise<void>,
): Outcomes => {
  let ended: Ended[] = []
  let writing: Promise<void> | null = null
  let failure: unknown

  const write = async (): Promise<void> => {
    try {
      while (ended.length > 0) {
        if (ended.length < BATCH_MAX) await delay(GATHER_MS)
        const batch = ended.slice(0, BATCH_MAX)
        ended = ended.slice(BATCH_MAX)
        await inTurn(() => record(deps, ctx, batch))
      }
    } catch (error) {
      // Claims that stay open; the sweep settles them.
      failure = error
      ended = []
    } finally {
      writing = null
    }
  }

  return {
    add: (claim, outcome) => {
      ended.push({ claim, outcome })
      writing ??= write()
    },
    room: async () => {
      if (ended.length >= UNWRITTEN_MAX) await writing
      if (failure) throw failure
    },
    close: async () => {
      await writing
      if (failure) throw failure
    },
  }
}

const record = async (deps: JobDeps, ctx: Ctx, batch: readonly Ended[]): Promise<void> => {
  const accepted = batch.filter(({ outcome }) => outcome.is === 'accepted')
  if (accepted.length > 0) await withRetries(deps, () => recordOutcomes(ctx, accepted))
  for (const { claim } of accepted) releaseClaim(claim)
  for (const { claim, outcome } of batch) {
    if (outcome.is === 'accepted') continue
    deps.log.debug(
      { messageId: claim.messageId, outcome: outcome.is, code: outcome.code },
      'a broadcast recipient could not be reached',
    )
    await withRetries(deps, () =>
      outcome.is === 'postponed' ? postpone(ctx, claim, outcome) : recordOutcomes(ctx, [{ claim, outcome }]),
    )
    releaseClaim(claim)
  }
  await wakeThoseBehind(ctx, batch)
}

/** The recipient waits for another turn in the broadcast, not in the queue of deliveries. */
const postpone = (
  ctx: Ctx,
  claim: Claim,
  { until, code, message }: Extract<Outcome, { is: 'postponed' }>,
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await endTry(ctx, claim, { state: 'pending', notBefore: until, failure: { code, message } })
    await settleRecipients(ctx, [claim.messageId])
  })

/** Messages sent in these conversations meanwhile have waited: the conversation was busy. */
const wakeThoseBehind = async (ctx: Ctx, batch: readonly Ended[]): Promise<void> => {
  const settled = batch.filter(({ outcome }) => outcome.is !== 'postponed')
  const waiting = await listBusyConversations(
    ctx,
    settled.map(({ claim }) => claim.conversationId),
    ['pending'],
  )
  await announceDeliveries(
    ctx,
    waiting.map((conversationId) => ({ channelAccountId: batch[0]!.claim.channelAccountId, conversationId })),
  )
}
