// Removing a channel, as admins do it in the console.
import { ChannelParams } from '../domain/channel-accounts/schema.ts'
import { previewRemoval, removeChannel } from '../domain/channel-removals/remove-channel.ts'
import { RemovalAnswer, RemovalBody, RemovalPreview } from '../domain/channel-removals/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerChannelRemovalsConsoleRoutes = (app: App): void => {
  app.get(
    '/channels/:channelId/removal',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consolePreviewChannelRemoval',
        summary: 'What removing a channel would affect',
        params: ChannelParams,
        response: { 200: RemovalPreview, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => previewRemoval(ctx, params.channelId),
  )

  app.post(
    '/channels/:channelId/remove',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleRemoveChannel',
        summary: 'Remove a channel',
        description:
          'Its credentials are deleted, and messages that were not sent yet fail. Adding the same number, mailbox, page or bot again takes up its conversations.',
        params: ChannelParams,
        body: RemovalBody,
        response: { 200: RemovalAnswer, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    ({ ctx, params: { channelId }, body }) => removeChannel(ctx, { channelId, ...body }),
  )
}
