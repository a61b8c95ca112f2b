import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../../platform/errors.ts'
import type { Fields } from '../../read-fields.ts'
import type { ChannelAccountDeps } from '../add-channel-account.ts'
import { addTestedAccount } from '../add-tested-account.ts'
import { type CheckedChannel, checkChannelAccount } from '../check-channel-account.ts'
import { findChannelAccount } from '../queries.ts'
import { updateChannelAccount } from '../update-channel-account.ts'

/**
 * Adds the mailbox that was signed in to, if it works, or gives one its new credentials. `id` is null if it doesn't work.
 * Throws CHANNEL_NOT_FOUND, and VALIDATION_ERROR for another mailbox than the one to reconnect.
 */
export const connectMailbox = async (
  ctx: Ctx & ChannelAccountDeps,
  { channelId, fields }: { channelId: string | null; fields: Fields & { address: string } },
): Promise<{ id: string | null; checks: CheckedChannel['checks'] }> => {
  if (channelId === null) return addTestedAccount(ctx, { channel: 'email', fields })
  const account = await findChannelAccount(ctx, channelId)
  if (account?.channel !== 'email') throw new ApiError('CHANNEL_NOT_FOUND')
  if (account.address?.toLowerCase() !== fields.address)
    throw invalid({
      field: 'address',
      message: `is ${fields.address}, but this mailbox is ${account.address}. Sign in as that one`,
    })
  const { address: _, inboundSecret: __, plusAddressing: ___, ...changes } = fields
  await updateChannelAccount(ctx, { channelId, changes })
  const { checks } = await checkChannelAccount(ctx, channelId)
  return { id: channelId, checks }
}
