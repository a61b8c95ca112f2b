// What is worth telling and not worth keeping: who types, who comes and goes. Nothing is stored and nothing repeated;
// whoever does not listen at that moment never hears of it. Several processes hear each other through Redis.
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'

export type EphemeralEvent =
  | { type: 'visitor.typing'; workspaceId: string; conversationId: string; isTyping: boolean }
  | {
      type: 'agent.typing'
      workspaceId: string
      conversationId: string
      nickname: string
      isTyping: boolean
    }
  /** What an agent does at a conversation, for their colleagues. */
  | {
      type: 'agent.at'
      workspaceId: string
      conversationId: string
      agent: { id: string; nickname: string }
      state: 'viewing' | 'typing' | 'left'
    }
  /** An agent came or went: who shows presence looks again. */
  | { type: 'agent.presence'; workspaceId: string }

export type Ephemeral = {
  publish(event: EphemeralEvent): void
  subscribe(listener: (event: EphemeralEvent) => void): () => void
  close(): Promise<void>
}

const CHANNEL = 'foyer:ephemeral'
/** While Redis is slow, what is beyond this is told to this process only. */
const UNDER_WAY_MAX = 1_000

export const makeEphemeral = ({ redis }: { redis?: Redis } = {}): Ephemeral => {
  const self = randomUUID()
  const listeners = new Set<(event: EphemeralEvent) => void>()
  let underWay = 0

  const tell = (event: EphemeralEvent): void => {
    for (const listener of [...listeners]) listener(event)
  }

  const hearing = redis?.duplicate()
  // Reconnects by itself; until then typing is seen within one process only.
  hearing?.on('error', () => {})
  hearing?.on('message', (_channel: string, text: string) => {
    const { from, event } = JSON.parse(text) as { from: string; event: EphemeralEvent }
    if (from !== self) tell(event)
  })
  hearing?.subscribe(CHANNEL).catch(() => {})

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
      // Two subscriptions of one function are two.
      const own = (event: EphemeralEvent) => listener(event)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    async close() {
      listeners.clear()
      hearing?.disconnect()
    },
  }
}
