// Amazon SES reports bounces and complaints as JSON by email: its notifications over SNS.
import type { Bounce, Complaint } from './mail.ts'

const JSON_MAX = 200_000
const RECIPIENTS_MAX = 20
const MESSAGE_MAX = 500

type Json = Record<string, unknown>

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const listOf = (value: unknown): Json[] =>
  (Array.isArray(value) ? value : []).slice(0, RECIPIENTS_MAX).map(objectOf)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const jsonOf = (text: string): Json => {
  const json = parsed(text)
  // The notification may be a string inside an envelope.
  return typeof json.Message === 'string' ? parsed(json.Message) : json
}

const parsed = (text: string): Json => {
  const [beginning = ''] = text
    .slice(0, JSON_MAX)
    .trim()
    .split(/\n\s{0,9}--\s?\n/, 1)
  try {
    // Long lines were wrapped in transit, even inside strings.
    return objectOf(JSON.parse(beginning.replace(/\r?\n/g, '')))
  } catch {
    return {}
  }
}

const addressesOf = (value: unknown): string[] =>
  listOf(value).map(({ emailAddress }) => textOf(emailAddress).toLowerCase())

/** Each is null if not reported. */
export const notificationOf = (
  from: string,
  text: string,
): { bounce: Bounce | null; complaint: Complaint | null } => {
  const none = { bounce: null, complaint: null }
  if (!/@sns\.amazonaws\.com(?:\.cn)?(?: |$)/.test(from)) return none
  const { notificationType, eventType, ...json } = jsonOf(text)
  const mail = objectOf(json.mail)
  const id = textOf(mail.messageId)
  const own = (Array.isArray(mail.headers) ? mail.headers : [])
    .map(objectOf)
    .find(({ name }) => textOf(name).toLowerCase() === 'message-id')
  const given = textOf(own?.value)
  const originalIds = [
    ...(/^<[^<>\s]{1,500}>$/.test(given) ? [given] : []),
    ...(/^[\w-]{1,100}$/.test(id) ? [`<${id}@email.amazonses.com>`] : []),
  ]
  const type = textOf(notificationType) || textOf(eventType)
  if (type === 'Bounce') {
    const told = objectOf(json.bounce)
    const [first = {}] = listOf(told.bouncedRecipients)
    const isFailure = textOf(told.bounceType) !== 'Transient'
    return {
      ...none,
      bounce: {
        isFailure,
        status: textOf(first.status) || (isFailure ? '5.0.0' : '4.0.0'),
        message: (textOf(first.diagnosticCode) || 'The email could not be delivered.').slice(0, MESSAGE_MAX),
        recipients: addressesOf(told.bouncedRecipients),
        originalIds,
      },
    }
  }
  if (type === 'Complaint') {
    const told = objectOf(json.complaint)
    const recipients = addressesOf(told.complainedRecipients)
    return { ...none, complaint: { isUnwanted: true, recipients, originalIds } }
  }
  // Delivered, opened, clicked.
  return type === ''
    ? none
    : {
        ...none,
        bounce: {
          isFailure: false,
          status: '2.0.0',
          message: type.slice(0, MESSAGE_MAX),
          recipients: [],
          originalIds,
        },
      }
}
