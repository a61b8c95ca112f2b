import { actorId, type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError, invalid } from '../../errors.ts'
import { listChannelAccounts } from '../channel-accounts/queries.ts'
import type { StoredChannelAccount } from '../channel-accounts/schema.ts'
import { toE164 } from '../contacts/phone.ts'
import { resolvePeople, type WhatsappPerson } from '../contacts/resolve-people.ts'
import { openConversation } from '../conversations/open-conversation.ts'
import { lockContinuable } from '../conversations/queries.ts'
import { reopen } from '../conversations/receive-message.ts'
import { appendTemplate } from './append-template.ts'
import { chooseTemplate } from './choose-template.ts'
import { RECIPIENT_SAYS, readRecipient } from './read-recipient.ts'
import type { SendTemplateBody, TemplateSent } from './schema.ts'

type Account = StoredChannelAccount<'whatsapp'>

/**
 * Sends an approved template to one person from one of the workspace's numbers: in their conversation with that number,
 * which is reopened when it is closed, else in a new one. Whoever is not known becomes a contact. What is kept of the
 * template is relied upon (freshenTemplate). Throws WHATSAPP_NOT_CONNECTED, WHATSAPP_SENDER_AMBIGUOUS,
 * WHATSAPP_TEMPLATE_NOT_FOUND, and VALIDATION_ERROR for a number that is none, a `from` that matches none, a language
 * that has to be named, and every mistake in the values.
 */
export const sendTemplate = (ctx: Ctx, input: SendTemplateBody): Promise<TemplateSent> =>
  inTransaction(ctx, async (ctx) => {
    const { whatsapp } = ctx.channels
    const recipient = recipientOf(ctx, input.to)
    const account = chooseSender(await listChannelAccounts(ctx, 'whatsapp'), input.from)
    const { businessAccountId } = account.settings
    const definition = (await chooseTemplate(ctx, [businessAccountId], input)).get(businessAccountId)!
    const values = { parameters: input.parameters ?? [], headerImageUrl: input.headerImageUrl ?? null }
    const problems = whatsapp.validateParameters(definition, values)
    // WhatsApp sends one-time codes to numbers only.
    if (definition.category === 'AUTHENTICATION' && !recipient.phone)
      problems.push({ field: 'to', message: 'must be a phone number for a template of this category' })
    if (problems.length > 0) throw invalid(...problems)
    const [contact] = await resolvePeople(ctx, [{ ...recipient, nameIfNew: input.name ?? null }])
    if (!contact) throw new Error('a recipient without a contact')
    const known = await lockContinuable(ctx, contact.id, account.id)
    const isReopened = known?.status === 'closed'
    const conversation = !known
      ? await openConversation(ctx, {
          channel: 'whatsapp',
          channelAccountId: account.id,
          contact,
          subject: null,
        })
      : isReopened
        ? await reopen(ctx, known, actorId(ctx.actor))
        : known
    const message = await appendTemplate(ctx, { conversation, isReopened, definition, values })
    return { conversationId: conversation.id, created: !known, message }
  })

const recipientOf = (ctx: Ctx, to: string): WhatsappPerson => {
  const person = readRecipient(ctx, to)
  if (!person) throw invalid({ field: 'to', message: RECIPIENT_SAYS })
  return person
}

const chooseSender = (accounts: readonly Account[], from: string | undefined): Account => {
  const [first] = accounts
  if (!first) throw new ApiError('WHATSAPP_NOT_CONNECTED')
  if (from !== undefined) {
    const phone = toE164(from)
    const named = accounts.find(({ id, address }) => id === from || (phone !== null && address === phone))
    if (named) return named
    throw invalid({ field: 'from', message: 'is none of the connected WhatsApp numbers' })
  }
  if (accounts.length > 1) throw new ApiError('WHATSAPP_SENDER_AMBIGUOUS')
  return first
}
