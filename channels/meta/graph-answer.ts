// Reads the responses of Meta's Graph API, for all its products.
// https://developers.facebook.com/docs/graph-api/guides/error-handling
import { SERVER_ERROR_FROM } from '../protocol/exchange.ts'
import {
  isObject,
  type JsonObject,
  lineOf,
  listOf,
  numberOf,
  objectOf,
  readObject,
} from '../protocol/read-json.ts'
import { retryAfterMsOf } from '../protocol/retry-after.ts'

const DETAIL_MAX = 500
const BODY_READ_MAX = 65_536
const RETRY_AFTER_MAX_MS = 86_400_000

export type HttpAnswer = {
  status: number
  /** Lower-case names, as in Node. */
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** The provider's error object in the body; undefined if there is none. */
export const errorOf = (body: string): JsonObject | undefined => {
  if (body.length > BODY_READ_MAX) return undefined
  const { error } = readObject(body)
  return isObject(error) && (numberOf(error.code) !== null || typeof error.message === 'string')
    ? error
    : undefined
}

/** The provider's own message, without anything that looks like a token. */
export const detailOf = (error: JsonObject): string | null => {
  const data = error.error_data
  const texts = [isObject(data) ? data.details : data, error.error_user_msg, error.message, error.title]
  for (const text of texts) {
    const line = lineOf(text, DETAIL_MAX)
    if (line) return withoutTokens(line)
  }
  return null
}

/** Access tokens are long strings of letters and digits that start with EAA. */
const withoutTokens = (text: string): string => text.replace(/\bEAA[\w-]{8,}/g, '[token]')

/** How long to wait, from Retry-After (seconds or a date) or from the usage header's minutes. */
export const readRetryAfter = (headers: HttpAnswer['headers']): number | undefined => {
  const ms = retryAfterMsOf(headers) ?? usageWaitMsOf(headers['x-business-use-case-usage'])
  return ms === undefined || ms < 0 ? undefined : Math.min(ms, RETRY_AFTER_MAX_MS)
}

const usageWaitMsOf = (header: string | string[] | undefined): number | undefined => {
  if (typeof header !== 'string' || header.length > BODY_READ_MAX) return undefined
  const minutes = Object.values(readObject(header))
    .flatMap(listOf)
    .map((usage) => numberOf(objectOf(usage).estimated_time_to_regain_access) ?? 0)
  const longest = Math.max(0, ...minutes.slice(0, 100))
  return longest > 0 ? longest * 60_000 : undefined
}

/**
 * Classifies a response without the provider's error object. Such a 5xx comes from an intermediary, which may have
 * forwarded the request, so the outcome is unknown.
 */
export const unexplainedOf = (
  provider: string,
  { status, headers }: Omit<HttpAnswer, 'body'>,
): { outcome: 'retry' | 'refused' | 'unknown'; code: string; message: string; retryAfterMs?: number } => {
  const code = `HTTP_${status}`
  const retryAfterMs = readRetryAfter(headers)
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (status === 429)
    return { outcome: 'retry', code, message: 'Too many requests in a short time.', ...wait }
  if (status === 408 || status === 425) {
    const message = `${provider} did not accept the request (HTTP ${status}).`
    return { outcome: 'retry', code, message, ...wait }
  }
  if (status >= SERVER_ERROR_FROM) {
    const message = `${provider} returned HTTP ${status} and did not confirm whether it accepted the message.`
    return { outcome: 'unknown', code, message, ...wait }
  }
  return { outcome: 'refused', code, message: `${provider} rejected the request (HTTP ${status}).` }
}
