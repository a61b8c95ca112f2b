// The chat box of a web channel: its settings, and the secret for signed identities.

import {
  ChatBoxAnswer,
  ChatBoxChange,
  ChatBoxParams,
  IdentitySecret,
  RotateSecret,
} from '../domain/chat-boxes/schema.ts'
import {
  getChatBox,
  removeIdentitySecret,
  rotateIdentitySecret,
  updateChatBox,
} from '../domain/chat-boxes/update-chat-box.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerChatBoxesConsoleRoutes = (app: App): void => {
  const config = { permission: 'admin' } as const
  const params = ChatBoxParams
  const refusals = errors('CHANNEL_NOT_FOUND')

  app.get(
    '/channels/:channelId/chat-box',
    {
      config,
      schema: {
        operationId: 'consoleGetChatBox',
        summary: 'Get the chat box of a web channel',
        params,
        response: { 200: ChatBoxAnswer, ...refusals },
      },
    },
    async ({ ctx, params }) => ({ chatBox: await getChatBox(ctx, params.channelId) }),
  )

  app.patch(
    '/channels/:channelId/chat-box',
    {
      config,
      schema: {
        operationId: 'consoleUpdateChatBox',
        summary: 'Change the chat box of a web channel',
        description: 'What the script tag on the site sets overrides these settings.',
        params,
        body: ChatBoxChange,
        response: { 200: ChatBoxAnswer, ...refusals },
      },
    },
    async ({ ctx, params, body }) => ({ chatBox: await updateChatBox(ctx, params.channelId, body) }),
  )

  app.post(
    '/channels/:channelId/identity-secret',
    {
      config,
      schema: {
        operationId: 'consoleRotateIdentitySecret',
        summary: 'Create a new secret for signed identities',
        description: 'The secret is shown once. The former one is accepted for `overlapHours` more.',
        params,
        body: RotateSecret,
        response: { 200: IdentitySecret, ...refusals },
      },
    },
    ({ ctx, params: { channelId }, body: { overlapHours = 0 } }) =>
      rotateIdentitySecret(ctx, { channelId, overlapHours }),
  )

  app.delete(
    '/channels/:channelId/identity-secret',
    {
      config,
      schema: {
        operationId: 'consoleRemoveIdentitySecret',
        summary: 'Refuse signed identities',
        params,
        response: { 200: ChatBoxAnswer, ...refusals },
      },
    },
    async ({ ctx, params }) => ({ chatBox: await removeIdentitySecret(ctx, params.channelId) }),
  )
}
