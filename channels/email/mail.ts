// An email as the server sees it once it was read: everything decoded, bounded and free of what a database or a page
// could choke on.

export type MailAddress = { name: string /** In lower case. */; address: string }

export type MailAttachment = {
  name: string
  mimeType: string
  content: Buffer
  /** By which the HTML names it (`data-cid`), where it does. */
  cid: string | null
}

/** A report that something we sent did not arrive (RFC 3464, or what older servers write in its place). */
export type Bounce = {
  /** False: delayed, relayed or delivered. Nothing failed yet. */
  isFailure: boolean
  /** Such as 5.1.1; 5.0.0 where the server only said that it failed. */
  status: string
  message: string
  /** Whom it did not reach. Empty where the report does not say. */
  recipients: string[]
  /** Every Message-ID that the report quotes. */
  originalIds: string[]
}

/**
 * How far a program wrote it. `reply`: it answers by itself (out of office). `notice`: a program's own message.
 * `list`: came over a mailing list or in bulk; a person may have written it. None of them is ever answered by a program.
 */
export type Automatic = 'reply' | 'notice' | 'list'

export type ParsedMail = {
  /** With its angle brackets. Made from the content where the mail has none, so that the same mail has the same one. */
  messageId: string
  inReplyTo: string[]
  /** Oldest first. */
  references: string[]
  from: MailAddress | null
  replyTo: MailAddress | null
  to: MailAddress[]
  cc: MailAddress[]
  /** Every address that a header says it was delivered to. */
  deliveredTo: string[]
  subject: string
  date: Date | null
  /** All of it as text. */
  text: string
  /** What its writer wrote: `text` without what they quoted. Never empty when `text` is not. */
  visible: string
  /** Safe to show in a frame: see sanitize.ts. */
  html: string | null
  attachments: MailAttachment[]
  automatic: Automatic | null
  /** Marks that programs leave to know their own mail again. */
  loops: string[]
  bounce: Bounce | null
  /** What the receiving server found of the sender's right to the address. Null: it does not say. */
  authentication: 'pass' | 'fail' | null
  /** False: too large, too odd or too slow to be read whole. What is here is its beginning. */
  isWhole: boolean
}

export const TEXT_MAX = 1_000_000
export const SUBJECT_MAX = 998
export const NAME_MAX = 255
export const ADDRESS_MAX = 320
/** Longer ids become their hash: an index row has no room for them. */
export const MESSAGE_ID_MAX = 500
export const REFERENCES_MAX = 100
export const ADDRESSES_MAX = 200
export const ATTACHMENTS_MAX = 200
