// Downloads the files of inbound messages from their providers into our storage. The message is already stored, its
// attachment pending; if anything fails here, the message stays. A job is only a prompt to check: it takes files,
// account by account in turn, until none is due, so that a few slots handle any backlog and an account whose files
// hang only uses its own share.

import { DeliveryError, type FetchedMedia } from '../../channels/channel.ts'
import { claimPending, endPending, type PendingFile } from '../domain/attachments/pending-queries.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { record } from '../platform/events/record.ts'
import { cleanFileName, cleanMimeType, withEnding } from '../platform/files/file-name.ts'
import { fileKey } from '../platform/files/store.ts'
import { addJob } from '../platform/queue/add-job.ts'
import { circuitOf, isSilence } from './account-circuit.ts'
import { retryInMs } from './delivery-timing.ts'
import type { JobDeps } from './deps.ts'

/** Concurrent downloads in one process, and those of one account: at first, and once as many have succeeded. */
const SLOTS_MAX = 16
const ACCOUNT_SLOTS = { start: 2, max: 4 }
/** In addition, for the first file of an account that has none: other accounts can't take these. */
const FIRST_SLOTS_MAX = 16
/** A stopping worker aborts downloads, which may take minutes; the next one restarts them. */
const STOP_CHECK_MS = 250
const MIB = 1024 * 1024
/** None of our providers accepts a larger file from a customer. */
export const FETCH_BYTES_MAX = 100 * MIB

type Slots = {
  taken: number
  isCalled: boolean
  last: PendingFile | null
  /** How many files of each account are being downloaded. */
  byAccount: Map<string, number>
  /** The running claim: the next one has to count the file it takes. */
  claiming: Promise<unknown>
}

/** Per worker. */
const slotsOf = new WeakMap<JobDeps, Slots>()

export const fetchMedia = async (deps: JobDeps): Promise<void> => {
  const slots = slotsOf.get(deps) ?? newSlots()
  slotsOf.set(deps, slots)
  // A job holding a slot checks once more, because its last check may have been too early for this call.
  slots.isCalled = true
  if (slots.taken >= SLOTS_MAX + FIRST_SLOTS_MAX) return
  slots.taken++
  try {
    while (!deps.isStopping()) {
      slots.isCalled = false
      const file = await claimNext(deps, slots)
      if (file) await inSlot(slots, file, () => fetchOne(deps, file))
      else if (!slots.isCalled) return
    }
  } finally {
    slots.taken--
  }
}

const newSlots = (): Slots => ({
  taken: 0,
  isCalled: false,
  last: null,
  byAccount: new Map(),
  claiming: Promise.resolve(),
})

/** Claims the next file in turn and counts it; one claim at a time. */
const claimNext = (deps: JobDeps, slots: Slots): Promise<PendingFile | undefined> => {
  const claimed = slots.claiming.then(async () => {
    const nowMs = deps.now().getTime()
    const { fetchTimeoutMs, fetchMarginMs } = deps.timing
    const until = new Date(nowMs + fetchTimeoutMs + fetchMarginMs)
    const file = await claimPending(deps.db, {
      now: new Date(nowMs),
      until,
      last: slots.last,
      full: fullAccounts(slots),
    })
    if (file) {
      slots.last = file
      slots.byAccount.set(file.turnOf, (slots.byAccount.get(file.turnOf) ?? 0) + 1)
    }
    return file
  })
  slots.claiming = claimed.catch(() => {})
  return claimed
}

/** Accounts that may not have another download now. */
const fullAccounts = ({ taken, byAccount }: Slots): string[] =>
  [...byAccount]
    .filter(([id, count]) => taken > SLOTS_MAX || count >= circuitOf(`media:${id}`).window(ACCOUNT_SLOTS))
    .map(([id]) => id)

const inSlot = async (
  { byAccount }: Slots,
  { turnOf }: PendingFile,
  work: () => Promise<void>,
): Promise<void> => {
  try {
    await work()
  } finally {
    const left = byAccount.get(turnOf)! - 1
    if (left > 0) byAccount.set(turnOf, left)
    else byAccount.delete(turnOf)
  }
}

const fetchOne = async (deps: JobDeps, file: PendingFile): Promise<void> => {
  const ctx = systemCtx(deps, file.workspaceId)
  const details = { workspaceId: file.workspaceId, attachmentId: file.id, tries: file.tries }
  // Separate from that of its messages: files often come from other servers.
  const circuit = circuitOf(`media:${file.turnOf}`)
  let stored: { key: string; size: number; mimeType: string; name: string }
  try {
    stored = await download(deps, ctx, file)
  } catch (error) {
    const failure =
      error instanceof DeliveryError
        ? error
        : new DeliveryError('retry', 'UNEXPECTED', 'The file could not be stored.', { cause: error })
    if (isSilence(failure)) circuit.silent()
    ctx.log.warn({ err: failure, ...details, code: failure.code }, 'a file could not be downloaded')
    return giveUpOrPostpone(deps, ctx, file, failure)
  }
  circuit.answered()
  await ended(ctx, file, { state: 'stored', ...stored })
  ctx.log.debug({ ...details, size: stored.size }, 'a file was downloaded')
}

const download = async (deps: JobDeps, ctx: Ctx, { id, channelAccountId, source, ...file }: PendingFile) => {
  const account = await findChannelAccount(ctx, channelAccountId)
  const channel = account && ctx.channels[account.channel]
  if (!account || !channel?.fetchMedia || !source)
    throw new DeliveryError(
      'refused',
      'CHANNEL_NOT_SUPPORTED',
      'Files can’t be downloaded from this channel.',
    )
  const opened = { ...account, secrets: openSecrets(deps.seal, account) }
  const timeoutMs = deps.timing.fetchTimeoutMs
  const stopping = new AbortController()
  const watch = setInterval(() => deps.isStopping() && stopping.abort(), STOP_CHECK_MS)
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping.signal])
  let media: FetchedMedia | undefined
  const stop = () => media?.content.destroy(tooSlow())
  signal.addEventListener('abort', stop)
  try {
    const fetching = channel.fetchMedia(opened, source, { timeoutMs, bytesMax: FETCH_BYTES_MAX, signal })
    media = await withDeadline(fetching, signal)
    const isTold = cleanMimeType(file.mimeType) !== cleanMimeType(null)
    const mimeType = (isTold ? file.mimeType : media.mimeType) ?? cleanMimeType(null)
    const key = fileKey(ctx.workspaceId, id)
    const { size } = await ctx.files.put(key, media.content, { mimeType: cleanMimeType(mimeType) })
    return {
      key,
      size,
      mimeType,
      name: withEnding(media.name ? cleanFileName(media.name) : file.name, mimeType),
    }
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', stop)
    media?.content.destroy()
  }
}

const tooSlow = () => new DeliveryError('retry', 'TIMEOUT', 'The provider did not return the file in time.')

/** Channels enforce their timeout; if one fails to, the slot is still freed for others. */
const withDeadline = <T extends { content: { destroy(): unknown } }>(
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(tooSlow())
    signal.addEventListener('abort', stop, { once: true })
    work.then(
      (media) => {
        signal.removeEventListener('abort', stop)
        if (signal.aborted) media.content.destroy()
        resolve(media)
      },
      (error) => {
        signal.removeEventListener('abort', stop)
        reject(error)
      },
    )
  })

const giveUpOrPostpone = async (
  deps: JobDeps,
  ctx: Ctx,
  file: PendingFile,
  { outcome, concerns, message, retryAfterMs = 0 }: DeliveryError,
): Promise<void> => {
  const { timing } = deps
  const nowMs = ctx.now().getTime()
  const waitMs = retryInMs(timing, file.tries, retryAfterMs)
  const isOver = nowMs + waitMs - Date.parse(file.createdAt) > timing.fetchGivenUpAfterMs
  // A problem with the account, such as its token, may be fixed while the provider still has the file.
  if ((outcome === 'refused' && concerns !== 'account') || isOver)
    return ended(ctx, file, { state: 'failed', failure: message })
  const notBefore = new Date(nowMs + waitMs)
  if (await endPending(ctx, file, { state: 'pending', failure: message, notBefore }))
    await addJob(
      ctx,
      'fetch_media',
      { workspaceId: file.workspaceId, attachmentId: file.id },
      { runAt: notBefore },
    )
}

/** The outcome of a download is an update of its message. */
const ended = (ctx: Ctx, file: PendingFile, end: Parameters<typeof endPending>[2]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await endPending(ctx, file, end))) return
    const { messageId, conversationId, contactId } = file
    await record(ctx, {
      type: 'message.updated',
      conversationId,
      contactId,
      data: { messageId, changed: ['attachments'] },
    })
  })
