import type { SocialProfile } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../ctx.ts'
import { findChannelAccount } from '../channel-accounts/queries.ts'
import { followName } from '../contacts/follow-name.ts'
import { findContactIds } from '../contacts/people-queries.ts'
import { setProviderName } from './queries.ts'

/** What a provider tells of somebody, onto their contact: a name that people here gave it stays. */
export const learnProfile = (
  ctx: Ctx,
  {
    channelAccountId,
    externalId,
    profile,
  }: { channelAccountId: string; externalId: string; profile: SocialProfile },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const { name } = profile
    const account = await findChannelAccount(ctx, channelAccountId)
    if (!account || name === null || !isSocial(account.channel)) return
    const [contactId] = await findContactIds(ctx, [{ kind: account.channel, value: externalId }])
    const before = await setProviderName(ctx, { channelAccountId, externalId, name })
    if (contactId && before !== null) await followName(ctx, { contactId, from: before, to: name })
  })

const isSocial = (channel: string): channel is 'telegram' | 'facebook' | 'sms' =>
  channel === 'telegram' || channel === 'facebook' || channel === 'sms'
