// The last resort for emails that can't be parsed: reads the headers and the beginning of the body as text, without a
// library, so that the sender at least gets noticed.
import { authenticationReportsOf } from './authentication.ts'
import { automaticOf } from './automatic.ts'
import {
  addressesIn,
  headerOf,
  headersOf,
  messageIdOf,
  messageIdsIn,
  readHead,
  withLineFeeds,
} from './head.ts'
import { type ParsedMail, SUBJECT_MAX } from './mail.ts'

const BODY_MAX = 20_000

/** Encoded words (RFC 2047) in charsets that the platform supports. */
const decodeWords = (text: string): string =>
  text
    .slice(0, 4_000)
    .replace(/\?=\s{1,10}=\?/g, '?==?')
    .replace(
      /=\?([\w.-]{1,40})(?:\*[\w-]{1,20})?\?([bq])\?([^?\s]{0,1000})\?=/gi,
      (word, charset, how, data) => {
        const bytes =
          how.toLowerCase() === 'b'
            ? Buffer.from(data, 'base64')
            : Buffer.from(
                data
                  .replaceAll('_', ' ')
                  .replace(/=([0-9a-f]{2})/gi, (_: string, hex: string) =>
                    String.fromCharCode(Number.parseInt(hex, 16)),
                  ),
                'latin1',
              )
        try {
          return new TextDecoder(charset).decode(bytes)
        } catch {
          return word
        }
      },
    )

const shown = (text: string): string =>
  decodeWords(text)
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .toWellFormed()
    .trim()

export const readPlainly = (given: Buffer): ParsedMail => {
  const raw = withLineFeeds(given)
  const head = readHead(raw)
  const fromHeader = headerOf(head, 'from')
  const named = (name: string) =>
    addressesIn(headerOf(head, name))
      .slice(0, 20)
      .map((address) => ({ name: '', address }))
  const [address] = addressesIn(
    fromHeader.includes('<') ? fromHeader.slice(fromHeader.lastIndexOf('<')) : fromHeader,
  )
  const text = raw
    .subarray(head.bodyAt, head.bodyAt + BODY_MAX)
    .toString('utf8')
    .replace(/(?![\t\r\n])[\p{Cc}\ufffd]/gu, '')
    .toWellFormed()
    .trim()
  return {
    messageId: messageIdOf(head, raw),
    inReplyTo: messageIdsIn(headerOf(head, 'in-reply-to')).slice(0, 10),
    references: messageIdsIn(headersOf(head, 'references').join(' ')),
    from: address
      ? {
          name: shown(fromHeader.replace(/<[^>]*>?/g, ''))
            .replace(/^"|"$/g, '')
            .slice(0, 255),
          address,
        }
      : null,
    replyTo: named('reply-to')[0] ?? null,
    to: named('to'),
    cc: named('cc'),
    deliveredTo: [],
    subject: shown(headerOf(head, 'subject')).slice(0, SUBJECT_MAX),
    date: null,
    text,
    visible: text,
    hidden: '',
    html: null,
    attachments: [],
    automatic: automaticOf(head, address ?? null, shown(headerOf(head, 'subject'))),
    loops: headersOf(head, 'x-loop').slice(0, 5),
    bounce: null,
    complaint: null,
    authentication: authenticationReportsOf(head),
    isWhole: false,
  }
}
