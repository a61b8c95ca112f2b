import { type Ctx, inTransaction } from '../../ctx.ts'
import { insertIdentities, type Known, lockContactOfConversation, lockContacts } from './people-queries.ts'

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

/** The same for the recipients of many sends, each name with its contact. */
export const learnRecipients = (
  ctx: Ctx,
  learnt: readonly (Known & { contactId: string })[],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (learnt.length === 0) return
    const here = new Set(
      await lockContacts(
        ctx,
        learnt.map(({ contactId }) => contactId),
      ),
    )
    await insertIdentities(
      ctx,
      learnt.filter(({ contactId }) => here.has(contactId)),
    )
  })
