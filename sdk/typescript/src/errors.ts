// What a call can throw. Everything that the API refuses is a FoyerError with a code; what never reached it, or got no
// answer, is a FoyerConnectionError.
import type { ErrorCode } from './generated/types.ts'

export type ErrorDetail = { field: string; message: string }

/** A newer server may know more codes. */
type Code = ErrorCode | (string & {})

type Refusal = {
  code: Code
  status: number
  message: string
  details?: ErrorDetail[]
  requestId: string | null
  retryAfterMs: number | null
  isRetryable: boolean
}

/** The API refused a call. Act on `code`. */
export class FoyerError extends Error {
  override name = 'FoyerError'
  readonly code: Code
  readonly status: number
  /** On a validation error: every field that is wrong. */
  readonly details: ErrorDetail[]
  /** Name it when you report a problem. */
  readonly requestId: string | null
  /** How long the server asks you to wait. */
  readonly retryAfterMs: number | null
  /** Whether the same call may succeed later. */
  readonly isRetryable: boolean

  constructor({ code, status, message, details = [], requestId, retryAfterMs, isRetryable }: Refusal) {
    super(message)
    this.code = code
    this.status = status
    this.details = details
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
    this.isRetryable = isRetryable
  }
}

/** The events at this cursor are not kept any more, or the database was restored: start again with `events.sync`. */
export class CursorExpiredError extends FoyerError {
  override name = 'CursorExpiredError'
}

/** No answer: the server could not be reached, the connection broke, or what came was no answer of Foyer. */
export class FoyerConnectionError extends Error {
  override name = 'FoyerConnectionError'
}

/** No answer within `timeoutMs`. */
export class FoyerTimeoutError extends FoyerConnectionError {
  override name = 'FoyerTimeoutError'
}
