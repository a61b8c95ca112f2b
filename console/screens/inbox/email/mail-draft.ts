// Whom a reply or a forwarded email goes to, and under which subject, as long as its author doesn't change it.
import type { ConversationDetails, Mail, MailRecipient, Message } from '../../../state/types.ts'
import { withRecipients } from './addresses.ts'

type Headers = { from?: MailRecipient; to?: MailRecipient[]; cc?: MailRecipient[]; subject?: string }

const headersOf = (message: Message | undefined): Headers => (message?.metadata ?? {}) as Headers

const REPLY = /^(?:(?:re|aw|antw|antwort|sv|vs|ref|rif|odp|ynt)(?:\[\d{1,3}\])?\s?:\s*)+/i
const FORWARD = /^(?:(?:fwd?|wg|tr|rv|vs)\s?:\s*)+/i

/** Undefined if nothing is known: the server finds one. */
const subjectOf = (
  prefix: 'Re' | 'Fwd',
  { subject }: ConversationDetails,
  message: Message | undefined,
): Pick<Mail, 'subject'> => {
  const given = (headersOf(message).subject || subject || '')
    .replace(prefix === 'Re' ? REPLY : FORWARD, '')
    .trim()
  return given ? { subject: `${prefix}: ${given}` } : {}
}

const named = ({ name, address }: MailRecipient): MailRecipient => ({ ...(name && { name }), address })

/** Not the mailbox itself, also with something after a plus. */
const isOwn = (
  { channelAccount: { address } }: ConversationDetails,
  { address: given }: MailRecipient,
): boolean => {
  const [local = '', domain = ''] = (address ?? '').toLowerCase().split('@')
  const lower = given.toLowerCase()
  return lower === `${local}@${domain}` || (lower.startsWith(`${local}+`) && lower.endsWith(`@${domain}`))
}

/** Everybody else who got the message. */
export const othersOf = (details: ConversationDetails, message: Message | undefined): MailRecipient[] => {
  const { to = [], cc = [] } = headersOf(message)
  const customer = details.repliesTo?.address ?? details.conversation.contact.email
  return withRecipients([], [...to, ...cc])
    .filter((one) => !isOwn(details, one) && one.address.toLowerCase() !== customer?.toLowerCase())
    .map(named)
}

export const replyMail = (
  details: ConversationDetails,
  message: Message | undefined,
  { all = false } = {},
): Mail => {
  const { name, email } = details.conversation.contact
  const address = details.repliesTo?.address ?? email
  const isOurs = message !== undefined && message.senderType !== 'customer'
  const { to = [] } = headersOf(message)
  const customer = address ? [{ ...(name !== address && { name }), address }] : []
  return {
    to: isOurs && to.length > 0 ? to.map(named) : customer,
    cc: all
      ? othersOf(details, message).filter(
          (one) => !isOurs || !to.some(({ address }) => address === one.address),
        )
      : [],
    bcc: [],
    ...subjectOf('Re', details, message),
    ...(message && { quote: { messageId: message.id, as: 'reply' as const } }),
  }
}

export const forwardMail = (details: ConversationDetails, message: Message): Mail => ({
  to: [],
  cc: [],
  bcc: [],
  ...subjectOf('Fwd', details, message),
  quote: {
    messageId: message.id,
    as: 'forward',
    fileIds: message.attachments
      .filter((file) => !('state' in file) || file.state === 'stored')
      .map(({ id }) => id),
  },
})
