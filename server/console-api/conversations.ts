// The console's inbox, beyond what it shares with the API.
import Type from 'typebox'
import { setCountsUnassigned } from '../domain/agents/queries.ts'
import { ConversationAutomation } from '../domain/automation/schema.ts'
import { listOwnChannels } from '../domain/channel-accounts/show-channel-accounts.ts'
import { unassignConversation } from '../domain/conversations/assign-conversation.ts'
import { BulkResults } from '../domain/conversations/bulk-schema.ts'
import { changeForPeople } from '../domain/conversations/change-for-people.ts'
import { listLanguages } from '../domain/conversations/contact-language.ts'
import {
  getConversationAutomation,
  giveBack,
  pauseConversation,
} from '../domain/conversations/control-automation.ts'
import { getConversationDetails } from '../domain/conversations/get-conversation-details.ts'
import { countConversations } from '../domain/conversations/inbox-queries.ts'
import {
  COUNTED_MAX,
  ConversationCounts,
  ConversationDetails,
  FilterChoices,
  MessageParams,
  Read,
  ReadBody,
  Timeline,
  Unassigned,
  UnreadChoice,
} from '../domain/conversations/inbox-schema.ts'
import { markRead, markUnread } from '../domain/conversations/mark-read.ts'
import { ConversationParams, Sent } from '../domain/conversations/schema.ts'
import { InboxBulkBody } from '../domain/conversations/triage-schema.ts'
import { listTimeline } from '../domain/messages/list-timeline.ts'
import { retryMessage } from '../domain/messages/retry-message.ts'
import { settleMessage, waitForOutcome } from '../domain/messages/settle-message.ts'
import { sendOrHoldTemplate } from '../domain/outbox/hold-message.ts'
import { HoldableTemplate, SentOrHeld } from '../domain/outbox/schema.ts'
import { Id } from '../domain/schema.ts'
import { prepareTemplate } from '../domain/templates/prepare-template.ts'
import { actorId } from '../platform/ctx/actor.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../platform/db/pagination.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const TimelineQuery = Type.Object({
  cursor: Type.Optional(Type.String()),
  around: Type.Optional(Id),
  from: Type.Optional(Id),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX })),
})

const isSettled = (answer: SentOrHeld): boolean => 'held' in answer || answer.message.status !== 'queued'

export const registerConversationsConsoleRoutes = (app: App): void => {
  app.get(
    '/conversation-counts',
    { schema: { operationId: 'consoleCountConversations', response: { 200: ConversationCounts } } },
    ({ ctx }) =>
      countConversations(ctx, {
        accountId: ctx.actor.type === 'agent' ? ctx.actor.accountId : null,
        max: COUNTED_MAX,
      }),
  )

  app.get(
    '/filter-choices',
    {
      schema: {
        operationId: 'consoleListFilterChoices',
        summary: 'List what conversations can be filtered by',
        response: { 200: FilterChoices },
      },
    },
    async ({ ctx }) => ({
      channelAccounts: (await listOwnChannels(ctx)).map(({ id, channel, name }) => ({ id, channel, name })),
      languages: await listLanguages(ctx),
    }),
  )

  app.put(
    '/unread-choice',
    {
      schema: {
        operationId: 'consoleChooseUnread',
        body: UnreadChoice,
        response: { 200: UnreadChoice },
      },
    },
    async ({ ctx, body }) => {
      await setCountsUnassigned(ctx, actorId(ctx.actor), body.includesUnassigned)
      return body
    },
  )

  app.get(
    '/conversations/:conversationId/details',
    {
      schema: {
        operationId: 'consoleGetConversationDetails',
        params: ConversationParams,
        response: { 200: ConversationDetails, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getConversationDetails(ctx, params.conversationId),
  )

  app.get(
    '/conversations/:conversationId/timeline',
    {
      schema: {
        operationId: 'consoleListTimeline',
        params: ConversationParams,
        querystring: TimelineQuery,
        response: { 200: Timeline, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params, query }) => listTimeline(ctx, { limit: PAGE_DEFAULT, ...params, ...query }),
  )

  app.post(
    '/conversations/:conversationId/read',
    {
      schema: {
        operationId: 'consoleMarkRead',
        params: ConversationParams,
        body: ReadBody,
        response: { 200: Read, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => markRead(ctx, { ...params, ...body }),
  )

  app.post(
    '/conversations/:conversationId/unread',
    {
      schema: {
        operationId: 'consoleMarkUnread',
        params: ConversationParams,
        response: { 200: Read, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => markUnread(ctx, params),
  )

  app.post(
    '/conversations/:conversationId/unassign',
    {
      schema: {
        operationId: 'consoleUnassignConversation',
        params: ConversationParams,
        response: { 200: Unassigned, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => unassignConversation(ctx, params),
  )
  app.post(
    '/conversations/bulk',
    {
      schema: {
        operationId: 'consoleChangeConversations',
        summary: 'Change one or several conversations',
        body: InboxBulkBody,
        response: { 200: BulkResults },
      },
    },
    ({ ctx, body }) => changeForPeople(ctx, body),
  )
  registerAutomation(app)
  registerSending(app)
}

const AUTOMATION = {
  params: ConversationParams,
  response: { 200: ConversationAutomation, ...errors('CONVERSATION_NOT_FOUND') },
}

/** For everyone who may reply. */
const registerAutomation = (app: App): void => {
  app.get(
    '/conversations/:conversationId/automation',
    { schema: { operationId: 'consoleGetConversationAutomation', ...AUTOMATION } },
    ({ ctx, params }) => getConversationAutomation(ctx, params.conversationId),
  )

  app.post(
    '/conversations/:conversationId/automation/pause',
    { schema: { operationId: 'consolePauseAutomation', ...AUTOMATION } },
    ({ ctx, params }) => pauseConversation(ctx, params.conversationId),
  )

  app.post(
    '/conversations/:conversationId/automation/give-back',
    { schema: { operationId: 'consoleGiveBack', ...AUTOMATION } },
    ({ ctx, params }) => giveBack(ctx, params.conversationId),
  )
}

const registerSending = (app: App): void => {
  app.post(
    '/conversations/:conversationId/template',
    {
      config: {
        settling: {
          isSettled,
          settle: async (ctx, { message }: Sent) => ({ message: await settleMessage(ctx, message) }),
        },
      },
      // Before the handler, whose work is one transaction: this may have to call WhatsApp.
      preHandler: ({ ctx, body }) => prepareTemplate(ctx, body),
      schema: {
        operationId: 'consoleSendTemplate',
        params: ConversationParams,
        body: HoldableTemplate,
        response: {
          200: SentOrHeld,
          ...errors(
            'CONVERSATION_NOT_FOUND',
            'CHANNEL_NOT_SUPPORTED',
            'WHATSAPP_TEMPLATE_NOT_FOUND',
            'REPLY_COLLISION',
          ),
        },
      },
    },
    ({ ctx, params, body }) => sendOrHoldTemplate(ctx, { ...params, ...body }),
  )

  app.post(
    '/messages/:messageId/retry',
    {
      config: {
        settling: {
          isSettled,
          // It stays in the thread, whatever the outcome.
          settle: async (ctx, { message }: Sent) => ({ message: await waitForOutcome(ctx, message) }),
        },
      },
      schema: {
        operationId: 'consoleRetryMessage',
        params: MessageParams,
        response: {
          200: Sent,
          ...errors(
            'MESSAGE_NOT_FOUND',
            'CHANNEL_NOT_SUPPORTED',
            'WHATSAPP_SERVICE_WINDOW_CLOSED',
            'REPLY_WINDOW_CLOSED',
          ),
        },
      },
    },
    async ({ ctx, params }) => ({ message: await retryMessage(ctx, params) }),
  )
}
