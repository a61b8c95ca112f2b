import { ConnectedChannelList } from '../domain/channel-accounts/schema.ts'
import { listOwnChannels } from '../domain/channel-accounts/show-channel-accounts.ts'
import type { App } from '../platform/http/api.ts'

export const registerChannels = (app: App): void => {
  app.get(
    '/channels',
    {
      config: { scope: 'conversations:read' },
      schema: {
        operationId: 'listChannels',
        tags: ['Channels'],
        summary: 'List channels',
        description:
          'The connected phone numbers, mailboxes, pages and websites, oldest first. A token that is limited to channels gets only theirs. Credentials are never returned.',
        response: { 200: ConnectedChannelList },
      },
    },
    async ({ ctx }) => ({ channels: await listOwnChannels(ctx) }),
  )
}
