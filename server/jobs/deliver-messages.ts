// Hands the waiting messages of one conversation to their provider, in order. Each is claimed in the database before
// the call, so that two workers never send the same one, and a claim whose worker died is known for what it is
// (sweep-deliveries.ts).
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type Accepted, type Channel, DeliveryError, type OutboundMessage } from '../../channels/channel.ts'
import type { Ctx } from '../ctx.ts'
import { fileUrl } from '../files/links.ts'
import { MissingFileError } from '../files/store.ts'
import { webhookUrl } from '../resources/channel-accounts/add-channel-account.ts'
import { findChannelAccount, openSecrets } from '../resources/channel-accounts/queries.ts'
import { type Claim, claimHead, findOutbound } from '../resources/conversations/delivery-queries.ts'
import { type Outcome, recordOutcome } from '../resources/conversations/record-outcome.ts'
import { addJob } from './add-job.ts'
import type { JobPayloads } from './catalogue.ts'
import { backoffMs, type DeliveryTiming } from './delivery-timing.ts'
import { type JobDeps, systemCtx } from './deps.ts'

/** A job hands over so many, then another job goes on: nobody else's messages wait for a long conversation. */
const BATCH_MAX = 50
/** A head that another worker has, or whose time has not come by our clock, is looked at again no sooner than this. */
const LOOK_AGAIN_MS = 250
/** The outcome of a call is written down even when the database is away for a moment: that is worth some patience. */
const RECORD_TRIES_MAX = 6
const RECORD_WAIT_MS = 200

export const deliverMessages = async (
  deps: JobDeps,
  payload: JobPayloads['deliver_messages'],
): Promise<void> => {
  const ctx = systemCtx(deps, payload.workspaceId)
  for (let count = 0; count < BATCH_MAX && !deps.isStopping(); count++) {
    const head = await claimHead(ctx, payload.conversationId)
    if (!head || head.is === 'busy') return
    if (head.is === 'waiting') {
      const runAt = new Date(Math.max(head.notBefore.getTime(), Date.now() + LOOK_AGAIN_MS))
      return addJob(ctx, 'deliver_messages', payload, { runAt })
    }
    const outcome = await handOver(deps, ctx, head.claim)
    logOutcome(ctx, head.claim, outcome)
    await recordPatiently(ctx, head.claim, outcome)
  }
  await addJob(ctx, 'deliver_messages', payload)
}

/** Calls the provider. Whatever happens becomes an outcome. */
const handOver = async (deps: JobDeps, ctx: Ctx, claim: Claim): Promise<Outcome> => {
  const { timing } = deps
  let channel: Channel
  let send: () => Promise<Accepted>
  try {
    const account = await findChannelAccount(ctx, claim.channelAccountId)
    const message = await findOutbound(ctx, claim.messageId)
    if (!account || !message) throw new Error(`delivery ${claim.id} has no account or no message`)
    channel = ctx.channels[account.channel]
    if (!channel.send)
      return { is: 'refused', code: 'CHANNEL_NOT_SUPPORTED', message: 'Nothing can be sent on this channel.' }
    const opened = { ...account, secrets: openSecrets(deps.seal, account) }
    const options = {
      timeoutMs: timing.sendTimeoutMs,
      webhookUrl: webhookUrl(ctx.publicUrl, account.channel, account.id),
    }
    send = () => channel.send!(opened, toOutbound(ctx, message), options)
  } catch (error) {
    // Nothing was sent yet.
    ctx.log.error({ err: error, deliveryId: claim.id }, 'a message could not be prepared for its channel')
    return postponed(
      ctx,
      timing,
      claim,
      'NOT_PREPARED',
      'The message could not be prepared. It is tried again.',
    )
  }
  try {
    const accepted = await withDeadline(send(), timing.sendTimeoutMs)
    return { is: 'accepted', ...accepted }
  } catch (error) {
    if (!(error instanceof DeliveryError))
      ctx.log.error({ err: error, deliveryId: claim.id }, 'a channel failed in a way of its own')
    const failure =
      error instanceof DeliveryError
        ? error
        : new DeliveryError('unknown', 'UNEXPECTED', 'Sending broke off unexpectedly.', { cause: error })
    const { outcome, code, message, retryAfterMs } = failure
    if (outcome === 'refused') return { is: 'refused', code, message }
    if (outcome === 'unknown' && !channel.isResendHarmless) return { is: 'unconfirmed', code, message }
    return postponed(ctx, timing, claim, code, message, retryAfterMs)
  }
}

const postponed = (
  ctx: Ctx,
  timing: DeliveryTiming,
  claim: Claim,
  code: string,
  message: string,
  retryAfterMs = 0,
): Outcome => {
  const nowMs = ctx.now().getTime()
  const waitMs = Math.max(backoffMs(timing, claim.tries), Math.min(retryAfterMs, timing.retryAfterMaxMs))
  return nowMs + waitMs - Date.parse(claim.createdAt) > timing.givenUpAfterMs
    ? { is: 'refused', code, message }
    : { is: 'postponed', until: new Date(nowMs + waitMs), code, message }
}

type Found = NonNullable<Awaited<ReturnType<typeof findOutbound>>>

const toOutbound = (ctx: Ctx, row: Found): OutboundMessage => ({
  id: row.id,
  conversationId: row.conversationId,
  body: row.body,
  subject: row.subject,
  senderName: row.workspaceName,
  template: row.template,
  attachments: row.attachments.map(({ key, ...attachment }) => ({
    ...attachment,
    open: () => openFile(ctx, key),
    url: fileUrl(ctx, attachment.id),
  })),
  replyToExternalId: row.replyToExternalId,
  to: {
    contactId: row.contactId,
    name: row.name,
    email: row.email,
    phone: row.phone,
    externalId: row.externalId,
  },
  createdAt: row.createdAt,
})

/** A file that cannot be read is a definite answer: nothing has been sent yet. */
const openFile = async (ctx: Ctx, key: string): Promise<Readable> => {
  try {
    return await ctx.files.open(key)
  } catch (cause) {
    throw cause instanceof MissingFileError
      ? new DeliveryError('refused', 'FILE_LOST', 'A file of the message is lost.', { cause })
      : new DeliveryError('retry', 'FILE_UNREADABLE', 'A file of the message cannot be read now.', { cause })
  }
}

/** A channel keeps to its timeout; should one not, the claim must still end before the sweep takes it. */
const withDeadline = async <T>(work: Promise<T>, timeoutMs: number): Promise<T> => {
  const timer = new AbortController()
  const deadline = delay(timeoutMs + 1_000, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new DeliveryError('unknown', 'TIMEOUT', 'The provider did not answer in time.')
  })
  deadline.catch(() => {})
  try {
    return await Promise.race([work, deadline])
  } finally {
    timer.abort()
  }
}

const recordPatiently = async (ctx: Ctx, claim: Claim, outcome: Outcome): Promise<void> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await recordOutcome(ctx, claim, outcome)
    } catch (error) {
      if (attempt === RECORD_TRIES_MAX) throw error
      ctx.log.warn({ err: error, deliveryId: claim.id }, 'the outcome of a delivery is not written down yet')
      await delay(RECORD_WAIT_MS * 2 ** (attempt - 1))
    }
}

const logOutcome = (ctx: Ctx, claim: Claim, outcome: Outcome): void => {
  const details = {
    workspaceId: ctx.workspaceId,
    messageId: claim.messageId,
    tries: claim.tries,
    outcome: outcome.is,
    ...('code' in outcome && { code: outcome.code }),
  }
  if (outcome.is === 'accepted') ctx.log.debug(details, 'message handed over')
  else ctx.log.warn(details, 'message not handed over')
}
