// An email that a person writes: its recipients in order, and its text and HTML with what it quotes. Everything is
// settled when it is accepted, so that each try sends the same mail, and the thread shows what was sent.
import type { MailAddress } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Metadata } from '../../platform/db/tables.ts'
import { invalid } from '../../platform/errors.ts'
import { findOutgoingPlace, type OutgoingPlace, type QuotedMessage } from './outgoing-queries.ts'
import { findReplyAddress } from './reply-address.ts'
import { type OutgoingEmail, RECIPIENTS_MAX, type Recipient } from './schema.ts'

export type PreparedEmail = {
  /** What lists show of it. */
  body: string
  metadata: Metadata
  /** Null: the body is all of it. */
  content: { text: string | null; html: string | null } | null
  /** Of the quoted message, to send along. */
  files: QuotedMessage['files']
}

type Written = { body: string; attachmentIds: readonly string[] }

/** Throws VALIDATION_ERROR for too many recipients, and for a message or file that is not of the conversation. */
export const prepareEmail = async (
  ctx: Ctx,
  conversation: { id: string; channelAccountId: string },
  email: OutgoingEmail,
  { body, attachmentIds }: Written,
): Promise<PreparedEmail> => {
  const recipients = distinctRecipients(email)
  const { subject, quote } = email
  const conversationId = conversation.id
  const place = await findOutgoingPlace(ctx, {
    conversationId,
    channelAccountId: conversation.channelAccountId,
    quotedId: quote?.messageId ?? null,
  })
  const { quoted } = place
  if (quote && !quoted)
    throw invalid({ field: 'email.quote.messageId', message: 'must be a message of this conversation' })
  const shownIds = quoted?.html ? ctx.channels.email.attachmentsIn(quoted.html) : []
  const files = (quote?.fileIds ?? []).flatMap((id, index) => {
    const file = quoted?.files.find((one) => one.id === id)
    // An image within the text is sent there.
    if (file) return shownIds.includes(id) ? [] : [file]
    throw invalid({ field: `email.quote.fileIds[${index}]`, message: 'must be a file of the quoted message' })
  })
  const own = email.html === undefined ? null : await ctx.channels.email.cleanHtml(email.html)
  const text = own?.text ?? body
  const below =
    quote && quoted ? ctx.channels.email.quoteMail({ as: quote.as, ...quotedMail(place, quoted) }) : null
  const isForward = quote?.as === 'forward'
  const html =
    own || (isForward && quoted?.html)
      ? [own?.html ?? (text && ctx.channels.email.textToHtml(text)), below?.html].filter(Boolean).join('\n')
      : null
  const chosen = await chosenReplyTo(ctx, conversationId, recipients.to)
  const shown = text || (isForward ? (subject ?? `Fwd: ${subjectOf(quoted) ?? 'email'}`) : '')
  return {
    body: shown,
    metadata: {
      ...(subject !== undefined && { subject }),
      from: { name: place.workspaceName, address: place.address ?? '' },
      to: recipients.to,
      ...(recipients.cc.length > 0 && { cc: recipients.cc }),
      ...(recipients.bcc.length > 0 && { bcc: recipients.bcc }),
      ...(chosen !== null && { sentTo: chosen }),
      ...(html !== null && { hasHtml: true }),
      ...(below && { hasMore: true }),
      ...(isForward && { forwardOf: quote.messageId }),
      ...inlineOf(html, attachmentIds),
    },
    content:
      below || html !== null
        ? { text: below ? [text, below.text].filter(Boolean).join('\n\n') : null, html }
        : null,
    files,
  }
}

/** In lower case, each once: To before Cc before Bcc. */
const distinctRecipients = ({ to, cc = [], bcc = [] }: OutgoingEmail) => {
  const known = new Set<string>()
  const distinct = (list: readonly Recipient[]): MailAddress[] =>
    list.flatMap(({ name = '', address }) => {
      const lower = address.toLowerCase()
      if (known.has(lower)) return []
      known.add(lower)
      return [{ name, address: lower }]
    })
  const recipients = { to: distinct(to), cc: distinct(cc), bcc: distinct(bcc) }
  if (known.size > RECIPIENTS_MAX)
    throw invalid({ field: 'email.to', message: `must have at most ${RECIPIENTS_MAX} recipients in total` })
  return recipients
}

/** Images pasted into the text, which are not files beside it. */
const inlineOf = (html: string | null, attachmentIds: readonly string[]): { inlineIds?: string[] } => {
  const inlineIds = attachmentIds.filter((id) => html?.includes(` data-attachment="${id}"`))
  return inlineIds.length > 0 ? { inlineIds } : {}
}

/** Writing to a thread's Reply-To at another domain chooses it for later replies. */
const chosenReplyTo = async (
  ctx: Ctx,
  conversationId: string,
  to: readonly MailAddress[],
): Promise<string | null> => {
  const [, replyTo] = (await findReplyAddress(ctx, conversationId))?.choices ?? []
  return replyTo !== undefined && to.some(({ address }) => address === replyTo) ? replyTo : null
}

type Headers = {
  from?: MailAddress | null
  to?: MailAddress[]
  cc?: MailAddress[]
  subject?: string
  date?: string
}

/** Written by receiveEmail and prepareEmail. */
const headersOf = ({ metadata }: QuotedMessage): Headers => (metadata ?? {}) as Headers

const subjectOf = (quoted: QuotedMessage | null): string | null =>
  (quoted && headersOf(quoted).subject) || null

const quotedMail = ({ address, workspaceName }: OutgoingPlace, quoted: QuotedMessage) => {
  const { from, to = [], cc = [], subject, date } = headersOf(quoted)
  const sender =
    quoted.senderType === 'customer'
      ? { name: quoted.senderName ?? '', address: quoted.senderAddress ?? '' }
      : { name: workspaceName, address: address ?? '' }
  return {
    from: from ?? (sender.address ? sender : null),
    to,
    cc,
    subject: subject || null,
    sentAt: new Date(date ?? quoted.createdAt),
    text: quoted.text ?? quoted.body,
    html: quoted.html,
  }
}
