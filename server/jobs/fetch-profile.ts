// Fetches a customer's name and picture from the provider. Their message is already stored; if anything fails here,
// it stays.
import type { CustomerProfile } from '../../channels/channel.ts'
import { type Channel, type ChannelAccount, DeliveryError } from '../../channels/channel.ts'
import { hasSingleId } from '../../channels/definitions.ts'
import { storeAttachment } from '../domain/attachments/store-attachment.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'
import { findAvatarKey } from '../domain/channel-people/queries.ts'
import { saveAvatar, saveProfileName } from '../domain/channel-people/save-profile.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { cleanMimeType } from '../platform/files/file-name.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import { runAside } from './aside.ts'
import { retryInMs } from './delivery-timing.ts'
import type { JobDeps } from './deps.ts'

/** With the waits in between, a few minutes: a name is not worth more. */
const TRIES_MAX = 6
const AVATAR_BYTES_MAX = 1024 * 1024
/** Image types that every browser shows and none executes. */
const AVATAR_TYPE = /^image\/(jpeg|png|webp|gif)$/

type Payload = JobPayloads['fetch_profile']

export const fetchProfile = async (deps: JobDeps, payload: Payload): Promise<void> => {
  const ctx = systemCtx(deps, payload.workspaceId)
  try {
    await runAside(ctx, 'fetch_profile', payload, () => fetchAndSave(deps, ctx, payload))
  } catch (error) {
    await giveUpOrPostpone(deps, ctx, payload, error)
  }
}

const giveUpOrPostpone = (
  deps: JobDeps,
  ctx: Ctx,
  payload: Payload,
  error: unknown,
): Promise<void> | undefined => {
  const { workspaceId, channelAccountId, tries = 1 } = payload
  const failure =
    error instanceof DeliveryError
      ? error
      : new DeliveryError('retry', 'UNEXPECTED', 'The profile could not be saved.', { cause: error })
  const details = { workspaceId, channelAccountId, tries, code: failure.code }
  if (failure !== error) ctx.log.warn({ err: error, ...details }, 'a profile could not be saved')
  if (failure.outcome === 'refused' || tries >= TRIES_MAX) {
    ctx.log.info(details, 'a profile is not available')
    return undefined
  }
  const waitMs = retryInMs(deps.timing, tries, failure.retryAfterMs)
  const runAt = new Date(ctx.now().getTime() + waitMs)
  return addJob(ctx, 'fetch_profile', { ...payload, tries: tries + 1 }, { runAt })
}

const fetchAndSave = async (
  deps: JobDeps,
  ctx: Ctx,
  { channelAccountId, externalId }: Payload,
): Promise<void> => {
  const found = await findChannelAccount(ctx, channelAccountId)
  if (!found || !hasSingleId(found.channel)) return
  const channel: Channel = ctx.channels[found.channel]
  if (!channel.fetchProfile) return
  const account = { ...found, secrets: openSecrets(deps.seal, found) }
  const whose = { channel: found.channel, channelAccountId, externalId }
  const profile = await channel.fetchProfile(account, externalId, { timeoutMs: deps.timing.sendTimeoutMs })
  if (profile.name !== null) await saveProfileName(ctx, whose, profile.name)
  const { avatar } = profile
  if (!avatar || avatar.key === (await findAvatarKey(ctx, whose))) return
  const attachmentId = await downloadAvatar(deps, ctx, channel, account, avatar)
  if (attachmentId) await saveAvatar(ctx, whose, { attachmentId, key: avatar.key })
}

const downloadAvatar = async (
  deps: JobDeps,
  ctx: Ctx,
  channel: Channel,
  account: ChannelAccount,
  { source }: NonNullable<CustomerProfile['avatar']>,
): Promise<string | undefined> => {
  const timeoutMs = deps.timing.fetchTimeoutMs
  const media = await channel.fetchMedia?.(account, source, {
    timeoutMs,
    bytesMax: AVATAR_BYTES_MAX,
    signal: AbortSignal.timeout(timeoutMs),
  })
  // Telegram's file server does not send a type, and its profile pictures are JPEG.
  const mimeType = cleanMimeType(media?.mimeType ?? 'image/jpeg')
  if (!media || !AVATAR_TYPE.test(mimeType)) {
    media?.content.destroy()
    return undefined
  }
  const { id } = await storeAttachment(ctx, {
    name: 'avatar',
    mimeType,
    content: media.content,
    type: 'image',
  })
  return id
}
