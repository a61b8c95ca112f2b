// One customer who met the demo's flows a few minutes ago, so that runs can be looked at from the start.
import { closeConversation } from '../domain/conversations/set-conversation-status.ts'
import { conductConversations } from '../domain/flow-runs/conduct-conversations.ts'
import { sendMessage } from '../domain/messages/send-message.ts'
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

  const conversationId = await says(300, 'Hello!')
  await says(280, 'A question')
  await says(250, 'Do you wrap the breakfast set as a gift?')
  await sendMessage(ago(200 * SECOND_MS), {
    conversationId,
    body: 'We do, Noor, in printed tissue and without extra charge. Just tick “gift” at the checkout.',
  })
  await closeConversation(ago(150 * SECOND_MS), conversationId)
  await conduct(149, conversationId)
  await says(100, '5')
}
