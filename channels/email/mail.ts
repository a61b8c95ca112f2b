// A parsed email: everything decoded, bounded and safe for databases and pages.

import type { AuthenticationReport } from './authentication.ts'

export type MailAddress = { name: string /** In lower case. */; address: string }

export type MailAttachment = {
  name: string
  mimeType: string
  content: Buffer
  /** The id used in the HTML (`data-cid`), if any. */
  cid: string | null
}

/** A report about the delivery of an email of ours (RFC 3464, or what older servers send instead). */
export type Bounce = {
  /** False: delayed, relayed or delivered. */
  isFailure: boolean
  /** E.g. 5.1.1; 5.0.0 if the server gave no code. */
  status: string
  message: string
  /** The recipients it didn't reach. Empty if the report doesn't say. */
  recipients: string[]
  /** Every Message-ID that the report quotes. */
  originalIds: string[]
}

/** A report that someone marked an email of ours as spam, or something else about it. */
export type Complaint = {
  /** Whether the recipient doesn't want such email. */
  isUnwanted: boolean
  /** Who complained. Empty if the report doesn't say. */
  recipients: string[]
  /** Every Message-ID that the report quotes. */
  originalIds: string[]
}

/**
 * How automatic it is. `reply`: an automatic reply (out of office). `notice`: a program's own message. `list`: from a
 * mailing list or in bulk; possibly written by a person. None of them gets an automatic reply.
 */
export type Automatic = 'reply' | 'notice' | 'list'

export type ParsedMail = {
  /** With angle brackets. Derived from the content if the email has none, so the same email always has the same id. */
  messageId: string
  inReplyTo: string[]
  /** Oldest first. */
  references: string[]
  from: MailAddress | null
  replyTo: MailAddress | null
  to: MailAddress[]
  cc: MailAddress[]
  /** Every address that the headers name as recipient of the delivery. */
  deliveredTo: string[]
  subject: string
  date: Date | null
  /** The full text. */
  text: string
  /** What the sender wrote: `text` without quotes. Never empty unless `text` is. */
  visible: string
  /** The rest of `text`: quotes and signatures. */
  hidden: string
  /** Safe to show in an iframe: see sanitize.ts. */
  html: string | null
  attachments: MailAttachment[]
  automatic: Automatic | null
  /** Marks by which programs recognise their own email. */
  loops: string[]
  bounce: Bounce | null
  complaint: Complaint | null
  /** Servers' authentication results for the sender, latest first. verifySender evaluates them. */
  authentication: AuthenticationReport[]
  /** False: too large, malformed or slow to be read in full. This is the beginning. */
  isWhole: boolean
}

export const TEXT_MAX = 1_000_000
export const HIDDEN_MAX = 50_000
export const SUBJECT_MAX = 998
export const NAME_MAX = 255
export const ADDRESSES_MAX = 200
export const ATTACHMENTS_MAX = 200
