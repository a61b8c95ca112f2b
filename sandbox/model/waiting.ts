// Requests that wait for a person to be the model.
import type { Answer, Heard, Wire } from './exchange.ts'

/** Foyer gives up a request after twenty seconds. */
export const WAIT_MAX_MS = 18_000
/** More are answered by rules at once. */
const WAITING_MAX = 50

export type WaitingRequest = { id: string; wire: Wire; heard: Heard; askedAtMs: number; endsAtMs: number }

export type Waiting = ReturnType<typeof makeWaiting>

export const makeWaiting = (onChanged: () => void) => {
  const waiting = new Map<string, { request: WaitingRequest; end: (answer: Answer | null) => void }>()
  let count = 0
  return {
    /** Null if nobody answers in time, there are too many, or whoever asked has gone (`signal`). */
    ask: (
      { wire, heard }: { wire: Wire; heard: Heard },
      { signal, waitMs = WAIT_MAX_MS }: { signal: AbortSignal; waitMs?: number },
    ): Promise<Answer | null> => {
      if (waiting.size >= WAITING_MAX || signal.aborted) return Promise.resolve(null)
      return new Promise((resolve) => {
        const id = String(++count)
        const askedAtMs = Date.now()
        const end = (answer: Answer | null): void => {
          clearTimeout(timer)
          signal.removeEventListener('abort', leave)
          waiting.delete(id)
          resolve(answer)
          onChanged()
        }
        const leave = (): void => end(null)
        const timer = setTimeout(leave, waitMs)
        signal.addEventListener('abort', leave)
        waiting.set(id, { request: { id, wire, heard, askedAtMs, endsAtMs: askedAtMs + waitMs }, end })
        onChanged()
      })
    },
    /** False if it isn't waiting any more. */
    answer: (id: string, answer: Answer): boolean => {
      const one = waiting.get(id)
      one?.end(answer)
      return one !== undefined
    },
    /** The oldest first. */
    list: (): WaitingRequest[] => [...waiting.values()].map(({ request }) => request),
    clear: (): void => {
      for (const { end } of [...waiting.values()]) end(null)
    },
  }
}
