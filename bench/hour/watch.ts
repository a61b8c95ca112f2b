// A second screen of an agent, which always shows all conversations: what appears there, and when. It is never
// reloaded, so its memory tells what an hour of live updates leaves behind.
import type { BrowserContext, CDPSession } from 'playwright-core'
import { MARK } from './ledger.ts'

export type WatchedRow = { id: string; text: string; unread: number; isMasked: boolean }
export type Watched = { title: string; badge: number; rows: WatchedRow[] }

/** Runs in the page: reports its rows whenever they have changed. */
const OBSERVER = `(() => {
  let last = ''
  let isWaiting = false
  const numberIn = (text) => Number(/\\d+/.exec(text ?? '')?.[0] ?? 0)
  const look = () => {
    isWaiting = false
    const rows = [...document.querySelectorAll('.convo')].map((row) => ({
      id: new URL(row.href).pathname.split('/').at(-1),
      text: row.querySelector('.convo__preview')?.textContent ?? '',
      unread: numberIn(row.querySelector('.count .hidden-visually')?.textContent),
      isMasked: row.querySelector('.convo__replying') !== null,
    }))
    const badge = numberIn(document.querySelector('.rail__place .count .hidden-visually')?.textContent)
    const next = { title: document.title, badge, rows }
    const text = JSON.stringify(next)
    if (text === last) return
    last = text
    window.foyerSeen?.(next)
  }
  const start = () =>
    new MutationObserver(() => {
      if (isWaiting) return
      isWaiting = true
      setTimeout(look, 50)
    }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  start()
})()`

/** `isMasked`: the row said who was replying instead. */
type Observation = { atMs: number; mark: string | null; isMasked: boolean }

export type Watcher = Awaited<ReturnType<typeof makeWatcher>>

export const makeWatcher = async (context: BrowserContext) => {
  let now: Watched = { title: '', badge: 0, rows: [] }
  const observations = new Map<string, Observation[]>()
  const noticed = new Map<string, number>()
  await context.exposeBinding('foyerSeen', (_source, next: Watched) => {
    const atMs = performance.now()
    const before = new Map(now.rows.map((row) => [row.id, row]))
    now = next
    for (const { id, text, isMasked } of next.rows) {
      if (!before.has(id)) noticed.set(id, atMs)
      if (before.get(id)?.text === text) continue
      const known = observations.get(id) ?? []
      known.push({ atMs, mark: MARK.exec(text)?.[1] ?? null, isMasked })
      observations.set(id, known)
    }
  })
  await context.addInitScript(OBSERVER)
  return {
    latest: (): Watched => now,
    /** What a conversation's row has shown, in order. */
    seenOf: (id: string): readonly Observation[] => observations.get(id) ?? [],
    /** Since when it has been in the list without a break. */
    shownMs: (id: string): number | undefined =>
      now.rows.some((row) => row.id === id) ? noticed.get(id) : undefined,
  }
}

export type Memory = { atMs: number; heapMib: number; nodes: number; listeners: number }

/** After collecting what nothing holds. */
export const readMemory = async (client: CDPSession): Promise<Memory> => {
  await client.send('HeapProfiler.collectGarbage')
  const { metrics } = await client.send('Performance.getMetrics')
  const of = (name: string): number => metrics.find((one) => one.name === name)?.value ?? 0
  return {
    atMs: performance.now(),
    heapMib: of('JSHeapUsedSize') / 1024 ** 2,
    nodes: of('Nodes'),
    listeners: of('JSEventListeners'),
  }
}
