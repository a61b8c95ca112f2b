// Where a reply by email goes. Any sender, even under a false name, can request replies at any address (Reply-To), so a
// reply goes to a domain other than the sender's only if an agent chose it.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { findReplyAddresses, type ReplyAddresses } from './outgoing-queries.ts'

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

const isSameDomain = (one: string, other: string): boolean => domainOf(one) === domainOf(other)

export type ReplyAddress = {
  /** Where a reply goes by default. */
  address: string
  /** The addresses to choose from, if there are two: Reply-To and the sender's own. */
  choices: string[]
  /** Whether no choice was made yet. */
  isOpen: boolean
}

export const replyAddressOf = ({ address, replyTo, isReplyToChosen }: ReplyAddresses): ReplyAddress => {
  if (replyTo === null || replyTo === address) return { address, choices: [], isOpen: false }
  if (isSameDomain(replyTo, address)) return { address: replyTo, choices: [], isOpen: false }
  return {
    address: isReplyToChosen ? replyTo : address,
    choices: [address, replyTo],
    isOpen: !isReplyToChosen,
  }
}

/** Null before the first mail, and on other channels. */
export const findReplyAddress = async (ctx: Ctx, conversationId: string): Promise<ReplyAddress | null> => {
  const found = await findReplyAddresses(ctx, conversationId)
  return found ? replyAddressOf(found) : null
}

/** Throws VALIDATION_ERROR for an address that is not one of the conversation's. */
export const requireReplyAddress = async (
  ctx: Ctx,
  conversationId: string,
  sendTo: string,
): Promise<string> => {
  const found = await findReplyAddress(ctx, conversationId)
  const given = sendTo.toLowerCase()
  if (found && [found.address, ...found.choices].includes(given)) return given
  throw invalid({
    field: 'sendTo',
    message: "must be the sender's address or the Reply-To of this email conversation",
  })
}
