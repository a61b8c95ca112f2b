// What a person has sent and can still undo, or what could not be sent when its time came. Nobody else sees it.
import { updateUndoSeconds } from '../domain/accounts/queries.ts'
import { UndoChange } from '../domain/accounts/schema.ts'
import { Done } from '../domain/conversations/inbox-schema.ts'
import { ConversationParams, Sent } from '../domain/conversations/schema.ts'
import { followUp } from '../domain/outbox/follow-up.ts'
import { listHeld } from '../domain/outbox/queries.ts'
import { Afterwards, FollowedUp, Held, HeldMessages, HeldParams } from '../domain/outbox/schema.ts'
import { sendNow, undoSend } from '../domain/outbox/send-held.ts'
import { actorId } from '../platform/ctx/actor.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerOutboxConsoleRoutes = (app: App): void => {
  app.get(
    '/outbox',
    {
      schema: {
        operationId: 'consoleListOutbox',
        summary: 'List your own messages that are not sent yet',
        response: { 200: HeldMessages },
      },
    },
    async ({ ctx }) => ({ held: await listHeld(ctx) }),
  )

  app.post(
    '/outbox/:heldId/undo',
    {
      schema: {
        operationId: 'consoleUndoSend',
        summary: 'Take back a message before it is sent',
        params: HeldParams,
        response: { 200: Held, ...errors('TOO_LATE_TO_UNDO') },
      },
    },
    async ({ ctx, params }) => ({ held: await undoSend(ctx, params.heldId) }),
  )

  app.post(
    '/outbox/:heldId/send',
    {
      schema: {
        operationId: 'consoleSendHeld',
        summary: 'Send a message now that is held or was not sent',
        params: HeldParams,
        response: {
          200: Sent,
          ...errors(
            'TOO_LATE_TO_UNDO',
            'CONVERSATION_NOT_FOUND',
            'CHANNEL_NOT_SUPPORTED',
            'CUSTOMER_UNREACHABLE',
            'REPLY_WINDOW_CLOSED',
            'WHATSAPP_SERVICE_WINDOW_CLOSED',
            'WHATSAPP_TEMPLATE_NOT_FOUND',
          ),
        },
      },
    },
    async ({ ctx, params }) => ({ message: await sendNow(ctx, params.heldId) }),
  )

  app.post(
    '/conversations/:conversationId/follow-up',
    {
      schema: {
        operationId: 'consoleFollowUp',
        summary: 'Do what a saved reply without a text does',
        params: ConversationParams,
        body: Afterwards,
        response: {
          200: FollowedUp,
          ...errors('CONVERSATION_NOT_FOUND', 'INVALID_AGENT', 'COMPANY_MISMATCH'),
        },
      },
    },
    ({ ctx, params, body }) => followUp(ctx, { ...params, ...body }),
  )

  app.put(
    '/undo-seconds',
    {
      schema: {
        operationId: 'consoleSetUndoSeconds',
        summary: 'Set for how long you can undo sending, in every workspace',
        body: UndoChange,
        response: { 200: Done },
      },
    },
    async ({ ctx, body }) => {
      await updateUndoSeconds(ctx, actorId(ctx.actor), body.undoSeconds)
      return { success: true as const }
    },
  )
}
