// What people at a conversation see of each other at the moment: typing and presence.
import type { Ephemeral } from '../../platform/live/ephemeral.ts'

export type Signal =
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

export type Signals = Ephemeral<Signal>
