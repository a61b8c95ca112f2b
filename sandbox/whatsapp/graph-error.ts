// Errors in the Graph API's format, as responses and as part of a failed status.
import type { App } from '../entry.ts'
import { Refusal } from '../http.ts'
import { newTraceId } from './ids.ts'

const TITLES: Record<number, string> = {
  0: 'Authentication error',
  1: 'An unknown error occurred',
  2: 'Service temporarily unavailable',
  3: 'Application does not have the capability to make this API call.',
  4: 'Application request limit reached',
  10: 'Application does not have permission for this action',
  33: 'Parameter value is not valid',
  100: 'Invalid parameter',
  104: 'An access token is required to request this resource.',
  190: 'Invalid OAuth access token - Cannot parse access token',
  200: 'You do not have the necessary permissions to perform this action.',
  368: 'Temporarily blocked for policies violations',
  613: 'Calls to this api have exceeded the rate limit.',
  2500: 'Unknown path components',
  80007: 'Rate limit issues',
  80008: 'There have been too many calls to this WhatsApp Business account.',
  130403: 'User blocked the business',
  130429: 'Rate limit hit',
  130472: "User's number is part of an experiment",
  130497: 'Business account is restricted from messaging users in this country.',
  131000: 'Something went wrong',
  131005: 'Access denied',
  131008: 'Required parameter is missing',
  131009: 'Parameter value is not valid',
  131016: 'Service unavailable',
  131021: 'Recipient cannot be sender',
  131026: 'Message undeliverable',
  131030: 'Recipient phone number not in allowed list',
  131031: 'Business account has been locked',
  131037: 'Display name approval is needed before sending messages',
  131042: 'Business eligibility payment issue',
  131045: 'Phone number registration error',
  131047: 'Re-engagement message',
  131048: 'Spam rate limit hit',
  131049: 'This message was not delivered to maintain healthy ecosystem engagement.',
  131050: 'User has stopped marketing messages from this business',
  131051: 'Unsupported message type',
  131052: 'Media download error',
  131053: 'Media upload error',
  131055: 'Method not allowed',
  131056: '(Business Account, Consumer Account) pair rate limit hit',
  131057: 'Account in maintenance mode',
  131062: 'Business-scoped user ID recipients are not supported for this message',
  131063: 'Marketing templates are disabled on this API',
  131064: 'Messaging limit reached',
  132000: 'Number of parameters does not match the expected number of params',
  132001: 'Template name does not exist in the translation',
  132005: 'Translated text too long',
  132007: 'Template format character policy violated',
  132008: 'Template parameter type mismatch',
  132012: 'Parameter format does not match format in the created template',
  132015: 'Template is paused',
  132016: 'Template is disabled',
  132018: 'There is an issue with the parameters in your template',
  132068: 'Flow is in blocked state',
  132069: 'Flow is in throttled state',
  133000: 'Incomplete deregistration',
  133004: 'Server temporarily unavailable',
  133010: 'Phone number not registered',
  134011: 'WhatsApp Payments terms of service has not been accepted',
  134101: 'Template is still syncing',
  135000: 'Generic user error',
}
/** Details added to the title, for codes that have any. */
const DETAILS: Record<number, string> = {
  130403: 'The recipient has blocked this business.',
  130429:
    'Message failed to send because there were too many messages sent from this phone number in a short period of time.',
  130472: "Failed to send message because this user's phone number is part of an experiment.",
  131000: 'Message failed to send due to an unknown error.',
  131016: 'A service is temporarily unavailable.',
  131021: 'Sender and recipient phone number is the same.',
  131026: 'Message Undeliverable.',
  131030:
    'Recipient phone number not in allowed list: Add recipient phone number to recipient list and try again.',
  131042: 'Message failed to send because there were one or more errors related to your payment method.',
  131047:
    'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  131048:
    'Message failed to send because there are restrictions on how many messages can be sent from this phone number.',
  131049: 'In order to maintain a healthy ecosystem engagement, the message failed to be delivered.',
  131050:
    'Unable to deliver the message. This recipient has chosen to stop receiving marketing messages on WhatsApp from your business.',
  131051: 'Message type is currently not supported.',
  131053: 'Media could not be fetched or is not supported.',
  131056:
    'Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time.',
  131062: 'Authentication templates cannot be sent to a business-scoped user ID.',
}
const HTTP_DEFAULT = 400
const CODES_BY_HTTP: [number, number[]][] = [
  [401, [0, 104, 190]],
  [403, [10, 200, 368, 130497, 131005, 131031, 134011]],
  [404, [132001]],
  [429, [130429]],
  [500, [3, 131000, 131016, 131045, 131057, 133000]],
  [503, [2, 133004]],
]
const httpOf = (code: number): number =>
  CODES_BY_HTTP.find(([, codes]) => codes.includes(code))?.[0] ?? HTTP_DEFAULT
const titleOf = (code: number): string => TITLES[code] ?? 'An unknown error occurred'

type Extra = {
  details?: string
  /** Replaces "(#code) title". */
  message?: string
  http?: number
  subcode?: number
  type?: string
  retryAfterSeconds?: number
  /** The app of the message; WhatsApp if not given. */
  app?: App
}

/** Errors about the token don't have the code in front of the message. */
const CODES_NOT_SHOWN = new Set([0, 104, 190, 2500])

/** A call that the Graph API rejects; nothing was accepted. */
export class GraphError extends Refusal {
  constructor(code: number, extra: Extra = {}) {
    const { subcode, retryAfterSeconds, type = 'OAuthException', details = DETAILS[code] } = extra
    const title = titleOf(code)
    const message = extra.message ?? (CODES_NOT_SHOWN.has(code) ? title : `(#${code}) ${title}`)
    super(message, {
      http: extra.http ?? httpOf(code),
      headers: {
        ...(code === 190 && {
          'www-authenticate': `OAuth "Facebook Platform" "invalid_token" "${message}"`,
        }),
        ...(retryAfterSeconds !== undefined && { 'retry-after': retryAfterSeconds }),
      },
      body: {
        error: {
          message,
          type,
          code,
          ...(details && { error_data: { messaging_product: 'whatsapp', details } }),
          ...(subcode && { error_subcode: subcode }),
          fbtrace_id: newTraceId(),
        },
      },
      activity: { app: extra.app, code, details: extra.details },
    })
  }
}

export type StatusError = {
  code: number
  title: string
  message: string
  error_data: { details: string }
  href: string
}

/** The same error as it appears in a failed status. */
export const statusErrorOf = (code: number, details?: string): StatusError => {
  const title = titleOf(code)
  return {
    code,
    title,
    message: title,
    error_data: { details: details ?? DETAILS[code] ?? title },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  }
}

export const isMissing = (name: string): GraphError => isRefused(`The parameter ${name} is required.`)
/** Code 100 with a specific message. */
export const isRefused = (message: string): GraphError =>
  new GraphError(100, { message: `(#100) ${message}` })
/** Code 100 with its usual message, and the problem as details. */
export const isInvalid = (details: string): GraphError => new GraphError(100, { details })
/** A value of the right type that still can't be accepted. */
export const isUnfit = (details: string): GraphError => new GraphError(131009, { details })
