// The one classifier of WhatsApp's errors. The same code comes either as the answer to a call or later in a status
// webhook, so both go through here. Only `code` and `error_data.details` are stable; titles, subcodes and even the HTTP
// status are not. https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes
import { DeliveryError } from '../channel.ts'
import { detailOf, errorOf, type HttpAnswer, readRetryAfter } from '../meta/graph-answer.ts'
import { listOf, numberOf, objectOf } from '../read-json.ts'

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
  /** As in DeliveryError. In a status webhook `retry` means that the provider calls the cause temporary. */
  outcome: 'retry' | 'refused' | 'unknown'
  /** The provider's number as text, or one of ours: HTTP_502, TIMEOUT, … */
  code: string
  /** For people. */
  message: string
  /** The provider's own words, without anything that looks like a token. */
  detail: string | null
  kind: FailureKind
  retryAfterMs?: number
  /** The number or its account is at fault: every other message would fail too. */
  isAccountWide: boolean
}

/** A call to WhatsApp that failed, with what the classifier made of it. */
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

/** What may be tried again may be tried so for everybody, but for the limit on messages to one person. */
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
  /** The sentence alone does not say what to change: the provider's details go along. */
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

/** One message in six seconds to one person, https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput */
const PAIR_WAIT_MS = 6_000
/** The spam limit lifts after hours; asking every few seconds makes it worse. */
const SPAM_WAIT_MS = 3_600_000
/** Hourly quotas of the management and app limits. */
const QUOTA_WAIT_MS = 60_000

const TOKEN = account(
  'WhatsApp does not accept the access token. Enter a valid one in the channel’s settings.',
  {
    kind: 'tokenInvalid',
  },
)
const PERMISSION = account('The access token lacks a permission that this needs.')
const REGISTRATION = account(
  'The sending number is not registered with WhatsApp, or its registration is blocked.',
)
const DOWN = retry('WhatsApp is temporarily unavailable.')

/** The customer has stopped marketing messages. */
export const OPTED_OUT_CODE = '131050'

const ROWS: Record<string, Row> = {
  0: TOKEN,
  1: refused('WhatsApp could not read the request.', { explain: true }),
  2: DOWN,
  3: PERMISSION,
  4: tooFast('The app has used up its calls for now.', { retryAfterMs: QUOTA_WAIT_MS }),
  10: PERMISSION,
  33: account('The sending number or its account does not exist any more.'),
  100: refused('WhatsApp refused a value of the message.', { explain: true }),
  190: TOKEN,
  368: account('WhatsApp has blocked the account for a while for breaking its policies.'),
  613: tooFast('Too many calls in a short time.'),
  80007: tooFast('The WhatsApp Business account has reached its rate limit.', {
    retryAfterMs: QUOTA_WAIT_MS,
  }),
  80008: tooFast('The WhatsApp Business account has reached its rate limit.', {
    retryAfterMs: QUOTA_WAIT_MS,
  }),
  130403: refused('The customer has blocked this business on WhatsApp.'),
  130429: tooFast('The sending number has reached its messages per second.'),
  130472: refused('WhatsApp withheld the message: the customer is part of one of its experiments.'),
  130497: refused('WhatsApp does not let this business send to the customer’s country.'),
  131000: retry('Something went wrong at WhatsApp.'),
  131005: PERMISSION,
  131008: refused('A value that WhatsApp requires is missing.', { explain: true }),
  131009: refused('WhatsApp refused a value of the message.', { explain: true }),
  131016: DOWN,
  131021: refused('The recipient is the sending number itself.'),
  131026: refused(
    'The message cannot be delivered: the number is not on WhatsApp, or its app is too old, or it does not take messages from this business.',
    { kind: 'notOnWhatsapp' },
  ),
  131030: refused('The recipient is not on the list of numbers that a test number may send to.'),
  131031: account('WhatsApp has locked the account.'),
  131037: account('The display name of the sending number is not approved yet.'),
  131042: account('WhatsApp reports a problem with the account’s payment method.'),
  131045: REGISTRATION,
  131047: refused(
    'More than 24 hours have passed since the customer last wrote. Send an approved template.',
    {
      kind: 'windowClosed',
    },
  ),
  131048: tooFast('WhatsApp restricts the sending number because recipients marked messages as spam.', {
    isAccountWide: true,
    retryAfterMs: SPAM_WAIT_MS,
  }),
  131049: refused(
    'WhatsApp withheld the marketing message to keep the number of such messages per person low.',
  ),
  [OPTED_OUT_CODE]: refused('The customer has stopped marketing messages from this business.', {
    kind: 'optedOut',
  }),
  131051: refused('WhatsApp does not support this type of message.'),
  131052: retry('WhatsApp could not fetch the file that the customer sent.'),
  131053: refused('WhatsApp could not fetch or take the file.', { explain: true }),
  131055: refused('WhatsApp does not allow this call.'),
  131056: retry('Too many messages to this customer in a short time.', {
    kind: 'pairRate',
    retryAfterMs: PAIR_WAIT_MS,
  }),
  131057: retry('The sending number is under maintenance.'),
  131060: refused('The message is not available.'),
  131062: refused('This kind of message cannot go to a customer without a visible phone number.'),
  131063: refused('Marketing templates are switched off for this way of sending.'),
  131064: account('The account has reached the number of customers it may write to first.'),
  132000: badTemplate('The template needs another number of parameters.'),
  132001: noTemplate('The template does not exist in this language, or is not approved.'),
  132005: badTemplate('The text of the template with its parameters is too long.'),
  132007: refused('The template breaks one of WhatsApp’s content rules.', { explain: true }),
  132008: badTemplate('A parameter of the template has the wrong form.'),
  132012: badTemplate('A parameter of the template has the wrong form.'),
  132015: noTemplate('WhatsApp has paused the template because of its quality.'),
  132016: noTemplate('WhatsApp has disabled the template because of its quality.'),
  132018: badTemplate('A parameter of the template has a new line, a tab or more than four spaces in a row.'),
  132068: refused('The template’s form is blocked.'),
  132069: tooFast('The template’s form has reached its rate limit.'),
  133000: retry('An earlier deregistration of the sending number is not complete.'),
  133004: DOWN,
  133005: REGISTRATION,
  133006: REGISTRATION,
  133008: REGISTRATION,
  133009: REGISTRATION,
  133010: REGISTRATION,
  133015: REGISTRATION,
  133016: REGISTRATION,
  134011: account('The payment terms of WhatsApp have not been accepted.'),
  134100: refused('Only marketing templates can be sent this way.'),
  134101: retry('The template is still being made ready at WhatsApp.'),
  134102: DOWN,
  135000: refused('WhatsApp refused the message without saying why.', { explain: true }),
  137000: refused('The customer’s identity has changed since the message was written.'),
}

const PERMISSION_CODES: readonly [from: number, to: number] = [200, 299]
const SERVER_ERROR_FROM = 500

/**
 * What an HTTP answer that is not a success means for the message. A 5xx without the provider's own error body comes
 * from something in between, which may have passed the request on: its outcome is unknown.
 */
export const classifyAnswer = ({ status, headers, body }: HttpAnswer): Failure => {
  const error = errorOf(body)
  const retryAfterMs = readRetryAfter(headers)
  if (error) return delayed(classifyError(error, status), retryAfterMs)
  const code = `HTTP_${status}`
  const failure = { code, detail: null, kind: 'other', isAccountWide: false } as const
  if (status === 429)
    return delayed(
      { ...failure, outcome: 'retry', kind: 'tooFast', message: 'Too many calls in a short time.' },
      retryAfterMs,
    )
  if (status === 401) return { ...failure, ...withoutExtras(TOKEN) }
  if (status === 408 || status === 425)
    return delayed(
      { ...failure, outcome: 'retry', message: `WhatsApp did not take the request (HTTP ${status}).` },
      retryAfterMs,
    )
  if (status >= SERVER_ERROR_FROM)
    return delayed(
      {
        ...failure,
        outcome: 'unknown',
        message: `WhatsApp answered with HTTP ${status} and did not say whether it took the message.`,
      },
      retryAfterMs,
    )
  return { ...failure, outcome: 'refused', message: `WhatsApp refused the request (HTTP ${status}).` }
}

const withoutExtras = ({ outcome, kind, message }: Row) => ({ outcome, kind, message, isAccountWide: true })

const delayed = (failure: Failure, retryAfterMs: number | undefined): Failure =>
  retryAfterMs === undefined || failure.outcome === 'refused' ? failure : { ...failure, retryAfterMs }

/** An error object, from an answer (with its HTTP status) or from a status webhook (without). */
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
    // A malformed token comes back in the provider's own message.
    detail: kind === 'tokenInvalid' ? null : detail,
    kind: status === 429 && kind === 'other' ? 'tooFast' : kind,
    isAccountWide: known?.isAccountWide === true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** The errors of a status or of an unsupported message: the first one says it. */
export const classifyErrors = (errors: unknown): Failure | null => {
  const [first] = listOf(errors)
  return first === undefined ? null : classifyError(first)
}

const rowOf = (code: number): Row | undefined => {
  const [from, to] = PERMISSION_CODES
  if (code >= from && code <= to) return PERMISSION
  return Object.hasOwn(ROWS, String(code)) ? ROWS[String(code)] : undefined
}

/** Codes that say nothing by themselves: with a 5xx they are the provider's own trouble. */
const isVague = (row: Row): boolean => row === ROWS[1] || row === ROWS[135000]

const messageOf = (row: Row | undefined, detail: string | null, code: number | null): string => {
  if (!row) return detail ?? `WhatsApp refused the message${code === null ? '' : ` (code ${code})`}.`
  return row.explain && detail ? `${row.message} WhatsApp says: ${detail}` : row.message
}
