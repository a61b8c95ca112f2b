import { settleMessage } from '../domain/messages/settle-message.ts'
import { listTemplates } from '../domain/templates/list-templates.ts'
import { prepareTemplate } from '../domain/templates/prepare-template.ts'
import { SendTemplateBody, TemplateList, TemplateSent } from '../domain/templates/schema.ts'
import { sendTemplate } from '../domain/templates/send-template.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerTemplates = (app: App): void => {
  app.get(
    '/whatsapp/templates',
    {
      config: { scope: 'templates:read', channel: 'whatsapp' },
      schema: {
        operationId: 'listWhatsappTemplates',
        tags: ['WhatsApp'],
        summary: 'List WhatsApp templates',
        description:
          'The approved templates of every connected number, fetched live from WhatsApp. If WhatsApp does not respond within four seconds, the last known state is returned. Templates that several numbers share are one row.',
        response: { 200: TemplateList },
      },
    },
    ({ ctx }) => listTemplates(ctx),
  )

  app.post(
    '/whatsapp/messages',
    {
      config: {
        scope: 'templates:send',
        channel: 'whatsapp',
        budget: 'send',
        // It goes to any number, in whichever conversation that number has.
        permission: 'see_all_conversations',
        settling: {
          isSettled: ({ message }: TemplateSent) => message.status !== 'queued',
          settle: async (ctx, answer: TemplateSent) => ({
            ...answer,
            message: await settleMessage(ctx, answer.message),
          }),
        },
      },
      // Before the handler, whose work is one transaction: this may have to call WhatsApp.
      preHandler: ({ ctx, body }) => prepareTemplate(ctx, body),
      schema: {
        operationId: 'sendWhatsappTemplate',
        tags: ['WhatsApp'],
        summary: 'Send a WhatsApp template',
        description:
          'Sends an approved template to one person at any time, even outside the reply window. It is added to their conversation with the sending number, which is opened or reopened if needed. An unknown recipient becomes a contact. Waits up to five seconds for WhatsApp, like sending a message.',
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
