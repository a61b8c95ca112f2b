// The calls that we make of Messenger's Graph API. Each gives a definite answer or throws a DeliveryError.
// https://developers.facebook.com/docs/messenger-platform/reference/send-api
import { type ChannelAccount, DeliveryError } from '../channel.ts'
import { type Answer, type BodyPart, exchange } from '../exchange.ts'
import { detailOf, errorOf, readRetryAfter } from '../meta/graph-answer.ts'
import { type JsonObject, numberOf, objectOf, readJson } from '../read-json.ts'

export const DEFAULT_API_URL = 'https://graph.facebook.com'
/** Served until 28 July 2028, https://developers.facebook.com/docs/graph-api/changelog */
const API_VERSION = 'v25.0'
const VERSION = /\/v\d+\.\d+$/
const PROVIDER = 'Facebook'
const ANSWER_BYTES_MAX = 1024 * 1024
const SERVER_ERROR_FROM = 500

export const apiUrlOf = ({ settings }: ChannelAccount): string => {
  const given = typeof settings.apiUrl === 'string' ? settings.apiUrl.replace(/\/+$/, '') : DEFAULT_API_URL
  return VERSION.test(given) ? given : `${given}/${API_VERSION}`
}

export type Call = {
  path: string
  query?: Record<string, string>
  /** Without one it is a GET. */
  content?: { body: BodyPart | readonly BodyPart[]; contentType: string }
  timeoutMs: number
  /** Asking twice is harmless. */
  isRepeatable: boolean
}

/** The JSON of a success. */
export const call = async (
  account: ChannelAccount,
  { path, query = {}, content, ...rest }: Call,
): Promise<JsonObject> => {
  const text = `${apiUrlOf(account)}/${path}`
  if (!URL.canParse(text))
    throw new DeliveryError('refused', 'REQUEST_INVALID', 'The address of the Graph API is not a URL.')
  const url = new URL(text)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const answer = await exchange(
    {
      provider: PROVIDER,
      method: content ? 'POST' : 'GET',
      url,
      // In a header the token stays out of every log.
      authorization: `Bearer ${account.secrets.accessToken ?? ''}`,
      ...content,
      ...rest,
    },
    ANSWER_BYTES_MAX,
  )
  const error = errorOf(answer.body)
  if (error) throw refusalOf(error, answer)
  const read = answer.isComplete ? readJson(answer.body) : undefined
  if (answer.status >= 200 && answer.status < 300 && read && 'value' in read && read.value !== null)
    return objectOf(read.value)
  throw unexplained(answer, rest.isRepeatable)
}

/** Written outside the 24 hours after the customer's last message. */
export const WINDOW_CLOSED_CODE = '2018278'

type Row = { outcome: 'retry' | 'refused'; message: string; concerns?: 'customer' | 'account' }

const DOWN: Row = { outcome: 'retry', message: 'Facebook is temporarily unavailable.' }
const TOO_FAST: Row = { outcome: 'retry', message: 'Too many calls in a short time.' }
const TOKEN: Row = {
  outcome: 'refused',
  message: 'Facebook does not accept the page’s access token. Enter a valid one in the channel’s settings.',
  concerns: 'account',
}
const PERMISSION: Row = {
  outcome: 'refused',
  message: 'The page’s access token lacks a permission that this needs.',
  concerns: 'account',
}
const AWAY: Row = {
  outcome: 'refused',
  message: 'The customer cannot be written to: they have blocked the page or left Messenger.',
  concerns: 'customer',
}

/** https://developers.facebook.com/docs/messenger-platform/error-codes */
const ROWS: Record<string, Row> = {
  1: DOWN,
  2: DOWN,
  4: TOO_FAST,
  10: PERMISSION,
  32: TOO_FAST,
  190: TOKEN,
  341: TOO_FAST,
  368: { outcome: 'refused', message: 'Facebook has blocked the page for a while.', concerns: 'account' },
  551: AWAY,
  613: TOO_FAST,
  1200: DOWN,
  1545041: AWAY,
  2018001: { outcome: 'refused', message: 'Facebook does not know the customer any more.' },
  2018278: {
    outcome: 'refused',
    message: 'More than 24 hours have passed since the customer last wrote.',
  },
  80006: TOO_FAST,
}

/** The subcode says more than the code. */
const rowOf = (code: number | null, subcode: number | null): { code: string; row: Row | undefined } => {
  if (subcode !== null && Object.hasOwn(ROWS, subcode)) return { code: String(subcode), row: ROWS[subcode] }
  if (code === null) return { code: 'UNKNOWN', row: undefined }
  return {
    code: String(code),
    row: Object.hasOwn(ROWS, code) ? ROWS[code] : code >= 200 && code < 300 ? PERMISSION : undefined,
  }
}

const refusalOf = (error: JsonObject, { status, headers }: Answer): DeliveryError => {
  const { code, row } = rowOf(numberOf(error.code), numberOf(error.error_subcode))
  const known = row ?? (status === 401 ? TOKEN : undefined)
  const isPassing = status === 429 || error.is_transient === true || (!known && status >= SERVER_ERROR_FROM)
  const outcome = isPassing ? 'retry' : (known?.outcome ?? 'refused')
  const detail = detailOf(error)
  const retryAfterMs = outcome === 'retry' ? readRetryAfter(headers) : undefined
  return new DeliveryError(
    outcome,
    code,
    known?.message ??
      (detail ? `Facebook refused the message. It says: ${detail}` : 'Facebook refused the message.'),
    {
      ...(known?.concerns && !isPassing && { concerns: known.concerns }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  )
}

const unexplained = ({ status, headers }: Answer, isRepeatable: boolean): DeliveryError => {
  const code = `HTTP_${status}`
  const retryAfterMs = readRetryAfter(headers)
  if (status === 429)
    return new DeliveryError('retry', code, TOO_FAST.message, {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    })
  if (status === 401) return new DeliveryError('refused', code, TOKEN.message, { concerns: 'account' })
  if (status >= 300 && status < 400)
    return new DeliveryError('refused', 'REDIRECTED', 'The address of the Graph API redirects elsewhere.')
  if (status >= 400 && status < SERVER_ERROR_FROM)
    return new DeliveryError('refused', code, `Facebook refused the request (HTTP ${status}).`)
  const message = 'Facebook did not say whether it took the message.'
  return new DeliveryError(isRepeatable ? 'retry' : 'unknown', code, message)
}
