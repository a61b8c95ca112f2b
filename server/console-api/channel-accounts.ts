// Channel accounts as admins see them in the console. Secrets are never returned.

import { addChannelAccount } from '../domain/channel-accounts/add-channel-account.ts'
import { addTestedAccount } from '../domain/channel-accounts/add-tested-account.ts'
import { checkChannelAccount } from '../domain/channel-accounts/check-channel-account.ts'
import { registerWebhook } from '../domain/channel-accounts/register-webhook.ts'
import type { FieldChanges } from '../domain/channel-accounts/require-secrets-again.ts'
import {
  AddChannelQuery,
  ChannelAdded,
  ChannelChange,
  ChannelChecked,
  ChannelParams,
  NewChannel,
  ShownChannelAnswer,
  ShownChannelList,
} from '../domain/channel-accounts/schema.ts'
import { getChannel, listChannels } from '../domain/channel-accounts/show-channel-accounts.ts'
import { updateChannelAccount } from '../domain/channel-accounts/update-channel-account.ts'
import type { Fields } from '../domain/read-fields.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

/** In the form operations accept: strings, and lists of strings. */
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
        summary: 'List connected channels',
        description: 'In the order they were added, each with its current problem, if any.',
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
        description:
          'Without `mustWork` it is added untested. The webhook of a Telegram bot is registered at once if it was tested.',
        querystring: AddChannelQuery,
        body: NewChannel,
        response: { 200: ChannelAdded },
      },
    },
    async ({ ctx, query: { mustWork = false }, body }) => {
      const { channel, ...given } = body
      const changes = Object.entries(asFields(given)).filter(([, value]) => value !== null)
      const wanted = { channel, fields: Object.fromEntries(changes) as Fields }
      const { id, checks } = mustWork
        ? await addTestedAccount(ctx, wanted)
        : { ...(await addChannelAccount(ctx, wanted)), checks: [] }
      return { channel: id === null ? null : await getChannel(ctx, id), checks }
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
          'Secrets that are not sent are kept, unless their host changes; then they must be sent again. The number, mailbox, page or bot can be changed until the first conversation.',
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
        summary: 'Test a channel',
        description: 'Checks the credentials with the provider. Takes at most ten seconds.',
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
        summary: 'Register the webhook of a Telegram bot',
        description:
          'For other providers, the webhook address is entered manually. Returns the same as a test.',
        params: ChannelParams,
        response: { 200: ChannelChecked, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => registerWebhook(ctx, params.channelId),
  )
}
