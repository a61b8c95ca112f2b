// A program that follows the feed as the documentation says: it keeps its cursor, and starts over when that has expired,
// which a new primary may cause.
import { setTimeout as delay } from 'node:timers/promises'

const AGAIN_MS = 300
const TIMEOUT_MS = 20_000

type Page = {
  events: { id: string; type: string; sequence: number; data: Record<string, unknown> }[]
  cursor: string
  covers: { from: number; to: number }
}

export const followFeed = (urls: readonly string[], token: string) => {
  const messages = new Set<string>()
  const faults: string[] = []
  const bad: string[] = []
  let restarts = 0
  let events = 0
  let isOver = false
  const running = (async () => {
    let cursor = ''
    let seen = new Set<string>()
    let next: number | null = null
    for (let turn = 0; !isOver; turn++) {
      const place = cursor ? `cursor=${cursor}` : 'from=oldest'
      try {
        const response = await fetch(`${urls[turn % urls.length]}/api/v1/events?${place}&limit=200&wait=5`, {
          headers: { authorization: `Bearer ${token}` },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        if (response.status === 410) {
          restarts++
          cursor = ''
          seen = new Set()
          next = null
          continue
        }
        if (!response.ok) {
          if (response.status >= 500 && !(response.status === 503 && response.headers.has('retry-after')))
            bad.push(`${response.status} /events`)
          else if (response.status < 500 && response.status !== 429)
            faults.push(`${response.status} ${await response.text()}`)
          await delay(AGAIN_MS)
          continue
        }
        const page = (await response.json()) as Page
        if (next !== null && page.covers.from !== next)
          faults.push(`covers from ${page.covers.from} instead of ${next}`)
        for (const { id, type, data } of page.events) {
          if (seen.has(id)) faults.push(`${id} came twice`)
          seen.add(id)
          events++
          if (type === 'message.created') messages.add(String(data.messageId))
        }
        cursor = page.cursor
        next = page.covers.to + 1
        await delay(AGAIN_MS)
      } catch {
        await delay(AGAIN_MS)
      }
    }
  })()
  return {
    messages,
    faults,
    bad,
    counts: () => ({ events, restarts }),
    stop: async () => {
      isOver = true
      await running
    },
  }
}
