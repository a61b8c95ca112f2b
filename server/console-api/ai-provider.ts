// The model that the AI agent thinks with. Only admins decide where customers' messages are sent.

import {
  checkProvider,
  getModelProvider,
  removeProvider,
  saveProvider,
} from '../domain/ai/provider/save-provider.ts'
import { ProviderAnswer, ProviderBody, ProviderRemoved, ProviderSaved } from '../domain/ai/provider/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const CONFIG = { permission: 'admin' } as const

export const registerAiProviderConsoleRoutes = (app: App): void => {
  app.get(
    '/ai-provider',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleGetAiProvider',
        summary: 'Get the AI agent’s model',
        response: { 200: ProviderAnswer },
      },
    },
    ({ ctx }) => getModelProvider(ctx),
  )

  app.put(
    '/ai-provider',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleSaveAiProvider',
        summary: 'Replace the AI agent’s model',
        description: 'The stored key is dropped if the host changes and no key is given.',
        body: ProviderBody,
        response: { 200: ProviderSaved },
      },
    },
    ({ ctx, body }) => saveProvider(ctx, body),
  )

  app.post(
    '/ai-provider/check',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleCheckAiProvider',
        summary: 'Check the AI agent’s model',
        description: 'Sends a few short requests, with nothing of a customer in them.',
        response: { 200: ProviderAnswer, ...errors('NOT_FOUND') },
      },
    },
    async ({ ctx }) => ({ provider: await checkProvider(ctx) }),
  )

  app.delete(
    '/ai-provider',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleRemoveAiProvider',
        summary: 'Disconnect the AI agent’s model',
        description: 'From then on, it replies from the knowledge alone.',
        response: { 200: ProviderRemoved, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx }) => removeProvider(ctx),
  )
}
