// Which agents are viewing a conversation or typing in it, as reported to this process. Nothing is stored.
import type { Signal } from '../domain/conversations/signals.ts'

/** How long an agent's last activity in a conversation stays valid. */
const KEPT_MS = 60_000
/** Conversations with agents present. Any beyond this are not shown. */
const CONVERSATIONS_MAX = 10_000

type AgentAt = Signal & { type: 'agent.at' }
type Place = { workspaceId: string; conversationId: string }
type Present = Pick<AgentAt, 'agent'> & { state: Exclude<AgentAt['state'], 'left'>; untilMs: number }

const keyOf = ({ workspaceId, conversationId }: Place): string => `${workspaceId} ${conversationId}`

export const makePresence = ({ now }: { now: () => Date }) => {
  /** By conversation, then by agent. */
  const places = new Map<string, { place: Place; agents: Map<string, Present> }>()

  /** The agents present now; one that has not reported for a while has left. */
  const list = (place: Place): Present[] => {
    const agents = places.get(keyOf(place))?.agents
    if (!agents) return []
    const nowMs = now().getTime()
    for (const [id, { untilMs }] of agents) if (untilMs <= nowMs) agents.delete(id)
    if (agents.size === 0) places.delete(keyOf(place))
    return [...agents.values()]
  }

  return {
    list,
    /** Whether the agent's activity there has changed. */
    update({ workspaceId, conversationId, agent, state }: AgentAt): boolean {
      const place = { workspaceId, conversationId }
      const before = list(place).find((present) => present.agent.id === agent.id)?.state ?? 'left'
      const key = keyOf(place)
      const agents = places.get(key)?.agents ?? new Map<string, Present>()
      if (state === 'left') agents.delete(agent.id)
      else agents.set(agent.id, { agent, state, untilMs: now().getTime() + KEPT_MS })
      if (agents.size === 0) places.delete(key)
      else if (places.size < CONVERSATIONS_MAX || places.has(key)) places.set(key, { place, agents })
      return before !== state
    },
    /** The conversations that an agent has left by not reporting for a while. */
    listExpired(): Place[] {
      const nowMs = now().getTime()
      return [...places.values()]
        .filter(({ agents }) => [...agents.values()].some(({ untilMs }) => untilMs <= nowMs))
        .map(({ place }) => place)
    },
    /** Where an agent is. */
    listOf: (workspaceId: string, accountId: string): (Place & Pick<AgentAt, 'agent'>)[] =>
      [...places.values()].flatMap(({ place, agents }) => {
        const present = place.workspaceId === workspaceId ? agents.get(accountId) : undefined
        return present ? [{ ...place, agent: present.agent }] : []
      }),
    clear: (): void => places.clear(),
  }
}
