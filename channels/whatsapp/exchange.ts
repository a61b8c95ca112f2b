// One HTTP exchange with the Graph API. It knows what fetch hides: whether the connection had come about, so whether the
// request may have been read. Node's own agents keep connections alive; the token travels in a header only.
import * as http from 'node:http'
import * as https from 'node:https'
import type { Readable } from 'node:stream'
import { type Failure, WhatsAppError } from './errors.ts'

/** 1,500 sends a second at 50 ms need 75 connections; the rest waits its turn, within its own time limit. */
const SOCKETS_MAX = 256
/** Shorter than what servers commonly keep open, so that a request seldom meets a connection that is being closed. */
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

/** Closes the connections that are open, for an orderly end. */
export const closeConnections = (): void => {
  plainAgent.destroy()
  secureAgent.destroy()
}

export type ExchangeRequest = {
  method: 'GET' | 'POST'
  url: URL
  accessToken: string
  timeoutMs: number
  body?: Uint8Array | readonly Uint8Array[]
  contentType?: string
  /** Asking twice is harmless: whatever breaks, it may be tried again. */
  isRepeatable: boolean
}

export type StreamedAnswer = {
  status: number
  headers: http.IncomingHttpHeaders
  body: Readable
  /** Ends the time limit once the body has been dealt with. */
  done: () => void
}

export type Answer = {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
  /** False where the answer broke off: its status stands, its body cannot be relied upon. */
  isComplete: boolean
}

type Break = { code: string; message: string; cause?: unknown }

const failureOf = (breakage: Break, outcome: Failure['outcome']): WhatsAppError =>
  new WhatsAppError(
    {
      outcome,
      code: breakage.code,
      message: breakage.message,
      detail: null,
      kind: 'other',
      isAccountWide: false,
    },
    { cause: breakage.cause },
  )

const TIMED_OUT = 'TIMEOUT'

/** The head of the answer, its body still to be read. Throws a WhatsAppError where none came. */
export const openExchange = (request: ExchangeRequest): Promise<StreamedAnswer> =>
  new Promise((resolve, reject) => {
    const { url, method, accessToken, timeoutMs, isRepeatable } = request
    const isSecure = url.protocol === 'https:'
    const chunks = request.body === undefined ? [] : [request.body].flat()
    let isReached = false
    let isTimedOut = false
    let isSettled = false

    const fail = (error: unknown): void => {
      if (isSettled) return
      isSettled = true
      done()
      const outcome = isReached && !isRepeatable ? 'unknown' : 'retry'
      reject(failureOf(describe(error, isTimedOut, isReached, timeoutMs), outcome))
    }

    let outgoing: http.ClientRequest
    try {
      outgoing = (isSecure ? https : http).request(url, {
        method,
        agent: isSecure ? secureAgent : plainAgent,
        headers: {
          authorization: `Bearer ${accessToken}`,
          accept: 'application/json, */*',
          'user-agent': USER_AGENT,
          ...(request.contentType === undefined ? {} : { 'content-type': request.contentType }),
          ...(method === 'POST'
            ? { 'content-length': chunks.reduce((sum, chunk) => sum + chunk.length, 0) }
            : {}),
        },
      })
    } catch (cause) {
      // A token with a line break, an address that is none: it will never go like this.
      const message = 'The request to WhatsApp cannot be made: check the address and the access token.'
      reject(failureOf({ code: 'REQUEST_INVALID', message, cause }, 'refused'))
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
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming, done })
    })
    outgoing.on('error', fail)
    // destroy() may end a request without an error.
    outgoing.on('close', () => fail(undefined))
    for (const chunk of chunks) outgoing.write(chunk)
    outgoing.end()
  })

const describe = (cause: unknown, isTimedOut: boolean, isReached: boolean, timeoutMs: number): Break => {
  if (isTimedOut)
    return { code: TIMED_OUT, message: `WhatsApp did not answer within ${timeoutMs} ms.`, cause }
  return isReached
    ? { code: 'CONNECTION_LOST', message: 'The connection to WhatsApp broke before it answered.', cause }
    : { code: 'CONNECTION_FAILED', message: 'WhatsApp cannot be reached.', cause }
}

/** The whole answer as text, up to bytesMax. */
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
