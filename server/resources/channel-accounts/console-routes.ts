// Channel accounts as the admins see them in the console. Secrets go in and never come out.
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import type { Fields } from '../read-fields.ts'
import { addChannelAccount } from './add-channel-account.ts'
import { checkChannelAccount } from './check-channel-account.ts'
import { registerWebhook } from './register-webhook.ts'
import {
  ChannelChange,
  ChannelChecked,
  ChannelParams,
  NewChannel,
  ShownChannelAnswer,
  ShownChannelList,
} from './schema.ts'
import { getChannel, listChannels } from './show-channel-accounts.ts'
import { type FieldChanges, updateChannelAccount } from './update-channel-account.ts'

/** As an operation takes them: texts, and lists of texts. */
const asFields = (given: Record<string, unknown>): FieldChanges =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'number' ? String(value) : (value as FieldChanges[string]),
    ]),
  )

export const registerChannelAccountsConsoleRoutes = (app: App): void => {
  app.get(
    '/channels',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleListChannels',
        summary: 'List the connected channels',
        description: 'The one added first in front, each with what keeps it from working at present.',
        response: { 200: ShownChannelList },
      },
    },
    async ({ ctx }) => ({ channels: await listChannels(ctx) }),
  )

  app.post(
    '/channels',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleAddChannel',
        summary: 'Connect a channel',
        body: NewChannel,
        response: { 200: ShownChannelAnswer },
      },
    },
    async ({ ctx, body }) => {
      const { channel, ...given } = body
      const changes = Object.entries(asFields(given)).filter(([, value]) => value !== null)
      const { id } = await addChannelAccount(ctx, { channel, fields: Object.fromEntries(changes) as Fields })
      return { channel: await getChannel(ctx, id) }
    },
  )

  app.patch(
    '/channels/:channelId',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleUpdateChannel',
        summary: 'Change a channel',
        description:
          'Secrets that are not given stay as they are. Which number, mailbox, page or bot it is can be put right until the first conversation.',
        params: ChannelParams,
        body: ChannelChange,
        response: { 200: ShownChannelAnswer, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { channelId }, body }) => {
      await updateChannelAccount(ctx, { channelId, changes: asFields(body) })
      return { channel: await getChannel(ctx, channelId) }
    },
  )

  app.post(
    '/channels/:channelId/check',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleCheckChannel',
        summary: 'Try whether a channel works',
        description: 'Asks the provider, for at most ten seconds.',
        params: ChannelParams,
        response: { 200: ChannelChecked, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => checkChannelAccount(ctx, params.channelId),
  )

  app.post(
    '/channels/:channelId/webhook',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleRegisterWebhook',
        summary: 'Have a Telegram bot send its messages here',
        description: 'At the other providers the address is entered by hand. Answers as a check does.',
        params: ChannelParams,
        response: { 200: ChannelChecked, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => registerWebhook(ctx, params.channelId),
  )
}
