// The calls to Twilio's API. Each returns the response or throws a DeliveryError.
// https://www.twilio.com/docs/messaging/api/message-resource

import { type ChannelAccount, DeliveryError } from '../contract/channel.ts'
import { type Answer, exchange, parseApiUrl, SERVER_ERROR_FROM, trimSlashes } from '../protocol/exchange.ts'
import { type JsonObject, lineOf, numberOf, readObject } from '../protocol/read-json.ts'
import { rowOf } from './errors.ts'

const DEFAULT_API_URL = 'https://api.twilio.com'
const PROVIDER = 'Twilio'
const ANSWER_BYTES_MAX = 1024 * 1024

export const authorizationOf = ({ settings, secrets }: ChannelAccount): string =>
  `Basic ${Buffer.from(`${settings.accountSid ?? ''}:${secrets.authToken ?? ''}`).toString('base64')}`

export const baseOf = ({ settings }: ChannelAccount): URL =>
  parseApiUrl(typeof settings.apiUrl === 'string' ? trimSlashes(settings.apiUrl) : DEFAULT_API_URL)

export type Call = {
  /** After the account's own path. */
  path: string
  /** Without one, the request is a GET. */
  form?: URLSearchParams
  timeoutMs: number
  /** Repeating it is harmless. */
  isRepeatable: boolean
}

/** The JSON of a successful response. */
export const call = async (
  account: ChannelAccount,
  { path, form, timeoutMs, isRepeatable }: Call,
): Promise<JsonObject> => {
  const sid = encodeURIComponent(String(account.settings.accountSid ?? ''))
  const answer = await exchange(
    {
      provider: PROVIDER,
      method: form ? 'POST' : 'GET',
      url: new URL(`${trimSlashes(baseOf(account).href)}/2010-04-01/Accounts/${sid}${path}.json`),
      authorization: authorizationOf(account),
      timeoutMs,
      isRepeatable,
      ...(form && {
        body: Buffer.from(form.toString()),
        contentType: 'application/x-www-form-urlencoded',
      }),
    },
    ANSWER_BYTES_MAX,
  )
  const body = answer.isComplete ? readObject(answer.body) : {}
  if (answer.status >= 200 && answer.status < 300 && Object.keys(body).length > 0) return body
  throw failureOf(answer, body, isRepeatable)
}

const failureOf = ({ status, headers }: Answer, body: JsonObject, isRepeatable: boolean): DeliveryError => {
  const number = numberOf(body.code)
  const row = number === null ? undefined : rowOf(String(number))
  const said = lineOf(body.message, 300)
  const code = number === null ? `HTTP_${status}` : String(number)
  const seconds = numberOf(headers['retry-after'])
  const wait = seconds !== null && seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {}
  if (status === 429 || row?.outcome === 'retry')
    return new DeliveryError(
      'retry',
      code,
      row?.message ?? 'Too many requests to Twilio in a short time.',
      wait,
    )
  if (status >= SERVER_ERROR_FROM || status < 300) {
    // Twilio's own error means that it didn't accept the message; otherwise the outcome is unknown.
    const isExplained = number !== null && status >= SERVER_ERROR_FROM
    return new DeliveryError(
      isExplained || isRepeatable ? 'retry' : 'unknown',
      code,
      isExplained
        ? 'Twilio is temporarily unavailable.'
        : 'Twilio did not confirm whether it accepted the message.',
      wait,
    )
  }
  const message =
    row?.message ??
    (status === 401 || status === 403 || status === 404
      ? 'Twilio rejected the account SID and auth token.'
      : said
        ? `Twilio rejected the message: ${said}`
        : `Twilio rejected the request (HTTP ${status}).`)
  return new DeliveryError('refused', code, message, {
    concerns: row?.concerns ?? (status === 401 ? 'account' : 'message'),
  })
}
