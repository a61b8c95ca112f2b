// One request to an address that a workspace entered, with a bounded answer. Stricter than the providers' requests: every
// address of the name must be public, TLS is required unless the operator listed the host, redirects are not followed,
// and no proxy of the environment is used. What goes wrong is data, in words for whoever set up the request.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { DeliveryError } from '../contract/channel.ts'
import { type ExchangeRequest, openExchange, type StreamedAnswer } from './exchange.ts'
import { isInside } from './outbound.ts'

/** Below it, only those of the web: a request can't be aimed at mail servers and the like. */
const PORT_MIN = 1_024
const WEB_PORTS = new Set([80, 443])

export type GuardedRequest = Pick<
  ExchangeRequest,
  'method' | 'url' | 'timeoutMs' | 'isRepeatable' | 'signal'
> & {
  /** Names in lowercase. */
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | null
  /** By default, JSON. */
  contentType?: string
  /** Of the body, after decompression. Null: the body is not read. */
  bytesMax: number | null
  /** How long the body may take once the status is there; by default, what is left of `timeoutMs`. */
  readMs?: number
  /** What arrived of the body is returned if the rest is too long, late or lost. Only for what isn't compressed. */
  isCut?: boolean
}

/** `code` for programs, `message` for people. Neither includes the address. */
export type RequestProblem = { code: string; message: string }

type Answered = {
  is: 'answered'
  status: number
  contentType: string | null
  headers: Readonly<IncomingHttpHeaders>
  /** The server is in the operator's network: its response is not for whoever entered the address. */
  isInside: boolean
  /** Why the body is not whole. It is empty then, as if it was not to be read, and if there is none. */
  problem: RequestProblem | null
}
/** `isSent`: the other side may have acted on it. */
type Unanswered = { is: 'unanswered'; problem: RequestProblem; isSent: boolean }

export type GuardedResult = (Answered & { text: string }) | Unanswered
/** The body in any encoding. */
export type GuardedBytes = (Answered & { bytes: Buffer }) | Unanswered

/** Why an address can't be called, whatever it resolves to; undefined if it can. */
export const refuseUrl = ({
  protocol,
  username,
  password,
  port,
  hostname,
}: Pick<URL, 'protocol' | 'username' | 'password' | 'port' | 'hostname'>): string | undefined => {
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://'
  if (username !== '' || password !== '') return 'must not contain a user name or password'
  if (hostname === '') return 'must name a host'
  if (port !== '' && Number(port) < PORT_MIN && !WEB_PORTS.has(Number(port)))
    return `must use port 80, 443, or ${PORT_MIN} and above`
  return undefined
}

/** Never throws. Takes at most `timeoutMs`, the body included, which must be UTF-8. */
export const requestGuarded = async (request: GuardedRequest): Promise<GuardedResult> => {
  const result = await requestGuardedBytes(request)
  if (result.is === 'unanswered') return result
  const { bytes, ...answered } = result
  try {
    return { ...answered, text: new TextDecoder('utf-8', { fatal: !request.isCut }).decode(bytes) }
  } catch {
    return {
      ...answered,
      text: '',
      problem: problem('RESPONSE_INVALID', 'The response isn’t valid UTF-8.'),
    }
  }
}

/** Never throws. Takes at most `timeoutMs`, the body included. */
export const requestGuardedBytes = async (request: GuardedRequest): Promise<GuardedBytes> => {
  const { url, method, headers, body, bytesMax, timeoutMs, isRepeatable, signal, readMs, isCut } = request
  const { contentType: sentType = 'application/json' } = request
  const refusal = refuseUrl(url)
  if (refusal)
    return { is: 'unanswered', isSent: false, problem: problem('REQUEST_INVALID', `The address ${refusal}.`) }
  const startedAt = performance.now()
  const isLate = () => performance.now() - startedAt >= timeoutMs
  let answer: StreamedAnswer
  try {
    answer = await openExchange({
      provider: 'The server',
      method,
      url,
      timeoutMs,
      isRepeatable,
      ...(signal && { signal }),
      headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
      strictness: url.protocol === 'https:' ? 'every' : 'listed',
      ...(body !== null && { body: Buffer.from(body), contentType: sentType }),
    })
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    const isSent = error.outcome === 'unknown' || (isRepeatable && error.code !== 'CONNECTION_FAILED')
    return { is: 'unanswered', isSent, problem: problem(error.code, error.message) }
  }
  const { status, headers: answered, address } = answer
  const contentType = answered['content-type'] ?? null
  const reading = readMs === undefined ? undefined : setTimeout(() => answer.body.destroy(), readMs)
  try {
    const read = bytesMax === null ? { bytes: EMPTY } : await readBody(answer, bytesMax, { isLate, isCut })
    return {
      is: 'answered',
      status,
      contentType,
      headers: answered,
      isInside: address === undefined || isInside(address),
      problem: null,
      ...read,
    }
  } finally {
    clearTimeout(reading)
    answer.done()
    answer.body.destroy()
  }
}

const problem = (code: string, message: string): RequestProblem => ({ code, message })

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

const isDecoder = (encoding: string): encoding is keyof typeof DECODERS => Object.hasOwn(DECODERS, encoding)

const readBody = async (
  { headers, body }: StreamedAnswer,
  bytesMax: number,
  { isLate, isCut = false }: { isLate: () => boolean; isCut: boolean | undefined },
): Promise<{ bytes: Buffer; problem: RequestProblem | null }> => {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity' && !isDecoder(encoding))
    return cut(
      'RESPONSE_ENCODED',
      `The response is compressed as “${encoding.slice(0, 20)}”, which isn’t supported.`,
    )
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of isDecoder(encoding) ? decode(body, encoding) : body) {
      size += chunk.length
      if (size > bytesMax)
        return cut(
          'RESPONSE_TOO_LARGE',
          `The response is larger than ${Math.floor(bytesMax / 1_024)} KiB.`,
          isCut ? Buffer.concat(chunks) : EMPTY,
        )
      chunks.push(chunk)
    }
  } catch {
    if (isCut) return { bytes: Buffer.concat(chunks), problem: null }
    if (isLate()) return cut('TIMEOUT', 'The response didn’t end in time.')
    return isDecoder(encoding) && body.readableEnded
      ? cut('RESPONSE_INVALID', `The response isn’t valid ${encoding}.`)
      : cut('CONNECTION_LOST', 'The connection was lost before the response ended.')
  }
  return { bytes: Buffer.concat(chunks), problem: null }
}

const EMPTY = Buffer.alloc(0)
const cut = (code: string, message: string, bytes = EMPTY) => ({ bytes, problem: problem(code, message) })

/** Errors of either stream end the result. */
const decode = (body: Readable, encoding: keyof typeof DECODERS): AsyncIterable<Buffer> =>
  pipeline(body, DECODERS[encoding](), () => {})
