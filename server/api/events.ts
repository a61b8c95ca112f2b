// The feed of a workspace's events: pages, a wait for the next event, and a stream.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { awaitEvents } from '../domain/feed/await-events.ts'
import { PUBLIC_TYPES, type PublicTypeName } from '../domain/feed/catalogue.ts'
import { exampleOf } from '../domain/feed/event-webhooks.ts'
import { followEvents } from '../domain/feed/follow-events.ts'
import { type FeedReader, getEvent, limitOf, makeFeedReader, showPage } from '../domain/feed/list-events.ts'
import type { FeedNews } from '../domain/feed/news.ts'
import {
  EVENTS_DEFAULT,
  EventAnswer,
  EventList,
  EventParams,
  EventStreamQuery,
  EventsQuery,
  EventTypeList,
  eventExample,
} from '../domain/feed/schema.ts'
import { requireScope } from '../platform/ctx/scopes.ts'
import { ApiError } from '../platform/errors.ts'
import type { ApiDeps, App } from '../platform/http/api.ts'
import { bearerOf } from '../platform/http/bearer.ts'
import { errors } from '../platform/http/error-responses.ts'
import type { Hold, Holds } from '../platform/http/holds.ts'
import type { EventStreams } from '../platform/http/sse.ts'
import { actorOf, requireAccess, requireUsable } from '../platform/http/token-access.ts'

export type FeedDeps = Pick<ApiDeps, 'tokens' | 'now'> & {
  news: FeedNews
  holds: Holds
  eventStreams: EventStreams
}

export const registerEvents = (app: App, deps: FeedDeps): void => {
  app.addHook('preClose', async () => deps.holds.endAll())
  registerList(app, deps)
  registerStream(app, deps)

  app.get(
    '/events/:eventId',
    {
      config: { scope: 'events:read' },
      schema: {
        operationId: 'getEvent',
        tags: ['Events'],
        summary: 'Get an event',
        description: 'One event by its id, for as long as events are kept.',
        params: EventParams,
        response: { 200: EventAnswer, ...errors('EVENT_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => ({ event: await getEvent(ctx, params.eventId) }),
  )

  app.get(
    '/event-types',
    {
      config: { scope: 'any' },
      schema: {
        operationId: 'listEventTypes',
        tags: ['Events'],
        summary: 'List event types',
        description:
          'Every type of event, with the JSON Schema of its `data` and an example. New types may be added: ignore those that you don’t know.',
        response: { 200: EventTypeList },
      },
    },
    () => EVENT_TYPES,
  )
}

const EVENT_TYPES = {
  eventTypes: (Object.keys(PUBLIC_TYPES) as PublicTypeName[]).map((type) => {
    const { description, object, data } = PUBLIC_TYPES[type]
    return { type, description, object, schema: { ...data }, example: exampleOf(type) }
  }),
}

const registerList = (app: App, deps: FeedDeps): void => {
  app.get(
    '/events',
    {
      config: { scope: 'events:read' },
      schema: {
        operationId: 'listEvents',
        tags: ['Events'],
        summary: 'List events',
        description:
          'What happened in the workspace, in order, numbered 1, 2, 3 and so on without gaps. Keep the `cursor` of each response and pass it to the next call: nothing is missed. `covers` says which numbers the response looked at, whatever the filters, so that you can check that. With `wait`, a call without events is held until there is one or the time is up; a held call counts once in the rate limit. Up to 10 calls and streams can wait per token, and 100 per workspace. To keep a copy of the workspace, begin with `from=sync`, read the lists, and then handle the events of that response and follow the feed from its cursor: some changes come twice, none is missed.',
        querystring: EventsQuery,
        response: { 200: EventList, ...errors('CURSOR_EXPIRED') },
      },
    },
    async (request, reply) => {
      const { ctx, query } = request
      if (query.include)
        for (const scope of ['conversations:read', 'contacts:read'] as const) requireScope(ctx.actor, scope)
      const reader = makeFeedReader(ctx, query, limitOf(query))
      const page = await reader.next()
      if (page.rows.length > 0 || !query.wait) return showPage(ctx, page, query)
      return showPage(ctx, await hold(deps, request, reply, reader, query.wait * 1_000), query)
    },
  )
}

/** Throws RATE_LIMIT_EXCEEDED, and INVALID_API_TOKEN if the token ends meanwhile. */
const hold = async (
  deps: FeedDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  reader: FeedReader,
  waitMs: number,
) => {
  const held = takeHold(deps, request)
  reply.raw.once('close', held.leave)
  try {
    const page = await awaitEvents(request.ctx, reader, { news: deps.news, waitMs, signal: held.signal })
    await held.recheck()
    if (held.isRevoked())
      throw new ApiError('INVALID_API_TOKEN', { headers: { 'www-authenticate': 'Bearer' } })
    return page
  } finally {
    reply.raw.off('close', held.leave)
    held.release()
  }
}

const takeHold = (
  { tokens, now, holds }: FeedDeps,
  { ctx, headers, ip, routeOptions }: FastifyRequest,
): Hold => {
  const { actor, workspaceId } = ctx
  const secret = bearerOf(headers.authorization)
  if (actor.type !== 'token' || secret === undefined) throw new Error('only tokens can wait for events')
  return holds.take({
    tokenId: actor.tokenId,
    workspaceId,
    isAllowed: async () => {
      const holder = await tokens.find(secret)
      if (!holder) return false
      try {
        requireUsable(holder, ip, now().getTime())
        requireAccess(actorOf(holder), routeOptions.config)
        return true
      } catch (error) {
        if (error instanceof ApiError) return false
        throw error
      }
    },
  })
}

const STREAM_EXAMPLE = `id: dDFrMm0zLjgz\nevent: ${eventExample.type}\ndata: ${JSON.stringify(eventExample)}\n\n`

const registerStream = (app: App, deps: FeedDeps): void => {
  app.get(
    '/events/stream',
    {
      config: { scope: 'events:read', isStream: true },
      exposeHeadRoute: false,
      schema: {
        operationId: 'followEvents',
        tags: ['Events'],
        summary: 'Follow events',
        description:
          'The same as a stream of server-sent events. `event` is the type, `data` the event, and `id` a cursor: a client that reconnects with `Last-Event-ID` misses nothing. Once a minute, and at the beginning, `event: position` has a cursor only. `event: reset` means that events after the cursor may be missing: start again with `from=sync`. A comment is sent every 20 seconds. The stream ends when the token is revoked.',
        querystring: EventStreamQuery,
        response: {
          200: {
            description: 'Server-sent events',
            content: { 'text/event-stream': { schema: Type.String({ examples: [STREAM_EXAMPLE] }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const { ctx, query, headers } = request
      const resumed = headers['last-event-id']
      const isResumed = typeof resumed === 'string' && resumed !== ''
      const { cursor: _, from: __, ...filters } = query
      const reader = makeFeedReader(ctx, isResumed ? { ...filters, cursor: resumed } : query, EVENTS_DEFAULT)
      const held = takeHold(deps, request)
      const stream = deps.eventStreams.open(reply, () => {
        held.release()
        held.leave()
      })
      const { signal, recheck } = held
      void followEvents(ctx, reader, { news: deps.news, stream, signal, recheck })
    },
  )
}
