// The AI agent's settings. Whether it is a member is in agents.ts.
import { AiSettingsAnswer, AiSettingsBody, AiStop } from '../domain/ai/schema.ts'
import { getAiSettings, setAiStopped, updateAiSettings } from '../domain/ai/settings.ts'
import type { App } from '../platform/http/api.ts'

const CONFIG = { permission: 'manage_automation' } as const

export const registerAiConsoleRoutes = (app: App): void => {
  app.get(
    '/ai-settings',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleGetAiSettings',
        summary: 'Get where the AI agent replies',
        response: { 200: AiSettingsAnswer },
      },
    },
    ({ ctx }) => getAiSettings(ctx),
  )

  app.patch(
    '/ai-settings',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleUpdateAiSettings',
        summary: 'Change the settings of the AI agent',
        description:
          'What is left out stays as it is. Conversations that it has where it may no longer reply are handed over at once.',
        body: AiSettingsBody,
        response: { 200: AiSettingsAnswer },
      },
    },
    async ({ ctx, body }) => {
      await updateAiSettings(ctx, body)
      return getAiSettings(ctx)
    },
  )

  app.put(
    '/ai-settings/stopped',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleStopAi',
        summary: 'Stop the AI agent, or let it reply again',
        description: 'Stopping hands all of its open conversations to people at once.',
        body: AiStop,
        response: { 200: AiSettingsAnswer },
      },
    },
    async ({ ctx, body }) => {
      await setAiStopped(ctx, body)
      return getAiSettings(ctx)
    },
  )
}
