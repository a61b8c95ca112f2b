// Starting a conversation from the console, by email or SMS. The API starts them by email and web chat only.
import { listOwnChannels } from '../domain/channel-accounts/show-channel-accounts.ts'
import { startConversation } from '../domain/outbox/start-conversation.ts'
import { Senders, StartConversation, StartedConversation } from '../domain/outbox/start-schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const STARTABLE: readonly string[] = ['email', 'whatsapp', 'sms']

export const registerNewConversationsConsoleRoutes = (app: App): void => {
  // It names contacts, and may continue a conversation, that belong to someone else.
  const permission = 'see_all_conversations'
  app.get(
    '/new-conversation/senders',
    {
      config: { permission },
      schema: {
        operationId: 'consoleListSenders',
        summary: 'List the channels on which a conversation can be started',
        response: { 200: Senders },
      },
    },
    async ({ ctx }) => ({
      senders: (await listOwnChannels(ctx))
        .filter(({ channel }) => STARTABLE.includes(channel))
        .map(({ id, channel, name, address }) => ({ id, channel, name, address })),
    }),
  )

  app.post(
    '/new-conversation',
    {
      config: { permission },
      schema: {
        operationId: 'consoleStartConversation',
        summary: 'Start a conversation by email or SMS',
        body: StartConversation,
        response: {
          200: StartedConversation,
          ...errors(
            'CHANNEL_NOT_FOUND',
            'CHANNEL_NOT_SUPPORTED',
            'CUSTOMER_UNREACHABLE',
            'ATTACHMENTS_NOT_SUPPORTED',
          ),
        },
      },
    },
    ({ ctx, body }) => startConversation(ctx, body),
  )
}
