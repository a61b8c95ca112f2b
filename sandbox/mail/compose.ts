// Emails as customers' mail programs write them: replies quote the original, as text and as HTML.
import { randomUUID } from 'node:crypto'
import type { Attachment, Mail, MailConnection, MailInput } from './mail.ts'

export type Draft = {
  from: { name: string; address: string }
  to: string
  subject: string
  messageId: string
  references: string[]
  text: string
  attachments: Attachment[]
}

type Writer = Draft['from']

const REFERENCES_MAX = 20

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const paragraphs = (text: string): string =>
  text
    .split(/\n/)
    .map((line) => `<div dir="auto">${escapeHtml(line) || '<br>'}</div>`)
    .join('\n')

const newMessageId = ({ address }: Writer): string => `<${randomUUID()}@${address.split('@')[1]}>`

const replySubject = (subject: string): string => (/^re:/i.test(subject) ? subject : `Re: ${subject}`)

const referencesTo = ({ references, messageId }: Mail): string[] =>
  [...references, ...(messageId ? [messageId] : [])].slice(-REFERENCES_MAX)

const attribution = ({ from, atMs }: Mail): string => {
  const at = new Date(atMs)
  const day = at.toLocaleDateString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return `On ${day} at ${time}, ${from} wrote:`
}

/** The headers that mail servers add in transit. */
const traceOf = (from: string, to: string, at: Date): string =>
  [
    `Return-Path: <${from}>`,
    `Delivered-To: ${to}`,
    `Received: from mail.customers.invalid by mx.business.invalid with ESMTPS for <${to}>; ${at.toUTCString().replace('GMT', '+0000')}`,
    '',
  ].join('\r\n')

/** A new email, a reply with its quote, or an automatic reply. */
export const composeMail = async (
  writer: Writer,
  { address, name }: MailConnection,
  answered: Mail | null,
  input: MailInput,
  at: Date,
): Promise<{ draft: Draft; raw: Buffer }> => {
  const isAutomatic = input.kind === 'auto-reply'
  const own = input.text ?? (isAutomatic ? `I’m away until Monday.\n\n${writer.name}` : '')
  const draft: Draft = {
    from: writer,
    to: answered?.replyTo ?? address,
    subject: answered
      ? isAutomatic
        ? `Automatic reply: ${answered.subject}`
        : replySubject(answered.subject)
      : (input.subject ?? ''),
    messageId: newMessageId(writer),
    references: answered ? referencesTo(answered) : [],
    text: own,
    attachments: (input.attachments ?? []).map(({ fileName, mimeType, data }) => ({
      name: fileName,
      mimeType,
      bytes: Buffer.from(data, 'base64'),
      cid: null,
    })),
  }
  const isQuoting = answered !== null && !isAutomatic
  const quotedLines = isQuoting
    ? answered.text
        .trimEnd()
        .split('\n')
        .map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`))
    : []
  const text = isQuoting ? `${own}\n\n${attribution(answered)}\n\n${quotedLines.join('\n')}\n` : `${own}\n`
  const html = isQuoting
    ? `<div dir="ltr">${paragraphs(own)}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${escapeHtml(attribution(answered))}<br></div><blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border-left:1px solid #ccc;padding-left:1ex">${answered.html ?? paragraphs(answered.text)}</blockquote></div>`
    : `<div dir="ltr">${paragraphs(own)}</div>`
  // Loaded with the first email, so the demo, and with it Foyer, starts faster.
  const { default: nodemailer } = await import('nodemailer')
  const streaming = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { message } = await streaming.sendMail({
    from: writer,
    to: { name: draft.to === address ? name : '', address: draft.to },
    subject: draft.subject,
    date: at,
    messageId: draft.messageId,
    ...(answered?.messageId && { inReplyTo: answered.messageId, references: draft.references }),
    text,
    ...(!isAutomatic && { html }),
    headers: isAutomatic
      ? { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' }
      : { 'X-Mailer': 'Sandbox Mail' },
    attachments: draft.attachments.map(({ name, mimeType, bytes }) => ({
      filename: name,
      contentType: mimeType,
      content: bytes,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    draft,
    raw: Buffer.concat([
      Buffer.from(traceOf(isAutomatic ? '' : writer.address, draft.to, at)),
      message as Buffer,
    ]),
  }
}

/** A mail server's bounce (RFC 3464). */
export const composeBounce = (writer: Writer, bounced: Mail, at: Date): { draft: Draft; raw: Buffer } => {
  const host = writer.address.split('@')[1]!
  const daemon = { name: 'Mail Delivery System', address: `mailer-daemon@${host}` }
  const boundary = `report-${randomUUID()}`
  const date = at.toUTCString().replace('GMT', '+0000')
  const draft: Draft = {
    from: daemon,
    to: bounced.replyTo ?? '',
    subject: 'Undelivered Mail Returned to Sender',
    messageId: newMessageId(writer),
    references: [],
    text: `<${writer.address}>: 550 5.1.1 mailbox unavailable`,
    attachments: [],
  }
  const lines = [
    `From: ${daemon.name} <${daemon.address}>`,
    `To: <${draft.to}>`,
    `Subject: ${draft.subject}`,
    `Date: ${date}`,
    `Message-ID: ${draft.messageId}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=us-ascii',
    '',
    `This is the mail system at host ${host}.`,
    '',
    'Your message could not be delivered to one or more recipients.',
    '',
    draft.text,
    '',
    `--${boundary}`,
    'Content-Type: message/delivery-status',
    '',
    `Reporting-MTA: dns; ${host}`,
    `Arrival-Date: ${date}`,
    '',
    `Final-Recipient: rfc822; ${writer.address}`,
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 mailbox unavailable',
    '',
    `--${boundary}`,
    'Content-Type: text/rfc822-headers',
    '',
    ...(bounced.messageId ? [`Message-ID: ${bounced.messageId}`] : []),
    `To: ${writer.address}`,
    'Subject: (as it was sent)',
    '',
    `--${boundary}--`,
    '',
  ]
  return { draft, raw: Buffer.from(traceOf('', draft.to, at) + lines.join('\r\n')) }
}
