// Follows one mailbox: takes in what has come, waits for more, and comes back after every failure, by itself and
// without holding up any other mailbox.
import { setTimeout as delay } from 'node:timers/promises'
import type { DeliveryError, Mailbox, MailboxMail } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import { inTransaction } from '../../ctx.ts'
import { noteChannelProblem } from '../../resources/channel-accounts/note-channel-problem.ts'
import { findCursor, setCursor } from './cursor-queries.ts'
import type { PreparedEmail } from './receive-email.ts'

/** A mailbox that is connected for the first time brings its last two weeks along. */
const FIRST_DAYS = 14
/** After the folder was made anew, looking back begins so long before the last look. */
const OVERLAP_DAYS = 2
const DAY_MS = 24 * 3_600_000
/** Looked at again after so long, should the server forget to say that something came. */
const POLL_MS = 5 * 60_000
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 5 * 60_000
/** Somebody has to mend it, and the console says so; providers lock accounts that try too often. */
const REFUSED_RETRY_MS = 15 * 60_000
/** Failing for so long is no passing trouble any more. */
const TROUBLE_AFTER_MS = 15 * 60_000
/** Stored in one transaction: enough to be fast, few enough that nobody waits long for the contacts in it. */
const TOGETHER_MAX = 10
/** A message that cannot be stored is tried again after so long each; then it is put aside for the operator. */
const STORE_WAITS_MS = [200, 1_000, 3_000]

export type MailboxReader = {
  ctx: Ctx
  channelAccountId: string
  open: () => Promise<Mailbox>
  /** Reads mails, and keeps their files. */
  prepare: (mails: readonly MailboxMail[]) => Promise<PreparedEmail[]>
  /** Stores mails in their order, and with them, in the same transaction, what `alongside` writes: all or none. */
  store: (mails: readonly PreparedEmail[], alongside: (ctx: Ctx) => Promise<void>) => Promise<void>
  /** Keeps as it is what could not be stored. */
  putAside: (ctx: Ctx, mail: MailboxMail) => Promise<void>
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
          if (failingSinceMs !== undefined) ctx.log.info({ channelAccountId }, 'the mailbox is read again')
          failingSinceMs = undefined
          waitMs = RETRY_MIN_MS
          await noteChannelProblem(ctx, channelAccountId, null)
          await mailbox.waitForNews(POLL_MS)
        }
      } finally {
        await mailbox.close()
      }
    } catch (error) {
      if (signal.aborted) return
      const { outcome, code, message, retryAfterMs } = error as Partial<DeliveryError>
      const nowMs = ctx.now().getTime()
      failingSinceMs ??= nowMs
      ctx.log.warn({ err: error, channelAccountId }, 'a mailbox could not be read')
      const isRefused = outcome === 'refused'
      if (isRefused || (outcome === 'retry' && nowMs - failingSinceMs >= TROUBLE_AFTER_MS))
        await noteChannelProblem(ctx, channelAccountId, {
          code: isRefused ? `MAILBOX_${code}` : 'MAILBOX_UNREACHABLE',
          message: message ?? '',
        }).catch(() => {})
      const pauseMs = isRefused ? REFUSED_RETRY_MS : Math.max(retryAfterMs ?? 0, waitMs)
      // Not all mailboxes of a server at the same moment.
      await delay(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {})
      waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)
    }
  }
}

/** Takes in everything that has come since the last time. */
const catchUp = async (reader: MailboxReader, mailbox: Mailbox): Promise<void> => {
  const { ctx, channelAccountId, signal } = reader
  const { uidValidity, uidNext } = mailbox
  const cursor = await findCursor(ctx, channelAccountId)
  const isKnown = cursor?.uidValidity === uidValidity
  const since = isKnown ? undefined : lookBackTo(ctx, cursor?.readAt)
  let lastUid = isKnown ? cursor.lastUid : 0
  for await (const { mails, prepared } of oneAhead(groups(reader, mailbox.read(lastUid, since)))) {
    if (signal.aborted) return
    await takeAll(reader, uidValidity, mails, prepared)
    lastUid = mails.at(-1)!.uid
  }
  // What is older than `since` is passed over for good.
  if (!signal.aborted)
    await setCursor(ctx, channelAccountId, {
      uidValidity,
      lastUid: Math.max(lastUid, isKnown ? 0 : uidNext - 1),
    })
}

const lookBackTo = (ctx: Ctx, readAt: Date | undefined): Date => {
  const firstMs = ctx.now().getTime() - FIRST_DAYS * DAY_MS
  return new Date(readAt ? Math.min(firstMs, readAt.getTime() - OVERLAP_DAYS * DAY_MS) : firstMs)
}

/** Mails that are stored together. Prepared is null where that failed for one of them. */
type Group = { mails: readonly MailboxMail[]; prepared: readonly PreparedEmail[] | null }

async function* groups(reader: MailboxReader, source: AsyncIterable<MailboxMail[]>): AsyncGenerator<Group> {
  for await (const chunk of source)
    for (let at = 0; at < chunk.length && !reader.signal.aborted; at += TOGETHER_MAX) {
      const mails = chunk.slice(at, at + TOGETHER_MAX)
      yield { mails, prepared: await reader.prepare(mails).catch(() => null) }
    }
}

/** The next one is got ready while this one is worked on. */
async function* oneAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let coming = source.next()
  try {
    for (;;) {
      const { value, done } = await coming
      if (done) return
      coming = source.next()
      // It is waited for in the next round; until then a failure is nobody's.
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
    reader.ctx.log.warn({ err: error, channelAccountId: reader.channelAccountId }, 'mails go one by one')
  }
  // One of them, or the database: found out alone.
  for (const mail of mails) if (!reader.signal.aborted) await takeOne(reader, uidValidity, mail)
}

const takeOne = async (reader: MailboxReader, uidValidity: string, mail: MailboxMail): Promise<void> => {
  const { ctx, channelAccountId, signal } = reader
  const advance = advanceTo(reader, uidValidity, mail.uid)
  for (const waitMs of STORE_WAITS_MS) {
    try {
      return await reader.store(await reader.prepare([mail]), advance)
    } catch (error) {
      ctx.log.error(
        { err: error, channelAccountId, uid: mail.uid },
        'a message from a mailbox could not be stored',
      )
      await delay(waitMs, undefined, { signal })
    }
  }
  // With the database away this fails as well, and the message is met again when it is back.
  await inTransaction(ctx, async (ctx) => {
    await reader.putAside(ctx, mail)
    await advance(ctx)
  })
}

const advanceTo =
  ({ channelAccountId }: MailboxReader, uidValidity: string, lastUid: number) =>
  (ctx: Ctx): Promise<void> =>
    setCursor(ctx, channelAccountId, { uidValidity, lastUid })
