// Refusals in the form that the Graph API gives them, and the same errors as they stand in a failed status.
import { newTraceId } from './ids.ts'

type Row = { http: number; title: string; details?: string; type?: string }

const ERRORS: Record<number, Row> = {
  0: { http: 401, title: 'Authentication error' },
  1: { http: 400, title: 'An unknown error occurred' },
  2: { http: 503, title: 'Service temporarily unavailable' },
  3: { http: 500, title: 'Application does not have the capability to make this API call.' },
  4: { http: 400, title: 'Application request limit reached' },
  10: { http: 403, title: 'Application does not have permission for this action' },
  33: { http: 400, title: 'Parameter value is not valid' },
  100: { http: 400, title: 'Invalid parameter' },
  104: { http: 401, title: 'An access token is required to request this resource.' },
  190: { http: 401, title: 'Invalid OAuth access token - Cannot parse access token' },
  200: { http: 403, title: 'You do not have the necessary permissions to perform this action.' },
  368: { http: 403, title: 'Temporarily blocked for policies violations' },
  613: { http: 400, title: 'Calls to this api have exceeded the rate limit.' },
  2500: { http: 400, title: 'Unknown path components' },
  80007: { http: 400, title: 'Rate limit issues' },
  80008: { http: 400, title: 'There have been too many calls to this WhatsApp Business account.' },
  130403: {
    http: 400,
    title: 'User blocked the business',
    details: 'The recipient has blocked this business.',
  },
  130429: {
    http: 429,
    title: 'Rate limit hit',
    details:
      'Message failed to send because there were too many messages sent from this phone number in a short period of time.',
  },
  130472: {
    http: 400,
    title: "User's number is part of an experiment",
    details: "Failed to send message because this user's phone number is part of an experiment.",
  },
  130497: { http: 403, title: 'Business account is restricted from messaging users in this country.' },
  131000: {
    http: 500,
    title: 'Something went wrong',
    details: 'Message failed to send due to an unknown error.',
  },
  131005: { http: 403, title: 'Access denied' },
  131008: { http: 400, title: 'Required parameter is missing' },
  131009: { http: 400, title: 'Parameter value is not valid' },
  131016: { http: 500, title: 'Service unavailable', details: 'A service is temporarily unavailable.' },
  131021: {
    http: 400,
    title: 'Recipient cannot be sender',
    details: 'Sender and recipient phone number is the same.',
  },
  131026: { http: 400, title: 'Message undeliverable', details: 'Message Undeliverable.' },
  131030: {
    http: 400,
    title: 'Recipient phone number not in allowed list',
    details:
      'Recipient phone number not in allowed list: Add recipient phone number to recipient list and try again.',
  },
  131031: { http: 403, title: 'Business account has been locked' },
  131037: { http: 400, title: 'Display name approval is needed before sending messages' },
  131042: {
    http: 400,
    title: 'Business eligibility payment issue',
    details: 'Message failed to send because there were one or more errors related to your payment method.',
  },
  131045: { http: 500, title: 'Phone number registration error' },
  131047: {
    http: 400,
    title: 'Re-engagement message',
    details:
      'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  },
  131048: {
    http: 400,
    title: 'Spam rate limit hit',
    details:
      'Message failed to send because there are restrictions on how many messages can be sent from this phone number.',
  },
  131049: {
    http: 400,
    title: 'This message was not delivered to maintain healthy ecosystem engagement.',
    details: 'In order to maintain a healthy ecosystem engagement, the message failed to be delivered.',
  },
  131050: {
    http: 400,
    title: 'User has stopped marketing messages from this business',
    details:
      'Unable to deliver the message. This recipient has chosen to stop receiving marketing messages on WhatsApp from your business.',
  },
  131051: {
    http: 400,
    title: 'Unsupported message type',
    details: 'Message type is currently not supported.',
  },
  131052: { http: 400, title: 'Media download error' },
  131053: {
    http: 400,
    title: 'Media upload error',
    details: 'Media could not be fetched or is not supported.',
  },
  131055: { http: 400, title: 'Method not allowed' },
  131056: {
    http: 400,
    title: '(Business Account, Consumer Account) pair rate limit hit',
    details:
      'Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time.',
  },
  131057: { http: 500, title: 'Account in maintenance mode' },
  131062: {
    http: 400,
    title: 'Business-scoped user ID recipients are not supported for this message',
    details: 'Authentication templates cannot be sent to a business-scoped user ID.',
  },
  131063: { http: 400, title: 'Marketing templates are disabled on this API' },
  131064: { http: 400, title: 'Messaging limit reached' },
  132000: { http: 400, title: 'Number of parameters does not match the expected number of params' },
  132001: { http: 404, title: 'Template name does not exist in the translation' },
  132005: { http: 400, title: 'Translated text too long' },
  132007: { http: 400, title: 'Template format character policy violated' },
  132008: { http: 400, title: 'Template parameter type mismatch' },
  132012: { http: 400, title: 'Parameter format does not match format in the created template' },
  132015: { http: 400, title: 'Template is paused' },
  132016: { http: 400, title: 'Template is disabled' },
  132018: { http: 400, title: 'There is an issue with the parameters in your template' },
  132068: { http: 400, title: 'Flow is in blocked state' },
  132069: { http: 400, title: 'Flow is in throttled state' },
  133000: { http: 500, title: 'Incomplete deregistration' },
  133004: { http: 503, title: 'Server temporarily unavailable' },
  133010: { http: 400, title: 'Phone number not registered' },
  134011: { http: 403, title: 'WhatsApp Payments terms of service has not been accepted' },
  134101: { http: 400, title: 'Template is still syncing' },
  135000: { http: 400, title: 'Generic user error' },
}

const UNKNOWN: Row = { http: 400, title: 'An unknown error occurred' }

/** The documented errors, for the page's list of reasons. */
export const knownErrorCodes = (): { code: number; title: string }[] =>
  Object.entries(ERRORS).map(([code, { title }]) => ({ code: Number(code), title }))

type Extra = {
  details?: string
  /** Replaces "(#code) title". */
  message?: string
  http?: number
  subcode?: number
  type?: string
  retryAfterSeconds?: number
}

/** A call that the Graph API refuses; nothing was accepted. */
export class GraphError extends Error {
  readonly code: number
  readonly extra: Extra

  constructor(code: number, extra: Extra = {}) {
    const { title } = ERRORS[code] ?? UNKNOWN
    super(extra.message ?? (CODES_SAID_PLAINLY.has(code) ? title : `(#${code}) ${title}`))
    this.code = code
    this.extra = extra
  }
}

/** Errors about the token carry no number in front of their words. */
const CODES_SAID_PLAINLY = new Set([0, 104, 190, 2500])

export const httpOf = ({ code, extra }: GraphError): number => extra.http ?? (ERRORS[code] ?? UNKNOWN).http

export const bodyOf = ({ code, message, extra }: GraphError) => {
  const details = extra.details ?? ERRORS[code]?.details
  return {
    error: {
      message,
      type: extra.type ?? 'OAuthException',
      code,
      ...(details && { error_data: { messaging_product: 'whatsapp', details } }),
      ...(extra.subcode && { error_subcode: extra.subcode }),
      fbtrace_id: newTraceId(),
    },
  }
}

export type StatusError = {
  code: number
  title: string
  message: string
  error_data: { details: string }
  href: string
}

/** The same error as a failed status tells it. */
export const statusErrorOf = (code: number, details?: string): StatusError => {
  const row = ERRORS[code] ?? UNKNOWN
  return {
    code,
    title: row.title,
    message: row.title,
    error_data: { details: details ?? row.details ?? row.title },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  }
}

export const isMissing = (name: string): GraphError =>
  new GraphError(100, { message: `(#100) The parameter ${name} is required.` })

export const isInvalid = (details: string): GraphError => new GraphError(100, { details })
