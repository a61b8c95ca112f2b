// One customer who met the demo's flows and its AI agent a few minutes ago, so that both can be looked at from the start.
import { takeTurn } from '../domain/ai/turn/take-turn.ts'
import { claimTurn, findWaitingTurn } from '../domain/ai/turn-queries.ts'
import { closeConversation } from '../domain/conversations/set-conversation-status.ts'
import { conductConversations } from '../domain/flow-runs/conduct-conversations.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'

const SECOND_MS = 1_000

type Story = {
  /** A context at this time in the past. */
  ago: (ms: number) => Ctx
  visitor: (
    name: string,
    email: string,
    phone: string,
  ) => (agoMs: number, body: string) => Promise<{ conversationId: string }>
}

export const createDemoRuns = async ({ ago, visitor }: Story): Promise<void> => {
  const writes = visitor('Noor Haddad', 'noor.haddad@example.com', '+31612345678')
  const says = async (agoSeconds: number, body: string): Promise<string> => {
    const { conversationId } = await writes(agoSeconds * SECOND_MS, body)
    await conduct(agoSeconds - 1, conversationId)
    return conversationId
  }
  const conduct = (agoSeconds: number, conversationId: string) =>
    conductConversations({ ...ago(agoSeconds * SECOND_MS), actor: { type: 'system' } }, [conversationId])

  /** The AI agent's turn, unless another process has taken it. */
  const think = async (agoSeconds: number, conversationId: string): Promise<void> => {
    // The flow's assignment is an input of its own.
    await conduct(agoSeconds, conversationId)
    const ctx: Ctx = { ...ago(agoSeconds * SECOND_MS), actor: { type: 'system' } }
    const waiting = await findWaitingTurn(ctx, conversationId)
    const turn = waiting && (await claimTurn(ctx, waiting))
    if (turn) await takeTurn(ctx, turn)
    await conduct(agoSeconds, conversationId)
  }

  const conversationId = await says(300, 'Hello!')
  await says(280, 'A question')
  await says(250, 'Do you wrap the breakfast set as a gift?')
  await think(249, conversationId)
  await says(200, 'Thank you!')
  await think(199, conversationId)
  await closeConversation(ago(150 * SECOND_MS), conversationId)
  await conduct(149, conversationId)
  await says(100, '5')
}
