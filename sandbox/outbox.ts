// The providers' webhooks, sent in order and retried until they succeed. WhatsApp has a separate outbox that can batch,
// shuffle and duplicate them.
import type { App } from './entry.ts'
import type { Hub } from './hub.ts'
import { makePoster } from './post.ts'

type Webhook = {
  url: string
  headers: Record<string, string>
  body: Buffer
  onEnd: OnEnd | undefined
}
/** Whether the webhook eventually succeeded, and the response's body. */
type OnEnd = (isAccepted: boolean, answer: string) => void

const TIMEOUT_MS = 15_000
const RETRY_FIRST_MS = 1_000
const RETRY_AT_MOST_EVERY_MS = 60_000
const ATTEMPTS_MAX = 20
const WAITING_MAX = 2_000

export const makeOutbox = (app: App, { clock, feed, reach }: Pick<Hub, 'clock' | 'feed' | 'reach'>) => {
  const poster = makePoster()
  const waiting: Webhook[] = []
  let isBusy = false
  let isStopped = false

  const next = (): void => {
    const webhook = waiting[0]
    if (isBusy || isStopped || !webhook) return
    isBusy = true
    attempt(webhook, 1)
  }
  const attempt = (webhook: Webhook, count: number): void =>
    poster.post({ ...webhook, timeoutMs: TIMEOUT_MS }, (http, answer) => {
      if (isStopped) return
      const isAccepted = http !== null && http >= 200 && http < 300
      feed.publish('webhook', () => ({ app, http, attempt: count }))
      if (isAccepted || count >= ATTEMPTS_MAX) {
        waiting.shift()
        isBusy = false
        webhook.onEnd?.(isAccepted, answer)
        next()
      } else
        clock.after(Math.min(RETRY_AT_MOST_EVERY_MS, RETRY_FIRST_MS * 2 ** (count - 1)), () =>
          attempt(webhook, count + 1),
        )
    })

  return {
    /** Does nothing without a URL. */
    send: (url: string | null, body: Buffer, headers: Record<string, string>, onEnd?: OnEnd): void => {
      if (!url || waiting.length >= WAITING_MAX) return
      waiting.push({ url: reach(url), body, headers, onEnd })
      next()
    },
    waiting: (): number => waiting.length,
    stop: (): void => {
      isStopped = true
      poster.stop()
    },
  }
}
