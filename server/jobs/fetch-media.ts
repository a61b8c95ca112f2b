// Brings the files of inbound messages from their providers into our own storage. The message is there already, its
// attachment pending; whatever goes wrong here, the message stays. A job is only a call to look: it takes whatever file
// has been due the longest, and goes on until none is, so that a few slots serve any backlog and files that hang never
// take all the room that deliveries need.
import { DeliveryError, type FetchedMedia } from '../../channels/channel.ts'
import { type Ctx, inTransaction } from '../ctx.ts'
import { record } from '../events/record.ts'
import { cleanFileName, cleanMimeType, withEnding } from '../files/file-name.ts'
import { fileKey } from '../files/store.ts'
import { claimPending, endPending, type PendingFile } from '../resources/attachments/queries.ts'
import { findChannelAccount, openSecrets } from '../resources/channel-accounts/queries.ts'
import { addJob } from './add-job.ts'
import { backoffMs } from './delivery-timing.ts'
import { type JobDeps, systemCtx } from './deps.ts'

/** Files on their way at once, in one process. */
const SLOTS_MAX = 8
/** A worker that is to stop lets go of files, which may take minutes, and the next one fetches them. */
const STOP_LOOK_MS = 250
const MIB = 1024 * 1024
/** No provider of ours takes more from a customer. */
export const FETCH_BYTES_MAX = 100 * MIB

type Slots = { taken: number; isCalled: boolean }

/** Of each worker. */
const slotsOf = new WeakMap<JobDeps, Slots>()

export const fetchMedia = async (deps: JobDeps): Promise<void> => {
  const slots = slotsOf.get(deps) ?? { taken: 0, isCalled: false }
  slotsOf.set(deps, slots)
  // Whoever has a slot looks once more, as its last look may have been too early for what this call is about.
  slots.isCalled = true
  if (slots.taken >= SLOTS_MAX) return
  slots.taken++
  try {
    while (!deps.isStopping()) {
      slots.isCalled = false
      const nowMs = deps.now().getTime()
      const { fetchTimeoutMs, fetchMarginMs } = deps.timing
      const until = new Date(nowMs + fetchTimeoutMs + fetchMarginMs)
      const file = await claimPending(deps.db, new Date(nowMs), until)
      if (file) await fetchOne(deps, file)
      else if (!slots.isCalled) return
    }
  } finally {
    slots.taken--
  }
}

const fetchOne = async (deps: JobDeps, file: PendingFile): Promise<void> => {
  const ctx = systemCtx(deps, file.workspaceId)
  const details = { workspaceId: file.workspaceId, attachmentId: file.id, tries: file.tries }
  let stored: { key: string; size: number; mimeType: string; name: string }
  try {
    stored = await bring(deps, ctx, file)
  } catch (error) {
    const failure =
      error instanceof DeliveryError
        ? error
        : new DeliveryError('retry', 'UNEXPECTED', 'The file could not be kept.', { cause: error })
    ctx.log.warn({ err: failure, ...details, code: failure.code }, 'a file was not fetched')
    return giveUpOrPostpone(deps, ctx, file, failure)
  }
  await ended(ctx, file, { state: 'stored', ...stored })
  ctx.log.debug({ ...details, size: stored.size }, 'a file was fetched')
}

const bring = async (deps: JobDeps, ctx: Ctx, { id, channelAccountId, source, ...file }: PendingFile) => {
  const account = await findChannelAccount(ctx, channelAccountId)
  const channel = account && ctx.channels[account.channel]
  if (!account || !channel?.fetchMedia || !source)
    throw new DeliveryError('refused', 'CHANNEL_NOT_SUPPORTED', 'Files cannot be fetched from this channel.')
  const opened = { ...account, secrets: openSecrets(deps.seal, account) }
  const timeoutMs = deps.timing.fetchTimeoutMs
  const stopping = new AbortController()
  const watch = setInterval(() => deps.isStopping() && stopping.abort(), STOP_LOOK_MS)
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

const tooSlow = () => new DeliveryError('retry', 'TIMEOUT', 'The provider did not give the file in time.')

/** A channel keeps to its timeout; should one not, the slot is needed for others. */
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
  const waitMs = Math.max(backoffMs(timing, file.tries), Math.min(retryAfterMs, timing.retryAfterMaxMs))
  const isOver = nowMs + waitMs - Date.parse(file.createdAt) > timing.fetchGivenUpAfterMs
  // What is wrong with the account, such as its token, may be mended while the provider still has the file.
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

/** What became of a file is news of its message. */
const ended = (ctx: Ctx, file: PendingFile, end: Parameters<typeof endPending>[2]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await endPending(ctx, file, end))) return
    const { messageId, conversationId, contactId } = file
    await record(ctx, { type: 'message.updated', conversationId, contactId, data: { messageId } })
  })
