import type { Static } from 'typebox'
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { assignConversation } from './assign-conversation.ts'
import { createConversation } from './create-conversation.ts'
import { ComposeBody } from './inbox-schema.ts'
import {
  AssignBody,
  Assigned,
  Closed,
  ConversationParams,
  CreateBody,
  CreatedConversation,
  Reopened,
  SendBody,
  Sent,
} from './schema.ts'
import { sendMessage } from './send-message.ts'
import { closeConversation, reopenConversation } from './set-conversation-status.ts'
import { settleMessage } from './settle-message.ts'

export const registerConversations = (app: App): void => registerWrites(app, SendBody)

/** The same for people, whose messages may carry files. */
export const registerInboxWrites = (app: App): void => registerWrites(app, ComposeBody)

const registerWrites = (app: App, SendShape: typeof SendBody | typeof ComposeBody): void => {
  app.post(
    '/conversations',
    {
      config: {
        budget: 'change',
        // It may go on with a conversation, and names a contact, that are not theirs.
        permission: 'see_all_conversations',
        settling: {
          isSettled: ({ message }: CreatedConversation) => message?.status !== 'queued',
          settle: async (ctx, answer: CreatedConversation) => ({
            ...answer,
            message: answer.message && (await settleMessage(ctx, answer.message)),
          }),
        },
      },
      schema: {
        operationId: 'createConversation',
        tags: ['Conversations'],
        summary: 'Start a conversation',
        description:
          'Finds the contact by email, or creates it, and opens a conversation on the email or web channel. Where the contact has an open one on that channel already, that one is used and `created` is false. A `message` is sent in it at once.\n\nOn `web` the email is what the visitor typed into the chat box, unproven: send nothing there that only its owner may read.',
        body: CreateBody,
        response: { 200: CreatedConversation, ...errors('CHANNEL_NOT_CONNECTED') },
      },
    },
    ({ ctx, body }) => createConversation(ctx, { ...body, channel: body.channel ?? 'email' }),
  )

  app.post(
    '/conversations/:conversationId/assign',
    {
      config: { budget: 'send' },
      schema: {
        operationId: 'assignConversation',
        tags: ['Conversations'],
        summary: 'Assign a conversation',
        description:
          'Gives the conversation to an active member of the workspace, or to the AI agent, in place of whoever had it.',
        params: ConversationParams,
        body: AssignBody,
        response: { 200: Assigned, ...errors('INVALID_AGENT', 'COMPANY_MISMATCH', 'CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => assignConversation(ctx, { ...params, ...body }),
  )

  app.post(
    '/conversations/:conversationId/messages',
    {
      config: {
        budget: 'send',
        settling: {
          isSettled: ({ message }: Sent) => message.status !== 'queued',
          settle: async (ctx, { message }: Sent) => ({ message: await settleMessage(ctx, message) }),
        },
      },
      schema: {
        operationId: 'sendMessage',
        tags: ['Conversations'],
        summary: 'Send a message',
        description:
          "Sends a text on the conversation's channel, as the API. The call waits up to five seconds for the channel: `status` is then `sent`, `queued` when delivery goes on in the background, or `failed` with the reason in `metadata.error`. Assignment and open or closed stay as they are.",
        params: ConversationParams,
        body: SendShape,
        response: {
          200: Sent,
          ...errors('CONVERSATION_NOT_FOUND', 'CHANNEL_NOT_SUPPORTED', 'WHATSAPP_SERVICE_WINDOW_CLOSED'),
        },
      },
    },
    async ({ ctx, params, body }) => {
      const { body: text = '', attachmentIds } = body as Static<typeof ComposeBody>
      return { message: await sendMessage(ctx, { ...params, body: text, attachmentIds }) }
    },
  )

  app.post(
    '/conversations/:conversationId/close',
    {
      config: { budget: 'send' },
      schema: {
        operationId: 'closeConversation',
        tags: ['Conversations'],
        summary: 'Close a conversation',
        description:
          'Marks the conversation as done. Closing one that is closed already succeeds and changes nothing. A new message from the customer opens it again.',
        params: ConversationParams,
        response: { 200: Closed, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    (request) => closeConversation(request.ctx, request.params.conversationId),
  )

  app.post(
    '/conversations/:conversationId/reopen',
    {
      config: { budget: 'send' },
      schema: {
        operationId: 'reopenConversation',
        tags: ['Conversations'],
        summary: 'Reopen a conversation',
        description:
          'Opens a closed conversation again. Reopening one that is open succeeds and changes nothing.',
        params: ConversationParams,
        response: { 200: Reopened, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    (request) => reopenConversation(request.ctx, request.params.conversationId),
  )
}
