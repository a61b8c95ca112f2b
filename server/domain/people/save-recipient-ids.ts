import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { insertIdentities, lockContactsWithout } from '../contacts/people-queries.ts'

type RecipientIds = { contactId: string; whatsappId: string | null; whatsappUserId: string | null }

/**
 * Stores the identities of recipients that WhatsApp returned in response to sends. One held by another contact stays
 * there: a response does not prove that two people are the same.
 */
export const saveRecipientIds = (ctx: Ctx, recipients: readonly RecipientIds[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const identities = recipients.flatMap(({ contactId, whatsappId, whatsappUserId }) => [
      ...(whatsappId ? [{ kind: 'whatsapp_id' as const, value: whatsappId, contactId }] : []),
      ...(whatsappUserId ? [{ kind: 'whatsapp_user_id' as const, value: whatsappUserId, contactId }] : []),
    ])
    if (identities.length === 0) return
    const locked = new Set(await lockContactsWithout(ctx, identities))
    if (locked.size === 0) return
    await insertIdentities(
      ctx,
      identities.filter(({ contactId }) => locked.has(contactId)),
    )
  })
