// Email: parsing, ids that prove which thread a reply belongs to, and mailboxes.
import type { Channel, ChannelAccount, SignedId } from '../contract/channel.ts'
import {
  authenticationServersOf,
  type SenderVerification,
  type Verified,
  verifySender,
} from './authentication.ts'
import { checkEmail } from './check.ts'
import { EMAIL_ATTACHMENTS } from './compose.ts'
import type { ParsedMail } from './mail.ts'
import { type Mailbox, type MailboxOptions, openMailbox } from './mailbox.ts'
import { attachmentsIn, type CleanHtml, cleanHtml, textToHtml } from './outgoing-html.ts'
import { closeParser, parseMail } from './parse.ts'
import { type QuotedMail, quoteMail } from './quote-mail.ts'
import { closeEmail, sendEmail } from './send.ts'
import { loopMark, readMessageId, readReplyAddress } from './thread-ids.ts'

/** Email's additions to a channel: parsing, ids that prove which thread a reply belongs to, and mailboxes. */
export type EmailChannel = Channel & {
  /** Never throws; bounded in time and memory for any input. */
  parseMail: (raw: Buffer) => Promise<ParsedMail>
  /** The names under which the mailbox's server reports on senders; empty if unknown. */
  authenticationServersOf: (setting: string | undefined, imapUrl: string | undefined) => readonly string[]
  /** What that server found out about the From address. */
  verifySender: (mail: Verified, servers: readonly string[], mailbox: string | null) => SenderVerification
  /** Our message's id in a Message-ID of ours. The server checks the signature. */
  readMessageId: (messageId: string) => SignedId | undefined
  /** The conversation that a plus address of the mailbox names; the server checks the signature. */
  readReplyAddress: (address: string, mailbox: string) => SignedId | undefined
  /** The X-Loop value of automatic mail that we sent for the account. */
  loopMark: (accountId: string) => string
  /** Signs in and opens the folder. Throws a DeliveryError: `refused` if the settings have to be fixed. */
  openMailbox: (account: ChannelAccount, options: MailboxOptions) => Promise<Mailbox>
  /** HTML that a person of the workspace wrote, made safe to store, show and send. */
  cleanHtml: (html: string) => Promise<CleanHtml | null>
  textToHtml: (text: string) => string
  /** The attachments that stored HTML shows. */
  attachmentsIn: (html: string) => string[]
  /** What goes below a reply or a forwarded mail. */
  quoteMail: (mail: QuotedMail) => { text: string; html: string }
}

export const email: EmailChannel = {
  delivery: 'sent',
  send: sendEmail,
  check: checkEmail,
  close: () => {
    closeEmail()
    closeParser()
  },
  isResendHarmless: true,
  openMailbox,
  cleanHtml,
  textToHtml,
  attachmentsIn,
  quoteMail,
  parseMail,
  authenticationServersOf,
  verifySender,
  readMessageId,
  readReplyAddress,
  loopMark,
  attachments: EMAIL_ATTACHMENTS,
}
