// What the providers tell the business, in order and one after the other, again until it is taken. WhatsApp's webhooks
// have an outbox of their own that can batch, shuffle and double.
import type { Clock } from './clock.ts'
import type { Feed } from './feed.ts'
import type { App } from './people.ts'
import { makePoster } from './post.ts'

export type Told = {
  url: string
  headers: Record<string, string>
  body: Buffer
  /** Called once, with whether it was taken in the end. */
  onEnd?: (isTaken: boolean) => void
}

const TIMEOUT_MS = 15_000
const RETRY_FIRST_MS = 1_000
const RETRY_AT_MOST_EVERY_MS = 60_000
const ATTEMPTS_MAX = 20
const WAITING_MAX = 2_000

export type Outbox = ReturnType<typeof makeOutbox>

export const makeOutbox = (app: App, { clock, feed }: { clock: Clock; feed: Feed }) => {
  const poster = makePoster()
  const waiting: Told[] = []
  let isBusy = false
  let isStopped = false

  const next = (): void => {
    const told = waiting[0]
    if (isBusy || isStopped || !told) return
    isBusy = true
    attempt(told, 1)
  }
  const attempt = (told: Told, count: number): void =>
    poster.post({ ...told, timeoutMs: TIMEOUT_MS }, (http) => {
      if (isStopped) return
      const isTaken = http !== null && http >= 200 && http < 300
      feed.tell('told', () => ({ app, http, attempt: count }))
      if (isTaken || count >= ATTEMPTS_MAX) {
        waiting.shift()
        isBusy = false
        told.onEnd?.(isTaken)
        next()
      } else
        clock.after(Math.min(RETRY_AT_MOST_EVERY_MS, RETRY_FIRST_MS * 2 ** (count - 1)), () =>
          attempt(told, count + 1),
        )
    })

  return {
    tell: (told: Told): void => {
      if (waiting.length >= WAITING_MAX) return
      waiting.push(told)
      next()
    },
    waiting: (): number => waiting.length,
    stop: (): void => {
      isStopped = true
      poster.stop()
    },
  }
}
