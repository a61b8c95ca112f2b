// The calls to Telegram's Bot API. Every URL contains the token, so none may get into an error or a log.
// https://core.telegram.org/bots/api#making-requests

import { type ChannelAccount, DeliveryError } from '../contract/channel.ts'
import { type BodyPart, exchange, parseApiUrl, SERVER_ERROR_FROM, trimSlashes } from '../protocol/exchange.ts'
import { type JsonObject, lineOf, numberOf, objectOf, readObject } from '../protocol/read-json.ts'

const DEFAULT_API_URL = 'https://api.telegram.org'
const PROVIDER = 'Telegram'
const ANSWER_BYTES_MAX = 1024 * 1024

/** The URL of a method or, with the prefix `file/`, of a file. */
export const urlOf = ({ settings, secrets }: ChannelAccount, path: string, prefix = ''): URL => {
  const base = typeof settings.apiUrl === 'string' ? trimSlashes(settings.apiUrl) : DEFAULT_API_URL
  const token = encodeURIComponent(secrets.botToken ?? '').replaceAll('%3A', ':')
  return parseApiUrl(`${base}/${prefix}bot${token}/${path}`)
}

export type CallOptions = {
  timeoutMs: number
  /** Repeating it is harmless. */
  isRepeatable: boolean
  signal?: AbortSignal
}

/** The result of a method. Anything else throws a DeliveryError. */
export const callMethod = (
  account: ChannelAccount,
  method: string,
  parameters: JsonObject,
  options: CallOptions,
): Promise<unknown> =>
  callWith(
    account,
    method,
    { body: Buffer.from(JSON.stringify(parameters)), contentType: 'application/json' },
    options,
  )

export const callWith = async (
  account: ChannelAccount,
  method: string,
  content: { body: BodyPart | readonly BodyPart[]; contentType: string },
  options: CallOptions,
): Promise<unknown> => {
  const url = urlOf(account, method)
  const answer = await exchange(
    { provider: PROVIDER, method: 'POST', url, ...options, ...content },
    ANSWER_BYTES_MAX,
  )
  const body = answer.isComplete ? readObject(answer.body) : {}
  if (body.ok === true && answer.status < 300) return body.result
  if (body.ok === false) throw refusalOf(body, answer.status)
  throw unexplained(answer.status, options.isRepeatable)
}

/** The error that Telegram reports. https://core.telegram.org/bots/api#responseparameters */
const refusalOf = (body: JsonObject, status: number): DeliveryError => {
  const code = numberOf(body.error_code) ?? status
  const said = lineOf(body.description, 300)
  const text = (fallback: string) => (said ? `${fallback} Telegram says: ${said}` : fallback)
  const retryAfter = numberOf(objectOf(body.parameters).retry_after)
  if (code === 429)
    return new DeliveryError('retry', '429', 'Too many messages in a short time.', {
      ...(retryAfter !== null && retryAfter >= 0 && { retryAfterMs: retryAfter * 1000 }),
    })
  if (code >= SERVER_ERROR_FROM)
    return new DeliveryError('retry', String(code), text('Telegram is temporarily unavailable.'))
  if (code === 403)
    return new DeliveryError('refused', '403', text('The bot isn’t allowed to message this customer.'), {
      concerns: 'customer',
    })
  // For an unknown token, the URL doesn't exist.
  if (code === 401 || code === 404)
    return new DeliveryError(
      'refused',
      String(code),
      'Telegram rejected the bot token. Enter a valid one in the channel settings.',
      { concerns: 'account' },
    )
  return new DeliveryError('refused', String(code), text('Telegram rejected the message.'))
}

const unexplained = (status: number, isRepeatable: boolean): DeliveryError => {
  const code = `HTTP_${status}`
  if (status === 429) return new DeliveryError('retry', code, 'Too many messages in a short time.')
  if (status >= 300 && status < 400)
    return new DeliveryError('refused', 'REDIRECTED', 'The API address redirects to another address.')
  if (status >= 400 && status < SERVER_ERROR_FROM)
    return new DeliveryError('refused', code, `Telegram rejected the request (HTTP ${status}).`)
  const message = 'Telegram did not confirm whether it accepted the message.'
  return new DeliveryError(isRepeatable ? 'retry' : 'unknown', code, message)
}
