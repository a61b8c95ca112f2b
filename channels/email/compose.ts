// Builds an outgoing email for nodemailer. User text can't inject headers: every header is a single line, and an
// invalid address is refused.
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js'
import {
  type ChannelAccount,
  DeliveryError,
  type OutboundLimits,
  type OutboundMessage,
  type OutboundRecipient,
} from '../contract/channel.ts'
import { attachmentsIn, contentIdOf, toWireHtml } from './outgoing-html.ts'
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

/** Reply prefixes of mail programs, in the most common languages. */
const REPLY_PREFIX =
  /^(?:(?:re|aw|antw|antwort|sv|vs|ref|rif|odp|ynt|res|回复|答复|回覆)(?:\[\d{1,3}\])?\s?[:：]\s{0,5}){1,20}/i

const subjectOf = ({ subject, senderName, email }: OutboundMessage): string => {
  if (email?.written?.subject) return oneLine(email.written.subject).slice(0, SUBJECT_MAX)
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

const requireAddress = (address: string | null | undefined): string => {
  if (!address || !ADDRESS.test(address))
    throw new DeliveryError('refused', 'NO_ADDRESS', 'The contact has no email address.')
  return address
}

const toMailbox = ({ name, address }: OutboundRecipient) => {
  const shown = oneLine(name).slice(0, NAME_MAX)
  // A name containing an address would look like a second recipient.
  return { name: shown.includes('@') ? '' : shown, address: requireAddress(address) }
}

/** Bcc is only in the envelope. */
const recipientsOf = ({ email, to }: OutboundMessage) => {
  const given = email?.written
  if (!given) {
    const only = toMailbox({ name: to.name, address: email?.address ?? to.email ?? '' })
    return { to: only, envelope: [only.address] }
  }
  const all = [...given.to, ...given.cc, ...given.bcc].map(({ address }) => requireAddress(address))
  return {
    to: given.to.map(toMailbox),
    ...(given.cc.length > 0 && { cc: given.cc.map(toMailbox) }),
    envelope: given.onlyTo ? all.filter((address) => given.onlyTo?.includes(address)) : all,
  }
}

const threadOf = (email: OutboundMessage['email'], from: string) => {
  const root = email?.thread ? makeMessageId(email.thread, from) : null
  const inReplyTo = email?.inReplyTo ?? root
  return inReplyTo && { inReplyTo, references: [...(root ? [root] : []), ...(email?.references ?? [])] }
}

/** Files, and the images shown in the HTML; each once. */
const filesOf = ({ attachments, email }: OutboundMessage) => {
  const shown = new Set(attachmentsIn(email?.written?.html ?? ''))
  const inline = (email?.written?.inline ?? []).filter(({ id }) => shown.has(id))
  const known = new Set(attachments.map(({ id }) => id))
  return {
    shown: new Set([...attachments, ...inline].flatMap(({ id }) => (shown.has(id) ? [id] : []))),
    files: [...attachments, ...inline.filter(({ id }) => !known.has(id))],
  }
}

/** Throws a DeliveryError if there is no recipient or a file can't be read. */
export const composeMail = async (
  account: ChannelAccount,
  message: OutboundMessage,
): Promise<SMTPPool.MailOptions> => {
  const from = account.address ?? ''
  const { email, body } = message
  const { envelope, ...recipients } = recipientsOf(message)
  const replyTo = email?.reply ? makeReplyAddress(email.reply, from) : null
  const { files, shown } = filesOf(message)
  return {
    messageId: messageIdFor(message, from),
    from: { name: oneLine(message.senderName).slice(0, NAME_MAX), address: from },
    ...recipients,
    envelope: { from, to: envelope },
    ...(replyTo && { replyTo: { name: oneLine(message.senderName).slice(0, NAME_MAX), address: replyTo } }),
    subject: subjectOf(message),
    date: new Date(message.createdAt),
    ...threadOf(email, from),
    headers: {
      ...(email?.isAutomatic && {
        'Auto-Submitted': email.inReplyTo ? 'auto-replied' : 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
        'X-Loop': loopMark(account.id),
      }),
      ...(email?.unsubscribeUrl && {
        'List-Unsubscribe': `<${email.unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    text: email?.written?.text ?? body,
    ...(email?.written?.html && { html: toWireHtml(email.written.html, shown) }),
    attachments: await Promise.all(
      files.map(async ({ id, name, mimeType, open }) => ({
        filename: oneLine(name),
        contentType: mimeType,
        ...(shown.has(id)
          ? { cid: contentIdOf(id), contentDisposition: 'inline' as const }
          : { contentDisposition: 'attachment' as const }),
        content: await open(),
      })),
    ),
  }
}
