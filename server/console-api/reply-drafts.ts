// Drafts of replies, other versions of them, and summaries: for whoever may reply in a conversation. Nothing here is sent to a customer.

import { askForDraft, dismissDraft, getDrafts } from '../domain/ai/drafts/drafts.ts'
import { rewrite } from '../domain/ai/drafts/rewrite.ts'
import {
  DraftParams,
  ReplyDrafts,
  RewriteBody,
  Rewritten,
  Summary,
  SummaryBody,
} from '../domain/ai/drafts/schema.ts'
import { summarize } from '../domain/ai/drafts/summarize.ts'
import { Done } from '../domain/conversations/inbox-schema.ts'
import { ConversationParams } from '../domain/conversations/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerReplyDraftsConsoleRoutes = (app: App): void => {
  app.get(
    '/conversations/:conversationId/reply-drafts',
    {
      schema: {
        operationId: 'consoleListReplyDrafts',
        summary: 'List the drafts that the caller may send',
        params: ConversationParams,
        response: { 200: ReplyDrafts, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getDrafts(ctx, params.conversationId),
  )

  app.post(
    '/conversations/:conversationId/reply-drafts',
    {
      schema: {
        operationId: 'consoleAskForReplyDraft',
        summary: 'Have the AI agent write a draft',
        description: 'It is there when the event reply_draft.updated says so.',
        params: ConversationParams,
        response: {
          200: ReplyDrafts,
          ...errors(
            'CONVERSATION_NOT_FOUND',
            'AI_NOT_AVAILABLE',
            'CHANNEL_NOT_SUPPORTED',
            'CUSTOMER_UNREACHABLE',
            'WHATSAPP_SERVICE_WINDOW_CLOSED',
          ),
        },
      },
    },
    ({ ctx, params }) => askForDraft(ctx, params.conversationId),
  )

  app.post(
    '/reply-drafts/:draftId/dismiss',
    {
      schema: {
        operationId: 'consoleDismissReplyDraft',
        summary: 'Throw a draft away',
        params: DraftParams,
        response: { 200: Done, ...errors('REPLY_DRAFT_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => {
      await dismissDraft(ctx, params.draftId)
      return { success: true as const }
    },
  )

  app.post(
    '/conversations/:conversationId/summary',
    {
      schema: {
        operationId: 'consoleSummarizeConversation',
        summary: 'Summarize a conversation with the model',
        params: ConversationParams,
        body: SummaryBody,
        response: { 200: Summary, ...errors('CONVERSATION_NOT_FOUND', 'AI_NOT_AVAILABLE') },
      },
    },
    async ({ ctx, params, body }) => ({ text: await summarize(ctx, { ...params, ...body }) }),
  )

  app.post(
    '/conversations/:conversationId/rewrite',
    {
      schema: {
        operationId: 'consoleRewriteReply',
        summary: 'Have the model translate, shorten or rephrase what is being written',
        params: ConversationParams,
        body: RewriteBody,
        response: { 200: Rewritten, ...errors('CONVERSATION_NOT_FOUND', 'AI_NOT_AVAILABLE') },
      },
    },
    ({ ctx, params, body }) => rewrite(ctx, { ...params, ...body }),
  )
}
