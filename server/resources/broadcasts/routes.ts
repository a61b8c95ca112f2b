import { ApiError } from '../../errors.ts'
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { freshenTemplate } from '../templates/refresh-templates.ts'
import { awaitBroadcast } from './await-broadcast.ts'
import { findBroadcast, listBroadcasts } from './queries.ts'
import {
  BroadcastAnswer,
  BroadcastList,
  BroadcastParams,
  BroadcastsQuery,
  GroupParams,
  SendBroadcastBody,
  SendToGroupBody,
} from './schema.ts'
import { startBroadcast } from './start-broadcast.ts'

const settling = {
  isSettled: ({ broadcast }: BroadcastAnswer) => broadcast.status !== 'sending',
  settle: async (ctx: Parameters<typeof awaitBroadcast>[0], { broadcast }: BroadcastAnswer) => ({
    broadcast: await awaitBroadcast(ctx, broadcast),
  }),
}

const HOW =
  'Everybody is sent to once, from the number that their latest WhatsApp conversation is on, at that number’s own pace; those who opted out are skipped. The message goes into that conversation and leaves it open or closed as it is. Audience and parameters are fixed when the broadcast is accepted. The call waits up to ten seconds for its end; a larger broadcast is answered as `sending` and goes on by itself.'

const refusals = errors(
  'NO_WHATSAPP_RECIPIENTS',
  'WHATSAPP_NOT_CONNECTED',
  'WHATSAPP_TEMPLATE_NOT_FOUND',
  'CONTACT_GROUP_NOT_FOUND',
)

export const registerBroadcasts = (app: App): void => {
  app.post(
    '/contact-groups/:groupId/broadcasts',
    {
      config: { budget: 'broadcast', permission: 'send_broadcasts', settling },
      // Before the handler, whose work is one transaction: WhatsApp may have to be asked.
      preHandler: ({ ctx, body }) => freshenTemplate(ctx, body),
      schema: {
        operationId: 'sendGroupBroadcast',
        tags: ['Broadcasts'],
        summary: 'Send a broadcast to a group',
        description: `Sends a template with the same parameters to every member of the group who has a WhatsApp conversation. ${HOW}`,
        params: GroupParams,
        body: SendToGroupBody,
        response: { 200: BroadcastAnswer, ...refusals },
      },
    },
    async ({ ctx, params, body }) => ({
      broadcast: await startBroadcast(ctx, { ...body, audience: { type: 'group', groupId: params.groupId } }),
    }),
  )

  app.post(
    '/broadcasts',
    {
      config: { budget: 'broadcast', permission: 'send_broadcasts', settling },
      preHandler: ({ ctx, body }) => freshenTemplate(ctx, body),
      schema: {
        operationId: 'sendBroadcast',
        tags: ['Broadcasts'],
        summary: 'Send a broadcast',
        description: `Sends a template to a group, to contacts, to those that a filter finds, or to listed phone numbers, as far as they have a WhatsApp conversation. Unknown contacts and numbers are passed over. ${HOW}`,
        body: SendBroadcastBody,
        response: { 200: BroadcastAnswer, ...refusals },
      },
    },
    async ({ ctx, body }) => ({ broadcast: await startBroadcast(ctx, body) }),
  )

  app.get(
    '/broadcasts',
    {
      config: { permission: 'send_broadcasts' },
      schema: {
        operationId: 'listBroadcasts',
        tags: ['Broadcasts'],
        summary: 'List broadcasts',
        description: 'Every broadcast of the workspace with its counts, newest first.',
        querystring: BroadcastsQuery,
        response: { 200: BroadcastList },
      },
    },
    ({ ctx, query }) => listBroadcasts(ctx, query),
  )

  app.get(
    '/broadcasts/:broadcastId',
    {
      config: { permission: 'send_broadcasts' },
      schema: {
        operationId: 'getBroadcast',
        tags: ['Broadcasts'],
        summary: 'Read a broadcast',
        description: 'Follows one that is still `sending`.',
        params: BroadcastParams,
        response: { 200: BroadcastAnswer, ...errors('BROADCAST_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => {
      const broadcast = await findBroadcast(ctx, params.broadcastId)
      if (!broadcast) throw new ApiError('BROADCAST_NOT_FOUND')
      return { broadcast }
    },
  )
}
