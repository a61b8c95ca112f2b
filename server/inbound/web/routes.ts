// The web chat's own API for the widget: outside /api/v1, with its own tokens, origins and limits.
import { Readable } from 'node:stream'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { ChatConfig } from '../../domain/chat-boxes/config-schema.ts'
import type { Signals } from '../../domain/conversations/signals.ts'
import { VISITOR_FILE_MAX_BYTES } from '../../domain/visitors/file-types.ts'
import { listVisitorConversations } from '../../domain/visitors/queries.ts'
import {
  ChannelParams,
  Done,
  FileAnswer,
  FollowLink,
  LeaveEmail,
  ReadMessages,
  SendVisitorMessage,
  Session,
  SetTyping,
  StartSession,
  UploadQuery,
  VisitorMessageSent,
} from '../../domain/visitors/schema.ts'
import { ApiError } from '../../platform/errors.ts'
import { type ApiDeps, type App, ctxOf, watchMethods } from '../../platform/http/api.ts'
import { addressKey } from '../../platform/http/client-address.ts'
import { errors } from '../../platform/http/error-responses.ts'
import { type EventStreams, makeEventStreams } from '../../platform/http/sse.ts'
import { makeEphemeral } from '../../platform/live/ephemeral.ts'
import { admitVisit, answerPreflight, visitorOf } from './admit.ts'
import { followLink, leaveEmail } from './chat-email.ts'
import { makeConfigs } from './configs.ts'
import type { PagesDeps } from './pages.ts'
import { readMessages } from './read-messages.ts'
import { makeReceipts } from './receipts.ts'
import { receiveFile } from './receive-file.ts'
import { sendVisitorMessage } from './send-visitor-message.ts'
import { startVisit } from './start-visit.ts'
import { makeVisitorStreams, type VisitorStreams } from './visitor-streams.ts'

export type WidgetDeps = ApiDeps &
  PagesDeps & {
    /** Typing and presence; limited to this process unless main.ts passes a shared one. */
    ephemeral?: Signals
    eventStreams?: EventStreams
  }

/** How long a browser keeps what its chat box is told. */
const CONFIG_SECONDS = 30
const FULL_RETRY_SECONDS = '30'
/** A message of 2,000 characters, all escaped, has 24,000. */
const BODY_MAX_BYTES = 64 * 1024

const REFUSALS = [
  'VALIDATION_ERROR',
  'INVALID_VISITOR_TOKEN',
  'ORIGIN_NOT_ALLOWED',
  'IDENTITY_REFUSED',
  'IDENTITY_REQUIRED',
  'VISITOR_BLOCKED',
  'CHANNEL_NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const

/** A client that was told to forget its place sends an empty one; it matches none of our events. */
const lastEventIdOf = (request: FastifyRequest): string | undefined => {
  const id = request.headers['last-event-id']
  return typeof id === 'string' ? id : undefined
}

/** The options of a route that takes and returns JSON. */
const jsonRoute = <B extends TSchema, R extends TSchema>(
  visit: NonNullable<FastifyContextConfig['visit']>,
  body: B,
  response: R,
) => ({
  config: { visit },
  bodyLimit: BODY_MAX_BYTES,
  schema: { params: ChannelParams, body, response: { 200: response, ...errors(...REFUSALS) } },
})

/** Registers the routes under /widget/{channelId}. */
export const registerWidget = (app: App, deps: WidgetDeps): void => {
  const ephemeral = deps.ephemeral ?? makeEphemeral()
  const eventStreams = deps.eventStreams ?? makeEventStreams()
  const receipts = makeReceipts((workspaceId) => ctxOf(deps, app, workspaceId, { type: 'system' }))
  const streams = makeVisitorStreams({ ...deps, ephemeral, receipts, log: app.log })
  const methods = watchMethods(app)

  app.decorateRequest('ctx')
  app.decorateRequest('visit')
  app.addHook('onRequest', (request, reply) => admitVisit(deps, request, reply))
  app.addHook('preClose', async () => eventStreams.closeAll())
  app.addHook('onClose', () => receipts.close())

  const configOf = makeConfigs()
  app.get(
    '/:channelId/config',
    {
      config: { visit: 'config' },
      exposeHeadRoute: false,
      schema: { params: ChannelParams, response: { 200: ChatConfig, ...errors(...REFUSALS) } },
    },
    async (request, reply) => {
      reply.header('cache-control', `public, max-age=${CONFIG_SECONDS}`)
      return configOf(request.ctx, request.visit.channelAccountId)
    },
  )

  app.post('/:channelId/session', jsonRoute('session', StartSession, Session), async (request) => {
    const { ctx, visit, body, ip } = request
    const { channelAccountId } = visit
    const session = await startVisit(ctx, { ...body, channelAccountId, address: addressKey(ip) })
    for (const { id, senderType, status } of session.messages)
      if (senderType !== 'customer' && status === 'sent') receipts.delivered(ctx.workspaceId, id)
    return session
  })

  app.post(
    '/:channelId/messages',
    jsonRoute('message', SendVisitorMessage, VisitorMessageSent),
    async (request) => ({
      message: await sendVisitorMessage(request.ctx, visitorOf(request), request.body),
    }),
  )

  registerFiles(app)

  app.post('/:channelId/email', jsonRoute('email', LeaveEmail, Done), (request) =>
    leaveEmail(request.ctx, visitorOf(request), request.body),
  )

  app.post('/:channelId/email/link', jsonRoute('email', FollowLink, Done), (request) =>
    followLink(request.ctx, visitorOf(request), request.body.token),
  )

  app.post('/:channelId/read', jsonRoute('read', ReadMessages, Done), (request) =>
    readMessages(request.ctx, visitorOf(request), request.body.messageId),
  )

  app.post('/:channelId/typing', jsonRoute('typing', SetTyping, Done), async (request) => {
    const { contactId, channelAccountId } = visitorOf(request)
    const { workspaceId } = request.ctx
    const [conversation] = contactId
      ? await listVisitorConversations(request.ctx, { contactId, channelAccountId })
      : []
    const { isTyping } = request.body
    if (conversation)
      ephemeral.publish({
        type: 'visitor.typing',
        workspaceId,
        conversationId: conversation.id,
        isTyping,
      })
    return { success: true as const }
  })

  registerEvents(app, streams, eventStreams)

  for (const url of methods.paths())
    app.route({ method: 'OPTIONS', url, exposeHeadRoute: false, handler: answerPreflight })
  methods.refuseRest()
}

const STREAMED = 'application/octet-stream'

/** The file is the body, and is stored as it arrives. */
const registerFiles = (app: App): void => {
  app.addContentTypeParser(STREAMED, ({ routeOptions }, payload, done) =>
    routeOptions.config.visit === 'file'
      ? done(null, payload)
      : done(new ApiError('UNSUPPORTED_MEDIA_TYPE'), undefined),
  )
  app.post(
    '/:channelId/files',
    {
      config: { visit: 'file', body: 'streamed' },
      bodyLimit: VISITOR_FILE_MAX_BYTES,
      schema: {
        params: ChannelParams,
        querystring: UploadQuery,
        response: { 200: FileAnswer, ...errors(...REFUSALS, 'IDEMPOTENCY_KEY_IN_USE') },
      },
    },
    async (request) => {
      if (!(request.body instanceof Readable)) throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
      const length = request.headers['content-length']
      const file = await receiveFile(request.ctx, visitorOf(request), {
        ...request.query,
        size: length === undefined ? undefined : Number(length),
        address: addressKey(request.ip),
        content: request.body,
      })
      return { file }
    },
  )
}

const registerEvents = (app: App, streams: VisitorStreams, eventStreams: EventStreams): void => {
  app.get(
    '/:channelId/events',
    {
      config: { visit: 'events', isStream: true },
      exposeHeadRoute: false,
      schema: { params: ChannelParams, response: errors(...REFUSALS) },
    },
    async (request, reply) => {
      const visitor = visitorOf(request)
      // All streams of one address share a limit.
      const ip = addressKey(request.ip)
      if (streams.isFull(visitor.id, ip))
        throw new ApiError('RATE_LIMIT_EXCEEDED', {
          message:
            'Too many event streams are open. Close one, or wait for the number of seconds in Retry-After.',
          headers: { 'retry-after': FULL_RETRY_SECONDS },
        })
      await streams.follow(
        { ...visitor, workspaceId: request.ctx.workspaceId },
        {
          ip,
          lastEventId: lastEventIdOf(request),
          open: (onClose) => eventStreams.open(reply, onClose),
        },
      )
    },
  )
}
