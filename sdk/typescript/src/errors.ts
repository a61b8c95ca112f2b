// What a call can throw: a FoyerError if the API returned an error, a FoyerConnectionError if there was no response.
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

/** An error from the API. Act on `code`. */
export class FoyerError extends Error {
  override name = 'FoyerError'
  readonly code: Code
  readonly status: number
  /** For a validation error: every invalid field. */
  readonly details: ErrorDetail[]
  /** Include it when you report a problem. */
  readonly requestId: string | null
  /** From the Retry-After header. */
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

/** The events after this cursor are no longer available, or the database was restored. Start over with `foyer.sync`. */
export class CursorExpiredError extends FoyerError {
  override name = 'CursorExpiredError'
}

/** Events are missing between two responses, or aren't in order. Start over with `foyer.sync`. */
export class MissingEventsError extends Error {
  override name = 'MissingEventsError'

  constructor(expected: number, got: number) {
    super(`events are missing: ${expected} should have come next, and the response begins with ${got}`)
  }
}

/** The server couldn't be reached, the connection broke, or the response didn't come from Foyer. */
export class FoyerConnectionError extends Error {
  override name = 'FoyerConnectionError'
}

/** No response within `timeoutMs`. */
export class FoyerTimeoutError extends FoyerConnectionError {
  override name = 'FoyerTimeoutError'
}
