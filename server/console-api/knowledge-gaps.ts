// Questions that the AI agent had no reply to.
import { closeGap, gapOfReply, listGaps } from '../domain/ai/gaps/gaps.ts'
import { AnsweredQuestion, GapClosed, GapClosing, GapList, ReplyParams } from '../domain/ai/gaps/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const CONFIG = { permission: 'manage_knowledge' } as const

export const registerKnowledgeGapRoutes = (app: App): void => {
  app.get(
    '/knowledge/gaps',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleListGaps',
        summary: 'List unanswered questions by kind',
        description: 'Of conversations that the caller may see. Personal data is replaced.',
        response: { 200: GapList },
      },
    },
    async ({ ctx }) => ({ gaps: await listGaps(ctx) }),
  )

  app.post(
    '/knowledge/gaps/close',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleCloseGap',
        summary: 'Dismiss unanswered questions, or name the answer to them',
        body: GapClosing,
        response: { 200: GapClosed, ...errors('ANSWER_NOT_FOUND') },
      },
    },
    ({ ctx, body }) => closeGap(ctx, body),
  )

  app.get(
    '/knowledge/gaps/of-reply/:messageId',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleGetGapOfReply',
        summary: 'Get a reply and the question that it answered, to make an answer of',
        description: 'A person’s reply in a conversation that the caller may see. Personal data is replaced.',
        params: ReplyParams,
        response: { 200: AnsweredQuestion, ...errors('MESSAGE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => gapOfReply(ctx, params.messageId),
  )
}
