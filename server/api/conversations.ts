import { assignConversation } from '../domain/conversations/assign-conversation.ts'
import { moveToTeam } from '../domain/conversations/assign-team.ts'
import {
  AssignBody,
  Assigned,
  Closed,
  ConversationParams,
  CreateBody,
  CreatedConversation,
  MovedToTeam,
  MoveToTeamBody,
  Reopened,
  SendBody,
  Sent,
} from '../domain/conversations/schema.ts'
import { closeConversation, reopenConversation } from '../domain/conversations/set-conversation-status.ts'
import { createConversation } from '../domain/messages/create-conversation.ts'
import { sendMessage } from '../domain/messages/send-message.ts'
import { settleMessage } from '../domain/messages/settle-message.ts'
import { sendOrHoldReply } from '../domain/outbox/hold-message.ts'
import { HoldableReply, SentOrHeld } from '../domain/outbox/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerConversations = (app: App): void => registerWrites(app)

/** The same for people, whose messages may also quote another, be written from a draft, and be undone. */
export const registerInboxWrites = (app: App): void => registerWrites(app, { isInbox: true })

const registerWrites = (app: App, { isInbox = false } = {}): void => {
  app.post(
    '/conversations',
    {
      config: {
        scope: 'conversations:write',
        budget: 'change',
        // It may continue a conversation, and names a contact, that belongs to someone else.
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
          'Finds or creates the contact by email and opens a conversation on the email or web channel. If the contact already has an open conversation on that channel, it is used and `created` is false. A `message` is sent right away.\n\nOn `web`, the email is what the visitor typed into the chat box and is not verified: do not send anything there that only its owner should read.',
        body: CreateBody,
        response: { 200: CreatedConversation, ...errors('CHANNEL_NOT_CONNECTED') },
      },
    },
    ({ ctx, body }) => createConversation(ctx, { ...body, channel: body.channel ?? 'email' }),
  )

  app.post(
    '/conversations/:conversationId/assign',
    {
      config: { scope: 'conversations:write', budget: 'send' },
      schema: {
        operationId: 'assignConversation',
        tags: ['Conversations'],
        summary: 'Assign a conversation',
        description:
          'Assigns the conversation to an active member of the workspace or to the AI agent, replacing any current assignment. It keeps its team unless `teamId` says otherwise.',
        params: ConversationParams,
        body: AssignBody,
        response: {
          200: Assigned,
          ...errors('INVALID_AGENT', 'INVALID_TEAM', 'COMPANY_MISMATCH', 'CONVERSATION_NOT_FOUND'),
        },
      },
    },
    ({ ctx, params, body }) => assignConversation(ctx, { ...params, ...body }),
  )

  app.post(
    '/conversations/:conversationId/messages',
    {
      config: {
        scope: 'messages:send',
        budget: 'send',
        settling: {
          isSettled: (answer: SentOrHeld) => 'held' in answer || answer.message.status !== 'queued',
          settle: async (ctx, { message }: Sent) => ({ message: await settleMessage(ctx, message) }),
        },
      },
      schema: {
        operationId: 'sendMessage',
        tags: ['Conversations'],
        summary: 'Send a message',
        description:
          "Sends text, files or both on the conversation's channel, as the API. Files are [uploaded](/docs/api/create-attachment) first. What the channel doesn't accept is refused before anything is sent. The request waits up to five seconds for the channel. `status` is then `sent`, `queued` if delivery continues in the background, or `failed` with the reason in `metadata.error`. The assignment and the conversation status do not change.",
        params: ConversationParams,
        body: isInbox ? HoldableReply : SendBody,
        response: {
          200: isInbox ? SentOrHeld : Sent,
          ...errors(
            'CONVERSATION_NOT_FOUND',
            'CHANNEL_NOT_SUPPORTED',
            'WHATSAPP_SERVICE_WINDOW_CLOSED',
            ...(isInbox ? (['REPLY_COLLISION', 'INVALID_AGENT'] as const) : []),
          ),
        },
      },
    },
    async ({ ctx, params, body }) => {
      if (isInbox) return sendOrHoldReply(ctx, { ...params, ...(body as HoldableReply) })
      const { body: text = '', attachmentIds, sendTo } = body
      return { message: await sendMessage(ctx, { ...params, body: text, attachmentIds, sendTo }) }
    },
  )
  registerTeam(app)
  registerStatus(app)
}

const registerTeam = (app: App): void => {
  app.post(
    '/conversations/:conversationId/team',
    {
      config: { scope: 'conversations:write', budget: 'send' },
      schema: {
        operationId: 'moveConversationToTeam',
        tags: ['Conversations'],
        summary: 'Move a conversation to a team',
        description:
          'Gives the conversation to a team, or takes its team away with null. Whoever is assigned keeps it if they are a member of the new team, and is unassigned otherwise. If the team assigns conversations by itself, `assignment` is whoever gets it.',
        params: ConversationParams,
        body: MoveToTeamBody,
        response: { 200: MovedToTeam, ...errors('INVALID_TEAM', 'CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => moveToTeam(ctx, { ...params, ...body }),
  )
}

const registerStatus = (app: App): void => {
  app.post(
    '/conversations/:conversationId/close',
    {
      config: { scope: 'conversations:write', budget: 'send' },
      schema: {
        operationId: 'closeConversation',
        tags: ['Conversations'],
        summary: 'Close a conversation',
        description:
          'Closes the conversation. Closing a closed conversation succeeds and changes nothing. A new message from the customer reopens it.',
        params: ConversationParams,
        response: { 200: Closed, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    (request) => closeConversation(request.ctx, request.params.conversationId),
  )

  app.post(
    '/conversations/:conversationId/reopen',
    {
      config: { scope: 'conversations:write', budget: 'send' },
      schema: {
        operationId: 'reopenConversation',
        tags: ['Conversations'],
        summary: 'Reopen a conversation',
        description:
          'Reopens a closed conversation. Reopening an open conversation succeeds and changes nothing.',
        params: ConversationParams,
        response: { 200: Reopened, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    (request) => reopenConversation(request.ctx, request.params.conversationId),
  )
}
