// One request to a provider, tried again where that may help. A completion changes nothing anywhere, so repeating it
// costs money at most. Neither the key nor the request is ever part of an error.
import { setTimeout as wait } from 'node:timers/promises'
import { type GuardedResult, refuseUrl, requestGuarded } from '../../channels/protocol/guarded-request.ts'
import { isObject, type JsonObject, readJson } from '../../channels/protocol/read-json.ts'
import { type CompletionOptions, type ModelAccount, ModelError, type ModelProblem } from '../contract.ts'
import { modelError, providerErrorOf, type Said, waitMsOf } from './error-of.ts'
import type { Protocol } from './wire.ts'

/** Answers have a few kilobytes; reasoning that has to be given back, some hundred. */
export const ANSWER_BYTES_MAX = 2 * 1_024 * 1_024
const TRIES_MAX = 3
/** Doubled with each try. */
const WAIT_FIRST_MS = 300
/** Whoever asked can better decide what to do in a longer wait. */
const WAIT_MAX_MS = 5_000
/** With less time left, another try would only end in a timeout. */
const TRY_MIN_MS = 1_000
const REQUEST_ID_MAX = 100

export type ProviderAnswer = { value: JsonObject; requestId: string | null; tries: number }

type CallOptions = CompletionOptions & {
  /** Given the provider's own sentence of a refusal, which may quote the request. */
  onSaid?: (said: Said) => void
}

/** Throws a ModelError. */
export const callProvider = async (
  protocol: Pick<Protocol, 'path' | 'headers'>,
  account: ModelAccount,
  body: JsonObject,
  { timeoutMs, signal, onSaid }: CallOptions,
): Promise<ProviderAnswer> => {
  const until = performance.now() + timeoutMs
  const url = urlOf(account.baseUrl, protocol.path)
  checkKey(account.key)
  for (let tries = 1; ; tries++) {
    const left = Math.max(1, Math.floor(until - performance.now()))
    const result = await requestGuarded({
      method: 'POST',
      url,
      headers: protocol.headers(account.key),
      body: JSON.stringify(body),
      bytesMax: ANSWER_BYTES_MAX,
      timeoutMs: left,
      isRepeatable: true,
      ...(signal && { signal }),
    })
    if (signal?.aborted) throw modelError('cancelled', { tries })
    const read = readResult(result, tries, account.key, onSaid)
    if (!(read instanceof ModelError)) return read
    const waitMs = read.retryAfterMs ?? WAIT_FIRST_MS * 2 ** (tries - 1)
    const isWorthIt = MAY_PASS.has(read.problem) && tries < TRIES_MAX && waitMs <= WAIT_MAX_MS
    if (!isWorthIt || until - performance.now() < waitMs + TRY_MIN_MS) throw read
    await wait(waitMs, undefined, { ...(signal && { signal }) }).catch(() => {
      throw modelError('cancelled', { tries })
    })
  }
}

const MAY_PASS: ReadonlySet<ModelProblem> = new Set(['temporary', 'tooMany'])

/** Keeps a query such as `?api-version=…`. */
const urlOf = (baseUrl: string, path: string): URL => {
  const url = URL.parse(baseUrl)
  if (!url) throw modelError('badAddress', { message: 'The base URL is not a valid URL.' })
  const refusal = refuseUrl(url)
  if (refusal) throw modelError('badAddress', { message: `The base URL ${refusal}.` })
  const base = url.pathname.replace(/(?<!\/)\/+$/, '')
  // Some enter the version although it is part of the path.
  url.pathname = path.startsWith('/v1/') && base.endsWith('/v1') ? base + path.slice(3) : base + path
  url.hash = ''
  return url
}

/** A line break would end the header, and Node's error about it is less clear. */
const checkKey = (key: string | null): void => {
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw modelError('badKey', { message: 'The API key contains characters that no key has.' })
}

/** Made-up keys of servers that need none, such as “ollama”, are words. */
const KEY_MIN = 12

/** Some servers quote the key in what they answer. */
const withoutKey = (text: string, key: string | null): string =>
  key !== null && key.length >= KEY_MIN ? text.replaceAll(key, '…') : text

const readResult = (
  result: GuardedResult,
  tries: number,
  key: string | null,
  onSaid?: (said: Said) => void,
): ProviderAnswer | ModelError => {
  if (result.is === 'unanswered') return unansweredOf(result.problem, tries)
  const { status, headers, problem, text, contentType } = result
  const requestId = requestIdOf(headers['x-request-id'] ?? headers['request-id'], key)
  const known = { status, requestId, tries }
  const isGood = status >= 200 && status < 300
  if (problem) {
    if (!isGood) return modelError(providerErrorOf(status, null).problem, known)
    const isLost = problem.code === 'TIMEOUT' || problem.code === 'CONNECTION_LOST'
    return modelError(isLost ? 'temporary' : 'badAnswer', { ...known, message: problem.message })
  }
  const read = readJson(withoutKey(text, key))
  const value = 'value' in read ? read.value : null
  if (isGood && isObject(value) && !value.error) return { value, requestId, tries }
  if (isGood && !isObject(value)) {
    const isPage = contentType?.includes('html') || text.trim() === ''
    return isPage
      ? modelError('badAddress', known)
      : modelError('badAnswer', { ...known, message: `The server’s answer isn’t ${unreadable(read)}.` })
  }
  // Some gateways report errors with 200 and a code in the body.
  const { problem: found, providerCode, said } = providerErrorOf(isGood ? statusIn(value) : status, value)
  if (said) onSaid?.(said)
  return modelError(found, { ...known, providerCode, retryAfterMs: waitMsOf(headers) })
}

const unreadable = (read: ReturnType<typeof readJson>): string =>
  'refusal' in read && read.refusal !== 'notJson' ? 'JSON of a reasonable size' : 'a JSON object'

const statusIn = (value: unknown): number => {
  const { error } = isObject(value) ? value : {}
  const code = isObject(error) ? error.code : null
  return typeof code === 'number' && code >= 400 && code < 600 ? code : 500
}

const unansweredOf = ({ code, message }: { code: string; message: string }, tries: number): ModelError => {
  if (code === 'ADDRESS_NOT_ALLOWED' || code === 'REQUEST_INVALID')
    return modelError('badAddress', { tries, message, providerCode: code })
  return modelError('temporary', { tries, message, providerCode: code })
}

const requestIdOf = (given: string | string[] | undefined, key: string | null): string | null => {
  const id = withoutKey([given].flat()[0] ?? '', key)
  return id && /^[\w.-]+$/.test(id) ? id.slice(0, REQUEST_ID_MAX) : null
}
