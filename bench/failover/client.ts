// A client that insists: it repeats a request, at either process in turn, until it is acknowledged. Everything that went
// wrong before is counted.
import { setTimeout as delay } from 'node:timers/promises'

export type Answers = {
  /** How often each outcome was seen, by status or kind of failure. */
  counts: Map<string, number>
  /** 5xx responses that a client can't handle: other than a 503 that says when to try again. */
  bad: string[]
  /** When something was acknowledged. */
  acknowledged: number[]
}

export const makeAnswers = (): Answers => ({ counts: new Map(), bad: [], acknowledged: [] })

export type Request = { path: string; headers: Record<string, string>; body?: string; method?: string }

const TIMEOUT_MS = 10_000
const AGAIN_MS = 200
const BAD_MAX = 50
/** In use by a repeat, rate limits, and what is down for now. */
const TRY_AGAIN = new Set([409, 429, 502, 503, 504, 500])

let turn = 0

/** Resolves with the body of the first success, or undefined once `isOver` without one. */
export const insist = async (
  urls: readonly string[],
  { path, headers, body, method = 'POST' }: Request,
  answers: Answers,
  isOver: () => boolean = () => false,
  // biome-ignore lint/suspicious/noExplicitAny: each route has its own shape
): Promise<any> => {
  const count = (what: string): void => {
    answers.counts.set(what, (answers.counts.get(what) ?? 0) + 1)
  }
  while (!isOver()) {
    const url = urls[turn++ % urls.length]!
    try {
      const response = await fetch(url + path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const text = await response.text()
      count(String(response.status))
      if (response.ok) {
        if (method === 'POST') answers.acknowledged.push(performance.now())
        return text.startsWith('{') ? JSON.parse(text) : text
      }
      const isBad =
        response.status >= 500 && !(response.status === 503 && response.headers.has('retry-after'))
      if (isBad && answers.bad.length < BAD_MAX)
        answers.bad.push(`${response.status} ${path}: ${text.slice(0, 200)}`)
      if (!TRY_AGAIN.has(response.status))
        throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } }
      if (name !== 'TimeoutError' && !(error instanceof TypeError)) throw error
      count(name === 'TimeoutError' ? 'no response' : (cause?.code ?? 'connection broken'))
    }
    await delay(AGAIN_MS)
  }
}
