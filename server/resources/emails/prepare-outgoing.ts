// What an outgoing mail carries beside its text: which mail it answers, and by what its own answer will be known.
import { DeliveryError, type OutboundEmail } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import type { StoredChannelAccount } from '../channel-accounts/schema.ts'
import { findAnswered } from './queries.ts'
import { signatureOf } from './signatures.ts'

/** A thread's first mails and its last ones are what programs go by. */
const REFERENCES_FIRST = 2
const REFERENCES_LAST = 18

type Outgoing = { messageId: string; conversationId: string }

/** Throws a DeliveryError where a program would answer a program. */
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
      'A program wrote that mail: it gets no automatic answer.',
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
    address: answered.replyTo ?? answered.address,
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
