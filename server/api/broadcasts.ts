import { awaitBroadcast } from '../domain/broadcasts/await-broadcast.ts'
import { findBroadcast, listBroadcasts } from '../domain/broadcasts/queries.ts'
import {
  BroadcastAnswer,
  BroadcastList,
  BroadcastParams,
  BroadcastsQuery,
  GroupParams,
  SendBroadcastBody,
  SendToGroupBody,
} from '../domain/broadcasts/schema.ts'
import { startBroadcast } from '../domain/broadcasts/start-broadcast.ts'
import { prepareTemplate } from '../domain/templates/prepare-template.ts'
import { ApiError } from '../platform/errors.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

/** A second longer than the call waits for the broadcast to finish. */
const PROVISIONAL_MS = 11_000

const settling = {
  provisionalMs: PROVISIONAL_MS,
  isSettled: ({ broadcast }: BroadcastAnswer) =>
    broadcast.status !== 'sending' || broadcast.scheduledAt !== null,
  settle: async (ctx: Parameters<typeof awaitBroadcast>[0], { broadcast }: BroadcastAnswer) => ({
    broadcast: await awaitBroadcast(ctx, broadcast),
  }),
}

const HOW =
  'Each person receives it once, from the number of their latest WhatsApp conversation, at that number’s own sending rate. People who opted out are skipped. The message is added to that conversation, which stays open or closed. Audience and parameters are fixed when the broadcast is accepted. The request waits up to ten seconds; a larger broadcast is returned as `sending` and continues in the background.'

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
      config: {
        scope: 'broadcasts:send',
        channel: 'whatsapp',
        budget: 'broadcast',
        permission: 'send_broadcasts',
        settling,
      },
      // Before the handler, whose work is one transaction: this may have to call WhatsApp.
      preHandler: ({ ctx, body }) => prepareTemplate(ctx, body),
      schema: {
        operationId: 'sendGroupBroadcast',
        tags: ['Broadcasts'],
        summary: 'Send a broadcast to a group',
        description: `Sends a template with the same parameters to every group member who has a WhatsApp conversation. ${HOW}`,
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
      config: {
        scope: 'broadcasts:send',
        channel: 'whatsapp',
        budget: 'broadcast',
        permission: 'send_broadcasts',
        settling,
      },
      preHandler: ({ ctx, body }) => prepareTemplate(ctx, body),
      schema: {
        operationId: 'sendBroadcast',
        tags: ['Broadcasts'],
        summary: 'Send a broadcast',
        description: `Sends a template to a group, a set of contacts, all contacts that match a filter, or a list of phone numbers. Only people with a WhatsApp conversation are reached; unknown contacts and numbers are skipped. ${HOW}`,
        body: SendBroadcastBody,
        response: { 200: BroadcastAnswer, ...refusals },
      },
    },
    async ({ ctx, body }) => ({ broadcast: await startBroadcast(ctx, body) }),
  )

  app.get(
    '/broadcasts',
    {
      config: { scope: 'broadcasts:read', channel: 'whatsapp', permission: 'send_broadcasts' },
      schema: {
        operationId: 'listBroadcasts',
        tags: ['Broadcasts'],
        summary: 'List broadcasts',
        description: 'All broadcasts of the workspace with their counts, newest first.',
        querystring: BroadcastsQuery,
        response: { 200: BroadcastList },
      },
    },
    ({ ctx, query }) => listBroadcasts(ctx, query),
  )

  app.get(
    '/broadcasts/:broadcastId',
    {
      config: { scope: 'broadcasts:read', channel: 'whatsapp', permission: 'send_broadcasts' },
      schema: {
        operationId: 'getBroadcast',
        tags: ['Broadcasts'],
        summary: 'Get a broadcast',
        description: 'Use it to follow a broadcast that is still `sending`.',
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
