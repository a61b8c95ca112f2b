// Detects bounces: by RFC 3464 if the server follows it, else by phrases.
import { isAutomaticAnswer } from './automatic.ts'
import { folded, opensAsReport, subjectTells, tellsDelay, tellsFailure } from './bounce-words.ts'
import { addressesIn, type Head, headerOf, messageIdsIn } from './head.ts'
import type { Bounce } from './mail.ts'

/** How much of the raw email is searched for what it quotes. */
const SCAN_MAX = 500_000
const IDS_MAX = 20
const RECIPIENTS_MAX = 20
const MESSAGE_MAX = 500
/** How much of the text is searched for phrases. */
const BODY_MAX = 20_000
const DELAY_WITHIN = 2_000

/** Only mail servers write from these. */
const DAEMON =
  /(?:^|[\s<"])(?:mailer-?_?daemon|mail-?daemon|mail\.delivery\.system|double-bounce|post_master|microsoftexchange[0-9a-f]{16,64})(?:[+.-][^@\s]{0,200})?(?:[@\s">]|$)/i
/** People occasionally write from this too. */
const POSTMASTER = /(?:^|[\s<"])poo?stmaster\\?@/i
/** Mail servers write from these, but so do people and other programs. */
const OFFICE =
  /(?:^|[\s<"])(?:mail-?delivery[\w.-]{0,40}|mdaemon|mmdf|bounces?|mailadm|root|no-?_?reply[\w.-]{0,40}|do-?not-?reply|mail\.?administrator|administrator|admin|notification[\w.-]{0,20}|mta)(?:[+.-][^@\s]{0,200})?@|mail delivery (?:sub)?system|mail delivery service|system ?administrator|internet mail delivery/i
/** Mailing list programs use these to say who may not post. */
const LIST_OFFICE = /[.-](?:admin|owner|request|bounces?|ctl)@/i
const isListServer = ({ head, from }: Parts): boolean =>
  LIST_OFFICE.test(from) &&
  (headerOf(head, 'x-mlserver') !== '' || /^yes\b/i.test(headerOf(head, 'x-list-administrivia')))

/** People reply and forward; servers don't, except a few that put RE before the failed email's subject. */
const ANSWER = /^\s*(?:re|aw|antw|sv|vs|odp|ref|rif)\s?:/i
const FORWARDED = /^\s*(?:fwd?|wg|tr|rv|i|enc|vb|vl|doorst|pd|пересл|转发|轉寄)\s?:/i

const clean = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('\0', '').trim().slice(0, MESSAGE_MAX)

type Status = {
  recipient: string | null
  original: string | null
  action: string
  status: string
  diagnostic: string
}

/** The fields of a delivery-status part, without those about the whole message. */
const readStatus = (text: string): Status[] => {
  const unfolded = text
    .slice(0, SCAN_MAX)
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+/g, ' ')
  return unfolded.split(/\n[ \t]*\n/, 500).flatMap((group) => {
    const field = (name: string): string =>
      new RegExp(`^${name}[ \\t]{0,20}:[ \\t]*(.{0,2000})`, 'im').exec(group)?.[1]?.trim() ?? ''
    const address = (value: string): string | null =>
      addressesIn(value.replace(/^[a-z0-9-]{1,20}\s*;/i, ''))[0] ?? null
    const recipient = field('Final-Recipient') || field('X-Actual-Recipient')
    const original = field('Original-Recipient')
    const action = field('Action').toLowerCase()
    const status = /\b([245])\.\d{1,3}\.\d{1,3}\b/.exec(field('Status'))?.[0] ?? ''
    if (!recipient && !original && !action && !status) return []
    return [
      {
        recipient: address(recipient),
        original: address(original),
        action: /^[a-z]+/.exec(action)?.[0] ?? '',
        status,
        diagnostic: field('Diagnostic-Code').replace(/^[a-z0-9-]{1,20}\s*;\s*/i, ''),
      },
    ]
  })
}

export const idsQuoted = (raw: string, own: string): string[] => {
  const ids = new Set<string>()
  for (const [, value] of raw.matchAll(
    /(?:^|[\n\r>|]|\\n)[ \t]{0,20}(?:message-id|in-reply-to|x-original-message-id)[ \t]{0,5}:[ \t\r\n]{0,10}(<[^<>\s]{1,500}>)/gi,
  )) {
    const [id] = messageIdsIn(value!)
    if (id && id !== own) ids.add(id)
    if (ids.size >= IDS_MAX) break
  }
  return [...ids]
}

type Parts = {
  head: Head
  raw: Buffer
  messageId: string
  subject: string
  /** Address and name as parsed, and the raw header: some servers don't give a complete address. */
  from: string
  text: string
  /** The decoded delivery-status part, if any. */
  deliveryStatus: string | null
  /** The report's other parts, decoded: the original, or its headers. */
  enclosed: string[]
}

/** A copy of an email below the server's text: two lines of its headers. */
const COPY =
  /^[ \t>]{0,8}(?:received|message-id|return-path|subject|to|from|date|mime-version|envelope-from|rcpt to)[ \t]{0,4}:[^\n]{0,400}\n(?:[ \t][^\n]{0,400}\n){0,9}[ \t>]{0,8}(?:received|message-id|subject|to|from|date|mime-version|x-[a-z-]{1,40}|sent date|mail from|rcpt to)[ \t]{0,4}:/im
const STATUS_FIELD = /^[ \t>]{0,4}(?:final-recipient|diagnostic-code|action|remote-mta)[ \t]{0,4}:/im

const isReport = (parts: Parts, isNullPath: boolean): boolean => {
  const { head, text, from } = parts
  if (/^multipart\/report\b[\s\S]{0,400}delivery-status/i.test(headerOf(head, 'content-type'))) return true
  const isDaemon = DAEMON.test(from) || /^\s*<\s*>\s*$/.test(headerOf(head, 'from'))
  const isPostmaster = POSTMASTER.test(from)
  const isOffice = isPostmaster || OFFICE.test(from)
  // Forwarded reports are not bounces.
  if (parts.deliveryStatus !== null && (isDaemon || isOffice || isNullPath)) return true
  const isNamed = subjectTells(parts.subject) && !FORWARDED.test(parts.subject)
  const isAbout = isNamed && !ANSWER.test(parts.subject)
  if (headerOf(head, 'x-failed-recipients') !== '' && (isAbout || isDaemon || isNullPath)) return true
  if (isAutomaticAnswer(head, parts.subject)) return false
  if (isDaemon) return true
  const body = text.slice(0, BODY_MAX)
  const hasCopy = parts.enclosed.length > 0 || COPY.test(body) || STATUS_FIELD.test(body)
  const tells = () => tellsFailure(folded(body)) || tellsDelay(folded(body))
  if (isNullPath) return isAbout || (hasCopy && tells())
  // Gateways use all kinds of addresses, but typical wording and plain text only. A reply to us may quote a report, and
  // a forwarded report includes its parts.
  const isInWords = parts.deliveryStatus === null && headerOf(head, 'in-reply-to') === ''
  if (isNamed && isInWords && opensAsReport(folded(body), parts.enclosed.length > 0)) return true
  if (isListServer(parts) && (hasCopy || tells())) return true
  if (isPostmaster && isAbout) return hasCopy || tells()
  return isOffice && isAbout && hasCopy && (parts.enclosed.length > 0 || tells())
}

/** Null: not a delivery report. */
export const bounceOf = (parts: Parts): Bounce | null => {
  const { head, raw, text, subject } = parts
  if (!isReport(parts, isNullPath(head))) return null
  const scanned = raw.subarray(0, SCAN_MAX).toString('latin1')
  const originalIds = quotedIds(parts, scanned)
  const isWordless = parts.deliveryStatus === null && !STATUS_FIELD.test(text.slice(0, SCAN_MAX))
  const groups = readStatus(parts.deliveryStatus ?? (isWordless ? scanned.slice(head.bodyAt) : text))
  const perRecipient = groups.filter(({ recipient, original, action }) => recipient || original || action)
  if (perRecipient.length > 0) {
    const failed = perRecipient.filter(
      ({ action, status }) => action === 'failed' || (action === '' && status.startsWith('5')),
    )
    const told = failed[0] ?? perRecipient[0]!
    return {
      isFailure: failed.length > 0,
      status: told.status || (failed.length > 0 ? '5.0.0' : '4.0.0'),
      message: clean(told.diagnostic || subject || text),
      recipients: addressesOf(failed.length > 0 ? failed : perRecipient),
      originalIds,
    }
  }
  const failedHeader = addressesIn(headerOf(head, 'x-failed-recipients'))
  const body = text.slice(0, BODY_MAX)
  const hasFailed = failedHeader.length > 0 || tellsFailure(folded(body))
  const isDelay =
    tellsDelay(folded(subject)) || (!hasFailed && tellsDelay(folded(body.slice(0, DELAY_WITHIN))))
  const isFailure = !isDelay && (hasFailed || subjectTells(subject))
  const enhanced = /\b(5\.\d{1,3}\.\d{1,3})\b/.exec(body)?.[1]
  const line = body.split('\n', 400).find((one) => one.length < 1_000 && tellsFailure(folded(one)))
  return {
    isFailure,
    status: isFailure ? (enhanced ?? '5.0.0') : '4.0.0',
    message: clean(line ?? subject),
    recipients: failedHeader.slice(0, RECIPIENTS_MAX),
    originalIds,
  }
}

/** Programs that accept no replies: no return path, or a From without an address. */
const isNullPath = (head: Head): boolean =>
  /^<\s*(?:mailer-daemon\s*)?>$/i.test(headerOf(head, 'return-path')) ||
  /^[^<>@]{1,200}<\s*>$/.test(headerOf(head, 'from').trim())

const quotedIds = ({ head, messageId, text, enclosed }: Parts, scanned: string): string[] =>
  [
    ...new Set([
      ...enclosed.flatMap((one) => idsQuoted(`\n${one.slice(0, SCAN_MAX)}`, messageId)),
      ...idsQuoted(scanned.slice(Math.min(head.bodyAt, SCAN_MAX)), messageId),
      ...idsQuoted(text.slice(0, SCAN_MAX), messageId),
      ...messageIdsIn(headerOf(head, 'in-reply-to')),
      ...messageIdsIn(headerOf(head, 'references')),
    ]),
  ].slice(0, IDS_MAX)

const addressesOf = (statuses: readonly Status[]): string[] =>
  [...new Set(statuses.flatMap(({ recipient, original }) => [recipient, original]))]
    .filter((address) => address !== null)
    .slice(0, RECIPIENTS_MAX)
