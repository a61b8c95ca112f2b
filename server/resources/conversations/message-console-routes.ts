// One message for the console: as it reads now, and for a mail all that its writer sent.
import Type from 'typebox'
import type { Ctx } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { fileUrl } from '../../files/links.ts'
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { listOfConversation } from '../attachments/queries.ts'
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
  images: Type.Record(Type.String(), Type.String(), {
    description:
      'Where those of the mail are, by id: in this message, or in an earlier one that brought the same.',
  }),
})

const ATTACHMENT_IN_HTML = / data-attachment="([^"]+)"/g

/** The HTML names what the thread has; an id of anywhere else gets no address. */
const imagesOf = async (ctx: Ctx, conversationId: string, html: string | null) => {
  const ids = [...new Set([...(html ?? '').matchAll(ATTACHMENT_IN_HTML)].map(([, id]) => id!))]
  if (ids.length === 0) return {}
  const known = await listOfConversation(ctx, { conversationId, ids })
  return Object.fromEntries(known.map((id) => [id, fileUrl(ctx, id)]))
}

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
      const { id, conversationId } = await getMessage(ctx, params.messageId)
      const { text, html } = (await findEmailContent(ctx, id)) ?? { text: null, html: null }
      return { text, html, images: await imagesOf(ctx, conversationId, html) }
    },
  )
}
