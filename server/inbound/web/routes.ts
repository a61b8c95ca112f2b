// The web chat's own API, for the widget: outside /api/v1, with tokens, origins and limits of its own.
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { type Ephemeral, makeEphemeral } from '../../events/ephemeral.ts'
import { type ApiDeps, type App, ctxOf, watchMethods } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { type EventStreams, makeEventStreams } from '../../http/sse.ts'
import { listVisitorConversations } from '../../resources/visitors/queries.ts'
import { readMessages } from '../../resources/visitors/read-messages.ts'
import {
  ChannelParams,
  Done,
  ReadMessages,
  SendVisitorMessage,
  Session,
  SetTyping,
  StartSession,
  VisitorMessageSent,
} from '../../resources/visitors/schema.ts'
import { sendVisitorMessage } from '../../resources/visitors/send-visitor-message.ts'
import { startSession } from '../../resources/visitors/start-session.ts'
import { admitVisit, answerPreflight, visitorOf } from './admit.ts'
import type { PagesDeps } from './pages.ts'
import { makeReceipts } from './receipts.ts'
import { makeVisitorStreams } from './visitor-streams.ts'

export type WidgetDeps = ApiDeps &
  PagesDeps & {
    /** Typing and presence; of this process alone unless main.ts gives one that others share. */
    ephemeral?: Ephemeral
    eventStreams?: EventStreams
  }

const FULL_RETRY_SECONDS = '30'

const REFUSALS = [
  'VALIDATION_ERROR',
  'INVALID_VISITOR_TOKEN',
  'ORIGIN_NOT_ALLOWED',
  'CHANNEL_NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const

/** An empty one is what a client sends that was told to forget its place; it names none of our events. */
const lastEventIdOf = (request: FastifyRequest): string | undefined => {
  const id = request.headers['last-event-id']
  return typeof id === 'string' ? id : undefined
}

/** Registers the routes under /widget/{channelId}. */
export const registerWidget = (app: App, deps: WidgetDeps): void => {
  const ephemeral = deps.ephemeral ?? makeEphemeral()
  const eventStreams = deps.eventStreams ?? makeEventStreams()
  const receipts = makeReceipts((workspaceId) => ctxOf(deps, app.log, workspaceId, { type: 'system' }))
  const streams = makeVisitorStreams({ ...deps, ephemeral, receipts, log: app.log })
  const methods = watchMethods(app as never)

  app.decorateRequest('ctx')
  app.decorateRequest('visit')
  app.addHook('onRequest', (request, reply) => admitVisit(deps, request, reply))
  app.setNotFoundHandler(() => {
    throw new ApiError('NOT_FOUND')
  })
  app.addHook('preClose', async () => eventStreams.closeAll())
  app.addHook('onClose', () => receipts.close())

  app.post(
    '/:channelId/session',
    {
      config: { visit: 'session' },
      schema: {
        params: ChannelParams,
        body: StartSession,
        response: { 200: Session, ...errors(...REFUSALS) },
      },
    },
    async (request) => {
      const { channelAccountId } = request.visit
      const session = await startSession(request.ctx, { ...request.body, channelAccountId })
      for (const { id, senderType, status } of session.messages)
        if (senderType !== 'customer' && status === 'sent') receipts.delivered(request.ctx.workspaceId, id)
      return session
    },
  )

  app.post(
    '/:channelId/messages',
    {
      config: { visit: 'message' },
      schema: {
        params: ChannelParams,
        body: SendVisitorMessage,
        response: { 200: VisitorMessageSent, ...errors(...REFUSALS) },
      },
    },
    async (request) => ({
      message: await sendVisitorMessage(request.ctx, visitorOf(request), request.body),
    }),
  )

  app.post(
    '/:channelId/read',
    {
      config: { visit: 'read' },
      schema: { params: ChannelParams, body: ReadMessages, response: { 200: Done, ...errors(...REFUSALS) } },
    },
    (request) => readMessages(request.ctx, visitorOf(request), request.body.messageId),
  )

  app.post(
    '/:channelId/typing',
    {
      config: { visit: 'typing' },
      schema: { params: ChannelParams, body: SetTyping, response: { 200: Done, ...errors(...REFUSALS) } },
    },
    async (request) => {
      const { contactId, channelAccountId } = visitorOf(request)
      const [conversation] = contactId
        ? await listVisitorConversations(request.ctx, { contactId, channelAccountId })
        : []
      if (conversation)
        ephemeral.publish({
          type: 'visitor.typing',
          workspaceId: request.ctx.workspaceId,
          conversationId: conversation.id,
          isTyping: request.body.isTyping,
        })
      return { success: true as const }
    },
  )

  app.get(
    '/:channelId/events',
    {
      config: { visit: 'events', isStream: true },
      exposeHeadRoute: false,
      schema: { params: ChannelParams, response: errors(...REFUSALS) },
    },
    async (request, reply) => {
      const visitor = visitorOf(request)
      const { ip } = request
      if (streams.isFull(visitor.id, ip))
        throw new ApiError('RATE_LIMIT_EXCEEDED', {
          message: 'Too many event streams are open. Close one, or wait for the seconds in Retry-After.',
          headers: { 'retry-after': FULL_RETRY_SECONDS },
        })
      await streams.follow(request.ctx, visitor, {
        ip,
        lastEventId: lastEventIdOf(request),
        open: (onClose) => eventStreams.open(reply, onClose),
      })
    },
  )

  for (const url of methods.paths())
    app.route({ method: 'OPTIONS', url, exposeHeadRoute: false, handler: answerPreflight })
  methods.refuseOthers()
}
