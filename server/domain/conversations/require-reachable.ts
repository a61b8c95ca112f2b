import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { findUnreachable } from '../channel-people/queries.ts'
import type { LockedConversation } from './queries.ts'

type Where = Pick<LockedConversation, 'channel' | 'contactId' | 'channelAccountId' | 'isDisconnected'>

const REASONS = {
  blocked: 'The customer has blocked you on this channel. They have to write first.',
  opted_out:
    'The customer has asked for no more messages on this channel (STOP). They have to write START first.',
}

export const DISCONNECTED =
  'This channel was removed. An admin can add it again to continue its conversations.'

/** Why the customer cannot be written to on this channel account, for the composer; null if they can. */
export const findUnreachableReason = async (ctx: Ctx, where: Where): Promise<string | null> => {
  if (!ctx.channels[where.channel].isClosedToApi) return null
  const reason = await findUnreachable(ctx, where)
  return reason && REASONS[reason]
}

/** Throws CHANNEL_NOT_SUPPORTED. */
export const requireConnected = ({ isDisconnected }: Pick<Where, 'isDisconnected'>): void => {
  if (isDisconnected) throw new ApiError('CHANNEL_NOT_SUPPORTED', { message: DISCONNECTED })
}

/**
 * Nothing is sent to customers who blocked us or wrote STOP, nor on a removed channel. Throws CUSTOMER_UNREACHABLE and
 * CHANNEL_NOT_SUPPORTED.
 */
export const requireReachable = async (ctx: Ctx, where: Where): Promise<void> => {
  requireConnected(where)
  const message = await findUnreachableReason(ctx, where)
  if (message) throw new ApiError('CUSTOMER_UNREACHABLE', { message })
}
