// Signals that are never stored or repeated: those not listening at that moment miss them. Several processes exchange
// them through Redis.
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'

export type Ephemeral<Signal> = {
  publish(event: Signal): void
  subscribe(listener: (event: Signal) => void): () => void
  close(): Promise<void>
}

const CHANNEL = 'foyer:ephemeral'
/** While Redis is slow, signals beyond this stay within this process. */
const UNDER_WAY_MAX = 1_000

export const makeEphemeral = <Signal>({ redis }: { redis?: Redis } = {}): Ephemeral<Signal> => {
  const self = randomUUID()
  const listeners = new Set<(event: Signal) => void>()
  let underWay = 0

  const tell = (event: Signal): void => {
    for (const listener of [...listeners]) listener(event)
  }

  const subscriber = redis?.duplicate()
  // Reconnects by itself; until then signals stay within one process.
  subscriber?.on('error', () => {})
  subscriber?.on('message', (_channel: string, text: string) => {
    const { from, event } = JSON.parse(text) as { from: string; event: Signal }
    if (from !== self) tell(event)
  })
  subscriber?.subscribe(CHANNEL).catch(() => {})

  return {
    publish(event) {
      tell(event)
      if (!redis || underWay >= UNDER_WAY_MAX) return
      underWay += 1
      redis
        .publish(CHANNEL, JSON.stringify({ from: self, event }))
        .catch(() => {})
        .finally(() => {
          underWay -= 1
        })
    },
    subscribe(listener) {
      // Subscribing the same function twice makes two subscriptions.
      const own = (event: Signal) => listener(event)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    async close() {
      listeners.clear()
      subscriber?.disconnect()
    },
  }
}
