// Classifies Messenger's errors.
import { DeliveryError } from '../contract/channel.ts'
import { detailOf, errorOf, type HttpAnswer, readRetryAfter, unexplainedOf } from '../meta/graph-answer.ts'
import { SERVER_ERROR_FROM } from '../protocol/exchange.ts'
import { type JsonObject, numberOf } from '../protocol/read-json.ts'

/** More than 24 hours have passed since the customer's last message. */
export const WINDOW_CLOSED_CODE = '2018278'

type Row = { outcome: 'retry' | 'refused'; message: string; concerns?: 'customer' | 'account' }

const DOWN: Row = { outcome: 'retry', message: 'Facebook is temporarily unavailable.' }
const TOO_FAST: Row = { outcome: 'retry', message: 'Too many requests in a short time.' }
const TOKEN: Row = {
  outcome: 'refused',
  message: 'Facebook rejected the page’s access token. Enter a valid one in the channel settings.',
  concerns: 'account',
}
const PERMISSION: Row = {
  outcome: 'refused',
  message: 'The page’s access token is missing a required permission.',
  concerns: 'account',
}
const AWAY: Row = {
  outcome: 'refused',
  message: 'The customer can’t be reached. They have blocked the page or left Messenger.',
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
  368: { outcome: 'refused', message: 'Facebook has temporarily blocked the page.', concerns: 'account' },
  551: AWAY,
  613: TOO_FAST,
  1200: DOWN,
  1545041: AWAY,
  2018001: { outcome: 'refused', message: 'Facebook no longer recognizes this customer.' },
  2018278: {
    outcome: 'refused',
    message: 'More than 24 hours have passed since the customer’s last message.',
  },
  80006: TOO_FAST,
}

/** The subcode is more specific than the code. */
const rowOf = (code: number | null, subcode: number | null): { code: string; row: Row | undefined } => {
  if (subcode !== null && Object.hasOwn(ROWS, subcode)) return { code: String(subcode), row: ROWS[subcode] }
  if (code === null) return { code: 'UNKNOWN', row: undefined }
  return {
    code: String(code),
    row: Object.hasOwn(ROWS, code) ? ROWS[code] : code >= 200 && code < 300 ? PERMISSION : undefined,
  }
}

export const refusalOf = (answer: HttpAnswer, isRepeatable: boolean): DeliveryError => {
  const error = errorOf(answer.body)
  return error ? explained(error, answer) : unexplained(answer, isRepeatable)
}

const explained = (error: JsonObject, { status, headers }: HttpAnswer): DeliveryError => {
  const { code, row } = rowOf(numberOf(error.code), numberOf(error.error_subcode))
  const known = row ?? (status === 401 ? TOKEN : undefined)
  const isTemporary = status === 429 || error.is_transient === true || (!known && status >= SERVER_ERROR_FROM)
  const outcome = isTemporary ? 'retry' : (known?.outcome ?? 'refused')
  const detail = detailOf(error)
  const retryAfterMs = outcome === 'retry' ? readRetryAfter(headers) : undefined
  return new DeliveryError(
    outcome,
    code,
    known?.message ??
      (detail ? `Facebook rejected the message: ${detail}` : 'Facebook rejected the message.'),
    {
      ...(known?.concerns && !isTemporary && { concerns: known.concerns }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  )
}

const unexplained = (answer: HttpAnswer, isRepeatable: boolean): DeliveryError => {
  const { outcome, code, message, retryAfterMs } = unexplainedOf('Facebook', answer)
  if (answer.status === 401) return new DeliveryError('refused', code, TOKEN.message, { concerns: 'account' })
  const isHarmless = isRepeatable && outcome === 'unknown'
  return new DeliveryError(isHarmless ? 'retry' : outcome, code, message, { retryAfterMs })
}
