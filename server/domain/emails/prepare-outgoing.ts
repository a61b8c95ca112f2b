// The headers of an outgoing mail: which mail it replies to, and how its own reply will be recognised.

import { DeliveryError, type OutboundEmail } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { StoredChannelAccount } from '../channel-accounts/schema.ts'
import { findAnswered } from './queries.ts'
import { replyAddressOf } from './reply-address.ts'
import { signatureOf } from './signatures.ts'

/** Mail programs thread by the first and the last references. */
const REFERENCES_FIRST = 2
const REFERENCES_LAST = 18

type Outgoing = { messageId: string; conversationId: string }

/** Throws a DeliveryError rather than reply automatically to an automatic mail. */
export const prepareOutgoing = async (
  ctx: Ctx,
  account: StoredChannelAccount<'email'>,
  { messageId: id, conversationId }: Outgoing,
): Promise<OutboundEmail> => {
  const answered = await findAnswered(ctx, { conversationId, messageId: id })
  const { isAutomatic } = answered
  if (isAutomatic && answered.automatic !== null)
    throw new DeliveryError(
      'refused',
      'AUTOMATIC_SENDER',
      'That email was sent automatically, so no automatic reply is sent.',
    )
  const channelAccountId = account.id
  const all = answered.inReplyTo ? [...(answered.referenceIds ?? []), answered.inReplyTo] : []
  const references = [...new Set(all)]
  return {
    signature: signatureOf(ctx, 'email message', { channelAccountId, id }),
    reply: account.settings.plusAddressing
      ? {
          id: conversationId,
          signature: signatureOf(ctx, 'email reply', { channelAccountId, id: conversationId }),
        }
      : null,
    address:
      answered.address === null
        ? answered.replyTo
        : (answered.sentTo ?? replyAddressOf({ ...answered, address: answered.address }).address),
    subject: answered.subject,
    isAnswer: answered.isAnswer,
    inReplyTo: answered.inReplyTo,
    references:
      references.length <= REFERENCES_FIRST + REFERENCES_LAST
        ? references
        : [...references.slice(0, REFERENCES_FIRST), ...references.slice(-REFERENCES_LAST)],
    isAutomatic,
  }
}
