// Follows one mailbox: stores what has arrived, waits for more, and recovers from every failure without holding up
// other mailboxes.
import { setTimeout as delay } from 'node:timers/promises'
import type { Mailbox, MailboxMail } from '../../../channels/channel.ts'
import { type DeliveryError, SIGN_IN_PUT_OFF } from '../../../channels/channel.ts'
import { recordChannelProblem } from '../../domain/channel-accounts/record-channel-problem.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { isBadValue, makeRetryPeriod } from '../verdict.ts'
import { findCursor, setCursor } from './cursor-queries.ts'
import type { PreparedEmail } from './receive-email.ts'

/** A newly connected mailbox includes its last two weeks. */
const FIRST_DAYS = 14
/** After the folder was recreated, reading resumes this long before the last check. */
const OVERLAP_DAYS = 2
const DAY_MS = 24 * 3_600_000
/** Checked again after this long, in case the server fails to announce new mail. */
const POLL_MS = 5 * 60_000
const RETRY_MIN_MS = 1_000
/** With random variation, we recover within ten seconds of the end of an outage. */
const RETRY_MAX_MS = 8_000
/** The same if the server delays sign-ins: providers count those. */
const PUT_OFF_RETRY_MAX_MS = 5 * 60_000
/** Someone has to fix it, and the console says so; providers lock accounts after too many attempts. */
const REFUSED_RETRY_MS = 15 * 60_000
/** After failing for this long it no longer counts as temporary. */
const TROUBLE_AFTER_MS = 15 * 60_000
/** Stored in one transaction: enough to be fast, few enough not to lock their contacts for long. */
const TOGETHER_MAX = 10
/** The delays between attempts to store a message; then the mailbox pauses and returns to it later. */
const STORE_WAITS_MS = [200, 1_000, 3_000]

export type MailboxReader = {
  ctx: Ctx
  channelAccountId: string
  open: () => Promise<Mailbox>
  /** Parses emails, and stores their files. */
  prepare: (mails: readonly MailboxMail[]) => Promise<PreparedEmail[]>
  /** Stores emails in order, together with what `alongside` writes: one transaction, all or nothing. */
  store: (mails: readonly PreparedEmail[], alongside: (ctx: Ctx) => Promise<void>) => Promise<void>
  /** Keeps what could not be stored in its original form for a retry. */
  putAside: (ctx: Ctx, mail: MailboxMail, error: unknown) => Promise<void>
  /** Everything there was has been stored. */
  recordWorking: () => Promise<void>
  signal: AbortSignal
}

/** Follows the mailbox until the signal. Never throws. */
export const followMailbox = async (reader: MailboxReader): Promise<void> => {
  const { ctx, channelAccountId, signal } = reader
  let failingSinceMs: number | undefined
  let waitMs = RETRY_MIN_MS
  while (!signal.aborted) {
    try {
      const mailbox = await reader.open()
      try {
        for (;;) {
          await catchUp(reader, mailbox)
          if (signal.aborted) return
          if (failingSinceMs !== undefined)
            ctx.log.info({ channelAccountId }, 'the mailbox can be read again')
          failingSinceMs = undefined
          waitMs = RETRY_MIN_MS
          await reader.recordWorking()
          await mailbox.waitForNews(POLL_MS)
        }
      } finally {
        await mailbox.close()
      }
    } catch (error) {
      if (signal.aborted) return
      const failure = error as Partial<DeliveryError>
      const { outcome, code, message } = failure
      const nowMs = ctx.now().getTime()
      failingSinceMs ??= nowMs
      ctx.log.warn({ err: error, channelAccountId }, 'a mailbox could not be read')
      const isRefused = outcome === 'refused'
      if (isRefused || (outcome === 'retry' && nowMs - failingSinceMs >= TROUBLE_AFTER_MS))
        await recordChannelProblem(ctx, channelAccountId, {
          code: isRefused ? `MAILBOX_${code}` : 'MAILBOX_UNREACHABLE',
          message: message ?? '',
        }).catch(() => {})
      await delay(pauseAfter(failure, waitMs), undefined, { signal }).catch(() => {})
      waitMs *= 2
    }
  }
}

/** How long to wait before the next attempt; waitMs is the previous delay. */
export const pauseAfter = (
  { outcome, code, retryAfterMs }: Partial<DeliveryError>,
  waitMs: number,
): number => {
  const max = code === SIGN_IN_PUT_OFF ? PUT_OFF_RETRY_MAX_MS : RETRY_MAX_MS
  const pauseMs =
    outcome === 'refused' ? REFUSED_RETRY_MS : Math.max(retryAfterMs ?? 0, Math.min(waitMs, max))
  // Spreads the mailboxes of a server over time.
  return pauseMs * (0.75 + Math.random() / 2)
}

/** Stores everything that has arrived since the last time. */
const catchUp = async (reader: MailboxReader, mailbox: Mailbox): Promise<void> => {
  const { ctx, channelAccountId, signal } = reader
  const { uidValidity, uidNext } = mailbox
  const cursor = await findCursor(ctx, channelAccountId)
  const isKnown = cursor?.uidValidity === uidValidity
  const since = isKnown ? undefined : readSinceOf(ctx, cursor?.readAt)
  let lastUid = isKnown ? cursor.lastUid : 0
  for await (const { mails, prepared } of oneAhead(groups(reader, mailbox.read(lastUid, since)))) {
    if (signal.aborted) return
    await takeAll(reader, uidValidity, mails, prepared)
    lastUid = mails.at(-1)!.uid
  }
  // Anything older than `since` is skipped for good.
  if (!signal.aborted)
    await setCursor(ctx, channelAccountId, {
      uidValidity,
      lastUid: Math.max(lastUid, isKnown ? 0 : uidNext - 1),
    })
}

const readSinceOf = (ctx: Ctx, readAt: Date | undefined): Date => {
  const firstMs = ctx.now().getTime() - FIRST_DAYS * DAY_MS
  return new Date(readAt ? Math.min(firstMs, readAt.getTime() - OVERLAP_DAYS * DAY_MS) : firstMs)
}

/** Emails stored together. Prepared is null if preparing one of them failed. */
type Group = { mails: readonly MailboxMail[]; prepared: readonly PreparedEmail[] | null }

async function* groups(reader: MailboxReader, source: AsyncIterable<MailboxMail[]>): AsyncGenerator<Group> {
  for await (const chunk of source)
    for (let at = 0; at < chunk.length && !reader.signal.aborted; at += TOGETHER_MAX) {
      const mails = chunk.slice(at, at + TOGETHER_MAX)
      yield { mails, prepared: await reader.prepare(mails).catch(() => null) }
    }
}

/** The next one is prepared while this one is processed. */
async function* oneAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let coming = source.next()
  try {
    for (;;) {
      const { value, done } = await coming
      if (done) return
      coming = source.next()
      // Awaited in the next round; until then a rejection must not count as unhandled.
      coming.catch(() => {})
      yield value
    }
  } finally {
    await coming.catch(() => {})
    await source.return(undefined)
  }
}

const takeAll = async (
  reader: MailboxReader,
  uidValidity: string,
  mails: readonly MailboxMail[],
  prepared: readonly PreparedEmail[] | null,
): Promise<void> => {
  try {
    if (prepared) return await reader.store(prepared, advanceTo(reader, uidValidity, mails.at(-1)!.uid))
  } catch (error) {
    reader.ctx.log.warn({ err: error, channelAccountId: reader.channelAccountId }, 'storing mails one by one')
  }
  // One of them, or the database: storing each alone shows which.
  for (const mail of mails) if (!reader.signal.aborted) await takeOne(reader, uidValidity, mail)
}

const retryPeriod = makeRetryPeriod(() => performance.now())

/**
 * Stores an email by itself. The folder is not read past one that is not stored: the mailbox returns to it. Only an
 * email that causes the failure itself, or keeps failing on its own, is put aside and retried there.
 */
const takeOne = async (reader: MailboxReader, uidValidity: string, mail: MailboxMail): Promise<void> => {
  const { ctx, channelAccountId, signal } = reader
  const advance = advanceTo(reader, uidValidity, mail.uid)
  let failure: unknown
  for (const waitMs of STORE_WAITS_MS) {
    try {
      return await reader.store(await reader.prepare([mail]), advance)
    } catch (error) {
      failure = error
      ctx.log.error(
        { err: error, channelAccountId, uid: mail.uid },
        'a message from a mailbox could not be stored',
      )
      await delay(waitMs, undefined, { signal })
    }
  }
  const isItsFault =
    isBadValue(failure) || retryPeriod.isOver([channelAccountId, uidValidity, mail.uid].join('\n'), failure)
  if (!isItsFault) throw failure
  await inTransaction(ctx, async (ctx) => {
    await reader.putAside(ctx, mail, failure)
    await advance(ctx)
  })
}

const advanceTo =
  ({ channelAccountId }: MailboxReader, uidValidity: string, lastUid: number) =>
  (ctx: Ctx): Promise<void> =>
    setCursor(ctx, channelAccountId, { uidValidity, lastUid })
