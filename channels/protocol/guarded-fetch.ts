// The guard of addresses in the shape of fetch, for libraries that bring a protocol. One instance makes the requests of
// one exchange of several with one server: its time, its bytes and its addresses are limited for all of them together.
import { Readable } from 'node:stream'
import { DeliveryError } from '../contract/channel.ts'
import { openExchange, type StreamedAnswer, startTimeLimit } from './exchange.ts'
import { type RequestProblem, refuseUrl } from './guarded-request.ts'
import type { Strictness } from './outbound.ts'

type Limits = {
  /** How strictly an address is checked; null: it isn't asked. */
  strictnessOf: (url: URL) => Strictness | null
  timeoutMs: number
  /** Of all bodies. */
  bytesMax: number
}

/** What of a request is used; a body is text or a form. */
type Init = Pick<RequestInit, 'method' | 'headers' | 'signal'> & { body?: unknown }

export type GuardedFetch = {
  fetch: (url: string | URL, init?: Init) => Promise<Response>
  /** What the guard saw go wrong last; a library may say less. */
  problem: () => RequestProblem | null
  /** Of the last response. */
  status: () => number | null
  /** Whether a request that was made since `expect` was called may have reached the server. */
  isSent: () => boolean
  expect: () => void
}

type Seen = { problem: RequestProblem | null; status: number | null; isSent: boolean }

/** An error that is already recorded. */
class Refused extends Error {}

export const makeGuardedFetch = ({ strictnessOf, timeoutMs, bytesMax }: Limits): GuardedFetch => {
  const timeLeft = startTimeLimit(timeoutMs)
  const seen: Seen = { problem: null, status: null, isSent: false }
  let bytesLeft = bytesMax
  const fail = (code: string, message: string): Refused => {
    seen.problem = { code, message }
    return new Refused(message)
  }

  const bodyOf = (answer: StreamedAnswer): ReadableStream<Uint8Array> => {
    async function* read() {
      try {
        for await (const chunk of answer.body as AsyncIterable<Buffer>) {
          bytesLeft -= chunk.length
          if (bytesLeft < 0)
            throw fail(
              'RESPONSE_TOO_LARGE',
              `The server’s responses are larger than ${Math.floor(bytesMax / 1_024)} KiB.`,
            )
          yield chunk
        }
      } catch (error) {
        if (error instanceof Refused) throw error
        throw timeLeft() <= 1
          ? fail('TIMEOUT', 'The response didn’t end in time.')
          : fail('CONNECTION_LOST', 'The connection was lost before the response ended.')
      } finally {
        close(answer)
      }
    }
    return Readable.toWeb(Readable.from(read())) as ReadableStream<Uint8Array>
  }

  const fetch = async (given: string | URL, init: Init = {}): Promise<Response> => {
    const url = new URL(given)
    const refusal = refuseUrl(url)
    if (refusal) throw fail('REQUEST_INVALID', `The address ${refusal}.`)
    const strictness = strictnessOf(url)
    if (strictness === null)
      throw fail('ADDRESS_NOT_ALLOWED', 'The server names another address, which isn’t called.')
    const answer = await open(url, strictness, init)
    seen.isSent = true
    seen.status = answer.status
    const refused = refuseAnswer(answer)
    if (refused) {
      close(answer)
      throw fail(refused.code, refused.message)
    }
    const head = { status: answer.status, headers: flatten(answer.headers) }
    if (!NO_BODY.has(answer.status)) return new Response(bodyOf(answer), head)
    close(answer)
    return new Response(null, head)
  }

  const open = async (url: URL, strictness: Strictness, init: Init): Promise<StreamedAnswer> => {
    try {
      return await openExchange({
        provider: 'The server',
        // Libraries of protocols use no others.
        method: (init.method ?? 'GET') as 'GET' | 'POST' | 'DELETE',
        url,
        timeoutMs: timeLeft(),
        isRepeatable: false,
        headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
        strictness,
        ...(init.signal && { signal: init.signal }),
        ...((typeof init.body === 'string' || init.body instanceof URLSearchParams) && {
          body: Buffer.from(String(init.body)),
        }),
      })
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      if (error.outcome === 'unknown') seen.isSent = true
      // The library cancels what it no longer needs.
      if (error.code === 'CANCELLED') throw new Refused(error.message)
      throw error.code === 'TIMEOUT'
        ? fail('TIMEOUT', 'The server didn’t respond in time.')
        : fail(error.code, error.message)
    }
  }

  return {
    fetch,
    problem: () => seen.problem,
    status: () => seen.status,
    isSent: () => seen.isSent,
    expect: () => {
      seen.problem = null
      seen.isSent = false
      seen.status = null
    },
  }
}

const close = ({ done, body }: StreamedAnswer): void => {
  done()
  body.destroy()
}

const NO_BODY = new Set([204, 205, 304])

const refuseAnswer = ({ status, headers }: StreamedAnswer): RequestProblem | undefined => {
  if (status >= 300 && status < 400 && status !== 304)
    return {
      code: 'REDIRECT',
      message: `The server responded with a redirect (${status}), which isn’t followed. Enter the final address.`,
    }
  if (status < 200 || status > 599)
    return { code: 'STATUS', message: `The server responded with status ${status}.` }
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  return encoding === 'identity'
    ? undefined
    : { code: 'RESPONSE_ENCODED', message: 'The response is compressed, which wasn’t asked for.' }
}

const flatten = (headers: StreamedAnswer['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  )
