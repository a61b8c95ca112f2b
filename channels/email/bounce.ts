// Recognises reports that a mail did not arrive. RFC 3464 where servers keep to it; else what they write in words.
import { addressesIn, type Head, headerOf, messageIdsIn } from './head.ts'
import type { Bounce } from './mail.ts'

/** How much of the raw mail is searched for what it quotes. */
const SCAN_MAX = 500_000
const IDS_MAX = 20
const RECIPIENTS_MAX = 20
const MESSAGE_MAX = 500

const SENDER =
  /^(?:mailer-?daemon|mail-?daemon|postmaster|mail-?delivery|maildelivery|mdaemon|mmdf|bounces?|mailadm|root|noreply-maildelivery|microsoftexchange[0-9a-f]{0,64}|mail\.?administrator|administrator)(?:[+.-][^@]*)?@|mail delivery (?:sub)?system|mail delivery service|systemadministrator|system administrator|internet mail delivery|mta /i
const SUBJECT =
  /undeliver|non[- ]?deliver|not delivered|delivery (?:status|failure|failed|has failed|report|notification|problem|error)|failure notice|returned (?:mail|to sender)|mail (?:delivery|system|could not|error)|message (?:undeliver|could not|not delivered|failed)|could not (?:be delivered|send)|unzustellbar|nicht zugestellt|mail non remis|non remis|no se puede entregar|no entregad|recapito|onbestelbaar|zustellung|配信|退信|投递|配送|недоставлен|не доставлено|mailfehler|error sending|rejected|failed/i
/** People answer; servers do not. */
const ANSWER = /^\s*(?:re|aw|antw|sv|vs|odp|ref|rif|fwd?|wg|tr|rv)\s?:/i
const FAILURE_WORDS =
  /user unknown|unknown user|no such (?:user|recipient|mailbox|address|person)|does(?: not|n't) exist|mailbox (?:unavailable|not found|full|is full|disabled)|over ?quota|quota exceeded|address rejected|recipient rejected|account (?:disabled|does not|is disabled|has been)|host (?:unknown|not found)|domain not found|relay(?:ing)? denied|message (?:rejected|refused|too large)|could not be delivered|undeliverable|permanent (?:fatal )?error|delivery (?:has )?failed|not delivered|unrouteable|unbekannt|has been (?:blocked|suspended)|invalid (?:recipient|address|mailbox)|access denied|550|551|552|553|554|5\.\d\.\d/i
const DELAY_WORDS =
  /(?:will|still) (?:be )?(?:retr|try)|delayed|(?:has|have) not been delivered yet|no action is required|temporary|warning:/i

const clean = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('\0', '').trim().slice(0, MESSAGE_MAX)

type Status = {
  recipient: string | null
  original: string | null
  action: string
  status: string
  diagnostic: string
}

/** The groups of a delivery-status part, the one of the whole message left out. */
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

const idsQuoted = (raw: string, own: string): string[] => {
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
  from: string
  text: string
  /** The decoded delivery-status part, where there is one. */
  deliveryStatus: string | null
  /** What else the report holds, decoded: the original, or its head. */
  enclosed: string[]
}

/** Null: this is no report of a delivery. */
export const bounceOf = (parts: Parts): Bounce | null => {
  const { head, raw, messageId, text } = parts
  const subject = headerOf(head, 'subject')
  const isNullPath = /^<\s*>$/.test(headerOf(head, 'return-path'))
  const isReport = /^multipart\/report\b[\s\S]{0,400}delivery-status/i.test(headerOf(head, 'content-type'))
  const failedHeader = addressesIn(headerOf(head, 'x-failed-recipients'))
  const looksLikeOne =
    SENDER.test(parts.from) || isNullPath || failedHeader.length > 0
      ? (SUBJECT.test(subject) && !ANSWER.test(subject)) || failedHeader.length > 0
      : false
  // Who forwards a report sends none.
  const isReported = parts.deliveryStatus !== null && (SENDER.test(parts.from) || isNullPath)
  if (!isReport && !isReported && !looksLikeOne) return null
  const scanned = raw.subarray(0, SCAN_MAX).toString('latin1')
  const originalIds = [
    ...new Set([
      ...parts.enclosed.flatMap((one) => idsQuoted(`\n${one.slice(0, SCAN_MAX)}`, messageId)),
      ...idsQuoted(scanned.slice(Math.min(head.bodyAt, SCAN_MAX)), messageId),
      ...idsQuoted(text.slice(0, SCAN_MAX), messageId),
      ...messageIdsIn(headerOf(head, 'in-reply-to')),
      ...messageIdsIn(headerOf(head, 'references')),
    ]),
  ].slice(0, IDS_MAX)
  const groups = readStatus(parts.deliveryStatus ?? (isReport ? scanned.slice(head.bodyAt) : ''))
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
  const body = text.slice(0, 20_000)
  const isDelay =
    DELAY_WORDS.test(subject) || (DELAY_WORDS.test(body.slice(0, 2_000)) && !FAILURE_WORDS.test(body))
  const isFailure = !isDelay && (failedHeader.length > 0 || FAILURE_WORDS.test(body))
  if (!isFailure && !isDelay && !isReport) return null
  const enhanced = /\b(5\.\d{1,3}\.\d{1,3})\b/.exec(body)?.[1]
  const line = body.split('\n', 400).find((one) => one.length < 1_000 && FAILURE_WORDS.test(one))
  return {
    isFailure,
    status: isFailure ? (enhanced ?? '5.0.0') : '4.0.0',
    message: clean(line ?? subject),
    recipients: failedHeader.slice(0, RECIPIENTS_MAX),
    originalIds,
  }
}

const addressesOf = (statuses: readonly Status[]): string[] =>
  [...new Set(statuses.flatMap(({ recipient, original }) => [recipient, original]))]
    .filter((address) => address !== null)
    .slice(0, RECIPIENTS_MAX)
