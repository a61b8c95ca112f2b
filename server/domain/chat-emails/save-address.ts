import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { claimProfile } from '../contacts/claim-profile.ts'
import { visitorPlaceholder } from '../contacts/placeholder-name.ts'
import { insertSystemEntry } from '../conversations/queries.ts'
import { saveAnswer, saveKnownAddress } from './queries.ts'
import { addressHash } from './tokens.ts'

type Answer = {
  conversation: { id: string; channelAccountId: string }
  visitor: { id: string; contactId: string; name: string | null }
  /** Null: they would rather not say. */
  address: string | null
  language: string
}

/**
 * Stores the address that a visitor left in the chat, as a claim: it identifies nobody, and no other contact is found or
 * shown by it. Repeating it changes nothing.
 */
export const saveAddress = (
  ctx: Ctx,
  { conversation, visitor, address: given, language }: Answer,
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const address = given?.toLowerCase() ?? null
    const { id: conversationId } = conversation
    const hash = address === null ? null : addressHash(ctx, address)
    const saved = await saveAnswer(ctx, {
      ...{ conversationId, address, addressHash: hash, language },
    })
    if (saved === null) return
    const { contactId, name } = visitor
    await claimProfile(ctx, { contactId, name, email: address, placeholder: visitorPlaceholder(visitor.id) })
    await insertSystemEntry(ctx, {
      conversation,
      body: `The visitor left ${saved} for replies. The address is unverified.`,
      metadata: { event: 'chat_email', by: contactId },
    })
  })

/** The same for an address that the site has given before they wrote; it may vouch for it. */
export const keepKnownAddress = (
  ctx: Ctx,
  {
    conversationId,
    address,
    language,
    isVouched,
  }: {
    conversationId: string
    address: string
    language: string
    isVouched: boolean
  },
): Promise<void> =>
  saveKnownAddress(ctx, {
    ...{ conversationId, address, language, isVouched },
    addressHash: addressHash(ctx, address),
  })
