// Why the AI agent said something. What was sent to a model is for those who manage it.
import { getTurn, getTurnRequests, markTurn } from '../domain/ai/turn-log.ts'
import { AiRequestList, AiTurnAnswer, AiTurnMark, TurnParams } from '../domain/ai/turn-schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerAiTurnsConsoleRoutes = (app: App): void => {
  app.get(
    '/ai-turns/:turnId',
    {
      schema: {
        operationId: 'consoleGetAiTurn',
        summary: 'Get why the AI agent said or did something',
        params: TurnParams,
        response: { 200: AiTurnAnswer, ...errors('AI_TURN_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => ({ turn: await getTurn(ctx, params.turnId) }),
  )

  app.get(
    '/ai-turns/:turnId/requests',
    {
      config: { permission: 'manage_automation' },
      schema: {
        operationId: 'consoleListAiRequests',
        summary: 'List what was sent to a model in a turn',
        params: TurnParams,
        response: { 200: AiRequestList, ...errors('AI_TURN_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => ({ requests: await getTurnRequests(ctx, params.turnId) }),
  )

  app.put(
    '/ai-turns/:turnId/mark',
    {
      schema: {
        operationId: 'consoleMarkAiTurn',
        summary: 'Mark what the AI agent said as wrong, or take it back',
        params: TurnParams,
        body: AiTurnMark,
        response: { 200: AiTurnAnswer, ...errors('AI_TURN_NOT_FOUND') },
      },
    },
    async ({ ctx, params, body }) => ({ turn: await markTurn(ctx, params.turnId, body) }),
  )
}
