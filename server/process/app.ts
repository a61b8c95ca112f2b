// The HTTP application: its hooks, then the resources in the specification's order.
import type { Server } from 'node:http'
import { join } from 'node:path'
import Fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify'
import { registerAgents } from '../api/agents.ts'
import { registerAttachments } from '../api/attachments.ts'
import { registerAuditLog } from '../api/audit-log.ts'
import { registerBroadcasts } from '../api/broadcasts.ts'
import { registerChannels } from '../api/channels.ts'
import { registerContactGroups } from '../api/contact-groups.ts'
import { registerContactKeys } from '../api/contact-keys.ts'
import { registerContacts, registerInboxContacts } from '../api/contacts.ts'
import { registerConversationReads, registerInboxReads } from '../api/conversation-reads.ts'
import { registerConversationStates } from '../api/conversation-states.ts'
import { registerConversations, registerInboxWrites } from '../api/conversations.ts'
import { registerErasures } from '../api/erasures.ts'
import { type FeedDeps, registerEvents } from '../api/events.ts'
import { registerExportFiles, registerExports, registerPersonExports } from '../api/exports.ts'
import { registerFiles } from '../api/files.ts'
import { registerFlowRuns } from '../api/flow-runs.ts'
import { registerFlowList, registerFlows } from '../api/flows.ts'
import { registerKnowledge } from '../api/knowledge.ts'
import { registerKnowledgeSources } from '../api/knowledge-sources.ts'
import { registerInboxNotes, registerNoteChanges, registerNotes } from '../api/notes.ts'
import { registerTags } from '../api/tags.ts'
import { registerTeams } from '../api/teams.ts'
import { registerTemplates } from '../api/templates.ts'
import { registerTokens } from '../api/tokens.ts'
import { registerWebhookEndpoints } from '../api/webhook-endpoints.ts'
import { registerActionsConsoleRoutes } from '../console-api/actions.ts'
import { registerAgentsConsoleRoutes } from '../console-api/agents.ts'
import { registerAiConsoleRoutes } from '../console-api/ai.ts'
import { registerAiEvaluationConsoleRoutes } from '../console-api/ai-evaluation.ts'
import { registerAiGuidanceConsoleRoutes } from '../console-api/ai-guidance.ts'
import { registerAiProposalsConsoleRoutes } from '../console-api/ai-proposals.ts'
import { registerAiProviderConsoleRoutes } from '../console-api/ai-provider.ts'
import { registerAiReportConsoleRoutes } from '../console-api/ai-report.ts'
import { registerAiTurnsConsoleRoutes } from '../console-api/ai-turns.ts'
import { registerBroadcastsConsoleRoutes } from '../console-api/broadcasts.ts'
import { registerBusinessHoursConsoleRoutes } from '../console-api/business-hours.ts'
import { registerChannelAccountsConsoleRoutes } from '../console-api/channel-accounts.ts'
import { registerChannelRemovalsConsoleRoutes } from '../console-api/channel-removals.ts'
import { registerChatBoxesConsoleRoutes } from '../console-api/chat-boxes.ts'
import { registerContactGroupsConsoleRoutes } from '../console-api/contact-groups.ts'
import { registerContactsConsoleRoutes } from '../console-api/contacts.ts'
import { registerConversationsConsoleRoutes } from '../console-api/conversations.ts'
import { registerFlowEditing } from '../console-api/flow-editing.ts'
import { registerFlowReviews } from '../console-api/flow-reviews.ts'
import { registerKnowledgeGapRoutes } from '../console-api/knowledge-gaps.ts'
import { registerKnowledgeSourcesConsoleRoutes } from '../console-api/knowledge-sources.ts'
import { registerLeftoversConsoleRoutes } from '../console-api/leftovers.ts'
import { registerConsoleEvents } from '../console-api/live-routes.ts'
import { registerMailboxOauthConsoleRoutes } from '../console-api/mailbox-oauth.ts'
import { registerMcpServersConsoleRoutes } from '../console-api/mcp-servers.ts'
import { registerMessagesConsoleRoutes } from '../console-api/messages.ts'
import { registerNewConversationsConsoleRoutes } from '../console-api/new-conversations.ts'
import { registerNotesConsoleRoutes } from '../console-api/notes.ts'
import { registerOwnNotifications } from '../console-api/notifications.ts'
import { registerOidc } from '../console-api/oidc.ts'
import { registerOutboxConsoleRoutes } from '../console-api/outbox.ts'
import { registerOwnSessions } from '../console-api/own-sessions.ts'
import { registerPasskeys } from '../console-api/passkeys.ts'
import { CONSOLE_PREFIX, registerConsoleApi } from '../console-api/register.ts'
import { registerReplyDraftsConsoleRoutes } from '../console-api/reply-drafts.ts'
import { registerReportsConsoleRoutes } from '../console-api/reports.ts'
import { registerRetentionConsoleRoutes } from '../console-api/retention.ts'
import { registerRolesConsoleRoutes } from '../console-api/roles.ts'
import { registerSavedRepliesConsoleRoutes } from '../console-api/saved-replies.ts'
import { registerSavedViewsConsoleRoutes } from '../console-api/saved-views.ts'
import { registerSearchConsoleRoutes } from '../console-api/search.ts'
import { registerSecondFactor } from '../console-api/second-factor.ts'
import { registerSessions, type SessionDeps } from '../console-api/sessions.ts'
import { registerSignaturesConsoleRoutes } from '../console-api/signatures.ts'
import { makeConsoleStreams } from '../console-api/streams.ts'
import { registerTeamsConsoleRoutes } from '../console-api/teams.ts'
import { registerTemplatesConsoleRoutes } from '../console-api/templates.ts'
import { registerTokensConsoleRoutes } from '../console-api/tokens.ts'
import { registerVisitorsConsoleRoutes } from '../console-api/visitors.ts'
import { registerWorkspacesConsoleRoutes } from '../console-api/workspaces.ts'
import type { DemoSandbox } from '../demo/sandbox.ts'
import { registerSandboxPage } from '../demo/sandbox-page.ts'
import { type FeedNews, makeFeedNews } from '../domain/feed/news.ts'
import { registerEmailWebhook } from '../inbound/email/routes.ts'
import { registerFacebookWebhook } from '../inbound/facebook/routes.ts'
import { registerSmsWebhook } from '../inbound/sms/routes.ts'
import { registerTelegramWebhook } from '../inbound/telegram/routes.ts'
import { registerWidgetPages } from '../inbound/web/pages.ts'
import { registerWidget, type WidgetDeps } from '../inbound/web/routes.ts'
import { registerStopPage } from '../inbound/web/stop-page.ts'
import { registerWhatsappWebhook } from '../inbound/whatsapp/routes.ts'
import { registerMcp } from '../mcp/routes.ts'
import type { ChannelName } from '../platform/db/tables.ts'
import { ApiError } from '../platform/errors.ts'
import { type App, registerApi, type SchemaTypes } from '../platform/http/api.ts'
import { type BodyBounds, boundBodies } from '../platform/http/bodies-in-flight.ts'
import { makeConsolePages, registerConsolePages } from '../platform/http/console-pages.ts'
import { registerDocsPages } from '../platform/http/docs-pages.ts'
import { handleError, refuseUnparsed } from '../platform/http/error-handler.ts'
import { makeHolds } from '../platform/http/holds.ts'
import { joinChunks } from '../platform/http/join-chunks.ts'
import { acceptOnlyJson } from '../platform/http/json-body.ts'
import { type OperationsDeps, registerOperations } from '../platform/http/operations-routes.ts'
import { registerReference, registerTryPage } from '../platform/http/reference-routes.ts'
import { registerRequestLog } from '../platform/http/request-log.ts'
import { registerRequestSpans } from '../platform/http/request-spans.ts'
import { registerSdkFiles } from '../platform/http/sdk-files.ts'
import { makeEventStreams } from '../platform/http/sse.ts'
import { compileValidator } from '../platform/http/validation.ts'
import { makeEphemeral } from '../platform/live/ephemeral.ts'
import type { Config } from './config.ts'
import { type Drain, prepareDrain } from './drain.ts'
import { watchProxies } from './watch-proxies.ts'

/** The table of contents of /api/v1, in the specification's order; the console includes all of it. */
const RESOURCES: ((app: App) => void)[] = [
  registerAgents,
  registerTeams,
  registerContacts,
  registerTags,
  registerNotes,
  registerConversationReads,
  registerConversations,
  registerAttachments,
  registerContactGroups,
  registerTemplates,
  registerBroadcasts,
  registerFlows,
  registerFlowRuns,
  registerKnowledge,
  registerKnowledgeSources,
  registerWebhookEndpoints,
  registerErasures,
  registerPersonExports,
  registerExports,
  registerAuditLog,
]

/** Routes that return more to people, or accept more from them. */
const FOR_PEOPLE = new Map([
  [registerContacts, registerInboxContacts],
  [registerNotes, registerInboxNotes],
  [registerConversationReads, registerInboxReads],
  [registerConversations, registerInboxWrites],
  [registerFlows, registerFlowList],
])

/** Routes only for people, in the console. */
const CONSOLE: ((app: App, deps: AppDeps) => void)[] = [
  ...RESOURCES.map((register) => FOR_PEOPLE.get(register) ?? register),
  registerConversationsConsoleRoutes,
  registerMessagesConsoleRoutes,
  registerNotesConsoleRoutes,
  registerContactsConsoleRoutes,
  registerSearchConsoleRoutes,
  registerAgentsConsoleRoutes,
  registerAiConsoleRoutes,
  registerAiEvaluationConsoleRoutes,
  registerAiGuidanceConsoleRoutes,
  registerAiProviderConsoleRoutes,
  registerAiReportConsoleRoutes,
  registerAiProposalsConsoleRoutes,
  registerAiTurnsConsoleRoutes,
  registerReplyDraftsConsoleRoutes,
  registerOutboxConsoleRoutes,
  registerBroadcastsConsoleRoutes,
  registerChannelAccountsConsoleRoutes,
  registerChatBoxesConsoleRoutes,
  registerChannelRemovalsConsoleRoutes,
  registerRetentionConsoleRoutes,
  registerReportsConsoleRoutes,
  registerKnowledgeSourcesConsoleRoutes,
  registerKnowledgeGapRoutes,
  registerLeftoversConsoleRoutes,
  registerContactGroupsConsoleRoutes,
  registerFlowEditing,
  registerFlowReviews,
  registerRolesConsoleRoutes,
  registerBusinessHoursConsoleRoutes,
  registerActionsConsoleRoutes,
  registerMcpServersConsoleRoutes,
  registerSavedRepliesConsoleRoutes,
  registerNewConversationsConsoleRoutes,
  registerSignaturesConsoleRoutes,
  registerSavedViewsConsoleRoutes,
  registerTeamsConsoleRoutes,
  registerTemplatesConsoleRoutes,
  registerTokensConsoleRoutes,
  registerVisitorsConsoleRoutes,
  registerWorkspacesConsoleRoutes,
]

/** Each channel's webhook, at /webhooks/<channel>. */
const WEBHOOKS = {
  email: registerEmailWebhook,
  whatsapp: registerWhatsappWebhook,
  facebook: registerFacebookWebhook,
  telegram: registerTelegramWebhook,
  sms: registerSmsWebhook,
} satisfies Record<Exclude<ChannelName, 'web'>, (app: App, deps: AppDeps) => void>

declare module 'fastify' {
  interface FastifyInstance {
    /** Closes the console streams of an account (or all) whose sessions have ended elsewhere. */
    recheckConsole: (accountId?: string) => void
    /** Ends held calls and streams of an API token (or all) that can't be used any more. */
    recheckHolds: (tokenId?: string) => Promise<void>
    /** Missing in an app without operations. */
    drain: Drain
  }
}

/** The directory of the console's build. */
const CONSOLE_DIRECTORY = join(import.meta.dirname, '../../dist/console')

const BODY_MAX_BYTES = 1024 * 1024
/** Longer than any request line that Node's parser accepts, so that a long id is a 404 of its resource. */
const PARAM_MAX_LENGTH = 20_000
/** A year, as browsers' preload lists require. */
const HSTS = 'max-age=31536000'
const REQUEST_ID_PATTERN = /^[A-Za-z0-9._:-]{1,64}$/

export type AppDeps = WidgetDeps & {
  config: Pick<Config, 'trustProxy' | 'logLevel' | 'tls' | 'publicUrl'>
  server?: FastifyHttpOptions<Server>
  /** Health, readiness and metrics, for a running process. */
  operations?: OperationsDeps
  /** Announces events that were numbered, here or by another process; without it, held calls wait to their end. */
  feedNews?: FeedNews
  /** Memory limits for bodies; lower in tests. */
  bodies?: BodyBounds
  /** The settings shown on the console's sign-in page. */
  console?: Partial<Pick<SessionDeps, 'sendsMail' | 'demo' | 'oidc' | 'mailOauth'>>
  /** The demo channels' provider side; missing outside the demo. */
  sandbox?: DemoSandbox | null
  /**
   * Runs on the bare instance before anything is registered; the tests use it to check every response against its
   * schema.
   */
  decorate?: (app: FastifyInstance) => void
}

/** A percent sign that starts no escape is treated literally. */
const repairEscapes = (url: string): string => {
  const path = url.split('?', 1)[0]!
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

/** A number counts proxies, starting at the socket. */
const trustProxyOption = (setting: Config['trustProxy']) =>
  typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting

export const buildApp = (deps: AppDeps): FastifyInstance => {
  const app = makeServer(deps)
  registerRequestSpans(app)
  registerRequestLog(app)
  watchProxies(app, deps.config.trustProxy)
  boundBodies(app, deps.bodies)

  const pages = makeConsolePages(CONSOLE_DIRECTORY)
  app.setNotFoundHandler((request, reply) => {
    if (pages.isScreen(request)) return pages.showPage(request, reply)
    throw new ApiError('NOT_FOUND')
  })
  registerTryPage(app)
  registerDocsPages(app, deps.config.publicUrl)
  registerSdkFiles(app)
  registerConsolePages(app, pages, CONSOLE_DIRECTORY)
  if (deps.operations) {
    app.decorate('drain', prepareDrain(app, deps.operations.isStopping))
    registerOperations(app, deps.operations)
  }
  const scope = (prefix: string, register: (app: App) => void | Promise<void>) =>
    app.register(async (scope) => register(scope.withTypeProvider<SchemaTypes>()), { prefix })

  const live = {
    ephemeral: deps.ephemeral ?? makeEphemeral(),
    eventStreams: deps.eventStreams ?? makeEventStreams(),
  }
  const feed: FeedDeps = {
    ...deps,
    holds: makeHolds(),
    news: deps.feedNews ?? makeFeedNews(deps),
    eventStreams: live.eventStreams,
  }
  app.decorate('recheckHolds', feed.holds.recheck)
  // Only programs have tokens, events and the reference.
  scope('/api/v1', (app) =>
    registerApi(app, deps, [
      registerTokens,
      ...RESOURCES,
      registerContactKeys,
      registerChannels,
      registerNoteChanges,
      registerConversationStates,
      (app) => registerEvents(app, feed),
      registerReference,
    ]),
  )
  scope('', (app) => registerMcp(app, deps))
  const streams = makeConsoleStreams({ ...deps, ...live, log: app.log })
  app.decorate('recheckConsole', streams.recheck)
  const sessions: SessionDeps = {
    ...deps,
    sendsMail: false,
    demo: null,
    oidc: null,
    mailOauth: [],
    ...deps.console,
    onSignOut: streams.recheck,
  }
  scope(CONSOLE_PREFIX, (app) =>
    registerConsoleApi(app, deps, {
      session: [
        registerSessions,
        registerSecondFactor,
        registerOidc,
        registerOwnSessions,
        registerPasskeys,
        registerOwnNotifications,
      ].map((register) => (app: App) => register(app, sessions)),
      workspace: [
        ...CONSOLE.map((register) => (app: App) => register(app, deps)),
        (app) => registerMailboxOauthConsoleRoutes(app, sessions),
        (app) => registerConsoleEvents(app, { streams, ...live }),
      ],
    }),
  )
  scope('/widget', (app) => registerWidget(app, { ...deps, ...live }))
  registerWidgetPages(app, deps)
  registerStopPage(app, deps)
  registerFiles(app, deps)
  registerExportFiles(app, deps)
  if (deps.sandbox) registerSandboxPage(app, deps.sandbox)
  for (const [channel, register] of Object.entries(WEBHOOKS))
    scope(`/webhooks/${channel}`, (app) => register(app, deps))
  return app
}

/** Fastify without routes: limits, request ids, JSON bodies and errors in our format. */
const makeServer = ({ server, config, decorate }: AppDeps): FastifyInstance => {
  let requestCount = 0
  const nextRequestId = () => `r${Date.now().toString(36)}${(requestCount++).toString(36)}`
  const app = Fastify({
    ...server,
    trustProxy: trustProxyOption(config.trustProxy),
    logController: new LogController({ disableRequestLogging: true }),
    // Requests arriving on open connections during shutdown are still answered, and the connection closed afterwards.
    return503OnClosing: false,
    bodyLimit: BODY_MAX_BYTES,
    routerOptions: { maxParamLength: PARAM_MAX_LENGTH },
    forceCloseConnections: 'idle',
    // For an upload over a slow connection. Headers have Node's own limit of a minute.
    requestTimeout: 180_000,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID_PATTERN.test(given) ? given : nextRequestId()
    },
    rewriteUrl: (request) => repairEscapes(request.url ?? '/'),
    clientErrorHandler: (error, socket) => refuseUnparsed(error, socket, nextRequestId()),
  })
  joinChunks(app.server)
  decorate?.(app)
  app.setValidatorCompiler(compileValidator)
  // JSON.stringify is a third faster than the schema-driven serialiser on our lists; the tests check the schemas.
  app.setSerializerCompiler(() => (payload) => JSON.stringify(payload))
  app.setErrorHandler(handleError)
  acceptOnlyJson(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (config.tls) reply.header('strict-transport-security', HSTS)
  })
  return app
}
