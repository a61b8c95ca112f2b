// What programs do with conversations besides writing in them. In the console, these are in console-api.
import { unassignConversation } from '../domain/conversations/assign-conversation.ts'
import { BulkBody, BulkResults } from '../domain/conversations/bulk-schema.ts'
import { changeConversations } from '../domain/conversations/change-conversations.ts'
import { Read, ReadBody, Unassigned } from '../domain/conversations/inbox-schema.ts'
import { markRead } from '../domain/conversations/mark-read.ts'
import { ConversationParams } from '../domain/conversations/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerConversationStates = (app: App): void => {
  app.post(
    '/conversations/:conversationId/read',
    {
      config: { scope: 'conversations:write', budget: 'send' },
      schema: {
        operationId: 'markConversationRead',
        tags: ['Conversations'],
        summary: 'Mark a conversation as read',
        description:
          'Marks the customer’s messages as read for everyone in the workspace, up to a message or all of them. The customer gets a read receipt if the channel has them. `updatedAt` does not change.',
        params: ConversationParams,
        body: ReadBody,
        response: { 200: Read, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => markRead(ctx, { ...params, ...body }),
  )

  app.post(
    '/conversations/:conversationId/unassign',
    {
      config: { scope: 'conversations:write', budget: 'send' },
      schema: {
        operationId: 'unassignConversation',
        tags: ['Conversations'],
        summary: 'Unassign a conversation',
        description:
          'Removes the assigned agent, so that the conversation is unassigned. Succeeds and changes nothing if it is unassigned already.',
        params: ConversationParams,
        response: { 200: Unassigned, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => unassignConversation(ctx, params),
  )

  app.post(
    '/conversations/bulk',
    {
      config: { scope: 'conversations:write', budget: 'change' },
      schema: {
        operationId: 'changeConversations',
        tags: ['Conversations'],
        summary: 'Change several conversations',
        description:
          'Closes, reopens, assigns or unassigns up to 100 conversations. Each has its own result and its own event; one that fails stops no other.',
        body: BulkBody,
        response: { 200: BulkResults },
      },
    },
    ({ ctx, body }) => changeConversations(ctx, body),
  )
}
