// Builds an outgoing email for nodemailer. User text can't inject headers: every header is a single line, and an
// invalid address is refused.
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js'
import {
  type ChannelAccount,
  DeliveryError,
  type OutboundLimits,
  type OutboundMessage,
} from '../contract/channel.ts'
import { loopMark, makeMessageId, makeReplyAddress } from './thread-ids.ts'

/** Encoded, these fill the 25 MB that large providers accept. */
const ATTACHMENTS_BYTES_MAX = 18 * 1024 * 1024

export const EMAIL_ATTACHMENTS: OutboundLimits = {
  max: 10,
  bytesMax: ATTACHMENTS_BYTES_MAX,
  refuses: ({ attachments }) =>
    attachments.reduce((sum, { size }) => sum + size, 0) > ATTACHMENTS_BYTES_MAX
      ? 'must be at most 18 MiB in total for an email'
      : undefined,
}

const SUBJECT_MAX = 500
const NAME_MAX = 200

/** A single line without control characters, so it can't start a new header. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .trim()

const ADDRESS = /^[^\s\p{Cc}<>(),;:"[\]\\@]{1,64}@[^\s\p{Cc}<>(),;:"[\]\\@]{1,255}$/u

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The text for HTML-only mail programs: paragraphs at blank lines, line breaks elsewhere. */
const toHtml = (text: string): string =>
  text
    .split(/\r?\n[^\S\n]*\r?\n\s*/)
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll(/\r?\n/g, '<br>\n')}</p>`)
    .join('\n')

/** Reply prefixes of mail programs, in the most common languages. */
const REPLY_PREFIX =
  /^(?:(?:re|aw|antw|antwort|sv|vs|ref|rif|odp|ynt|res|回复|答复|回覆)(?:\[\d{1,3}\])?\s?[:：]\s{0,5}){1,20}/i

const subjectOf = ({ subject, senderName, email }: OutboundMessage): string => {
  const given = oneLine(email?.subject ?? subject ?? '').slice(0, SUBJECT_MAX)
  if (!email?.isAnswer) return given || `Message from ${oneLine(senderName)}`
  return `Re: ${given.replace(REPLY_PREFIX, '') || 'your message'}`
}

export const messageIdFor = (
  { id, email }: Pick<OutboundMessage, 'id' | 'email'>,
  address: string,
): string =>
  email
    ? makeMessageId({ id, signature: email.signature }, address)
    : `<${id}@${address.slice(address.lastIndexOf('@') + 1)}>`

/** Throws a DeliveryError if there is no recipient or a file can't be read. */
export const composeMail = async (
  account: ChannelAccount,
  message: OutboundMessage,
): Promise<SMTPPool.MailOptions> => {
  const from = account.address ?? ''
  const { email, body } = message
  const address = email?.address ?? message.to.email
  if (!address || !ADDRESS.test(address))
    throw new DeliveryError('refused', 'NO_ADDRESS', 'The contact has no email address.')
  const replyTo = email?.reply ? makeReplyAddress(email.reply, from) : null
  const name = oneLine(message.to.name).slice(0, NAME_MAX)
  return {
    messageId: messageIdFor(message, from),
    from: { name: oneLine(message.senderName).slice(0, NAME_MAX), address: from },
    // A name containing an address would look like a second recipient.
    to: { name: name.includes('@') ? '' : name, address },
    envelope: { from, to: [address] },
    ...(replyTo && { replyTo: { name: oneLine(message.senderName).slice(0, NAME_MAX), address: replyTo } }),
    subject: subjectOf(message),
    date: new Date(message.createdAt),
    ...(email?.inReplyTo && { inReplyTo: email.inReplyTo, references: email.references }),
    ...(email?.isAutomatic && {
      headers: {
        'Auto-Submitted': email.inReplyTo ? 'auto-replied' : 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
        'X-Loop': loopMark(account.id),
      },
    }),
    text: body,
    html: toHtml(body),
    attachments: await Promise.all(
      message.attachments.map(async ({ name, mimeType, open }) => ({
        filename: oneLine(name),
        contentType: mimeType,
        contentDisposition: 'attachment' as const,
        content: await open(),
      })),
    ),
  }
}
