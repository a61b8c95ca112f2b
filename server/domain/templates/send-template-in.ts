import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { Metadata } from '../../platform/db/tables.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { findChannelAccount } from '../channel-accounts/queries.ts'
import type { StoredChannelAccount } from '../channel-accounts/schema.ts'
import { type LockedConversation, lockConversation } from '../conversations/queries.ts'
import { DISCONNECTED } from '../conversations/require-reachable.ts'
import type { Message } from '../conversations/schema.ts'
import { reopenConversation } from '../conversations/set-conversation-status.ts'
import { appendTemplate } from './append-template.ts'
import { chooseTemplate } from './choose-template.ts'
import { findHeaderUpload, problemsOfUpload } from './header-file.ts'
import { hasNumber } from './queries.ts'
import { valuesOf } from './read-template-values.ts'
import type { TemplateBody } from './schema.ts'

type Input = TemplateBody & {
  conversationId: string
  metadata?: Metadata
  /** False: a closed conversation stays closed. */
  reopens?: boolean
}

/**
 * Sends an approved template in a WhatsApp conversation, from its own number, whether or not the reply window is open;
 * a closed conversation is reopened. Relies on the stored template (ensureFreshTemplate). Throws CONVERSATION_NOT_FOUND,
 * CHANNEL_NOT_SUPPORTED on another channel, WHATSAPP_TEMPLATE_NOT_FOUND, and VALIDATION_ERROR if the language must be
 * specified and for every mistake in the values; also the errors of reopenConversation.
 */
export const sendTemplateIn = (
  ctx: Ctx,
  { conversationId, metadata, reopens = true, ...input }: Input,
): Promise<{ message: Message }> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const { definition, values, upload } = await requireSendableTemplate(ctx, conversation, input)
    // As when reopened by hand: a newer one that is open is closed.
    if (reopens && conversation.status === 'closed') await reopenConversation(ctx, conversationId)
    const opened = await lockConversation(ctx, conversationId)
    if (!opened) throw new ApiError('CONVERSATION_NOT_FOUND')
    const message = await appendTemplate(ctx, {
      conversation: opened,
      isReopened: false,
      definition,
      values,
      upload,
      metadata,
    })
    return { message }
  })

/** What sendTemplateIn checks before it sends, in a conversation that the caller's transaction has locked. */
export const requireSendableTemplate = async (
  ctx: Ctx,
  conversation: LockedConversation,
  input: TemplateBody,
) => {
  if (conversation.channel !== 'whatsapp') throw new ApiError('CHANNEL_NOT_SUPPORTED')
  const account = (await findChannelAccount(ctx, conversation.channelAccountId)) as
    | StoredChannelAccount<'whatsapp'>
    | undefined
  if (!account) throw new ApiError('CHANNEL_NOT_SUPPORTED', { message: DISCONNECTED })
  const { businessAccountId } = account.settings
  const definition = (await chooseTemplate(ctx, [businessAccountId], input)).get(businessAccountId)!
  const values = valuesOf(input)
  const upload = await findHeaderUpload(ctx, input)
  const problems = [
    ...ctx.channels.whatsapp.validateParameters(definition, values),
    ...problemsOfUpload(ctx, definition, upload),
  ]
  // WhatsApp sends one-time codes to numbers only.
  if (definition.category === 'AUTHENTICATION' && !(await hasNumber(ctx, conversation.contactId)))
    problems.push({
      field: 'templateName',
      message: 'can only be sent to a phone number, and this customer has no visible one',
    })
  if (problems.length > 0) throw invalid(...problems)
  return { definition, values, upload }
}
