// Every URL of the console. Screens are loaded when first opened; add yours to the tree at the end.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { DirectorySearch } from './screens/contacts/directory.ts'
import type { ReportSearch } from './screens/reports/period.ts'
import { NotFound, RouteProblem } from './shell/route-problem.tsx'
import { Shell } from './shell/shell.tsx'
import { ApiError } from './state/api.ts'
import { type ListFilter, VIEWS } from './state/conversations.ts'
import { readLastView, writeLastView } from './state/last-view.ts'
import { sessionQuery, writeChosen } from './state/session.tsx'

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: RouteProblem,
})

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A path on this site other than the sign-in page. */
const OWN_PATH = /^\/(?![/\\]|sign-in(?:[/?#]|$))/

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string; problem?: string } => {
    const to = textOf(search.to)
    // Only a path on this site, never another site's URL. Always set, because omitted fields keep their old value.
    return { to: to && OWN_PATH.test(to) ? to : undefined, problem: textOf(search.problem) }
  },
  component: lazyRouteComponent(() => import('./screens/sign-in/sign-in.tsx'), 'SignIn'),
})

/** Everything that requires a signed-in user. */
const signed = createRoute({
  getParentRoute: () => root,
  id: 'signed',
  beforeLoad: async ({ context: { client }, location }) => {
    try {
      return { session: await client.ensureQueryData(sessionQuery) }
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href } })
      throw error
    }
  },
  component: Shell,
  errorComponent: RouteProblem,
})

const home = createRoute({
  getParentRoute: () => signed,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/inbox' })
  },
})

/** What is looked for in the open conversation, and the message or note that it opens at. */
type Spot = { find?: string; at?: string }

const inbox = createRoute({
  getParentRoute: () => signed,
  path: '/inbox',
  validateSearch: (search: Record<string, unknown>): Omit<ListFilter, 'view'> & Spot => ({
    find: textOf(search.find),
    at: textOf(search.at),
    channel: textOf(search.channel),
    q: textOf(search.q),
    unread: search.unread === true || undefined,
    order: search.order === 'waiting' || search.order === 'due' ? search.order : undefined,
    tag: textOf(search.tag),
    account: textOf(search.account),
    language: textOf(search.language),
    agent: textOf(search.agent),
    team: textOf(search.team),
    overdue: search.overdue === true || undefined,
    failed: search.failed === true || undefined,
  }),
  component: lazyRouteComponent(() => import('./screens/inbox/inbox.tsx'), 'Inbox'),
})
const inboxStart = createRoute({
  getParentRoute: () => inbox,
  path: '/',
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/inbox/$view', params: { view: readLastView() }, search, replace: true })
  },
})
const parseView = ({ view }: { view: string }) => {
  const known = VIEWS.find((one) => one === view)
  if (!known) throw redirect({ to: '/inbox' })
  writeLastView(known)
}
const inboxView = createRoute({
  getParentRoute: () => inbox,
  path: '$view',
  beforeLoad: ({ params }) => parseView(params),
})
const inboxConversation = createRoute({
  getParentRoute: () => inbox,
  path: '$view/$conversationId',
  beforeLoad: ({ params }) => parseView(params),
})

// Notifications -----------------------------------------------------------------------------------------------------

const notifications = createRoute({
  getParentRoute: () => signed,
  path: '/notifications',
  component: lazyRouteComponent(() => import('./screens/notifications/notifications.tsx'), 'Notifications'),
})

/** Where notifications and emails lead: to a place in a workspace, which this tab then shows. */
const inWorkspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId/$',
  beforeLoad: ({ params: { workspaceId, _splat = '' } }) => {
    writeChosen(workspaceId)
    const [place, conversationId] = _splat.split('/')
    if (place === 'notifications') throw redirect({ to: '/notifications', replace: true })
    if (conversationId)
      throw redirect({
        to: '/inbox/$view/$conversationId',
        params: { view: 'open', conversationId },
        replace: true,
      })
    throw redirect({ to: '/inbox', replace: true })
  },
})

// Contacts, groups, broadcasts, templates ---------------------------------------------------------------------------

const oneOf = <T extends string>(value: unknown, options: readonly T[]): T | undefined =>
  options.find((option) => option === value)
const pageOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 1 ? value : undefined

const newConversation = createRoute({
  getParentRoute: () => signed,
  path: '/new-conversation',
  validateSearch: (
    search: Record<string, unknown>,
  ): { channel?: string; email?: string; phone?: string; name?: string } => ({
    channel: textOf(search.channel),
    email: textOf(search.email),
    // A number that looks like one is read as one.
    phone: typeof search.phone === 'number' ? `+${search.phone}` : textOf(search.phone),
    name: textOf(search.name),
  }),
  component: lazyRouteComponent(
    () => import('./screens/new-conversation/new-conversation.tsx'),
    'NewConversation',
  ),
})

const contacts = createRoute({
  getParentRoute: () => signed,
  path: '/contacts',
  validateSearch: (search: Record<string, unknown>): DirectorySearch => ({
    q: textOf(search.q),
    country: textOf(search.country),
    channel: textOf(search.channel),
    assignment: oneOf(search.assignment, ['assigned', 'unassigned']),
    open: search.open === true || undefined,
    sort: oneOf(search.sort, ['created']),
    page: pageOf(search.page),
  }),
  component: lazyRouteComponent(() => import('./screens/contacts/contacts.tsx'), 'Contacts'),
})
const contact = createRoute({
  getParentRoute: () => signed,
  path: '/contacts/$contactId',
  component: lazyRouteComponent(() => import('./screens/contacts/contact.tsx'), 'Contact'),
})
const groups = createRoute({
  getParentRoute: () => signed,
  path: '/groups',
  validateSearch: (search: Record<string, unknown>): { q?: string } => ({ q: textOf(search.q) }),
  component: lazyRouteComponent(() => import('./screens/groups/groups.tsx'), 'Groups'),
})
const group = createRoute({
  getParentRoute: () => signed,
  path: '/groups/$groupId',
  validateSearch: (search: Record<string, unknown>): { q?: string } => ({ q: textOf(search.q) }),
  component: lazyRouteComponent(() => import('./screens/groups/group.tsx'), 'Group'),
})
const broadcasts = createRoute({
  getParentRoute: () => signed,
  path: '/broadcasts',
  component: lazyRouteComponent(() => import('./screens/broadcasts/broadcasts.tsx'), 'Broadcasts'),
})
const newBroadcast = createRoute({
  getParentRoute: () => signed,
  path: '/broadcasts/new',
  validateSearch: (
    search: Record<string, unknown>,
  ): { step?: number; group?: string; template?: string; language?: string } => ({
    step: pageOf(search.step),
    group: textOf(search.group),
    template: textOf(search.template),
    language: textOf(search.language),
  }),
  component: lazyRouteComponent(() => import('./screens/broadcasts/new-broadcast.tsx'), 'NewBroadcast'),
})
const broadcast = createRoute({
  getParentRoute: () => signed,
  path: '/broadcasts/$broadcastId',
  validateSearch: (search: Record<string, unknown>): { outcome?: string } => ({
    outcome: textOf(search.outcome),
  }),
  component: lazyRouteComponent(() => import('./screens/broadcasts/broadcast.tsx'), 'BroadcastPage'),
})
const templates = createRoute({
  getParentRoute: () => signed,
  path: '/templates',
  validateSearch: (search: Record<string, unknown>): { q?: string; status?: string } => ({
    q: textOf(search.q),
    status: textOf(search.status),
  }),
  component: lazyRouteComponent(() => import('./screens/templates/templates.tsx'), 'Templates'),
})

// Flows -------------------------------------------------------------------------------------------------------------

const flows = createRoute({
  getParentRoute: () => signed,
  path: '/flows',
  validateSearch: (search: Record<string, unknown>): { archived?: boolean } => ({
    archived: search.archived === true || undefined,
  }),
  component: lazyRouteComponent(() => import('./screens/flows/flows.tsx'), 'Flows'),
})
const flow = createRoute({
  getParentRoute: () => signed,
  path: '/flows/$flowId',
  validateSearch: (
    search: Record<string, unknown>,
  ): { tab?: 'json' | 'tests' | 'versions' | 'runs'; status?: string; run?: string; step?: string } => ({
    tab: oneOf(search.tab, ['json', 'tests', 'versions', 'runs']),
    status: textOf(search.status),
    run: textOf(search.run),
    step: textOf(search.step),
  }),
  component: lazyRouteComponent(() => import('./screens/flows/flow.tsx'), 'FlowPage'),
})

// Knowledge ---------------------------------------------------------------------------------------------------------

const KINDS = ['answers', 'articles'] as const
const knowledge = createRoute({
  getParentRoute: () => signed,
  path: '/knowledge',
  validateSearch: (
    search: Record<string, unknown>,
  ): {
    q?: string
    kind?: (typeof KINDS)[number]
    state?: 'draft' | 'published'
    language?: string
    review?: boolean
  } => ({
    q: textOf(search.q),
    kind: oneOf(search.kind, KINDS),
    state: oneOf(search.state, ['draft', 'published']),
    language: textOf(search.language),
    review: search.review === true || undefined,
  }),
  component: lazyRouteComponent(() => import('./screens/knowledge/knowledge.tsx'), 'Knowledge'),
})
const importKnowledge = createRoute({
  getParentRoute: () => signed,
  path: '/knowledge/import',
  component: lazyRouteComponent(() => import('./screens/knowledge/import-text.tsx'), 'ImportText'),
})
const addWebsite = createRoute({
  getParentRoute: () => signed,
  path: '/knowledge/website',
  component: lazyRouteComponent(() => import('./screens/knowledge/add-website.tsx'), 'AddWebsite'),
})
const addFiles = createRoute({
  getParentRoute: () => signed,
  path: '/knowledge/files',
  component: lazyRouteComponent(() => import('./screens/knowledge/add-files.tsx'), 'AddFiles'),
})
const knowledgeSource = createRoute({
  getParentRoute: () => signed,
  path: '/knowledge/sources/$sourceId',
  component: lazyRouteComponent(() => import('./screens/knowledge/source-page.tsx'), 'SourcePage'),
})
const knowledgeSourceSettings = createRoute({
  getParentRoute: () => signed,
  path: '/knowledge/sources/$sourceId/settings',
  component: lazyRouteComponent(() => import('./screens/knowledge/source-settings.tsx'), 'SourceSettings'),
})
const knowledgeGaps = createRoute({
  getParentRoute: () => signed,
  path: '/knowledge/unanswered',
  component: lazyRouteComponent(() => import('./screens/knowledge/gaps.tsx'), 'Gaps'),
})
const editKnowledge = createRoute({
  getParentRoute: () => signed,
  path: '/knowledge/$kind/$itemId',
  /** What a new answer is for: unanswered questions, by their latest turn, or those that a reply in a thread answered. */
  validateSearch: (search: Record<string, unknown>): { gap?: string; reply?: string } => ({
    gap: textOf(search.gap),
    reply: textOf(search.reply),
  }),
  beforeLoad: ({ params }) => {
    if (!oneOf(params.kind, KINDS)) throw redirect({ to: '/knowledge' })
  },
  component: lazyRouteComponent(() => import('./screens/knowledge/edit-item.tsx'), 'EditItem'),
})

const reports = createRoute({
  getParentRoute: () => signed,
  path: '/reports',
  validateSearch: (search: Record<string, unknown>): ReportSearch => search,
  component: lazyRouteComponent(() => import('./screens/reports/reports.tsx'), 'Reports'),
})

// Settings ----------------------------------------------------------------------------------------------------------

const settings = createRoute({
  getParentRoute: () => signed,
  path: '/settings',
  component: lazyRouteComponent(() => import('./screens/settings/settings.tsx'), 'Settings'),
})
const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/settings/settings.tsx'), 'SettingsStart'),
})
const workspaceSettings = createRoute({
  getParentRoute: () => settings,
  path: 'workspace',
  component: lazyRouteComponent(() => import('./screens/settings/workspace.tsx'), 'WorkspaceSettings'),
})
const membersSettings = createRoute({
  getParentRoute: () => settings,
  path: 'members',
  component: lazyRouteComponent(() => import('./screens/settings/members.tsx'), 'MembersSettings'),
})
const rolesSettings = createRoute({
  getParentRoute: () => settings,
  path: 'roles',
  component: lazyRouteComponent(() => import('./screens/settings/roles.tsx'), 'RolesSettings'),
})
const tokensSettings = createRoute({
  getParentRoute: () => settings,
  path: 'tokens',
  component: lazyRouteComponent(() => import('./screens/settings/tokens.tsx'), 'TokensSettings'),
})
const webhooksSettings = createRoute({
  getParentRoute: () => settings,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('./screens/settings/webhooks.tsx'), 'WebhooksSettings'),
})
const webhookSettings = createRoute({
  getParentRoute: () => settings,
  path: 'webhooks/$endpointId',
  component: lazyRouteComponent(() => import('./screens/settings/webhook.tsx'), 'WebhookSettings'),
})
const exportsSettings = createRoute({
  getParentRoute: () => settings,
  path: 'export',
  component: lazyRouteComponent(() => import('./screens/settings/exports.tsx'), 'ExportsSettings'),
})
const auditLogSettings = createRoute({
  getParentRoute: () => settings,
  path: 'audit-log',
  component: lazyRouteComponent(() => import('./screens/settings/audit-log.tsx'), 'AuditLogSettings'),
})
const tagsSettings = createRoute({
  getParentRoute: () => settings,
  path: 'tags',
  component: lazyRouteComponent(() => import('./screens/settings/tags.tsx'), 'TagsSettings'),
})
const savedRepliesSettings = createRoute({
  getParentRoute: () => settings,
  path: 'saved-replies',
  component: lazyRouteComponent(() => import('./screens/settings/saved-replies.tsx'), 'SavedRepliesSettings'),
})
const teamsSettings = createRoute({
  getParentRoute: () => settings,
  path: 'teams',
  component: lazyRouteComponent(() => import('./screens/settings/teams.tsx'), 'TeamsSettings'),
})
const editTeam = createRoute({
  getParentRoute: () => settings,
  path: 'teams/$teamId',
  component: lazyRouteComponent(() => import('./screens/settings/edit-team.tsx'), 'EditTeam'),
})
const businessHoursSettings = createRoute({
  getParentRoute: () => settings,
  path: 'business-hours',
  component: lazyRouteComponent(
    () => import('./screens/settings/business-hours.tsx'),
    'BusinessHoursSettings',
  ),
})
const editBusinessHours = createRoute({
  getParentRoute: () => settings,
  path: 'business-hours/$hoursId',
  component: lazyRouteComponent(
    () => import('./screens/settings/edit-business-hours.tsx'),
    'EditBusinessHours',
  ),
})
const actionsSettings = createRoute({
  getParentRoute: () => settings,
  path: 'actions',
  component: lazyRouteComponent(() => import('./screens/settings/actions.tsx'), 'ActionsSettings'),
})
const editAction = createRoute({
  getParentRoute: () => settings,
  path: 'actions/$actionId',
  component: lazyRouteComponent(() => import('./screens/settings/edit-action.tsx'), 'EditAction'),
})
const mcpServersSettings = createRoute({
  getParentRoute: () => settings,
  path: 'actions/mcp-servers',
  component: lazyRouteComponent(() => import('./screens/settings/mcp-servers.tsx'), 'McpServersSettings'),
})
const mcpServerSettings = createRoute({
  getParentRoute: () => settings,
  path: 'actions/mcp-servers/$serverId',
  component: lazyRouteComponent(() => import('./screens/settings/mcp-server.tsx'), 'McpServerSettings'),
})
const aiAgentSettings = createRoute({
  getParentRoute: () => settings,
  path: 'ai-agent',
  component: lazyRouteComponent(() => import('./screens/settings/ai-agent.tsx'), 'AiAgentSettings'),
})
const aiReport = createRoute({
  getParentRoute: () => settings,
  path: 'ai-agent/results',
  component: lazyRouteComponent(() => import('./screens/settings/ai-report.tsx'), 'AiReportPage'),
})
const aiModelSettings = createRoute({
  getParentRoute: () => settings,
  path: 'ai-agent/model',
  component: lazyRouteComponent(() => import('./screens/settings/ai-model.tsx'), 'AiModelSettings'),
})
const aiTests = createRoute({
  getParentRoute: () => settings,
  path: 'ai-agent/tests',
  component: lazyRouteComponent(() => import('./screens/settings/ai-tests.tsx'), 'AiTests'),
})
const aiTest = createRoute({
  getParentRoute: () => settings,
  path: 'ai-agent/tests/$testId',
  /** What a new test is kept from. */
  validateSearch: (search: Record<string, unknown>): { turn?: string } => ({ turn: textOf(search.turn) }),
  component: lazyRouteComponent(() => import('./screens/settings/ai-test.tsx'), 'AiTest'),
})
const guidanceSettings = createRoute({
  getParentRoute: () => settings,
  path: 'ai-agent/instructions',
  component: lazyRouteComponent(() => import('./screens/guidance/guidance.tsx'), 'GuidanceSettings'),
})
const channelsSettings = createRoute({
  getParentRoute: () => settings,
  path: 'channels',
  component: lazyRouteComponent(() => import('./screens/settings/channels.tsx'), 'ChannelsSettings'),
})
const addChannel = createRoute({
  getParentRoute: () => settings,
  path: 'channels/add',
  component: lazyRouteComponent(() => import('./screens/settings/add-channel.tsx'), 'ChooseChannel'),
})
const addChannelKind = createRoute({
  getParentRoute: () => settings,
  path: 'channels/add/$kind',
  component: lazyRouteComponent(() => import('./screens/settings/add-channel.tsx'), 'AddChannel'),
})
const leftoversSettings = createRoute({
  getParentRoute: () => settings,
  path: 'channels/deliveries',
  component: lazyRouteComponent(() => import('./screens/settings/leftovers.tsx'), 'LeftoversSettings'),
})
const connectMailbox = createRoute({
  getParentRoute: () => settings,
  path: 'channels/connect',
  component: lazyRouteComponent(() => import('./screens/settings/connect-mailbox.tsx'), 'ConnectMailbox'),
})
const channelSettings = createRoute({
  getParentRoute: () => settings,
  path: 'channels/$channelId',
  component: lazyRouteComponent(() => import('./screens/settings/channel.tsx'), 'ChannelSettings'),
})

const tree = root.addChildren([
  signIn,
  inWorkspace,
  signed.addChildren([
    home,
    notifications,
    inbox.addChildren([inboxStart, inboxView, inboxConversation]),
    newConversation,
    contacts,
    contact,
    groups,
    group,
    broadcasts,
    newBroadcast,
    broadcast,
    templates,
    flows,
    flow,
    knowledge,
    importKnowledge,
    addWebsite,
    addFiles,
    knowledgeSource,
    knowledgeSourceSettings,
    editKnowledge,
    knowledgeGaps,
    reports,
    settings.addChildren([
      settingsStart,
      workspaceSettings,
      membersSettings,
      rolesSettings,
      tokensSettings,
      webhooksSettings,
      webhookSettings,
      auditLogSettings,
      exportsSettings,
      tagsSettings,
      savedRepliesSettings,
      teamsSettings,
      editTeam,
      businessHoursSettings,
      editBusinessHours,
      actionsSettings,
      editAction,
      mcpServersSettings,
      mcpServerSettings,
      aiAgentSettings,
      aiReport,
      aiModelSettings,
      aiTests,
      aiTest,
      guidanceSettings,
      channelsSettings,
      addChannel,
      addChannelKind,
      connectMailbox,
      leftoversSettings,
      channelSettings,
    ]),
  ]),
])

export const makeRouter = (client: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { client },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: false,
    defaultPendingMs: 300,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
