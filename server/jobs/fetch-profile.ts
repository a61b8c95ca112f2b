// Asks a provider for the name and picture of somebody who wrote. Their message is there already; whatever goes wrong
// here, it stays.
import {
  type Channel,
  type ChannelAccount,
  DeliveryError,
  type SocialProfile,
} from '../../channels/channel.ts'
import type { Ctx } from '../ctx.ts'
import { cleanMimeType } from '../files/file-name.ts'
import { storeAttachment } from '../resources/attachments/store-attachment.ts'
import { findChannelAccount, openSecrets } from '../resources/channel-accounts/queries.ts'
import { learnAvatar, learnName } from '../resources/channel-people/learn-profile.ts'
import { findAvatarKey } from '../resources/channel-people/queries.ts'
import { addJob } from './add-job.ts'
import type { JobPayloads } from './catalogue.ts'
import { backoffMs } from './delivery-timing.ts'
import { type JobDeps, systemCtx } from './deps.ts'

/** With the waits between them some minutes: a name is worth no more. */
const TRIES_MAX = 6
const AVATAR_BYTES_MAX = 1024 * 1024
/** Pictures that every browser shows and none can run. */
const AVATAR_TYPE = /^image\/(jpeg|png|webp|gif)$/

type Payload = JobPayloads['fetch_profile']

export const fetchProfile = async (deps: JobDeps, payload: Payload): Promise<void> => {
  const ctx = systemCtx(deps, payload.workspaceId)
  try {
    await fetchAndLearn(deps, ctx, payload)
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
      : new DeliveryError('retry', 'UNEXPECTED', 'The profile could not be kept.', { cause: error })
  const details = { workspaceId, channelAccountId, tries, code: failure.code }
  if (failure !== error) ctx.log.warn({ err: error, ...details }, 'a profile could not be kept')
  if (failure.outcome === 'refused' || tries >= TRIES_MAX) {
    ctx.log.info(details, 'a profile is not given')
    return undefined
  }
  const { timing } = deps
  const waitMs = Math.max(
    backoffMs(timing, tries),
    Math.min(failure.retryAfterMs ?? 0, timing.retryAfterMaxMs),
  )
  const runAt = new Date(ctx.now().getTime() + waitMs)
  return addJob(ctx, 'fetch_profile', { ...payload, tries: tries + 1 }, { runAt })
}

const fetchAndLearn = async (
  deps: JobDeps,
  ctx: Ctx,
  { channelAccountId, externalId }: Payload,
): Promise<void> => {
  const found = await findChannelAccount(ctx, channelAccountId)
  if (!found || (found.channel !== 'telegram' && found.channel !== 'facebook' && found.channel !== 'sms'))
    return
  const channel: Channel = ctx.channels[found.channel]
  if (!channel.fetchProfile) return
  const account = { ...found, secrets: openSecrets(deps.seal, found) }
  const whose = { channel: found.channel, channelAccountId, externalId }
  const profile = await channel.fetchProfile(account, externalId, { timeoutMs: deps.timing.sendTimeoutMs })
  if (profile.name !== null) await learnName(ctx, whose, profile.name)
  const { avatar } = profile
  if (!avatar || avatar.key === (await findAvatarKey(ctx, whose))) return
  const attachmentId = await bringAvatar(deps, ctx, channel, account, avatar)
  if (attachmentId) await learnAvatar(ctx, whose, { attachmentId, key: avatar.key })
}

const bringAvatar = async (
  deps: JobDeps,
  ctx: Ctx,
  channel: Channel,
  account: ChannelAccount,
  { source }: NonNullable<SocialProfile['avatar']>,
): Promise<string | undefined> => {
  const timeoutMs = deps.timing.fetchTimeoutMs
  const media = await channel.fetchMedia?.(account, source, {
    timeoutMs,
    bytesMax: AVATAR_BYTES_MAX,
    signal: AbortSignal.timeout(timeoutMs),
  })
  // Telegram's file server does not say, and its pictures of people are JPEG.
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
