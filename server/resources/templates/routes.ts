import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { settleMessage } from '../conversations/settle-message.ts'
import { listTemplates } from './list-templates.ts'
import { freshenTemplate } from './refresh-templates.ts'
import { SendTemplateBody, TemplateList, TemplateSent } from './schema.ts'
import { sendTemplate } from './send-template.ts'

export const registerTemplates = (app: App): void => {
  app.get(
    '/whatsapp/templates',
    {
      schema: {
        operationId: 'listWhatsappTemplates',
        tags: ['WhatsApp'],
        summary: 'List WhatsApp templates',
        description:
          'The approved templates of every connected number, asked of WhatsApp at the moment of the call. Where WhatsApp does not answer within four seconds, they are shown as they were when it last did. Templates that several numbers share are one row.',
        response: { 200: TemplateList },
      },
    },
    ({ ctx }) => listTemplates(ctx),
  )

  app.post(
    '/whatsapp/messages',
    {
      config: {
        budget: 'send',
        // It goes to any number, into whichever conversation that has.
        permission: 'see_all_conversations',
        settling: {
          isSettled: ({ message }: TemplateSent) => message.status !== 'queued',
          settle: async (ctx, answer: TemplateSent) => ({
            ...answer,
            message: await settleMessage(ctx, answer.message),
          }),
        },
      },
      // Before the handler, whose work is one transaction: WhatsApp may have to be asked.
      preHandler: ({ ctx, body }) => freshenTemplate(ctx, body),
      schema: {
        operationId: 'sendWhatsappTemplate',
        tags: ['WhatsApp'],
        summary: 'Send a WhatsApp template',
        description:
          'Sends an approved template to one person, whoever wrote last and however long ago. It goes into their conversation with the sending number, which is reopened or opened where that is needed; somebody who is not known yet becomes a contact. Waits up to five seconds for WhatsApp, as sending a message does.',
        body: SendTemplateBody,
        response: {
          200: TemplateSent,
          ...errors('WHATSAPP_NOT_CONNECTED', 'WHATSAPP_SENDER_AMBIGUOUS', 'WHATSAPP_TEMPLATE_NOT_FOUND'),
        },
      },
    },
    ({ ctx, body }) => sendTemplate(ctx, body),
  )
}
