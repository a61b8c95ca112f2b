import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { addInputs } from '../automation/inputs.ts'
import { lockConversation } from '../conversations/queries.ts'
import { endCode } from './queries.ts'

/** It can't be sent: it is void, and the customer, who waits for it, is handed over. */
export const giveUpCode = (
  ctx: Ctx,
  { id, conversationId }: { id: string; conversationId: string },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockConversation(ctx, conversationId))) return
    if (await endCode(ctx, id)) await addInputs(ctx, [{ kind: 'ai_undelivered', conversationId }])
  })
