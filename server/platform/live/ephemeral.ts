// Short-lived signals that are never stored or repeated: typing and presence. Those not listening at that moment miss
// them. Several processes exchange them through Redis.
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
  /** What an agent is doing in a conversation, for their colleagues. */
  | {
      type: 'agent.at'
      workspaceId: string
      conversationId: string
      agent: { id: string; nickname: string }
      state: 'viewing' | 'typing' | 'left'
    }
  /** An agent came or went: anything showing presence rereads it. */
  | { type: 'agent.presence'; workspaceId: string }

export type Ephemeral = {
  publish(event: EphemeralEvent): void
  subscribe(listener: (event: EphemeralEvent) => void): () => void
  close(): Promise<void>
}

const CHANNEL = 'foyer:ephemeral'
/** While Redis is slow, signals beyond this stay within this process. */
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
      // Subscribing the same function twice makes two subscriptions.
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
