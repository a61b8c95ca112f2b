// The last step of every failure: turns anything thrown into the error envelope. Causes are logged, never sent to the
// client.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../db/failures.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import { StorageError } from '../files/store.ts'

/** The envelope of every error response. */
const envelope = (error: ApiError) => ({
  error: { code: error.code, message: error.message, ...(error.details && { details: error.details }) },
})

const FROM_FASTIFY: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'VALIDATION_ERROR',
  FST_ERR_BAD_URL: 'NOT_FOUND',
}

const MIB = 1024 * 1024

const shownSize = (bytes: number): string => (bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`)

const RETRY_AFTER_SECONDS = '2'

/** Attachment storage is full, read-only or unreachable. */
const isStorageUnavailable = (error: FastifyError | Error): boolean =>
  error instanceof StorageError ||
  ('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EROFS'))

/** Anything thrown, as the error to send to the caller. */
export const toApiError = (error: FastifyError | Error): ApiError => {
  if (error instanceof ApiError) return error
  const known = FROM_FASTIFY[(error as FastifyError).code]
  if (known) return new ApiError(known)
  if (isDatabaseUnavailable(error) || isStorageUnavailable(error))
    return new ApiError('SERVICE_UNAVAILABLE', { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
  return new ApiError('INTERNAL_ERROR')
}

/** Some routes have a larger limit than the API and report it. */
const withLimitOf = (request: FastifyRequest, error: ApiError): ApiError => {
  const { bodyLimit } = request.routeOptions
  return bodyLimit === undefined || bodyLimit === MIB
    ? error
    : new ApiError(error.code, { message: `The body is larger than ${shownSize(bodyLimit)}.` })
}

export const handleError = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
  const isTooLarge = 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
  const apiError = isTooLarge ? withLimitOf(request, toApiError(error)) : toApiError(error)
  if (apiError.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'request failed')
  // One line is enough: every request fails the same way until the database is back. A rejected one has no cause.
  if (apiError.code === 'SERVICE_UNAVAILABLE' && apiError !== error)
    request.log.warn({ cause: error.message }, 'the request cannot be served right now')
  if (request.url.startsWith('/api/')) reply.header('link', `</docs/errors/${apiError.code}>; rel="help"`)
  return reply
    .code(apiError.status)
    .headers(apiError.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(envelope(apiError)))
}

/** The same for a request that Node's parser rejected, which has no reply: written to the socket. */
export const refuseUnparsed = (error: NodeJS.ErrnoException, socket: Socket, requestId: string): void => {
  if (!socket.writable) return void socket.destroy()
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const apiError = new ApiError(
    tooLarge ? 'REQUEST_HEADERS_TOO_LARGE' : 'VALIDATION_ERROR',
    tooLarge ? {} : { message: 'The request is not HTTP.' },
  )
  const body = JSON.stringify(envelope(apiError))
  socket.end(
    `HTTP/1.1 ${apiError.status} ${STATUS_CODES[apiError.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  )
}
