// What every job that sends to a provider needs: a call that always returns an outcome, the time of the next attempt,
// and recording it even if the database is down for a while.
import { setTimeout as delay } from 'node:timers/promises'
import { type Accepted, type Channel, DeliveryError, type OutboundMessage } from '../../channels/channel.ts'
import { webhookUrl } from '../domain/channel-accounts/add-channel-account.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'
import type { StoredChannelAccount } from '../domain/channel-accounts/schema.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { isOutage } from '../platform/db/failures.ts'
import { inSpan } from '../platform/tracing.ts'
import { type DeliveryTiming, retryInMs } from './delivery-timing.ts'
import type { JobDeps } from './deps.ts'
import { type FileKeeper, makeFileKeeper } from './provider-files.ts'

/** Only this process knows a call's outcome until it is recorded, so a database outage is waited out. */
const RECORD_OUTAGE_MAX_MS = 600_000
const RECORD_TRIES_MAX = 6
const RECORD_WAIT_MIN_MS = 200
const RECORD_WAIT_MAX_MS = 2_000

type Sender = {
  account: StoredChannelAccount
  channel: Channel
  /** Missing where messages can't be sent. */
  send?: (message: OutboundMessage) => Promise<Accepted>
  /** Missing where providers keep no files. */
  files?: FileKeeper
}

/** Why a message that waited for a removed channel failed. */
export const CHANNEL_REMOVED = {
  code: 'CHANNEL_REMOVED',
  message: 'The channel was removed before the message was sent.',
}

/** What sends from a channel account; undefined if it was removed. */
export const findSender = async (
  { seal, timing }: JobDeps,
  ctx: Ctx,
  channelAccountId: string,
): Promise<Sender | undefined> => {
  const account = await findChannelAccount(ctx, channelAccountId)
  if (!account) return undefined
  const channel: Channel = ctx.channels[account.channel]
  const { send } = channel
  if (!send) return { account, channel }
  const opened = { ...account, secrets: openSecrets(seal, account) }
  const options = {
    timeoutMs: timing.sendTimeoutMs,
    webhookUrl: webhookUrl(ctx.publicUrl, account.channel, account.id),
  }
  const { keptFiles } = channel
  const span = {
    kind: 'client' as const,
    attributes: { 'foyer.channel': account.channel, 'foyer.channel_account_id': account.id },
  }
  return {
    account,
    channel,
    send: (message) => inSpan(`send ${account.channel}`, span, () => send(opened, message, options)),
    ...(keptFiles && {
      files: makeFileKeeper(ctx, { account: opened, files: keptFiles, timeoutMs: timing.sendTimeoutMs }),
    }),
  }
}

/** Calls the provider. Any error is returned as a DeliveryError; an unexpected one is `unknown`. */
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
    ctx.log.error({ err: error, deliveryId }, 'a channel failed unexpectedly')
    return new DeliveryError('unknown', 'UNEXPECTED', 'Sending failed unexpectedly.', { cause: error })
  }
}

/** When a rejected message is retried; null: it has been tried for long enough. */
export const nextTry = (
  ctx: Ctx,
  timing: DeliveryTiming,
  { tries, createdAt }: { tries: number; createdAt: string },
  retryAfterMs = 0,
): Date | null => {
  const nowMs = ctx.now().getTime()
  const waitMs = retryInMs(timing, tries, retryAfterMs)
  return nowMs + waitMs - Date.parse(createdAt) > timing.givenUpAfterMs ? null : new Date(nowMs + waitMs)
}

/** Channels enforce their timeout; if one fails to, the claim must still end before the sweep takes it. */
const withDeadline = async <T>(work: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, fail) => {
    timer = setTimeout(
      () => fail(new DeliveryError('unknown', 'TIMEOUT', 'The provider did not respond in time.')),
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

/**
 * Records the outcomes of calls: retries on failure, and for as long as the database is down, unless the worker is
 * stopping.
 */
export const withRetries = async (
  { isStopping, log }: Pick<JobDeps, 'isStopping' | 'log'>,
  work: () => Promise<void>,
): Promise<void> => {
  const giveUpAtMs = performance.now() + RECORD_OUTAGE_MAX_MS
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      const isWaitedOut = isOutage(error) && !isStopping() && performance.now() < giveUpAtMs
      if (attempt >= RECORD_TRIES_MAX && !isWaitedOut) throw error
      if (attempt <= RECORD_TRIES_MAX)
        log.warn({ err: error }, 'the outcome of a delivery could not be saved yet')
      await delay(Math.min(RECORD_WAIT_MIN_MS * 2 ** (attempt - 1), RECORD_WAIT_MAX_MS))
    }
}
