// The types of the server's responses. Those of /api/v1 come from the server's schemas; the rest are the console's own.

import type { Static } from 'typebox'
import type { OidcProblem, OidcStarted } from '../../server/domain/accounts/oidc/schema.ts'
import type {
  Assertion,
  OwnPasskeys,
  Passkey,
  PasskeyAdded,
  PasskeyObstacle,
  RecoveryCodes,
  Registration,
  SecondFactorNeeded,
} from '../../server/domain/accounts/passkeys/schema.ts'
import type {
  About as AboutSchema,
  OwnSession,
  OwnSessions,
  Session,
  SessionWorkspace,
} from '../../server/domain/accounts/schema.ts'
import type { Action, ActionSummary, NewAction, TriedAction } from '../../server/domain/actions/schema.ts'
import type { Role } from '../../server/domain/agents/role-schema.ts'
import type { Agent, Member } from '../../server/domain/agents/schema.ts'
import type { ReplyDrafts, RewriteBody, Rewritten } from '../../server/domain/ai/drafts/schema.ts'
import type { OpenProposal, OpenProposals } from '../../server/domain/ai/proposals/schema.ts'
import type {
  AiReport,
  DraftCounts,
  Episode,
  EpisodeKind,
  EpisodeList,
} from '../../server/domain/ai/report-schema.ts'
import type { AiSample, Sampled } from '../../server/domain/ai/sample-schema.ts'
import type { AiSettings, AiSettingsAnswer } from '../../server/domain/ai/schema.ts'
import type { AiRequest, AiTurn } from '../../server/domain/ai/turn-schema.ts'
import type { AuditAction, AuditEntry, AuditLog } from '../../server/domain/audit/schema.ts'
import type { ConversationAutomation } from '../../server/domain/automation/schema.ts'
import type {
  Audience,
  AudiencePreview,
  Broadcast,
  BroadcastResults as BroadcastResultsSchema,
  RecipientList,
} from '../../server/domain/broadcasts/schema.ts'
import type { BroadcastTest } from '../../server/domain/broadcasts/test-schema.ts'
import type { BusinessHours, NewBusinessHours } from '../../server/domain/business-hours/schema.ts'
import type {
  ChannelAdded,
  ChannelChecked,
  ShownChannel,
} from '../../server/domain/channel-accounts/schema.ts'
import type { RemovalAnswer, RemovalPreview } from '../../server/domain/channel-removals/schema.ts'
import type { ChatBox, ChatBoxSettings } from '../../server/domain/chat-boxes/schema.ts'
import type { GroupMembers, GroupSummary, MembersAdded } from '../../server/domain/contact-groups/schema.ts'
import type { AudienceFilter } from '../../server/domain/contacts/audience-schema.ts'
import type { PeopleFound } from '../../server/domain/contacts/people-found-schema.ts'
import type {
  ContactProfile,
  InboxContactRow,
  InboxContactsPage,
} from '../../server/domain/contacts/schema.ts'
import type {
  ConversationCounts,
  ConversationDetails,
  FilterChoices,
  Found,
  FoundConversations,
  FoundElsewhere,
  InboxMessage,
  InboxNote,
  InboxRow,
  ThreadMatches,
} from '../../server/domain/conversations/inbox-schema.ts'
import type { Message as ApiMessage } from '../../server/domain/conversations/schema.ts'
import type { Recipient as MailRecipient, OutgoingEmail } from '../../server/domain/emails/schema.ts'
import type { Export, ExportDetails } from '../../server/domain/exports/schema.ts'
import type { Mentionable, MentionableList } from '../../server/domain/notes/mention-schema.ts'
import type {
  NotificationSettings,
  OwnNotifications as OwnNotificationsSchema,
} from '../../server/domain/notifications/schema.ts'
import type { HeldMessage } from '../../server/domain/outbox/schema.ts'
import type { Senders as StartSenders } from '../../server/domain/outbox/start-schema.ts'
import type { ImportColumn, ImportedRow } from '../../server/domain/people/import-rows-schema.ts'
import type { Merge as MergeSchema } from '../../server/domain/people/merge-schema.ts'
import type {
  Figure,
  Report,
  Entry as ReportEntry,
  EntryList as ReportEntryList,
  Goal as ReportGoal,
  ReportTable,
  Took as ReportTook,
  Totals as ReportTotals,
} from '../../server/domain/reports/schema.ts'
import type { RetentionPreview, RetentionRule } from '../../server/domain/retention/schema.ts'
import type { NewSavedReply, SavedReply, UsedReply } from '../../server/domain/saved-replies/schema.ts'
import type { SavedView } from '../../server/domain/saved-views/schema.ts'
import type { ChannelEnum } from '../../server/domain/schema.ts'
import type { Tag } from '../../server/domain/tags/schema.ts'
import type { AnswerTargets, ManagedTeam, NewTeam, Team } from '../../server/domain/teams/schema.ts'
import type { RichTemplate } from '../../server/domain/templates/schema.ts'
import type { ApiToken, TokenScope } from '../../server/domain/tokens/schema.ts'
import type { BlockAnswer, Visit } from '../../server/domain/visitors/schema.ts'
import type { Leftover, LeftoverList } from '../../server/inbound/replay/schema.ts'

export type {
  Action,
  ActionSummary,
  Agent,
  AiReport,
  AiRequest,
  AiSample,
  AiSettings,
  AiSettingsAnswer,
  AiTurn,
  AnswerTargets,
  ApiToken,
  Assertion,
  Audience,
  AudienceFilter,
  AuditAction,
  AuditEntry,
  AuditLog,
  Broadcast,
  BroadcastTest,
  BusinessHours,
  ChatBox,
  ChatBoxSettings,
  ConversationAutomation,
  ConversationCounts,
  ConversationDetails,
  DraftCounts,
  Episode,
  EpisodeKind,
  EpisodeList,
  Figure,
  FilterChoices,
  Found,
  FoundConversations,
  FoundElsewhere,
  GroupMembers,
  GroupSummary,
  HeldMessage,
  InboxContactRow as ContactRow,
  InboxRow as ConversationRow,
  Leftover,
  LeftoverList,
  MailRecipient,
  ManagedTeam,
  Member,
  MembersAdded,
  NewAction,
  NewBusinessHours,
  NewSavedReply,
  NewTeam,
  OidcProblem,
  OidcStarted,
  OpenProposal,
  OpenProposals,
  OutgoingEmail,
  OwnPasskeys,
  OwnSession,
  OwnSessions,
  Passkey,
  PasskeyAdded,
  PasskeyObstacle,
  RecoveryCodes,
  Registration,
  RemovalPreview,
  ReplyDrafts,
  Report,
  ReportEntry,
  ReportEntryList,
  ReportGoal,
  ReportTable,
  ReportTook,
  ReportTotals,
  RetentionPreview,
  RetentionRule,
  RewriteBody,
  Rewritten,
  RichTemplate,
  Role,
  Sampled,
  SavedReply,
  SavedView,
  SecondFactorNeeded,
  Session,
  SessionWorkspace as Workspace,
  ShownChannel,
  StartSenders,
  Tag,
  Team,
  ThreadMatches,
  TokenScope,
  TriedAction,
  UsedReply,
}
export type Channel = ChannelEnum
export type About = Static<typeof AboutSchema>
export type Block = Static<typeof BlockAnswer>['block']
export type Checked = Static<typeof ChannelChecked>
export type AddedChannel = Static<typeof ChannelAdded>
export type RemovedChannel = Static<typeof RemovalAnswer>
export type { Visit }
export type Profile = Static<typeof ContactProfile>
export type { ImportColumn, ImportedRow }
export type Merge = Static<typeof MergeSchema>
export type Directory = Static<typeof InboxContactsPage>
export type Preview = Static<typeof AudiencePreview>
export type BroadcastResults = Static<typeof BroadcastResultsSchema>
export type Recipient = Static<typeof RecipientList>['recipients'][number]
export type ThreadNote = InboxNote
export type OwnNotifications = Static<typeof OwnNotificationsSchema>
export type { Mentionable, NotificationSettings }
export type WorkspaceExport = Export
export type WorkspaceExportDetails = ExportDetails
export type Mentionables = Static<typeof MentionableList>
/** The API's response to a send has no attachment states; messages from people have them. */
export type FoundPerson = PeopleFound['people'][number]
export type Message = ApiMessage | InboxMessage
export type Attachment = ApiMessage['attachments'][number] & {
  state?: InboxMessage['attachments'][number]['state']
}

export type Permission = SessionWorkspace['permissions'][number]

export type TimelineEntry = { kind: 'message'; message: Message } | { kind: 'note'; note: ThreadNote }

export type Presence = { id: string; nickname: string; state: 'viewing' | 'typing' }

/** An email that is being written, beside its text. */
export type Mail = Omit<OutgoingEmail, 'html'> & {
  /** No signature goes below it, or it has one already. */
  isUnsigned?: boolean
}

export type ReportRated = ReportTotals['rating']
