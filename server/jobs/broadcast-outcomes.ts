// Records the outcomes of a broadcast's calls, in batches while other calls run.
import { setTimeout as delay } from 'node:timers/promises'
import type { Accepted } from '../../channels/channel.ts'
import type { ReadySend } from '../domain/broadcasts/take-turns.ts'
import { setOptedOut } from '../domain/contacts/people-queries.ts'
import { endTry, listBusyConversations } from '../domain/deliveries/delivery-queries.ts'
import { announceDeliveries } from '../domain/deliveries/due-deliveries.ts'
import { recordAccepted } from '../domain/messages/record-accepted.ts'
import { recordOutcome } from '../domain/messages/record-outcome.ts'
import { saveRecipientIds } from '../domain/people/save-recipient-ids.ts'
import { settleRecipients } from '../domain/recipients/settle-recipients.ts'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { releaseClaim } from './claims-in-hand.ts'
import type { JobDeps } from './deps.ts'
import { withRetries } from './hand-over.ts'

export type BroadcastResult =
  | ({ is: 'accepted' } & Accepted)
  | { is: 'refused'; code: string; message: string; isOptOut: boolean }
  | { is: 'postponed'; until: Date; code: string; message: string }
  | { is: 'unconfirmed'; code: string; message: string }

type Ended = ReadySend & { result: BroadcastResult }

const BATCH_MAX = 200
/** Outcomes arriving within this time are recorded together. */
const GATHER_MS = 20
/** With more than this unrecorded, no new recipients are taken. */
const UNWRITTEN_MAX = 1_000

export type Outcomes = {
  add(ready: ReadySend, result: BroadcastResult): void
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
    add: (ready, result) => {
      ended.push({ ...ready, result })
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
  const accepted = batch.flatMap((one) => (one.result.is === 'accepted' ? [{ ...one, ...one.result }] : []))
  if (accepted.length > 0) {
    await withRetries(deps, () =>
      recordAccepted(
        ctx,
        accepted.map(({ claim, externalId }) => ({ ...claim, externalId })),
      ),
    )
    for (const { claim } of accepted) releaseClaim(claim)
  }
  for (const { claim, to, result } of batch) {
    if (result.is === 'accepted') continue
    const { code, is } = result
    deps.log.debug(
      { messageId: claim.messageId, outcome: is, code },
      'a broadcast recipient could not be reached',
    )
    await withRetries(deps, async () => {
      if (result.is === 'postponed') return postpone(ctx, { claim, result })
      if (result.is === 'refused' && result.isOptOut) await setOptedOut(ctx, [to.contactId], ctx.now())
      await recordOutcome(ctx, claim, result)
    })
    releaseClaim(claim)
  }
  await saveRecipientIds(ctx, accepted.flatMap(learntOf))
  await wakeThoseBehind(ctx, batch)
}

/** Requeued for this part's next job: not one job for each. */
const postpone = (
  ctx: Ctx,
  {
    claim,
    result: { until, ...failure },
  }: { claim: ReadySend['claim']; result: { until: Date; code: string; message: string } },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await endTry(ctx, claim, { state: 'pending', notBefore: until, failure })
    await settleRecipients(ctx, [claim.messageId])
  })

/** WhatsApp's ids for a recipient, where we did not know them. */
const learntOf = ({ to, recipient }: { to: ReadySend['to'] } & Pick<Accepted, 'recipient'>) => {
  const known = new Set(to.externalIds)
  const { whatsappId = null, whatsappUserId = null } = recipient ?? {}
  return [
    ...(whatsappId && !known.has(whatsappId) ? [{ kind: 'whatsapp_id' as const, value: whatsappId }] : []),
    ...(whatsappUserId && !known.has(whatsappUserId)
      ? [{ kind: 'whatsapp_user_id' as const, value: whatsappUserId }]
      : []),
  ].map((identity) => ({ ...identity, contactId: to.contactId }))
}

/** Messages written in such a conversation meanwhile could not go out; their own job found it busy. */
const wakeThoseBehind = async (ctx: Ctx, batch: readonly Ended[]): Promise<void> => {
  const settled = batch.filter(({ result }) => result.is !== 'postponed')
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
