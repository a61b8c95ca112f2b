// Reports that someone marked an email of ours as spam: feedback reports (RFC 5965, ARF) and Microsoft's two formats.
import { idsQuoted } from './bounce.ts'
import { addressesIn, type Head, headerOf } from './head.ts'
import type { Complaint } from './mail.ts'

const SCAN_MAX = 500_000
const IDS_MAX = 20
const RECIPIENTS_MAX = 20

/** Types that mean that the recipient does not want such email. Others are about forgery, viruses or the opposite. */
const UNWANTED = /^(?:abuse|fraud|opt-out|opt-out-list|miscategorized)$/

type Parts = {
  head: Head
  raw: Buffer
  messageId: string
  from: string
  subject: string
  /** The decoded feedback-report part, if any. */
  feedback: string | null
  /** The reported email, decoded, or its headers. */
  enclosed: string[]
}

const isMicrosoftForm = ({ from, subject, enclosed }: Parts): boolean =>
  /^staff@(?:hotmail|outlook|live)\.com(?: |$)/.test(from) &&
  /^\s*complaint about message from/i.test(subject) &&
  enclosed.length > 0

const MICROSOFT_RECIPIENT = 'x-hmxmroriginalrecipient'

/** Microsoft's old format: our own email comes back with extra headers. */
const isMicrosoftCopy = ({ head }: Parts): boolean =>
  headerOf(head, MICROSOFT_RECIPIENT) !== '' &&
  (headerOf(head, 'x-reporter-ip') !== '' ||
    /^<?staff@(?:hotmail|outlook|live)\.com>?$/i.test(headerOf(head, 'return-path')))

/** Null: not a complaint. */
export const complaintOf = (parts: Parts): Complaint | null => {
  const { head, raw, messageId, feedback, enclosed } = parts
  const isFeedback = /^multipart\/report\b[\s\S]{0,400}feedback-report/i.test(headerOf(head, 'content-type'))
  const isCopy = isMicrosoftCopy(parts)
  if (!isFeedback && feedback === null && !isCopy && !isMicrosoftForm(parts)) return null
  const scanned = raw.subarray(0, SCAN_MAX).toString('latin1')
  const fields = (feedback ?? scanned.slice(head.bodyAt)).slice(0, SCAN_MAX)
  const field = (name: string): string[] =>
    [...fields.matchAll(new RegExp(`^${name}[ \\t]{0,9}:([^\\n]{0,998})`, 'gim'))]
      .slice(0, RECIPIENTS_MAX)
      .map(([, value]) => value!.trim())
  const kind = (field('Feedback-Type')[0] ?? 'abuse').toLowerCase()
  const marked = new RegExp(`^${MICROSOFT_RECIPIENT}[ \\t]{0,9}:([^\\n]{0,998})`, 'im')
  const recipients = [
    ...field('Original-Rcpt-To'),
    ...field('Removal-Recipient'),
    headerOf(head, MICROSOFT_RECIPIENT),
    ...enclosed.map((one) => marked.exec(one.slice(0, SCAN_MAX))?.[1] ?? ''),
  ].flatMap(addressesIn)
  const ids = [
    ...(isCopy ? [messageId] : []),
    ...enclosed.flatMap((one) => idsQuoted(`\n${one.slice(0, SCAN_MAX)}`, messageId)),
    ...idsQuoted(scanned.slice(Math.min(head.bodyAt, SCAN_MAX)), messageId),
  ]
  return {
    isUnwanted: UNWANTED.test(kind),
    recipients: [...new Set(recipients)].slice(0, RECIPIENTS_MAX),
    originalIds: [...new Set(ids)].slice(0, IDS_MAX),
  }
}
