// The HTTP application: its hooks, then the resources in the specification's order.
import type { Server } from 'node:http'
import { join } from 'node:path'
import Fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify'
import type { Config } from './config.ts'
import type { DemoSandbox } from './demo/sandbox.ts'
import { registerSandboxPage } from './demo/sandbox-page.ts'
import { ApiError } from './errors.ts'
import { makeEphemeral } from './events/ephemeral.ts'
import { registerFiles } from './files/routes.ts'
import { type App, registerApi } from './http/api.ts'
import { CONSOLE_PREFIX, registerConsoleApi } from './http/console-api.ts'
import { registerConsoleEvents } from './http/console-events.ts'
import { makeConsolePages, registerConsolePages } from './http/console-pages.ts'
import { makeConsoleStreams } from './http/console-streams.ts'
import { envelope, handleError } from './http/error-handler.ts'
import { registerOpenapi } from './http/openapi.ts'
import { type OperationsDeps, registerOperations } from './http/operations-routes.ts'
import { registerDocsPage, registerReference } from './http/reference-routes.ts'
import { registerRequestLog } from './http/request-log.ts'
import { makeEventStreams } from './http/sse.ts'
import { compileValidator, parseJson } from './http/validation.ts'
import { registerEmailWebhook } from './inbound/email/routes.ts'
import { registerFacebookWebhook } from './inbound/facebook/routes.ts'
import { registerSmsWebhook } from './inbound/sms/routes.ts'
import { registerTelegramWebhook } from './inbound/telegram/routes.ts'
import { registerWidgetPages } from './inbound/web/pages.ts'
import { registerWidget, type WidgetDeps } from './inbound/web/routes.ts'
import { registerWhatsappWebhook } from './inbound/whatsapp/routes.ts'
import { registerAgentsConsoleRoutes } from './resources/agents/console-routes.ts'
import { registerAgents } from './resources/agents/routes.ts'
import { registerUploads } from './resources/attachments/upload-routes.ts'
import { registerBroadcastsConsoleRoutes } from './resources/broadcasts/console-routes.ts'
import { registerBroadcasts } from './resources/broadcasts/routes.ts'
import { registerChannelAccountsConsoleRoutes } from './resources/channel-accounts/console-routes.ts'
import { registerContactGroupsConsoleRoutes } from './resources/contact-groups/console-routes.ts'
import { registerContactGroups } from './resources/contact-groups/routes.ts'
import { registerContactsConsoleRoutes } from './resources/contacts/console-routes.ts'
import { registerContacts } from './resources/contacts/routes.ts'
import { registerConversationsConsoleRoutes } from './resources/conversations/console-routes.ts'
import { registerMessagesConsoleRoutes } from './resources/conversations/message-console-routes.ts'
import { registerConversationReads, registerInboxReads } from './resources/conversations/read-routes.ts'
import { registerConversations, registerInboxWrites } from './resources/conversations/routes.ts'
import { registerNotes } from './resources/notes/routes.ts'
import { registerRolesConsoleRoutes } from './resources/roles/console-routes.ts'
import { registerSessions, type SessionDeps } from './resources/sessions/routes.ts'
import { registerTagsConsoleRoutes } from './resources/tags/console-routes.ts'
import { registerTags } from './resources/tags/routes.ts'
import { registerTemplatesConsoleRoutes } from './resources/templates/console-routes.ts'
import { registerTemplates } from './resources/templates/routes.ts'
import { registerTokensConsoleRoutes } from './resources/tokens/console-routes.ts'
import { registerTokens } from './resources/tokens/routes.ts'
import { registerWorkspacesConsoleRoutes } from './resources/workspaces/console-routes.ts'

/** The table of contents of /api/v1, in the specification's order; the console has all of it too. */
const RESOURCES: ((app: App) => void)[] = [
  registerAgents,
  registerContacts,
  registerTags,
  registerNotes,
  registerConversationReads,
  registerConversations,
  registerContactGroups,
  registerTemplates,
  registerBroadcasts,
]

/** What only programs ask, around that. */
const API: ((app: App) => void)[] = [registerTokens, ...RESOURCES, registerReference]

/** What says more to people, or takes more from them. */
const FOR_PEOPLE = new Map([
  [registerConversationReads, registerInboxReads],
  [registerConversations, registerInboxWrites],
])

/** What only people do, in the console. */
const CONSOLE: ((app: App, deps: AppDeps) => void)[] = [
  ...RESOURCES.map((register) => FOR_PEOPLE.get(register) ?? register),
  registerConversationsConsoleRoutes,
  registerMessagesConsoleRoutes,
  registerContactsConsoleRoutes,
  registerUploads,
  registerAgentsConsoleRoutes,
  registerBroadcastsConsoleRoutes,
  registerChannelAccountsConsoleRoutes,
  registerContactGroupsConsoleRoutes,
  registerRolesConsoleRoutes,
  registerTagsConsoleRoutes,
  registerTemplatesConsoleRoutes,
  registerTokensConsoleRoutes,
  registerWorkspacesConsoleRoutes,
]

declare module 'fastify' {
  interface FastifyInstance {
    /** Ends the console's streams of an account, or of anybody, whose sessions have ended elsewhere. */
    recheckConsole: (accountId?: string) => void
  }
}

/** Where the console is built to. */
const CONSOLE_DIRECTORY = join(import.meta.dirname, '../dist/console')

const BODY_MAX_BYTES = 1024 * 1024
/** Longer than any request line that Node's parser lets through, so that a long id is a 404 of its resource. */
const PARAM_MAX_LENGTH = 20_000
const REQUEST_ID_PATTERN = /^[A-Za-z0-9._:-]{1,64}$/

export type AppDeps = WidgetDeps & {
  config: Pick<Config, 'trustProxy' | 'logLevel' | 'tls' | 'publicUrl'>
  server?: FastifyHttpOptions<Server>
  /** Health, readiness and metrics, for a process that runs. */
  operations?: OperationsDeps
  /** What the console's sign-in page is told. */
  console?: Partial<Pick<SessionDeps, 'sendsMail' | 'isDemo' | 'sandboxUrl'>>
  /** The other side of the demo's channels; outside the demo there is none. */
  sandbox?: DemoSandbox | null
  /** Runs on the bare instance before anything is registered; the tests hold every answer against its schema here. */
  decorate?: (app: FastifyInstance) => void
}

/** A percent sign that begins no escape is a character like any other. */
const repairEscapes = (url: string): string => {
  const path = url.split('?', 1)[0]!
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

/** A number counts proxies from the socket inwards. */
const trustProxyOption = (setting: Config['trustProxy']) =>
  typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting

export const buildApp = (deps: AppDeps): FastifyInstance => {
  let requestCount = 0
  const nextRequestId = () => `r${Date.now().toString(36)}${(requestCount++).toString(36)}`
  const app = Fastify({
    ...deps.server,
    trustProxy: trustProxyOption(deps.config.trustProxy),
    logController: new LogController({ disableRequestLogging: true }),
    // What comes in on an open connection while we stop is still answered, and the connection closed after it.
    return503OnClosing: false,
    bodyLimit: BODY_MAX_BYTES,
    routerOptions: { maxParamLength: PARAM_MAX_LENGTH },
    forceCloseConnections: 'idle',
    // For an upload over a slow line. Headers have Node's own minute.
    requestTimeout: 180_000,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID_PATTERN.test(given) ? given : nextRequestId()
    },
    rewriteUrl: (request) => repairEscapes(request.url ?? '/'),
    clientErrorHandler: (error, socket) => {
      if (!socket.writable) return socket.destroy()
      const tooLarge = (error as NodeJS.ErrnoException).code === 'HPE_HEADER_OVERFLOW'
      const apiError = new ApiError(
        tooLarge ? 'REQUEST_HEADERS_TOO_LARGE' : 'VALIDATION_ERROR',
        tooLarge ? {} : { message: 'The request is not HTTP.' },
      )
      const body = JSON.stringify(envelope(apiError))
      socket.end(
        `HTTP/1.1 ${apiError.status} ${tooLarge ? 'Request Header Fields Too Large' : 'Bad Request'}\r\nContent-Type: application/json; charset=utf-8\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${nextRequestId()}\r\nConnection: close\r\n\r\n${body}`,
      )
    },
  })

  deps.decorate?.(app)
  app.setValidatorCompiler(compileValidator as never)
  // JSON.stringify is a third faster than the schema-driven serialiser on our lists; the tests hold the schemas.
  app.setSerializerCompiler(() => (payload) => JSON.stringify(payload))
  app.setErrorHandler(handleError)
  const pages = makeConsolePages(CONSOLE_DIRECTORY)
  app.setNotFoundHandler((request, reply) => {
    if (pages.isScreen(request)) return pages.showPage(request, reply)
    throw new ApiError('NOT_FOUND')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, parseJson(request, body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(body.length === 0 ? null : new ApiError('UNSUPPORTED_MEDIA_TYPE'))
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  registerRequestLog(app)

  registerOpenapi(app)
  registerDocsPage(app)
  registerConsolePages(app, pages, CONSOLE_DIRECTORY)
  if (deps.operations) registerOperations(app, deps.operations)
  app.register(async (scope) => registerApi(scope as unknown as App, deps, API), { prefix: '/api/v1' })
  const live = {
    ephemeral: deps.ephemeral ?? makeEphemeral(),
    eventStreams: deps.eventStreams ?? makeEventStreams(),
  }
  const streams = makeConsoleStreams({ ...deps, ...live, log: app.log })
  app.decorate('recheckConsole', streams.recheck)
  app.register(
    async (scope) =>
      registerConsoleApi(scope as unknown as App, deps, {
        session: [
          registerSessions({
            ...deps,
            sendsMail: false,
            isDemo: false,
            sandboxUrl: null,
            ...deps.console,
            onSignOut: streams.recheck,
          }),
        ],
        workspace: [
          ...CONSOLE.map((register) => (app: App) => register(app, deps)),
          (app) => registerConsoleEvents(app, { streams, ...live }),
        ],
      }),
    { prefix: CONSOLE_PREFIX },
  )
  app.register(async (scope) => registerWidget(scope as unknown as App, { ...deps, ...live }), {
    prefix: '/widget',
  })
  registerWidgetPages(app, deps)
  registerFiles(app, deps)
  if (deps.sandbox) registerSandboxPage(app, deps.sandbox)
  app.register(async (scope) => registerEmailWebhook(scope as unknown as App, deps), {
    prefix: '/webhooks/email',
  })
  app.register(async (scope) => registerWhatsappWebhook(scope as unknown as App, deps), {
    prefix: '/webhooks/whatsapp',
  })
  app.register(async (scope) => registerFacebookWebhook(scope as unknown as App, deps), {
    prefix: '/webhooks/facebook',
  })
  app.register(async (scope) => registerTelegramWebhook(scope as unknown as App, deps), {
    prefix: '/webhooks/telegram',
  })
  app.register(async (scope) => registerSmsWebhook(scope as unknown as App, deps), {
    prefix: '/webhooks/sms',
  })
  return app
}
