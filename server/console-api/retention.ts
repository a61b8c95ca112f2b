// How long the conversations of a channel account are kept, as admins set it in the console.

import { ChannelParams } from '../domain/channel-accounts/schema.ts'
import { getRetention, previewRetention, saveRetention } from '../domain/retention/rules.ts'
import { RetentionAnswer, RetentionPreview, RetentionRule } from '../domain/retention/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerRetentionConsoleRoutes = (app: App): void => {
  app.get(
    '/channels/:channelId/retention',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleGetRetention',
        summary: 'Get how long the conversations of a channel are kept',
        params: ChannelParams,
        response: { 200: RetentionAnswer, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { channelId } }) => ({ rule: await getRetention(ctx, channelId) }),
  )

  app.post(
    '/channels/:channelId/retention/preview',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consolePreviewRetention',
        summary: 'Count what a rule would close and delete now',
        params: ChannelParams,
        body: RetentionRule,
        response: { 200: RetentionPreview, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    ({ ctx, params: { channelId }, body }) => previewRetention(ctx, channelId, body),
  )

  app.put(
    '/channels/:channelId/retention',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleSaveRetention',
        summary: 'Set how long the conversations of a channel are kept',
        description: 'Applied once a day, from the next day (UTC) on.',
        params: ChannelParams,
        body: RetentionRule,
        response: { 200: RetentionAnswer, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { channelId }, body }) => ({ rule: await saveRetention(ctx, channelId, body) }),
  )
}
