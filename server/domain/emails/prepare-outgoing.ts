// The headers of an outgoing mail: which mail it replies to, and how its own reply will be recognised.

import {
  DeliveryError,
  type MailAddress,
  type OutboundEmail,
  type WrittenEmail,
} from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { StoredChannelAccount } from '../channel-accounts/schema.ts'
import { type Answered, findAnswered, type InlineFile, listInlineFiles } from './outgoing-queries.ts'
import { replyAddressOf } from './reply-address.ts'
import { signatureOf } from './signatures.ts'

/** Mail programs thread by the first and the last references. */
const REFERENCES_FIRST = 2
const REFERENCES_LAST = 18

type Outgoing = {
  messageId: string
  conversationId: string
  /** Of its attachments, in bytes. */
  filesSize: number
}

type Prepared = Omit<OutboundEmail, 'written'> & {
  written: (Omit<WrittenEmail, 'inline'> & { inline: InlineFile[] }) | null
}

/** Throws a DeliveryError rather than reply automatically to an automatic mail. */
export const prepareOutgoing = async (
  ctx: Ctx,
  account: StoredChannelAccount<'email'>,
  { messageId: id, conversationId, filesSize }: Outgoing,
): Promise<Prepared> => {
  const answered = await findAnswered(ctx, { conversationId, messageId: id })
  const { isAutomatic } = answered
  if (isAutomatic && answered.automatic !== null)
    throw new DeliveryError(
      'refused',
      'AUTOMATIC_SENDER',
      'That email was sent automatically, so no automatic reply is sent.',
    )
  const channelAccountId = account.id
  const own = (answered.metadata ?? {}) as OwnMetadata
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
    // A forwarded mail is the beginning of a thread with somebody else.
    ...(own.forwardOf ? { isAnswer: false, inReplyTo: null, references: [] } : referencesOf(answered)),
    isAutomatic,
    written: own.to
      ? {
          to: own.to,
          cc: own.cc ?? [],
          bcc: own.bcc ?? [],
          onlyTo: own.undelivered?.map(({ address }) => address) ?? null,
          subject: own.subject ?? null,
          text: answered.text,
          html: answered.html,
          inline: await inlineFilesOf(ctx, { conversationId, html: answered.html, filesSize }),
        }
      : null,
  }
}

/** As prepareEmail wrote it. */
type OwnMetadata = {
  to?: MailAddress[]
  cc?: MailAddress[]
  bcc?: MailAddress[]
  subject?: string
  forwardOf?: string
  undelivered?: { address: string }[]
}

const referencesOf = ({ isAnswer, inReplyTo, referenceIds }: Answered) => {
  const all = inReplyTo ? [...(referenceIds ?? []), inReplyTo] : []
  const references = [...new Set(all)]
  return {
    isAnswer,
    inReplyTo,
    references:
      references.length <= REFERENCES_FIRST + REFERENCES_LAST
        ? references
        : [...references.slice(0, REFERENCES_FIRST), ...references.slice(-REFERENCES_LAST)],
  }
}

/** The images of quoted mail, as far as they fit beside the files. */
const inlineFilesOf = async (
  ctx: Ctx,
  { conversationId, html, filesSize }: { conversationId: string; html: string | null; filesSize: number },
): Promise<InlineFile[]> => {
  const ids = html === null ? [] : ctx.channels.email.attachmentsIn(html)
  let left = (ctx.channels.email.attachments?.bytesMax ?? 0) - filesSize
  return (await listInlineFiles(ctx, { conversationId, ids })).filter(({ size }) => {
    left -= size
    return left >= 0
  })
}
