// The last step of every failure: whatever was thrown becomes the error envelope. Causes go to the log, never out.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode } from '../errors.ts'

/** The envelope that every error answer carries. */
export const envelope = (error: ApiError) => ({
  error: { code: error.code, message: error.message, ...(error.details && { details: error.details }) },
})

const FROM_FASTIFY: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'VALIDATION_ERROR',
  FST_ERR_BAD_URL: 'NOT_FOUND',
}

const MIB = 1024 * 1024

const RETRY_AFTER_SECONDS = '2'

/** PostgreSQL's classes for "not there": connection exceptions, shutting down, starting up, too many connections. */
const UNAVAILABLE_SQLSTATE = /^(08...|57P0[1-5]|53300)$/
const UNAVAILABLE_SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])
const UNAVAILABLE_MESSAGE =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/

export const isDatabaseUnavailable = (error: Error & { code?: string; syscall?: string }): boolean =>
  (typeof error.code === 'string' &&
    (UNAVAILABLE_SQLSTATE.test(error.code) ||
      (UNAVAILABLE_SYSTEM.has(error.code) && error.syscall !== 'open'))) ||
  UNAVAILABLE_MESSAGE.test(error.message)

/** Any thrown thing as the error that the caller is told of. */
export const toApiError = (error: FastifyError | Error): ApiError => {
  if (error instanceof ApiError) return error
  const known = FROM_FASTIFY[(error as FastifyError).code]
  if (known) return new ApiError(known)
  if (isDatabaseUnavailable(error))
    return new ApiError('SERVICE_UNAVAILABLE', { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
  return new ApiError('INTERNAL_ERROR')
}

/** Some routes take more than the API does, and say how much. */
const withLimitOf = (request: FastifyRequest, error: ApiError): ApiError => {
  const { bodyLimit } = request.routeOptions
  return bodyLimit === undefined || bodyLimit === MIB
    ? error
    : new ApiError(error.code, { message: `The body is larger than ${bodyLimit / MIB} MiB.` })
}

export const handleError = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
  const isTooLarge = 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
  const apiError = isTooLarge ? withLimitOf(request, toApiError(error)) : toApiError(error)
  if (apiError.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'request failed')
  // One line says it: every request fails the same way until the database is back.
  if (apiError.code === 'SERVICE_UNAVAILABLE')
    request.log.warn({ cause: error.message }, 'the database does not answer')
  return reply
    .code(apiError.status)
    .headers(apiError.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(envelope(apiError)))
}
