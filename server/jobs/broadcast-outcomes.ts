// What came of a broadcast's calls, written down in batches while others are under way.
import { setTimeout as delay } from 'node:timers/promises'
import type { Accepted } from '../../channels/channel.ts'
import { type Ctx, inTransaction } from '../ctx.ts'
import { settleRecipients } from '../resources/broadcasts/settle-recipients.ts'
import type { ReadySend } from '../resources/broadcasts/take-turns.ts'
import { learnRecipients } from '../resources/contacts/learn-recipient.ts'
import { setOptedOut } from '../resources/contacts/people-queries.ts'
import { endTry, listBusyConversations } from '../resources/conversations/delivery-queries.ts'
import { recordAccepted } from '../resources/conversations/record-accepted.ts'
import { recordOutcome } from '../resources/conversations/record-outcome.ts'
import { addJobs } from './add-job.ts'
import type { JobDeps } from './deps.ts'
import { patiently } from './hand-over.ts'

export type BroadcastResult =
  | ({ is: 'accepted' } & Accepted)
  | { is: 'refused'; code: string; message: string; isOptOut: boolean }
  | { is: 'postponed'; until: Date; code: string; message: string }
  | { is: 'unconfirmed'; code: string; message: string }

type Ended = ReadySend & { result: BroadcastResult }

const BATCH_MAX = 200
/** Those that come in within so long are written down together. */
const GATHER_MS = 20
/** With more than this not written down, nobody new is taken. */
const UNWRITTEN_MAX = 1_000

export type Outcomes = {
  add(ready: ReadySend, result: BroadcastResult): void
  /** Waits until there is room for more. */
  room(): Promise<void>
  /** Waits until all is written down. */
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
      // Claims that stay open: the sweep makes of them what can be known.
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
  if (accepted.length > 0)
    await patiently(ctx, () =>
      recordAccepted(
        ctx,
        accepted.map(({ claim, externalId }) => ({ ...claim, externalId })),
      ),
    )
  for (const { claim, to, result } of batch) {
    if (result.is === 'accepted') continue
    const { code, is } = result
    deps.log.debug(
      { messageId: claim.messageId, outcome: is, code },
      'a recipient of a broadcast was not reached',
    )
    await patiently(ctx, async () => {
      if (result.is === 'postponed') return postpone(ctx, { claim, result })
      if (result.is === 'refused' && result.isOptOut) await setOptedOut(ctx, [to.contactId], ctx.now())
      await recordOutcome(ctx, claim, result)
    })
  }
  await learnRecipients(ctx, accepted.flatMap(learntOf))
  await wakeThoseBehind(ctx, batch)
}

/** Back to those who wait, for this part's next job: not one job for each. */
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

/** The names by which WhatsApp knows a recipient, as far as we did not know them. */
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

/** What somebody wrote in such a conversation meanwhile could not go out before; its own job found it taken. */
const wakeThoseBehind = async (ctx: Ctx, batch: readonly Ended[]): Promise<void> => {
  const settled = batch.filter(({ result }) => result.is !== 'postponed')
  const waiting = await listBusyConversations(
    ctx,
    settled.map(({ claim }) => claim.conversationId),
    ['pending'],
  )
  await addJobs(
    ctx,
    'deliver_messages',
    waiting.map((conversationId) => ({ workspaceId: ctx.workspaceId, conversationId })),
  )
}
