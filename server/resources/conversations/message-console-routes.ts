// One message for the console: as it reads now, and for a mail all that its writer sent.
import Type from 'typebox'
import type { Ctx } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { findEmailContent } from '../emails/queries.ts'
import { nullable } from '../schema.ts'
import { InboxMessage, MessageParams } from './inbox-schema.ts'
import { conversationExists, findInboxMessage } from './thread-queries.ts'

const EmailContent = Type.Object({
  text: nullable(Type.String({ description: 'All of it, quotes too; null where the body is all.' })),
  html: nullable(
    Type.String({
      description: 'Sanitised. Images of the web are data-src; those of the mail data-attachment, by id.',
    }),
  ),
})

/** Throws MESSAGE_NOT_FOUND, also for what the actor may not see. */
const getMessage = async (ctx: Ctx, messageId: string): Promise<InboxMessage> => {
  const message = await findInboxMessage(ctx, messageId)
  if (!message || !(await conversationExists(ctx, message.conversationId)))
    throw new ApiError('MESSAGE_NOT_FOUND')
  return message
}

export const registerMessagesConsoleRoutes = (app: App): void => {
  app.get(
    '/messages/:messageId',
    {
      schema: {
        operationId: 'consoleGetMessage',
        params: MessageParams,
        response: { 200: Type.Object({ message: InboxMessage }), ...errors('MESSAGE_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => ({ message: await getMessage(ctx, params.messageId) }),
  )

  app.get(
    '/messages/:messageId/email',
    {
      schema: {
        operationId: 'consoleGetEmailContent',
        params: MessageParams,
        response: { 200: EmailContent, ...errors('MESSAGE_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => {
      const { id } = await getMessage(ctx, params.messageId)
      return (await findEmailContent(ctx, id)) ?? { text: null, html: null }
    },
  )
}
