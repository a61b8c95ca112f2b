import type { TemplateDefinition, TemplateValues } from '../../../channels/channel.ts'
import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Metadata } from '../../platform/db/tables.ts'
import type { UploadRow } from '../attachments/upload-queries.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import type { Message } from '../conversations/schema.ts'
import { findMessage } from '../conversations/thread-queries.ts'
import { queueDelivery } from '../deliveries/queue-delivery.ts'
import { appendMessage } from '../messages/append-message.ts'
import { senderTypeOf } from '../messages/send-message.ts'
import { showHeaderFile, templateFileOf } from './header-file.ts'

type Input = {
  /** Locked by the caller, in this transaction. */
  conversation: LockedConversation
  isReopened: boolean
  definition: TemplateDefinition
  /** The caller has checked them against the definition. */
  values: TemplateValues
  /** Of `values.headerAttachmentId`. */
  upload: UploadRow | undefined
  /** Added to the message's, e.g. the flow that sends it. */
  metadata?: Metadata | undefined
}

/** Appends a filled-in template to a conversation, and sends it after the commit. */
export const appendTemplate = async (
  ctx: Ctx,
  { conversation, isReopened, definition, values, upload, metadata }: Input,
): Promise<Message> => {
  const { whatsapp } = ctx.channels
  const { name, language } = definition
  const { parameters, headerAttachmentId: _, ...header } = values
  const senderType = senderTypeOf(ctx.actor)
  const message = await appendMessage(ctx, {
    conversation,
    senderType,
    senderId: actorId(ctx.actor),
    body: whatsapp.renderBody(definition, parameters),
    status: 'queued',
    isReopening: isReopened,
    hasAttachments: upload !== undefined,
    metadata: { ...metadata, template: { name, language, parameters, ...header } },
  })
  const components = whatsapp.buildComponents(definition, values)
  await queueDelivery(ctx, conversation, message.id, {
    template: { name, language, components, ...templateFileOf(ctx, definition, upload, values) },
    isAutomated: senderType === 'automation',
  })
  if (!upload) return message
  await showHeaderFile(ctx, upload.id, [message.id])
  return (await findMessage(ctx, message.id)) ?? message
}
