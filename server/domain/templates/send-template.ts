import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { listChannelAccounts } from '../channel-accounts/queries.ts'
import type { StoredChannelAccount } from '../channel-accounts/schema.ts'
import type { WhatsappPerson } from '../contacts/names.ts'
import { toE164 } from '../contacts/phone.ts'
import { openConversation, originOf } from '../conversations/open-conversations.ts'
import { findContinuable } from '../conversations/open-queries.ts'
import { reopen } from '../conversations/reopen.ts'
import { resolvePeople } from '../people/resolve-people.ts'
import { appendTemplate } from './append-template.ts'
import { chooseTemplate } from './choose-template.ts'
import { findHeaderUpload, problemsOfUpload } from './header-file.ts'
import { RECIPIENT_SAYS, readRecipient } from './read-recipient.ts'
import { valuesOf } from './read-template-values.ts'
import type { SendTemplateBody, TemplateSent } from './schema.ts'

type Account = StoredChannelAccount<'whatsapp'>

/**
 * Sends an approved template to one person from one of the workspace's numbers: in their conversation with that number,
 * which is reopened if it is closed, else in a new one. Unknown people become contacts. Relies on the stored template
 * (ensureFreshTemplate). Throws WHATSAPP_NOT_CONNECTED, WHATSAPP_SENDER_AMBIGUOUS, WHATSAPP_TEMPLATE_NOT_FOUND, and
 * VALIDATION_ERROR for an invalid number, a `from` that matches none, a language that must be specified, and every
 * mistake in the values.
 */
export const sendTemplate = (ctx: Ctx, input: SendTemplateBody): Promise<TemplateSent> =>
  inTransaction(ctx, async (ctx) => {
    const { whatsapp } = ctx.channels
    const recipient = recipientOf(ctx, input.to)
    const account = chooseSender(await listChannelAccounts(ctx, 'whatsapp'), input.from)
    const { businessAccountId } = account.settings
    const definition = (await chooseTemplate(ctx, [businessAccountId], input)).get(businessAccountId)!
    const values = valuesOf(input)
    const upload = await findHeaderUpload(ctx, input)
    const problems = [
      ...whatsapp.validateParameters(definition, values),
      ...problemsOfUpload(ctx, definition, upload),
    ]
    // WhatsApp sends one-time codes to numbers only.
    if (definition.category === 'AUTHENTICATION' && !recipient.phone)
      problems.push({ field: 'to', message: 'must be a phone number for a template of this category' })
    if (problems.length > 0) throw invalid(...problems)
    const [contact] = await resolvePeople(ctx, [{ ...recipient, nameIfNew: input.name ?? null }])
    if (!contact) throw new Error('a recipient without a contact')
    const [known] = await findContinuable(ctx, [{ contactId: contact.id, channelAccountId: account.id }])
    const isReopened = known?.status === 'closed'
    const conversation = !known
      ? await openConversation(ctx, 'whatsapp', {
          channelAccountId: account.id,
          contact,
          origin: originOf(ctx.actor),
        })
      : isReopened
        ? await reopen(ctx, known, actorId(ctx.actor))
        : known
    const message = await appendTemplate(ctx, { conversation, isReopened, definition, values, upload })
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
    throw invalid({ field: 'from', message: 'is not a connected WhatsApp number' })
  }
  if (accounts.length > 1) throw new ApiError('WHATSAPP_SENDER_AMBIGUOUS')
  return first
}
