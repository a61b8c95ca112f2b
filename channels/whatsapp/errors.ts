// Classifies WhatsApp's errors, from responses to calls and from status webhooks, which use the same codes. Only `code`
// and `error_data.details` are stable; titles, subcodes and even the HTTP status are not.
// https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes

import { DeliveryError } from '../contract/channel.ts'
import { detailOf, errorOf, type HttpAnswer, readRetryAfter, unexplainedOf } from '../meta/graph-answer.ts'
import { listOf, numberOf, objectOf } from '../protocol/read-json.ts'

export type FailureKind =
  | 'windowClosed'
  | 'optedOut'
  | 'tooFast'
  | 'pairRate'
  | 'templateMissing'
  | 'templateParameters'
  | 'tokenInvalid'
  | 'notOnWhatsapp'
  | 'other'

export type Failure = {
  /** As in DeliveryError. In a status webhook, `retry` means that the cause is temporary. */
  outcome: 'retry' | 'refused' | 'unknown'
  /** The provider's code, or one of ours: HTTP_502, TIMEOUT, … */
  code: string
  /** Shown to users. */
  message: string
  /** The provider's own message, without anything that looks like a token. */
  detail: string | null
  kind: FailureKind
  retryAfterMs?: number
  /** A problem of the number or its account, so every other message would fail too. */
  isAccountWide: boolean
}

/** A failed call to WhatsApp, with its classification. */
export class WhatsAppError extends DeliveryError {
  readonly kind: FailureKind
  readonly detail: string | null
  readonly isAccountWide: boolean

  constructor(failure: Failure, options: { cause?: unknown } = {}) {
    super(failure.outcome, failure.code, failure.message, {
      retryAfterMs: failure.retryAfterMs,
      concerns: concernsOf(failure),
      cause: options.cause,
    })
    this.name = 'WhatsAppError'
    this.kind = failure.kind
    this.detail = failure.detail
    this.isAccountWide = failure.isAccountWide
  }
}

/** Errors that may be retried concern the whole account, except the limit for one recipient. */
const concernsOf = ({ kind, outcome, isAccountWide }: Failure): DeliveryError['concerns'] => {
  if (kind === 'optedOut') return 'customer'
  if (kind === 'templateMissing') return 'template'
  return isAccountWide || (outcome === 'retry' && kind !== 'pairRate') ? 'account' : 'message'
}

type Row = {
  outcome: 'retry' | 'refused'
  kind: FailureKind
  message: string
  isAccountWide?: true
  retryAfterMs?: number
  /** Our message doesn't say what to change, so the provider's details are added. */
  explain?: true
}

const refused = (message: string, more: Partial<Row> = {}): Row => ({
  outcome: 'refused',
  kind: 'other',
  message,
  ...more,
})

const retry = (message: string, more: Partial<Row> = {}): Row => ({
  outcome: 'retry',
  kind: 'other',
  message,
  ...more,
})

const tooFast = (message: string, more: Partial<Row> = {}): Row =>
  retry(message, { kind: 'tooFast', ...more })

const account = (message: string, more: Partial<Row> = {}): Row =>
  refused(message, { isAccountWide: true, ...more })

const badTemplate = (message: string): Row => refused(message, { kind: 'templateParameters', explain: true })

const noTemplate = (message: string): Row => refused(message, { kind: 'templateMissing' })

/**
 * One message every six seconds per recipient,
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput
 */
const PAIR_WAIT_MS = 6_000
/** The spam limit lasts for hours; frequent retries prolong it. */
const SPAM_WAIT_MS = 3_600_000
/** Hourly quotas of the management and app limits. */
const QUOTA_WAIT_MS = 60_000

const TOKEN = account('WhatsApp rejected the access token. Enter a valid one in the channel settings.', {
  kind: 'tokenInvalid',
})
const PERMISSION = account('The access token is missing a required permission.')
const REGISTRATION = account(
  'The sending number is not registered with WhatsApp, or its registration is blocked.',
)
const DOWN = retry('WhatsApp is temporarily unavailable.')

/** The customer has opted out of marketing messages. */
export const OPTED_OUT_CODE = '131050'

const ROWS: Record<string, Row> = {
  0: TOKEN,
  1: refused('WhatsApp couldn’t process the request.', { explain: true }),
  2: DOWN,
  3: PERMISSION,
  4: tooFast('The app has reached its API rate limit.', { retryAfterMs: QUOTA_WAIT_MS }),
  10: PERMISSION,
  33: account('The sending number or its account no longer exists.'),
  100: refused('WhatsApp rejected a value in the message.', { explain: true }),
  190: TOKEN,
  368: account('WhatsApp has temporarily blocked the account for policy violations.'),
  613: tooFast('Too many requests in a short time.'),
  80007: tooFast('The WhatsApp Business account has reached its rate limit.', {
    retryAfterMs: QUOTA_WAIT_MS,
  }),
  80008: tooFast('The WhatsApp Business account has reached its rate limit.', {
    retryAfterMs: QUOTA_WAIT_MS,
  }),
  130403: refused('The customer has blocked this business on WhatsApp.'),
  130429: tooFast('The sending number has reached its limit of messages per second.'),
  130472: refused('WhatsApp did not deliver the message because the customer is part of an experiment.'),
  130497: refused('This business isn’t allowed to send to the customer’s country on WhatsApp.'),
  131000: retry('Something went wrong at WhatsApp.'),
  131005: PERMISSION,
  131008: refused('A required value is missing.', { explain: true }),
  131009: refused('WhatsApp rejected a value in the message.', { explain: true }),
  131016: DOWN,
  131021: refused('The recipient and the sending number are the same.'),
  131026: refused(
    'The message can’t be delivered. The number isn’t on WhatsApp, uses an outdated app or doesn’t accept messages from this business.',
    { kind: 'notOnWhatsapp' },
  ),
  131030: refused('The recipient isn’t on the test number’s list of allowed recipients.'),
  131031: account('WhatsApp has locked the account.'),
  131037: account('The sending number’s display name isn’t approved yet.'),
  131042: account('WhatsApp reports a problem with the account’s payment method.'),
  131045: REGISTRATION,
  131047: refused(
    'More than 24 hours have passed since the customer’s last message. Send an approved template.',
    {
      kind: 'windowClosed',
    },
  ),
  131048: tooFast('WhatsApp has restricted the sending number because recipients reported spam.', {
    isAccountWide: true,
    retryAfterMs: SPAM_WAIT_MS,
  }),
  131049: refused(
    'WhatsApp did not deliver this marketing message because it limits how many each person receives.',
  ),
  [OPTED_OUT_CODE]: refused('The customer has opted out of marketing messages from this business.', {
    kind: 'optedOut',
  }),
  131051: refused('WhatsApp does not support this type of message.'),
  131052: retry('WhatsApp couldn’t download the customer’s file.'),
  131053: refused('WhatsApp couldn’t download or process the file.', { explain: true }),
  131055: refused('WhatsApp doesn’t allow this request.'),
  131056: retry('Too many messages to this customer in a short time.', {
    kind: 'pairRate',
    retryAfterMs: PAIR_WAIT_MS,
  }),
  131057: retry('The sending number is under maintenance.'),
  131060: refused('The message is not available.'),
  131062: refused('This type of message can’t be sent to a customer without a visible phone number.'),
  131063: refused('Marketing templates are disabled for this API.'),
  131064: account('The account has reached its limit of new conversations it may start.'),
  132000: badTemplate('The number of parameters doesn’t match the template.'),
  132001: noTemplate('The template doesn’t exist in this language or isn’t approved.'),
  132005: badTemplate('The template text is too long with these parameters.'),
  132007: refused('The template violates WhatsApp’s content policy.', { explain: true }),
  132008: badTemplate('A template parameter has the wrong format.'),
  132012: badTemplate('A template parameter has the wrong format.'),
  132015: noTemplate('WhatsApp has paused the template because of its quality.'),
  132016: noTemplate('WhatsApp has disabled the template because of its quality.'),
  132018: badTemplate('A template parameter has a line break, a tab or more than four spaces in a row.'),
  132068: refused('The template’s form is blocked.'),
  132069: tooFast('The template’s form has reached its rate limit.'),
  133000: retry('An earlier deregistration of the sending number isn’t complete.'),
  133004: DOWN,
  133005: REGISTRATION,
  133006: REGISTRATION,
  133008: REGISTRATION,
  133009: REGISTRATION,
  133010: REGISTRATION,
  133015: REGISTRATION,
  133016: REGISTRATION,
  134011: account('WhatsApp’s payment terms have not been accepted.'),
  134100: refused('Only marketing templates can be sent through this API.'),
  134101: retry('WhatsApp is still processing the template.'),
  134102: DOWN,
  135000: refused('WhatsApp rejected the message. No reason given.', { explain: true }),
  137000: refused('The customer’s identity has changed since the message was written.'),
}

const PERMISSION_CODES: readonly [from: number, to: number] = [200, 299]
const SERVER_ERROR_FROM = 500

/** Classifies an unsuccessful HTTP response. */
export const classifyAnswer = ({ status, headers, body }: HttpAnswer): Failure => {
  const error = errorOf(body)
  if (error) return delayed(classifyError(error, status), readRetryAfter(headers))
  const failure = { detail: null, kind: status === 429 ? 'tooFast' : 'other', isAccountWide: false } as const
  const unexplained = { ...failure, ...unexplainedOf('WhatsApp', { status, headers }) }
  return status === 401 ? { ...unexplained, ...withoutExtras(TOKEN) } : unexplained
}

const withoutExtras = ({ outcome, kind, message }: Row) => ({ outcome, kind, message, isAccountWide: true })

const delayed = (failure: Failure, retryAfterMs: number | undefined): Failure =>
  retryAfterMs === undefined || failure.outcome === 'refused' ? failure : { ...failure, retryAfterMs }

/** Classifies an error object, from a response (with its HTTP status) or from a status webhook (without). */
export const classifyError = (error: unknown, status?: number): Failure => {
  const object = objectOf(error)
  const number = numberOf(object.code)
  const detail = detailOf(object)
  const row = number === null ? undefined : rowOf(number)
  const isRetried =
    status === 429 ||
    object.is_transient === true ||
    (status !== undefined && status >= SERVER_ERROR_FROM && (!row || isVague(row)))
  const known = row ?? (status === 401 ? TOKEN : undefined)
  const kind = known?.kind ?? 'other'
  const retryAfterMs = known?.retryAfterMs
  return {
    outcome: isRetried ? 'retry' : (known?.outcome ?? 'refused'),
    code: number === null ? (status === undefined ? 'UNKNOWN' : `HTTP_${status}`) : String(number),
    message: messageOf(known, detail, number),
    // The provider's message quotes a malformed token.
    detail: kind === 'tokenInvalid' ? null : detail,
    kind: status === 429 && kind === 'other' ? 'tooFast' : kind,
    isAccountWide: known?.isAccountWide === true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** Classifies the errors of a status or an unsupported message by the first one. */
export const classifyErrors = (errors: unknown): Failure | null => {
  const [first] = listOf(errors)
  return first === undefined ? null : classifyError(first)
}

const rowOf = (code: number): Row | undefined => {
  const [from, to] = PERMISSION_CODES
  if (code >= from && code <= to) return PERMISSION
  return Object.hasOwn(ROWS, String(code)) ? ROWS[String(code)] : undefined
}

/** Generic codes: with a 5xx, they are outages of the provider. */
const isVague = (row: Row): boolean => row === ROWS[1] || row === ROWS[135000]

const messageOf = (row: Row | undefined, detail: string | null, code: number | null): string => {
  if (!row) return detail ?? `WhatsApp rejected the message${code === null ? '' : ` (code ${code})`}.`
  return row.explain && detail ? `${row.message} WhatsApp says: ${detail}` : row.message
}
