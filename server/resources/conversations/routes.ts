import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { Closed, ConversationParams, Reopened } from './schema.ts'
import { closeConversation, reopenConversation } from './set-conversation-status.ts'

export const registerConversations = (app: App): void => {
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
