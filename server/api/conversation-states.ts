// What programs do with conversations besides writing in them. In the console, these are in console-api.
import { unassignConversation } from '../domain/conversations/assign-conversation.ts'
import { BulkBody, BulkResults } from '../domain/conversations/bulk-schema.ts'
import { changeConversations } from '../domain/conversations/change-conversations.ts'
import { Read, ReadBody, Unassigned } from '../domain/conversations/inbox-schema.ts'
import { markRead } from '../domain/conversations/mark-read.ts'
import { ConversationParams, UNTIL_REPLY } from '../domain/conversations/schema.ts'
import { snoozeConversation, unsnoozeConversation } from '../domain/conversations/snooze-conversation.ts'
import { changeConversationTags } from '../domain/conversations/tag-conversation.ts'
import { ChangeConversationTagsBody, SnoozeBody, Snoozed } from '../domain/conversations/triage-schema.ts'
import { TagList } from '../domain/tags/schema.ts'
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
  registerTriage(app)
}

const registerTriage = (app: App): void => {
  app.post(
    '/conversations/:conversationId/snooze',
    {
      config: { scope: 'conversations:write', budget: 'send' },
      schema: {
        operationId: 'snoozeConversation',
        tags: ['Conversations'],
        summary: 'Snooze a conversation',
        description:
          'Takes an open conversation out of the inbox until a time, or until the customer writes, which ends a snooze in any case. Closing ends it, too. It stays open. `updatedAt` does not change.',
        params: ConversationParams,
        body: SnoozeBody,
        response: { 200: Snoozed, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { conversationId }, body }) => {
      const snoozedUntil = body.until === undefined ? UNTIL_REPLY : new Date(body.until).toISOString()
      await snoozeConversation(ctx, { conversationId, until: snoozedUntil })
      return { success: true as const, conversationId, snoozedUntil }
    },
  )

  app.post(
    '/conversations/:conversationId/unsnooze',
    {
      config: { scope: 'conversations:write', budget: 'send' },
      schema: {
        operationId: 'unsnoozeConversation',
        tags: ['Conversations'],
        summary: 'End a snooze',
        description:
          'Brings a snoozed conversation back to the inbox. Succeeds and changes nothing if it isn’t snoozed.',
        params: ConversationParams,
        response: { 200: Snoozed, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { conversationId } }) => {
      await unsnoozeConversation(ctx, { conversationId })
      return { success: true as const, conversationId, snoozedUntil: null }
    },
  )

  app.post(
    '/conversations/:conversationId/tags',
    {
      config: { scope: 'conversations:write', budget: 'change' },
      schema: {
        operationId: 'changeConversationTags',
        tags: ['Conversations'],
        summary: "Add and remove a conversation's tags",
        description:
          'Adds and removes tags of the conversation itself, and returns all that it has, ordered by name. Those of its contact are [changed apart](/docs/api/change-contact-tags). `updatedAt` does not change.',
        params: ConversationParams,
        body: ChangeConversationTagsBody,
        response: { 200: TagList, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => changeConversationTags(ctx, params.conversationId, body),
  )
}
