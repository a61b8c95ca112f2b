// Interprets the parts of a raw email (collect-parts.ts). Runs in a worker thread (parse.ts), because no library or
// pattern is safe for every email.
import type { HeaderValue } from 'mailparser'
import { authenticationReportsOf } from './authentication.ts'
import { automaticOf } from './automatic.ts'
import { bounceOf } from './bounce.ts'
import { cleanLine, cleanName, cleanText } from './clean-text.ts'
import { type Collected, collectParts } from './collect-parts.ts'
import { complaintOf } from './complaint.ts'
import {
  ADDRESS_MAX,
  addressesIn,
  type Head,
  headerOf,
  headersOf,
  messageIdOf,
  messageIdsIn,
  readHead,
  receivedFor,
  withLineFeeds,
} from './head.ts'
import { hiddenOf } from './hidden.ts'
import { htmlToText } from './html-text.ts'
import {
  ADDRESSES_MAX,
  HIDDEN_MAX,
  type MailAddress,
  type MailAttachment,
  type ParsedMail,
  SUBJECT_MAX,
  TEXT_MAX,
} from './mail.ts'
import { splitQuotes } from './quotes.ts'
import { HTML_MAX, sanitizeMailHtml } from './sanitize.ts'
import { notificationOf } from './sending-service.ts'
import { withOpenedWinmail } from './winmail.ts'

const ENCLOSED = /^(?:message\/(?:rfc822|global|global-headers)|text\/rfc822-headers)$/

/** Emails over this size are first read from their beginning. */
const LARGE_BYTES = 1_000_000
const BEGINNING_BYTES = 200_000
/** HTML over this size takes too long to sanitise. */
const LARGE_HTML = 100_000

/**
 * Reads an email. For a large one, `onEarly` gets what is known without its files before the rest is processed, for
 * callers that can't wait.
 */
export const readMail = async (given: Buffer, onEarly?: (mail: ParsedMail) => void): Promise<ParsedMail> => {
  const raw = withLineFeeds(given)
  const head = readHead(raw)
  const messageId = messageIdOf(head, raw)
  const body = raw.subarray(head.bodyAt)
  if (onEarly && body.length > LARGE_BYTES) {
    const beginning = await collectParts(head, body.subarray(0, BEGINNING_BYTES))
    onEarly(describe({ raw, head, messageId, parts: { ...beginning, isCut: true }, withHtml: false }))
  }
  const parts = withOpenedWinmail(await collectParts(head, body))
  if (onEarly && parts.html.length > LARGE_HTML)
    onEarly(describe({ raw, head, messageId, parts: { ...parts, isCut: true }, withHtml: false }))
  return describe({ raw, head, messageId, parts, withHtml: true })
}

type Read = { raw: Buffer; head: Head; messageId: string; parts: Collected; withHtml: boolean }

const describe = ({ raw, head, messageId, parts, withHtml }: Read): ParsedMail => {
  const subject = cleanLine(textHeader(parts.headers, 'subject') || headerOf(head, 'subject'))
  const [from = null] = ['from', 'sender', 'reply-to', 'return-path'].flatMap((name) =>
    addressesOf(parts.headers, name),
  )
  const safe = withHtml && parts.html ? sanitizeMailHtml(parts.html) : null
  const plain = cleanText(parts.text.trim() === '' && !withHtml ? stripTags(parts.html) : parts.text)
  const spoken = safe ? htmlToText(safe.html) : null
  const text = plain.trim() !== '' ? plain : cleanText(spoken?.text ?? '')
  const visible = visibleOf(plain, spoken, subject).slice(0, TEXT_MAX).toWellFormed()
  const { attachments } = parts
  const writer = [from?.address, from?.name, headerOf(head, 'from').slice(0, ADDRESS_MAX)].join(' ').trim()
  const said = notificationOf(from?.address ?? '', text)
  const report = { head, raw, messageId, subject, from: writer, enclosed: enclosedIn(attachments) }
  const feedback = contentOf(attachments, /feedback-report$/)
  const complaint = said.complaint ?? complaintOf({ ...report, feedback })
  return {
    messageId,
    inReplyTo: messageIdsIn(headerOf(head, 'in-reply-to')).slice(0, 10),
    references: messageIdsIn(headersOf(head, 'references').join(' ')),
    from,
    replyTo: addressesOf(parts.headers, 'reply-to')[0] ?? null,
    to: addressesOf(parts.headers, 'to'),
    cc: addressesOf(parts.headers, 'cc'),
    deliveredTo: deliveredTo(head),
    subject: subject.slice(0, SUBJECT_MAX).toWellFormed(),
    date: dateOf(headerOf(head, 'date')),
    text: text.slice(0, TEXT_MAX).toWellFormed(),
    visible,
    hidden: hiddenOf(text.slice(0, TEXT_MAX), visible).slice(0, HIDDEN_MAX).toWellFormed(),
    html: safe?.html.toWellFormed() ?? null,
    attachments: withHtml ? attachments : [],
    automatic: automaticOf(head, from?.address ?? null, subject),
    loops: headersOf(head, 'x-loop').slice(0, 5),
    bounce:
      said.bounce ??
      (complaint
        ? null
        : bounceOf({ ...report, text, deliveryStatus: contentOf(attachments, /delivery-status$/) })),
    complaint,
    authentication: authenticationReportsOf(head),
    isWhole: head.isWhole && !parts.isCut && !safe?.isCut && text.length <= TEXT_MAX,
  }
}

/** The reported email, or its headers. */
const enclosedIn = (attachments: readonly MailAttachment[]): string[] =>
  attachments
    .filter(({ mimeType }) => ENCLOSED.test(mimeType))
    .slice(0, 5)
    .map(({ content }) => content.subarray(0, 200_000).toString('latin1'))

/** Text from HTML that there is no time to parse. */
const stripTags = (html: string): string =>
  html
    .slice(0, HTML_MAX)
    .replace(/<(?:style|script|head)\b[\s\S]{0,200000}?<\/(?:style|script|head)\s?>/gi, ' ')
    .replace(/<[^<>]{0,2000}>/g, ' ')
    .replace(/\s{2,}/g, ' ')

const contentOf = (attachments: readonly MailAttachment[], mimeType: RegExp): string | null => {
  const found = attachments.find((one) => mimeType.test(one.mimeType))
  return found ? found.content.subarray(0, 200_000).toString('utf8') : null
}

/**
 * The text part without quotes, unless only the HTML marks them. The HTML's remaining text is checked again: some
 * programs put the line above a quote outside of it.
 */
const visibleOf = (plain: string, spoken: ReturnType<typeof htmlToText> | null, subject: string): string => {
  const hasPlain = plain.trim() !== ''
  const fromPlain = splitQuotes(hasPlain ? plain : (spoken?.text ?? ''), subject)
  if (!spoken?.hasQuote || (hasPlain && fromPlain.hasQuote)) return fromPlain.visible
  // Forwarded emails are formatted like quotes.
  if (
    /^[ \t\u00a0]*(?:-{2,}[ \t\u00a0]*)?\S{0,30}\s?(?:forwarded message|weitergeleitet|transf)/im.test(
      quoteStart(spoken),
    ) ||
    spoken.outside === ''
  )
    return fromPlain.visible
  return splitQuotes(spoken.outside, subject).visible
}

const quoteStart = ({ text, outside }: { text: string; outside: string }): string =>
  text.startsWith(outside) ? text.slice(outside.length, outside.length + 300).trimStart() : ''

const dateOf = (value: string): Date | null => {
  const date = new Date(value.slice(0, 100))
  return Number.isNaN(date.getTime()) || date.getTime() < 0 || date.getUTCFullYear() > 9999 ? null : date
}

const textHeader = (headers: Map<string, HeaderValue>, name: string): string => {
  const value = headers.get(name)
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}

type Address = { name?: string; address?: string; group?: Address[] }

/** One @ with something on either side, and nothing that could end a header or field. */
const ADDRESS = /^[^\s\p{Cc}<>(),;:"[\]\\@]{1,64}@[^\s\p{Cc}<>(),;:"[\]\\@]{1,255}$/u

const addressesOf = (headers: Map<string, HeaderValue>, name: string): MailAddress[] => {
  const given = [headers.get(name) ?? []].flat() as { value?: Address[] }[]
  const found: MailAddress[] = []
  const take = (addresses: readonly Address[]): void => {
    for (const one of addresses) {
      if (found.length >= ADDRESSES_MAX) return
      if (one.group) take(one.group)
      const address = (one.address ?? '').normalize('NFC').trim().toLowerCase()
      if (address.length <= ADDRESS_MAX && ADDRESS.test(address))
        found.push({ name: cleanName(one.name ?? ''), address: address.toWellFormed() })
    }
  }
  for (const { value } of given) take(value ?? [])
  return found
}

const RECIPIENTS = [
  'to',
  'cc',
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'x-forwarded-to',
]

const deliveredTo = (head: Head): string[] =>
  [
    ...new Set([
      ...receivedFor(head),
      ...RECIPIENTS.flatMap((name) => headersOf(head, name).flatMap(addressesIn)),
    ]),
  ].slice(0, ADDRESSES_MAX)
