// One HTTP exchange with a provider. Unlike fetch, it knows whether the connection was established, and so whether the
// provider may have read the request. Node's agents keep connections alive. Errors never include the URL, because
// Telegram's contains the token.
import * as http from 'node:http'
import * as https from 'node:https'
import { pipeline, Readable } from 'node:stream'
import { DeliveryError } from '../contract/channel.ts'
import { AddressNotAllowed, guardConnection, type Strictness } from './outbound.ts'

/** 1,500 sends a second at 50 ms need 75 connections. Requests beyond the limit wait, within their own time limit. */
const SOCKETS_MAX = 256
/** Shorter than servers usually keep connections open, so that requests rarely use one that is being closed. */
const IDLE_SOCKET_MS = 4_000
const USER_AGENT = 'Foyer/1.0'

const agentOptions = {
  keepAlive: true,
  maxSockets: SOCKETS_MAX,
  maxFreeSockets: SOCKETS_MAX,
  timeout: IDLE_SOCKET_MS,
  scheduling: 'lifo',
} as const

const plainAgent = new http.Agent(agentOptions)
const secureAgent = new https.Agent(agentOptions)

/** From this status on, the server has failed. */
export const SERVER_ERROR_FROM = 500

/** Closes all open connections, for a clean shutdown. */
export const closeConnections = (): void => {
  plainAgent.destroy()
  secureAgent.destroy()
}

/** Bytes, or a file that is streamed. */
export type BodyPart = Uint8Array | { open: () => Promise<Readable>; size: number }

export type ExchangeRequest = {
  /** The name in error messages. */
  provider: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: URL
  timeoutMs: number
  authorization?: string
  /** More headers; their names are lowercase. */
  headers?: Readonly<Record<string, string>>
  /** Other than `any`, the connection is made for this request alone: those that are kept were checked less strictly. */
  strictness?: Strictness
  body?: BodyPart | readonly BodyPart[]
  contentType?: string
  /** Repeating it is harmless, so any failure may be retried. */
  isRepeatable: boolean
  /** Creates errors of the provider's own class; by default, plain DeliveryErrors. */
  failed?: MakeFailure
  /** Ends the request, and the response's body. */
  signal?: AbortSignal
}

export type MakeFailure = (
  outcome: DeliveryError['outcome'],
  code: string,
  message: string,
  options?: { cause?: unknown },
) => DeliveryError

export const plainFailure: MakeFailure = (...given) => new DeliveryError(...given)

export const trimSlashes = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

/** Throws a DeliveryError. */
export const parseApiUrl = (text: string, failed: MakeFailure = plainFailure): URL => {
  if (URL.canParse(text)) return new URL(text)
  throw failed('refused', 'REQUEST_INVALID', 'The API address is not a valid URL.')
}

/** Starts a time limit for several requests. The result is the time left, at least a millisecond. */
export const startTimeLimit = (timeoutMs: number): (() => number) => {
  const until = performance.now() + timeoutMs
  return () => Math.max(1, Math.ceil(until - performance.now()))
}

export type StreamedAnswer = {
  status: number
  headers: http.IncomingHttpHeaders
  body: Readable
  /** Where it came from; undefined if the connection is gone already. */
  address: string | undefined
  /** Cancels the time limit. Call it once the body is done. */
  done: () => void
}

export type Answer = {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
  /** False if the response was cut off: the status is valid, but the body isn't. */
  isComplete: boolean
}

/**
 * The status and headers of the response, with its body as a stream. Throws a DeliveryError if there is no response.
 */
export const openExchange = (request: ExchangeRequest): Promise<StreamedAnswer> =>
  new Promise((resolve, reject) => {
    const { url, method, authorization, timeoutMs, isRepeatable, provider, failed = plainFailure } = request
    const { strictness = 'any' } = request
    const isSecure = url.protocol === 'https:'
    const parts = request.body === undefined ? [] : [request.body].flat()
    let isUnreadable = false
    let isReached = false
    let isTimedOut = false
    let isSettled = false

    const fail = (error: unknown): void => {
      if (isSettled) return
      isSettled = true
      done()
      if (error instanceof AddressNotAllowed) {
        reject(error)
        return
      }
      // A provider ignores a request that is shorter than its declared length.
      const outcome = isReached && !isRepeatable && !isUnreadable ? 'unknown' : 'retry'
      const [code, message] = isUnreadable
        ? ['FILE_UNREADABLE', 'An attachment can’t be read.']
        : request.signal?.aborted
          ? ['CANCELLED', 'The request was canceled.']
          : isTimedOut
            ? ['TIMEOUT', `${provider} did not respond within ${timeoutMs} ms.`]
            : isReached
              ? ['CONNECTION_LOST', `${provider} closed the connection before it responded.`]
              : [
                  'CONNECTION_FAILED',
                  isCertificateError(error)
                    ? `${provider} cannot be reached: its certificate isn’t valid.`
                    : `${provider} cannot be reached.`,
                ]
      reject(failed(outcome, code!, message!, { cause: error }))
    }

    let outgoing: http.ClientRequest
    try {
      const port = Number(url.port) || (isSecure ? 443 : 80)
      outgoing = (isSecure ? https : http).request(url, {
        ...guardConnection(url.hostname, port, strictness),
        method,
        ...(request.signal && { signal: request.signal }),
        agent: strictness === 'any' && (isSecure ? secureAgent : plainAgent),
        headers: {
          ...request.headers,
          ...(authorization === undefined ? {} : { authorization }),
          accept: request.headers?.accept ?? 'application/json, */*',
          'user-agent': request.headers?.['user-agent'] ?? USER_AGENT,
          ...(request.contentType === undefined ? {} : { 'content-type': request.contentType }),
          ...(method !== 'GET'
            ? { 'content-length': parts.reduce((sum, part) => sum + sizeOf(part), 0) }
            : {}),
        },
      })
    } catch (error) {
      if (error instanceof AddressNotAllowed) {
        reject(error)
        return
      }
      // The URL or the token is malformed. The error is not attached as the cause because it would quote them.
      const message = `The request to ${provider} is invalid. Check the API address and the access token.`
      reject(failed('refused', 'REQUEST_INVALID', message))
      return
    }

    const timer = setTimeout(() => {
      isTimedOut = true
      outgoing.destroy()
    }, timeoutMs)
    const done = (): void => clearTimeout(timer)

    outgoing.on('socket', (socket) => {
      if (outgoing.reusedSocket || !socket.connecting) isReached = true
      else
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          isReached = true
        })
    })
    outgoing.on('response', (incoming) => {
      isSettled = true
      const { statusCode = 0, headers, socket } = incoming
      resolve({ status: statusCode, headers, body: incoming, address: socket.remoteAddress, done })
    })
    outgoing.on('error', fail)
    // destroy() can end a request without an error.
    outgoing.on('close', () => fail(undefined))
    if (parts.every((part) => part instanceof Uint8Array)) {
      for (const part of parts) outgoing.write(part)
      outgoing.end()
      return
    }
    const read = readParts(parts, () => {
      isUnreadable = true
    })
    pipeline(Readable.from(read), outgoing, () => {})
  })

const sizeOf = (part: BodyPart): number => (part instanceof Uint8Array ? part.length : part.size)

async function* readParts(parts: readonly BodyPart[], onUnreadable: () => void): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      yield part
      continue
    }
    let left = part.size
    let stream: Readable
    try {
      stream = await part.open()
    } catch (error) {
      onUnreadable()
      throw error
    }
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        left -= chunk.length
        if (left < 0) break
        yield chunk
      }
    } catch (error) {
      onUnreadable()
      throw error
    }
    if (left === 0) continue
    onUnreadable()
    throw new Error('a file does not have its declared size')
  }
}

/** The response with its body as text, up to bytesMax. */
export const exchange = async (request: ExchangeRequest, bytesMax: number): Promise<Answer> => {
  const { status, headers, body, done } = await openExchange(request)
  const chunks: Buffer[] = []
  let size = 0
  let isComplete = true
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bytesMax) {
        isComplete = false
        break
      }
      chunks.push(chunk)
    }
  } catch {
    isComplete = false
  } finally {
    done()
  }
  return { status, headers, body: Buffer.concat(chunks).toString('utf8'), isComplete }
}

/** Expired, for another name, or by an authority that isn't known. */
const isCertificateError = (error: unknown): boolean =>
  /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_)/.test(
    (error as NodeJS.ErrnoException | undefined)?.code ?? '',
  )
