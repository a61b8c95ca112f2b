// Asks a provider for the name of somebody who wrote. Their message is there already; whatever goes wrong here, it stays.
import { DeliveryError, type SocialProfile } from '../../channels/channel.ts'
import { type Ctx, inTransaction } from '../ctx.ts'
import { findChannelAccount, openSecrets } from '../resources/channel-accounts/queries.ts'
import { learnProfile } from '../resources/channel-people/learn-profile.ts'
import { addJob } from './add-job.ts'
import type { JobPayloads } from './catalogue.ts'
import { backoffMs } from './delivery-timing.ts'
import { type JobDeps, systemCtx } from './deps.ts'

/** With the waits between them some minutes: a name is worth no more. */
const TRIES_MAX = 6

export const fetchProfile = async (deps: JobDeps, payload: JobPayloads['fetch_profile']): Promise<void> => {
  const { workspaceId, channelAccountId, externalId, tries = 1 } = payload
  const ctx = systemCtx(deps, workspaceId)
  const details = { workspaceId, channelAccountId, tries }
  let profile: SocialProfile | undefined
  try {
    profile = await ask(deps, ctx, payload)
  } catch (error) {
    const isPassing = !(error instanceof DeliveryError) || error.outcome !== 'refused'
    const code = error instanceof DeliveryError ? error.code : 'UNEXPECTED'
    if (!(error instanceof DeliveryError))
      ctx.log.error({ err: error, ...details }, 'a profile could not be asked for')
    if (!isPassing || tries >= TRIES_MAX) return ctx.log.info({ ...details, code }, 'a profile is not given')
    const retryAfterMs = error instanceof DeliveryError ? (error.retryAfterMs ?? 0) : 0
    const waitMs = Math.max(
      backoffMs(deps.timing, tries),
      Math.min(retryAfterMs, deps.timing.retryAfterMaxMs),
    )
    const runAt = new Date(ctx.now().getTime() + waitMs)
    return addJob(ctx, 'fetch_profile', { ...payload, tries: tries + 1 }, { runAt })
  }
  if (profile) await inTransaction(ctx, (ctx) => learnProfile(ctx, { channelAccountId, externalId, profile }))
}

const ask = async (
  deps: JobDeps,
  ctx: Ctx,
  { channelAccountId, externalId }: JobPayloads['fetch_profile'],
): Promise<SocialProfile | undefined> => {
  const account = await findChannelAccount(ctx, channelAccountId)
  const channel = account && ctx.channels[account.channel]
  if (!account || !channel?.fetchProfile) return undefined
  const opened = { ...account, secrets: openSecrets(deps.seal, account) }
  return channel.fetchProfile(opened, externalId, { timeoutMs: deps.timing.sendTimeoutMs })
}
