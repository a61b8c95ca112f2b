// The cache's query keys. All keys of a workspace start with its id, so that leaving it drops them; live.ts maps events
// to keys. New screens add theirs here.
import { t } from '../words/t.ts'

export const keys = {
  session: ['session'] as const,
  about: ['about'] as const,
  workspace: (w: string) => ['w', w] as const,

  conversationLists: (w: string) => ['w', w, 'conversations'] as const,
  conversationList: (w: string, filter: Record<string, unknown>) =>
    ['w', w, 'conversations', filter] as const,
  savedViews: (w: string) => ['w', w, 'saved-views'] as const,
  /** Below the counts, so that what makes those stale makes this stale. */
  listedCount: (w: string, filter: Record<string, unknown>) => ['w', w, 'counts', filter] as const,
  counts: (w: string) => ['w', w, 'counts'] as const,
  details: (w: string, conversationId: string) =>
    ['w', w, 'conversation', conversationId, 'details'] as const,
  timeline: (w: string, conversationId: string) =>
    ['w', w, 'conversation', conversationId, 'timeline'] as const,

  /** What is looked for in a thread. Below it, so that what makes that stale makes these stale. */
  threadWindow: (w: string, conversationId: string) =>
    ['w', w, 'conversation', conversationId, 'timeline', 'window'] as const,
  threadMatches: (w: string, conversationId: string, find: string) =>
    ['w', w, 'conversation', conversationId, 'timeline', 'matches', find] as const,

  /** Not under the lists' key: an event changes a row, but is no reason to search again. */
  foundLists: (w: string) => ['w', w, 'found'] as const,
  found: (w: string, filter: Record<string, unknown>) => ['w', w, 'found', filter] as const,
  foundCounts: (w: string, filter: Record<string, unknown>) => ['w', w, 'found-counts', filter] as const,
  foundAnywhere: (w: string, what: 'people' | 'conversations', q: string) =>
    ['w', w, 'found-anywhere', what, q] as const,

  outbox: (w: string) => ['w', w, 'outbox'] as const,
  email: (w: string, messageId: string) => ['w', w, 'email', messageId] as const,
  mailProviders: (w: string) => ['w', w, t`mail providers`] as const,
  senders: (w: string) => ['w', w, 'senders'] as const,
  signature: (w: string, of: string) => ['w', w, 'signature', of] as const,
  recipients: (w: string, search: string) => ['w', w, 'recipients', search] as const,

  automation: (w: string, conversationId: string) =>
    ['w', w, 'conversation', conversationId, 'automation'] as const,

  /** The prefix of the drafts of all conversations. */
  allReplyDrafts: (w: string) => ['w', w, 'reply-drafts'] as const,
  replyDrafts: (w: string, conversationId: string) => ['w', w, 'reply-drafts', conversationId] as const,
  summary: (w: string, conversationId: string) => ['w', w, 'summary', conversationId] as const,
  /** Below automation's key, so that what makes that stale makes this stale. */
  proposals: (w: string, conversationId: string) =>
    ['w', w, 'conversation', conversationId, 'automation', 'proposals'] as const,

  /** Not under the conversation's key: these are never fetched, only set by events. */
  presence: (w: string, conversationId: string) => ['w', w, 'presence', conversationId] as const,
  typing: (w: string, conversationId: string) => ['w', w, 'typing', conversationId] as const,

  /** The prefix of every page of the directory. */
  contacts: (w: string) => ['w', w, 'contacts'] as const,
  contactList: (w: string, filter: Record<string, unknown>) => ['w', w, 'contacts', filter] as const,
  contact: (w: string, contactId: string) => ['w', w, 'contact', contactId, 'profile'] as const,
  contactTags: (w: string, contactId: string) => ['w', w, 'contact', contactId, 'tags'] as const,
  contactMerges: (w: string, contactId: string) => ['w', w, 'contact', contactId, 'merges'] as const,
  contactVisit: (w: string, contactId: string) => ['w', w, 'contact', contactId, 'visit'] as const,
  visitorBlock: (w: string, contactId: string) => ['w', w, 'contact', contactId, 'block'] as const,
  contactConversations: (w: string, contactId: string) =>
    ['w', w, 'contact', contactId, 'conversations'] as const,

  auditLog: (w: string, filter: Record<string, unknown>) => ['w', w, 'audit-log', filter] as const,
  agents: (w: string) => ['w', w, 'agents'] as const,
  away: (w: string) => ['w', w, 'away'] as const,
  teams: (w: string) => ['w', w, 'teams'] as const,
  tags: (w: string) => ['w', w, 'tags'] as const,
  templates: (w: string) => ['w', w, 'templates'] as const,
  groups: (w: string) => ['w', w, 'groups'] as const,
  groupMembers: (w: string, groupId: string, search: string) =>
    ['w', w, 'group', groupId, 'members', search] as const,
  broadcasts: (w: string) => ['w', w, 'broadcasts'] as const,
  broadcastList: (w: string) => ['w', w, 'broadcasts', 'list'] as const,
  broadcast: (w: string, broadcastId: string) => ['w', w, 'broadcasts', broadcastId] as const,
  /** Not under the key above: there may be very many, and they are refetched at their own pace. */
  broadcastRecipients: (w: string, broadcastId: string, outcome: string) =>
    ['w', w, 'broadcast-recipients', broadcastId, outcome] as const,
  broadcastPreview: (w: string, revision: string) => ['w', w, 'broadcast-preview', revision] as const,
  /** The prefix of everything about flows and their runs. */
  flows: (w: string) => ['w', w, 'flows'] as const,
  flowList: (w: string, areArchived = false) => ['w', w, 'flows', 'list', areArchived] as const,
  flow: (w: string, flowId: string) => ['w', w, 'flows', 'flow', flowId] as const,
  flowVersion: (w: string, flowId: string, version: number) =>
    ['w', w, 'flows', 'version', flowId, version] as const,
  flowFunnel: (w: string, flowId: string, version?: number) =>
    ['w', w, 'flows', 'funnel', flowId, version] as const,
  flowRuns: (w: string, filter: Record<string, unknown>) => ['w', w, 'flows', 'runs', filter] as const,
  flowRun: (w: string, runId: string) => ['w', w, 'flows', 'run', runId] as const,
  aiReport: (w: string, days: number) => ['w', w, 'ai-report', days] as const,
  aiReports: (w: string) => ['w', w, 'ai-report'] as const,
  aiSample: (w: string) => ['w', w, 'ai-report', 'sample'] as const,
  aiEpisodes: (w: string, filter: Record<string, unknown>) =>
    ['w', w, 'ai-report', 'episodes', filter] as const,
  /** The prefix of all reports and of what is behind their figures. */
  reports: (w: string) => ['w', w, 'reports'] as const,
  report: (w: string, filter: Record<string, unknown>) => ['w', w, 'reports', 'report', filter] as const,
  reportEntries: (w: string, filter: Record<string, unknown>) =>
    ['w', w, 'reports', 'entries', filter] as const,
  aiTurn: (w: string, turnId: string) => ['w', w, 'ai-turns', turnId] as const,
  aiRequests: (w: string, turnId: string) => ['w', w, 'ai-turns', turnId, 'requests'] as const,
  /** The prefix of all lists of articles and answers, and of each of them. */
  knowledge: (w: string) => ['w', w, 'knowledge'] as const,
  knowledgeList: (w: string, kind: string, filter: Record<string, unknown>) =>
    ['w', w, 'knowledge', kind, 'list', filter] as const,
  knowledgeItem: (w: string, kind: string, id: string) => ['w', w, 'knowledge', kind, 'item', id] as const,
  sources: (w: string) => ['w', w, 'knowledge', 'sources', 'list'] as const,
  source: (w: string, id: string) => ['w', w, 'knowledge', 'sources', id] as const,
  pageChange: (w: string, id: string, pageId: string) =>
    ['w', w, 'knowledge', 'sources', id, pageId] as const,
  gaps: (w: string) => ['w', w, 'knowledge-gaps'] as const,
  gapOfReply: (w: string, messageId: string) => ['w', w, 'gaps', messageId] as const,
  actions: (w: string) => ['w', w, 'actions'] as const,
  businessHours: (w: string) => ['w', w, 'business-hours'] as const,
  settings: (w: string) => ['w', w, 'settings'] as const,
  /** The list, and the prefix of each of them. */
  aiTests: (w: string) => ['w', w, 'settings', 'ai-tests'] as const,
  aiTest: (w: string, testId: string, round: string) =>
    ['w', w, 'settings', 'ai-tests', testId, round] as const,
  /** Below the settings, so that what changes a webhook makes its deliveries stale. */
  webhookDeliveries: (w: string, endpointId: string, state: string) =>
    ['w', w, 'settings', 'webhook-deliveries', endpointId, state] as const,
  /** One settings page; all share the prefix above. */
  setting: (w: string, page: string) => ['w', w, 'settings', page] as const,
}
