import { type Ctx, inTransaction } from '../../ctx.ts'
import { insertIdentities, type Known, lockContactOfConversation } from './people-queries.ts'

/**
 * Keeps the names by which WhatsApp knows a recipient, as its answer to a send gave them. A name that somebody else has
 * stays with them: an answer is no proof that two people are one.
 */
export const learnRecipient = (
  ctx: Ctx,
  conversationId: string,
  { whatsappId, whatsappUserId }: { whatsappId: string | null; whatsappUserId: string | null },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const known: Known[] = [
      ...(whatsappId ? [{ kind: 'whatsapp_id' as const, value: whatsappId }] : []),
      ...(whatsappUserId ? [{ kind: 'whatsapp_user_id' as const, value: whatsappUserId }] : []),
    ]
    const contactId =
      known.length > 0 ? await lockContactOfConversation(ctx, conversationId, known) : undefined
    if (contactId)
      await insertIdentities(
        ctx,
        known.map((identity) => ({ ...identity, contactId })),
      )
  })
