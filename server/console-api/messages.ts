// One message for the console: its current version and, for an email, everything its author sent.
import Type from 'typebox'
import { listOfConversation } from '../domain/attachments/queries.ts'
import { InboxMessage, MessageParams, ReactionBody } from '../domain/conversations/inbox-schema.ts'
import { conversationExists, findInboxMessage } from '../domain/conversations/thread-queries.ts'
import { findEmailContent } from '../domain/emails/queries.ts'
import { react } from '../domain/messages/react.ts'
import { nullable } from '../domain/schema.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { ApiError } from '../platform/errors.ts'
import { fileUrl } from '../platform/files/links.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const EmailContent = Type.Object({
  text: nullable(
    Type.String({ description: 'The full text including quotes. Null if the body is complete.' }),
  ),
  html: nullable(
    Type.String({
      description:
        'Sanitized. Remote images have data-src; images from the email have data-attachment with an id.',
    }),
  ),
  images: Type.Record(Type.String(), Type.String(), {
    description:
      'URLs of images from the email, by id: in this message, or in an earlier one that contained the same image.',
  }),
})

const ATTACHMENT_IN_HTML = / data-attachment="([^"]+)"/g

/** The HTML refers to the thread's attachments; ids from elsewhere get no URL. */
const imagesOf = async (ctx: Ctx, conversationId: string, html: string | null) => {
  const ids = [...new Set([...(html ?? '').matchAll(ATTACHMENT_IN_HTML)].map(([, id]) => id!))]
  if (ids.length === 0) return {}
  const known = await listOfConversation(ctx, { conversationId, ids })
  return Object.fromEntries(known.map((id) => [id, fileUrl(ctx, id)]))
}

/** Throws MESSAGE_NOT_FOUND, also for messages the actor may not see. */
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

  app.put(
    '/messages/:messageId/reaction',
    {
      schema: {
        operationId: 'consoleReact',
        summary: 'React to a message of a customer',
        params: MessageParams,
        body: ReactionBody,
        response: {
          200: Type.Object({ message: InboxMessage }),
          ...errors(
            'MESSAGE_NOT_FOUND',
            'CHANNEL_NOT_SUPPORTED',
            'CUSTOMER_UNREACHABLE',
            'WHATSAPP_SERVICE_WINDOW_CLOSED',
            'REPLY_WINDOW_CLOSED',
          ),
        },
      },
    },
    async ({ ctx, params, body }) => ({ message: await react(ctx, { ...params, ...body }) }),
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
