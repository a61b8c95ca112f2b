import type { TemplateDefinition, TemplateValues } from '../../../channels/channel.ts'
import { actorId, type Ctx } from '../../ctx.ts'
import { appendMessage } from '../conversations/append-message.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import { queueDelivery } from '../conversations/queue-delivery.ts'
import type { Message } from '../conversations/schema.ts'
import { senderTypeOf } from '../conversations/send-message.ts'

type Input = {
  /** Locked by the caller, in this transaction. */
  conversation: LockedConversation
  isReopened: boolean
  definition: TemplateDefinition
  /** Held against the definition by the caller. */
  values: TemplateValues
}

/** Puts a filled template at the end of a conversation, and has it sent after the commit. */
export const appendTemplate = async (
  ctx: Ctx,
  { conversation, isReopened, definition, values }: Input,
): Promise<Message> => {
  const { whatsapp } = ctx.channels
  const { name, language } = definition
  const { parameters, headerImageUrl } = values
  const message = await appendMessage(ctx, {
    conversation,
    senderType: senderTypeOf(ctx.actor),
    senderId: actorId(ctx.actor),
    body: whatsapp.renderBody(definition, parameters),
    status: 'queued',
    openDelta: isReopened ? 1 : 0,
    metadata: { template: { name, language, parameters, ...(headerImageUrl && { headerImageUrl }) } },
  })
  const components = whatsapp.buildComponents(definition, values)
  await queueDelivery(ctx, conversation, message.id, { name, language, components })
  return message
}
