import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import {
  insertIdentities,
  type Known,
  lockContactOfConversation,
  lockContacts,
} from '../contacts/people-queries.ts'

/**
 * Stores the identities of a recipient that WhatsApp returned in response to a send. One held by another contact stays
 * there: a response does not prove that two people are the same.
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

/** The same for the recipients of many sends, each identity with its contact. */
export const saveRecipientIds = (
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
