// The row types of the tables, column by column as in migrations/. Times are ISO strings; see db/pool.ts.
import type { ColumnType, Generated } from 'kysely'
import type { IdentityKind } from '../../../channels/definitions.ts'
import type { ChannelName } from '../../../channels/names.ts'
import type { OpenPeriod, Weekday } from '../../../flow-engine/business-hours.ts'
import type { Input, LogOutcome, RunState, Wait } from '../../../flow-engine/contract.ts'
import type { EndReason } from '../../../flow-engine/end-reasons.ts'
import type { Json as JsonValue } from '../../../flow-engine/paths.ts'
import type { Problem } from '../../../flow-engine/problems.ts'
import type { Scenario } from '../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import type { StepType } from '../../../flow-engine/step-schema.ts'
import type { ModelAbilities, ModelCheckStep } from '../../../models/contract.ts'
import type { ModelKind } from '../../../models/names.ts'

export type { IdentityKind } from '../../../channels/definitions.ts'
export { CHANNELS, type ChannelName } from '../../../channels/names.ts'
export { MODEL_KINDS, type ModelKind } from '../../../models/names.ts'

export type SenderType = 'customer' | 'agent' | 'automation' | 'system'
export type MessageStatus = 'queued' | 'sent' | 'delivered' | 'read' | 'failed'
export type ConversationStatus = 'open' | 'closed'
export const RECIPIENT_OUTCOMES = ['pending', 'sending', 'sent', 'failed', 'unconfirmed', 'skipped'] as const
export type RecipientOutcome = (typeof RECIPIENT_OUTCOMES)[number]

export const WEBHOOK_STATUSES = ['enabled', 'paused', 'disabled'] as const
/** Why an endpoint is disabled. */
export const WEBHOOK_REASONS = ['failing', 'gone', 'admin', 'url_refused', 'scope_lost'] as const
export const WEBHOOK_PAYLOADS = ['thin', 'full'] as const
export const WEBHOOK_ORDERINGS = ['conversation', 'none', 'strict'] as const
export const WEBHOOK_KINDS = ['live', 'replay', 'test'] as const
/** `held`: waits for one before it. */
export type WebhookState = 'pending' | 'held' | 'sending' | 'delivered' | 'failed' | 'dropped'

/** Whether what comes to a team goes to its people by itself. */
export const TEAM_ASSIGNMENTS = ['off', 'round_robin', 'least_busy'] as const
export type TeamAssignment = (typeof TEAM_ASSIGNMENTS)[number]

/** What a person is notified of. */
export const NOTIFICATION_KINDS = [
  'assigned',
  'mentioned',
  'message',
  'unassigned',
  'team',
  'overdue',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** What an earlier release stored lacks the last two. */
type LaterKind = 'team' | 'overdue'
type PerKind = Record<Exclude<NotificationKind, LaterKind>, boolean> & Partial<Record<LaterKind, boolean>>
/** domain/notifications/schema.ts describes and checks it. */
export type NotificationSettings = {
  desktop: PerKind
  sound: PerKind
  email: PerKind
  emailAfterMinutes: number
  showText: boolean
  hours: { timeZone: string; weekly: Partial<Record<Weekday, OpenPeriod[]>> } | null
}

export const ERASURE_MODES = ['erase', 'anonymise'] as const
export type ErasureMode = (typeof ERASURE_MODES)[number]
export const ERASURE_STATUSES = ['running', 'completed'] as const
/** How many rows of each were removed or emptied. */
export type ErasureCounts = Partial<Record<'conversations' | 'messages' | 'notes' | 'files', number>>
/** What a rule did on one day. */
export type RetentionCounts = ErasureCounts & { closed?: number }
export const EXPORT_STATUSES = ['running', 'completed', 'failed', 'expired'] as const
/** What an archive consists of, in the order in which a loader needs it. */
export const ARCHIVE_RESOURCES = [
  'workspace',
  'agents',
  'channels',
  'tags',
  'contactGroups',
  'contacts',
  'conversations',
  'messages',
  'notes',
  'attachments',
] as const
export type ArchiveResource = (typeof ARCHIVE_RESOURCES)[number]
/** A file of an export, under a key of the file store. */
export type StoredExportFile = {
  name: string
  resource: ArchiveResource | null
  rows: number
  bytes: number
  sha256: string
  key: string
}

export const ACTION_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export const ACTION_RISKS = ['read', 'write'] as const
export const ACTION_NEEDS = ['none', 'known', 'verified'] as const
export const ACTION_CONFIRMS = ['none', 'customer', 'person'] as const
export const MCP_ERAS = ['modern', 'legacy'] as const
export const MCP_TOOL_STATES = ['off', 'on', 'changed', 'gone'] as const
export const PARAMETER_TYPES = ['string', 'number', 'boolean', 'enum'] as const
export const CONTACT_VALUES = ['externalId', 'email', 'phone', 'field'] as const

/** What an API token may be used for, in the order in which it is shown. */
export const SCOPES = [
  'conversations:read',
  'conversations:write',
  'messages:draft',
  'messages:send',
  'contacts:read',
  'contacts:write',
  'contacts:erase',
  'notes:write',
  'tags:write',
  'agents:read',
  'agents:write',
  'groups:read',
  'templates:read',
  'templates:send',
  'broadcasts:read',
  'broadcasts:send',
  'flows:read',
  'flows:run',
  'knowledge:read',
  'knowledge:write',
  'events:read',
  'webhooks:manage',
  'exports:create',
  'audit:read',
] as const
export type Scope = (typeof SCOPES)[number]

/** Instead of scopes: everything, also what later versions add. */
export const FULL_ACCESS = 'full'

/** What knowledge is read from. */
export const SOURCE_KINDS = ['page', 'sitemap', 'file'] as const
/** What happens to a page's text when it changes. */
export const SOURCE_UPDATES = ['review', 'publish'] as const
export const SOURCE_STATES = ['reading', 'ready', 'failed'] as const
export const PAGE_STATES = ['new', 'read', 'empty', 'blocked', 'failed', 'gone'] as const

/** When the AI agent replies: at any time, or by the default business hours. */
export const AI_HOURS = ['always', 'open', 'closed'] as const
export const AI_MODES = ['never', 'drafts', 'assigned', 'new', 'new_closed', 'silent'] as const
/** How a turn of the AI agent ended. */
export const AI_OUTCOMES = ['answered', 'offered', 'asked', 'handed_over', 'silent', 'discarded'] as const
/** A reply is sent; a draft or a summary is shown to people. */
export type TurnKind = 'reply' | 'draft' | 'summary' | 'rewrite'
/** What became of a draft: sent as it was or changed, thrown away, or overtaken by a newer message. */
/** Why the AI agent leaves a conversation to people. */
export const HAND_OVER_REASONS = [
  /** The customer asked for a person. */
  'asked',
  /** There is nothing that it could reply with. */
  'no_knowledge',
  /** Twice in a row nothing fitted. */
  'failed_twice',
  /** The customer asks again what was answered. */
  'repeated',
  /** A file, a voice message, a location: nothing to search for. */
  'attachment',
  /** Not on this channel, at this time or for this customer. */
  'not_here',
  'stopped',
  /** The provider refused what it said. */
  'not_delivered',
  /** It isn't certain enough of anything that it could say. */
  'low_confidence',
  /** A rule of the workspace says so. */
  'rule',
  /** A subject that people talk about. */
  'sensitive',
  /** They may be in danger: the customer is told where there is help. */
  'self_harm',
  'angry',
  /** What is asked needs to know who the customer is. */
  'identity',
  'action_failed',
  /** A person has to confirm an action. */
  'approval',
  /** What it may use of its model is spent. */
  'budget',
  /** Its model can't be reached or used. */
  'provider_down',
  /** Something broke. */
  'failed',
  /** It has replied many times in a row. */
  'loop',
  /** Not one of those that it replies in. */
  'language',
] as const
export const TEST_RUN_STATES = ['running', 'ended', 'cancelled'] as const
export const TEST_STATES = ['waiting', 'passed', 'failed', 'skipped'] as const
export const TESTED_GUIDANCE = ['live', 'draft'] as const
export const DRAFT_STATES = ['offered', 'used', 'changed', 'dismissed', 'stale'] as const

/** How well the AI agent knows who a customer is, and what became of an action that it proposed. */
export const IDENTITIES = ['claimed', 'channel', 'verified'] as const
export const PROPOSAL_STATES = [
  'offered',
  'confirmed',
  'declined',
  'expired',
  'done',
  'failed',
  'unknown',
] as const

export const AI_TONES = ['friendly', 'plain', 'formal', 'lively'] as const
export const AI_LENGTHS = ['short', 'normal', 'detailed'] as const
/** What a rule of the AI agent's guidance makes it do: say or ask this, hand over, or never do that. */
export const RULE_ACTIONS = ['say', 'ask', 'handOver', 'never'] as const

/** For which conversations a rule holds: of each list one must hold, unless the list is empty. */
export type RuleCondition = {
  channels: ChannelName[]
  countries: string[]
  tagIds: string[]
  /** ISO 639-1. */
  languages: string[]
  hours: (typeof AI_HOURS)[number]
}
export type GuidanceRule = {
  /** In plain words, for the model: "the customer asks for a discount". */
  when: string
  action: (typeof RULE_ACTIONS)[number]
  /** What to say, ask or never do. */
  text: string
  only: RuleCondition
}
/** What the AI agent is told by its workspace, and what it may use. */
export type Guidance = {
  instructions: string
  rules: GuidanceRule[]
  tone: (typeof AI_TONES)[number]
  /** In own words; beside the tone. */
  style: string
  length: (typeof AI_LENGTHS)[number]
  /** ISO 639-1, in which it replies; empty: in the customer's, whichever it is. */
  languages: string[]
  /** Subjects that go to people, beside our own. */
  sensitiveTopics: string[]
  /** Sites that it may link to. */
  domains: string[]
  /** Names of custom fields that it is shown, and may fill in. */
  readableFields: string[]
  writableFields: string[]
  tagIds: string[]
  flowIds: string[]
  actionIds: string[]
}

export type ActionParameter = {
  name: string
  type: (typeof PARAMETER_TYPES)[number]
  isRequired: boolean
  /** In characters; of a string. */
  maxLength?: number
  /** Of an enum. */
  options?: string[]
  /** What of the contact it is when the AI agent calls the action; `field`: which custom field. */
  fromContact?: { is: (typeof CONTACT_VALUES)[number]; field?: string }
}
/** A field of a JSON response, and the name under which flows find it. */
export type KeptField = { name: string; path: string }
export type CallOutcome = Extract<Input, { type: 'callFinished' }>['outcome']

/** Read as an ISO string, written as a Date or an ISO string. */
type Moment = ColumnType<string, Date | string, Date | string>
type OptionalMoment = ColumnType<string | null, Date | string | null | undefined, Date | string | null>
/** Read parsed, written as JSON text. */
type Json<T> = ColumnType<T, string, string>
type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>
type WithDefault<T> = ColumnType<T, T | undefined, T>

export type CustomFields = Record<string, string | number | boolean>
export type Metadata = Record<string, unknown>
/** Why a channel account does not work at present, and since when (ISO 8601). */
export type ChannelProblem = { code: string; message: string; since: string }

/** With a code by email, a link that the operator created, or the operator's identity provider. */
export const SIGN_IN_METHODS = ['code', 'link', 'oidc'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

/** What a person adds to a code or an emailed link. */
export const SECOND_FACTORS = ['passkey', 'recovery_code'] as const
export type SecondFactor = (typeof SECOND_FACTORS)[number]

export type Tables = {
  workspaces: {
    id: string
    name: string
    upload_quota_bytes: WithDefault<number>
    /** Whether customers' messages leave inputs for automation. */
    is_automated: WithDefault<boolean>
    /** Raised by everything that decides which flows start. */
    automation_revision: WithDefault<number>
    /** Raised by teams and targets; null: there are none. */
    team_revision: WithDefault<number | null>
    created_at: Moment
  }
  accounts: {
    id: string
    email: string
    nickname: string
    nickname_key: string
    is_ai: WithDefault<boolean>
    last_seen_at: OptionalMoment
    /** The workspace that it was created in. */
    created_in: WithDefault<string | null>
    /** What authenticators know the account by: random, set when its first passkey is added. */
    passkey_handle: WithDefault<Buffer | null>
    undo_seconds: WithDefault<0 | 5 | 10 | 20>
    language: WithDefault<string | null>
    is_language_chosen: WithDefault<boolean>
    created_at: Moment
  }
  roles: {
    workspace_id: string
    id: string
    name: string
    permissions: WithDefault<string[]>
    is_default: WithDefault<boolean>
    created_at: Moment
  }
  memberships: {
    workspace_id: string
    account_id: string
    role: 'agent' | 'admin' | 'ai'
    role_id: string | null
    created_at: Moment
    removed_at: OptionalMoment
    /** Sessions from before this time are no longer valid. */
    sessions_since: OptionalMoment
    /** Set when someone added them to another workspace and they have not seen it yet. */
    is_new: WithDefault<boolean>
    /** An account, or api:<token id>. */
    added_by: WithDefault<string | null>
    /** What customers wrote before is read. */
    unread_since: OptionalMoment
    /** Their unread conversations include the unassigned ones. */
    counts_unassigned: WithDefault<boolean>
    /** They are given no conversations by itself. */
    is_away: WithDefault<boolean>
  }
  teams: {
    workspace_id: string
    id: string
    name: string
    name_key: string
    color: string
    assignment: WithDefault<TeamAssignment>
    open_limit: WithDefault<number | null>
    reassigns_away: WithDefault<boolean>
    hours_id: WithDefault<string | null>
    first_answer_minutes: WithDefault<number | null>
    next_answer_minutes: WithDefault<number | null>
    created_at: Moment
    removed_at: OptionalMoment
  }
  team_members: {
    workspace_id: string
    team_id: string
    account_id: string
    /** Who has the lowest is next. */
    turn: WithDefault<number>
  }
  answer_targets: {
    workspace_id: string
    first_answer_minutes: number | null
    next_answer_minutes: number | null
    hours_id: string | null
    ai_counts: WithDefault<boolean>
  }
  waits: {
    workspace_id: string
    id: string
    conversation_id: string
    kind: 'first' | 'next'
    team_id: string | null
    started_at: Moment
    due_at: Moment
    paused_at: OptionalMoment
    left_seconds: WithDefault<number | null>
    overdue_at: OptionalMoment
    ended_at: OptionalMoment
    answered_at: OptionalMoment
    answered_by: WithDefault<string | null>
    /** Within business hours and without snoozes; null until it ended and was worked out. */
    counted_seconds: WithDefault<number | null>
    paused_seconds: WithDefault<number>
  }
  api_tokens: {
    workspace_id: string
    id: string
    name: string
    prefix: string
    hash: Buffer
    created_by: string | null
    created_at: Moment
    last_used_at: OptionalMoment
    revoked_at: OptionalMoment
    scopes: WithDefault<(Scope | typeof FULL_ACCESS)[]>
    channels: ChannelName[] | null
    expires_at: OptionalMoment
    allowed_addresses: string[] | null
    previous_hash: Buffer | null
    previous_until: OptionalMoment
  }
  audit_log: {
    workspace_id: string
    id: string
    action: string
    actor: string
    target_type: string | null
    target_id: string | null
    target_name: string | null
    address: string | null
    user_agent: string | null
    request_id: string | null
    changes: Json<object>
    created_at: Moment
  }
  sign_in_secrets: {
    hash: Buffer
    account_id: string
    /** An operator's goes past the second factor. */
    made_by: WithDefault<'mail' | 'operator'>
    expires_at: Moment
    used_at: OptionalMoment
    created_at: Moment
  }
  sign_in_codes: {
    browser_hash: Buffer
    email: string
    /** Who requested it: a browser that signed in before, or an address. */
    asker: WithDefault<string>
    is_known_browser: WithDefault<boolean>
    has_code: WithDefault<boolean>
    account_id: string | null
    code_hash: string | null
    tries: WithDefault<number>
    used_at: OptionalMoment
    expires_at: Moment
    created_at: Moment
  }
  sessions: {
    hash: Buffer
    account_id: string
    created_at: Moment
    seen_at: Moment
    /** Null for sessions from before these were stored. */
    method: SignInMethod | null
    address: string | null
    user_agent: string | null
    second_factor: WithDefault<SecondFactor | null>
    /** When the person last confirmed that it is them, after signing in. */
    confirmed_at: OptionalMoment
  }
  passkeys: {
    account_id: string
    id: string
    credential_id: string
    public_key: Buffer
    counter: number
    transports: string[]
    name: string
    created_at: Moment
    last_used_at: OptionalMoment
  }
  recovery_codes: { account_id: string; hash: string; created_at: Moment }
  pending_sign_ins: {
    hash: Buffer
    account_id: string
    method: SignInMethod
    tries: WithDefault<number>
    expires_at: Moment
    created_at: Moment
  }
  /** The owner is the hash of a pending sign-in, or of a session. */
  passkey_challenges: { owner: Buffer; challenge: string; expires_at: Moment }
  notification_settings: {
    account_id: string
    settings: Json<NotificationSettings>
    paused_until: OptionalMoment
    updated_at: Moment
  }
  push_keys: { is_only: WithDefault<boolean>; public_key: string; private_key: Buffer; created_at: Moment }
  push_subscriptions: {
    id: string
    account_id: string
    session_hash: Buffer
    endpoint: string
    host: string
    public_key: string
    auth_secret: string
    created_at: Moment
  }
  notification_inputs: {
    workspace_id: string
    id: Generated<number>
    kind: 'assigned' | 'note' | 'message' | 'unassigned'
    conversation_id: string
    subject_id: string | null
    actor_id: string | null
    created_at: Moment
  }
  notifications: {
    workspace_id: string
    id: string
    account_id: string
    kind: NotificationKind
    conversation_id: string
    subject_id: string | null
    actor_id: string | null
    conversation_count: WithDefault<number>
    email_due_at: OptionalMoment
    created_at: Moment
  }
  push_deliveries: {
    workspace_id: string
    notification_id: string
    subscription_id: string
    host: string
    tries: WithDefault<number>
    not_before: Moment
  }
  oidc_subjects: { issuer: string; subject: string; account_id: string; created_at: Moment }
  oidc_used_states: { hash: Buffer; created_at: Moment }
  channel_accounts: {
    workspace_id: string
    id: string
    channel: ChannelName
    name: string
    address: string | null
    settings: Json<Record<string, unknown>>
    secrets: Buffer | null
    problem: OptionalJson<ChannelProblem>
    created_at: Moment
    checked_at: OptionalMoment
    worked_at: OptionalMoment
    removed_at: OptionalMoment
    removed_place: OptionalJson<Record<string, string>>
    /** Which gets what customers begin there, unless it was removed. */
    team_id: WithDefault<string | null>
  }
  chat_boxes: {
    workspace_id: string
    channel_account_id: string
    settings: Json<Record<string, unknown>>
    identity_secret: Buffer | null
    former_secret: Buffer | null
    former_until: OptionalMoment
  }
  chat_emails: {
    workspace_id: string
    conversation_id: string
    address: string | null
    address_hash: string | null
    language: string
    answered_at: Moment
    proven_at: OptionalMoment
    shown_at: OptionalMoment
    shown_hashes: WithDefault<string[]>
    failed_at: OptionalMoment
    emailed_id: string | null
    last_email_id: string | null
    due_at: OptionalMoment
  }
  chat_mails: {
    workspace_id: string
    id: string
    conversation_id: string
    channel_account_id: string
    address_hash: string
    message_ids: string[]
    last_message_id: string
    state: 'queued' | 'sent' | 'dropped'
    created_at: Moment
    ended_at: OptionalMoment
  }
  visitor_files: {
    workspace_id: string
    visitor_id: string
    client_id: string
    attachment_id: string | null
    size: number
    address: string
    created_at: Moment
  }
  chat_email_stops: {
    workspace_id: string
    address_hash: string
    stopped_at: Moment
  }
  contacts: {
    workspace_id: string
    id: string
    name: string
    email: string | null
    phone: string | null
    username: string | null
    country_iso: string | null
    avatar_url: string | null
    custom_fields: ColumnType<CustomFields, string | undefined, string>
    channels: WithDefault<ChannelName[]>
    conversation_count: WithDefault<number>
    open_count: WithDefault<number>
    latest_conversation_id: string | null
    assigned_agent_id: string | null
    last_activity_at: OptionalMoment
    opted_out_at: OptionalMoment
    search_text: string
    created_at: Moment
  }
  contact_search: { workspace_id: string; contact_id: string; text: string; phone: string | null }
  identities: {
    workspace_id: string
    kind: IdentityKind
    value: string
    contact_id: string
    verified: WithDefault<boolean>
    confirmed: WithDefault<boolean>
    created_at: Moment
  }
  contact_days: { workspace_id: string; day: string; change: number; is_folded: WithDefault<boolean> }
  contact_counts: {
    workspace_id: string
    kind: 'total' | 'country' | 'channel'
    key: string
    shard: number
    count: number
  }
  tags: {
    workspace_id: string
    id: string
    name: string
    name_key: string
    color: string
    created_at: Moment
  }
  contact_tags: { workspace_id: string; contact_id: string; tag_id: string }
  conversation_tags: { workspace_id: string; conversation_id: string; tag_id: string }
  saved_views: {
    workspace_id: string
    id: string
    /** Whose it is; null: the team's. */
    owner_id: string | null
    name: string
    filter: Json<Record<string, unknown>>
    position: number
    created_at: Moment
  }
  saved_replies: {
    workspace_id: string
    id: string
    /** Whose it is; null: the team's. */
    owner_id: string | null
    name: string
    shortcut: string | null
    folder: string | null
    body: string
    channels: ChannelName[]
    /** What is done once it was sent. */
    tag_ids: string[]
    /** An account, or 'me'. */
    assignee_id: string | null
    closes: boolean
    use_count: WithDefault<number>
    last_used_at: OptionalMoment
    created_at: Moment
    updated_at: Moment
  }
  signatures: { workspace_id: string; owner_id: string; body: string; updated_at: Moment }
  contact_groups: {
    workspace_id: string
    id: string
    name: string
    description: WithDefault<string>
    created_at: Moment
    updated_at: Moment
  }
  contact_group_members: { workspace_id: string; group_id: string; contact_id: string; added_at: Moment }
  conversations: {
    workspace_id: string
    id: string
    channel: ChannelName
    channel_account_id: string
    contact_id: string
    subject: string | null
    status: WithDefault<ConversationStatus>
    agent_id: string | null
    assigned_at: OptionalMoment
    last_message_id: string | null
    last_message_body: string | null
    last_message_sender_id: string | null
    last_message_sender_type: SenderType | null
    last_message_status: MessageStatus | null
    last_message_at: OptionalMoment
    last_inbound_at: OptionalMoment
    /** What the customer wrote and nobody has read. Each person's own count: see conversation_reads. */
    unread_count: WithDefault<number>
    inbound_seq: WithDefault<number>
    closed_seq: WithDefault<number>
    held_until: OptionalMoment
    held_at: OptionalMoment
    held_message_id: WithDefault<string | null>
    waiting_since: OptionalMoment
    /** Out of the inbox until then; the year 9999: until the customer writes. */
    snoozed_until: OptionalMoment
    snoozed_by: WithDefault<string | null>
    /** 0 none, 1 low, 2 high, 3 urgent. */
    priority: WithDefault<number>
    team_id: WithDefault<string | null>
    /** The customer waits for an answer that has a target: see waits. */
    wait_id: WithDefault<string | null>
    /** When that is missed; null while it is paused. */
    answer_due_at: OptionalMoment
    created_at: Moment
    updated_at: Moment
  }
  conversation_reads: {
    workspace_id: string
    account_id: string
    conversation_id: string
    read_seq: number
    is_marked: WithDefault<boolean>
  }
  messages: {
    workspace_id: string
    id: string
    conversation_id: string
    channel_account_id: string
    sender_type: SenderType
    sender_id: string
    body: string
    status: MessageStatus
    reply_to_message_id: string | null
    reply_quote: string | null
    metadata: OptionalJson<Metadata>
    external_id: string | null
    created_at: Moment
  }
  ratings: {
    workspace_id: string
    run_id: string
    conversation_id: string
    /** Who replied last, or had the conversation. */
    agent_id: string | null
    rating: number
    comment: string | null
    created_at: Moment
  }
  report_states: {
    workspace_id: string
    time_zone: string
    first_day: string | null
    last_day: string | null
    /** The day of the oldest message or conversation. */
    begins_on: string | null
    computed_at: Moment | null
    edition: WithDefault<number>
  }
  report_hours: {
    workspace_id: string
    day: string
    hour: number
    channel: ChannelName
    kind: string
    count: number
  }
  report_times: {
    workspace_id: string
    day: string
    channel: ChannelName
    person: string
    team: string
    kind: string
    bucket: number
    count: number
  }
  report_broadcasts: {
    workspace_id: string
    broadcast_id: string
    delivered: number
    read: number
    answered: number
    computed_at: Moment
  }
  /** Kept by triggers. */
  report_late_hours: {
    workspace_id: string
    at: Moment
    conversation_id: string | null
    message_id: string | null
  }
  /** Kept by a trigger. */
  failed_messages: { workspace_id: string; message_id: string; conversation_id: string }
  conversation_grams: { workspace_id: string; gram: string; conversation_id: string }
  attachments: {
    workspace_id: string
    id: string
    message_id: string | null
    contact_id: string | null
    note_id: WithDefault<string | null>
    /** For a pending one: its place in the queue. */
    channel_account_id: WithDefault<string | null>
    type: 'image' | 'audio' | 'video' | 'file' | 'sticker' | 'location' | 'contacts'
    name: string
    mime_type: string
    size: number
    storage_key: string | null
    state: WithDefault<'uploading' | 'stored' | 'pending' | 'inline' | 'failed'>
    source: OptionalJson<Record<string, unknown>>
    content_hash: Buffer | null
    uploaded_by: string | null
    tries: WithDefault<number>
    not_before: OptionalMoment
    claimed_by: string | null
    failure: string | null
    created_at: Moment
  }
  deliveries: {
    workspace_id: string
    id: string
    message_id: string
    conversation_id: string
    channel_account_id: string
    state: WithDefault<'pending' | 'sending' | 'accepted' | 'refused' | 'unconfirmed'>
    tries: WithDefault<number>
    not_before: Moment
    claimed_by: string | null
    claimed_at: OptionalMoment
    error_code: string | null
    error_message: string | null
    template: OptionalJson<{ name: string; language: string; components: Record<string, unknown>[] }>
    /** Of an automated message: the automation epoch of its conversation in which it may be sent. */
    only_if_epoch: WithDefault<number | null>
    traceparent: WithDefault<string | null>
    created_at: Moment
    updated_at: Moment
  }
  whatsapp_templates: {
    workspace_id: string
    business_account_id: string
    name: string
    language: string
    definition: Json<Record<string, unknown>>
  }
  whatsapp_template_fetches: { workspace_id: string; business_account_id: string; fetched_at: Moment }
  parked_statuses: {
    workspace_id: string
    channel_account_id: string
    external_id: string
    status: 'sent' | 'delivered' | 'read' | 'failed'
    failure: OptionalJson<{ code: string; message: string }>
    created_at: Moment
  }
  mailbox_cursors: {
    workspace_id: string
    channel_account_id: string
    uid_validity: string
    last_uid: number
    read_at: Moment
  }
  webhook_leftovers: {
    workspace_id: string
    channel_account_id: string
    hash: Buffer
    reason: string
    raw: string
    replay: ColumnType<'item' | 'mail' | null, 'item' | 'mail' | null | undefined, 'item' | 'mail' | null>
    error: ColumnType<string | null, string | null | undefined, string | null>
    tries: WithDefault<number>
    next_try_at: OptionalMoment
    shown_at: OptionalMoment
    created_at: Moment
  }
  sent_reactions: {
    workspace_id: string
    message_id: string
    conversation_id: string
    channel_account_id: string
    account_id: string
    /** Null: to be taken away. */
    emoji: string | null
    /** What the customer sees. */
    reached: string | null
    revision: WithDefault<number>
    state: WithDefault<'pending' | 'sending' | 'sent' | 'refused'>
    tries: WithDefault<number>
    not_before: Moment
    claim: WithDefault<number>
    claimed_by: string | null
    claimed_at: OptionalMoment
    error_code: string | null
    error_message: string | null
    created_at: Moment
    updated_at: Moment
  }
  parked_alterations: {
    workspace_id: string
    channel_account_id: string
    target_id: string
    hash: Buffer
    alteration: Json<Record<string, unknown>>
    created_at: Moment
  }
  broadcasts: {
    workspace_id: string
    id: string
    audience_type: 'group' | 'contacts' | 'filter' | 'recipients'
    group_id: string | null
    group_name: string | null
    template_name: string
    template_language: string
    parameters: ColumnType<string[], string | undefined, string>
    sender_type: 'agent' | 'automation'
    sender_id: string
    total_count: WithDefault<number>
    sent_count: WithDefault<number>
    failed_count: WithDefault<number>
    skipped_count: WithDefault<number>
    status: ColumnType<'sending' | 'completed' | 'failed', never, never>
    announced_at: OptionalMoment
    created_at: Moment
    name: string | null
    scheduled_at: OptionalMoment
    paused_at: OptionalMoment
    canceled_at: OptionalMoment
    header: OptionalJson<Record<string, unknown>>
    header_attachment_id: ColumnType<string | null, string | null | undefined, string | null>
  }
  provider_files: {
    workspace_id: string
    channel_account_id: string
    owner: string
    storage_key: string
    external_id: string
    kept_until: Moment
  }
  broadcast_parts: {
    workspace_id: string
    broadcast_id: string
    channel_account_id: string
    definition: Json<Record<string, unknown>>
    body: string
    components: Json<Record<string, unknown>[]>
    worked_at: Moment
    paused_since: OptionalMoment
    paused_until: OptionalMoment
    pauses: WithDefault<number>
    pause_code: string | null
    pause_message: string | null
  }
  broadcast_recipients: {
    workspace_id: string
    broadcast_id: string
    contact_id: string
    channel_account_id: string
    outcome: RecipientOutcome
    not_before: OptionalMoment
    message_id: string | null
    error_code: string | null
    error_message: string | null
    parameters: OptionalJson<string[]>
    updated_at: Moment
  }
  channel_paces: { workspace_id: string; channel_account_id: string; taken_until: Moment }
  channel_people: {
    workspace_id: string
    channel_account_id: string
    external_id: string
    name: string | null
    profile_at: OptionalMoment
    avatar_key: string | null
    unreachable_since: OptionalMoment
    unreachable_reason: 'blocked' | 'opted_out' | null
    created_at: Moment
  }
  email_contents: {
    workspace_id: string
    message_id: string
    text: string | null
    html: string | null
    reference_ids: WithDefault<string[]>
  }
  email_hidden_texts: { workspace_id: string; message_id: string; conversation_id: string; text: string }
  email_threads: {
    workspace_id: string
    conversation_id: string
    address: string
    reply_to: string | null
    subject: string | null
  }
  email_aliases: {
    workspace_id: string
    channel_account_id: string
    email_id: string
    message_id: string
  }
  notes: {
    workspace_id: string
    id: string
    contact_id: string
    conversation_id: string | null
    author_id: string
    body: string
    created_at: Moment
    edited_at: OptionalMoment
  }
  note_mentions: {
    workspace_id: string
    note_id: string
    position: number
    length: number
    account_id: string
    is_announced: WithDefault<boolean>
    is_unread: WithDefault<boolean>
  }
  flow_runs: {
    workspace_id: string
    id: string
    flow_id: string
    flow_name: string
    contact_id: string
    conversation_id: string | null
    status: 'running' | 'completed' | 'failed' | 'cancelled'
    started_at: Moment
    completed_at: OptionalMoment
    version: WithDefault<number | null>
    is_dialog: WithDefault<boolean>
    is_test: WithDefault<boolean>
    cause: OptionalJson<Record<string, unknown>>
    state: OptionalJson<RunState>
    waiting_for: WithDefault<Wait['for'] | null>
    waiting_step: WithDefault<string | null>
    wakes_at: OptionalMoment
    wake_token: WithDefault<number | null>
    steps_taken: WithDefault<number>
    messages_sent: WithDefault<number>
    steps_logged: WithDefault<number>
    end_reason: WithDefault<EndReason | null>
    parent_run_id: WithDefault<string | null>
  }
  flows: {
    workspace_id: string
    id: string
    name: string
    /** Folded: two names that look alike are the same. */
    name_key: string
    kind: 'dialog' | 'background'
    state: WithDefault<'draft' | 'live' | 'paused' | 'archived'>
    live_version: WithDefault<number | null>
    position: number
    draft: Json<unknown>
    draft_revision: WithDefault<number>
    /** The revision that the live version was made from. */
    published_revision: WithDefault<number | null>
    /** As actorId gives it. */
    updated_by: string
    created_at: Moment
    updated_at: Moment
  }
  flow_versions: {
    workspace_id: string
    flow_id: string
    version: number
    definition: Json<FlowDefinition>
    hash: Buffer
    note: string | null
    warnings: OptionalJson<Problem[]>
    published_by: string
    published_at: Moment
  }
  flow_tests: {
    workspace_id: string
    flow_id: string
    id: string
    name: string
    scenario: Json<Scenario>
    created_at: Moment
  }
  flow_run_steps: {
    workspace_id: string
    run_id: string
    seq: number
    step_id: string | null
    type: StepType | null
    outcome: LogOutcome
    detail: Json<Record<string, unknown>>
    message_id: string | null
    created_at: Moment
  }
  flow_step_counts: {
    workspace_id: string
    flow_id: string
    version: number
    step_id: string
    outcome: LogOutcome
    day: string
    shard: number
    count: number
  }
  automation_states: {
    workspace_id: string
    conversation_id: string
    epoch: WithDefault<number>
    /** Set while automation is paused. */
    paused_at: OptionalMoment
    /** Null: until somebody gives the conversation back. */
    paused_until: OptionalMoment
    paused_by: WithDefault<string | null>
    pause_reason: WithDefault<string | null>
    guards: OptionalJson<Record<string, unknown>>
    silence_due_at: OptionalMoment
  }
  automation_inputs: {
    workspace_id: string
    conversation_id: string
    id: Generated<number>
    kind: string
    message_id: WithDefault<string | null>
    run_id: WithDefault<string | null>
    data: OptionalJson<Record<string, unknown>>
    traceparent: WithDefault<string | null>
    created_at: Moment
  }
  business_hours: {
    workspace_id: string
    id: string
    name: string
    name_key: string
    time_zone: string
    weekly: Json<Partial<Record<Weekday, OpenPeriod[]>>>
    exceptions: Json<{ date: string; name?: string; periods: OpenPeriod[] }[]>
    is_default: WithDefault<boolean>
    created_at: Moment
  }
  actions: {
    workspace_id: string
    id: string
    name: string
    name_key: string
    method: (typeof ACTION_METHODS)[number]
    /** With `{{parameter}}` in its path and query. */
    url: string
    header_names: WithDefault<string[]>
    /** Sealed JSON: values by name. */
    headers: Buffer | null
    parameters: Json<ActionParameter[]>
    keep: Json<KeptField[]>
    timeout_ms: number
    is_repeatable: boolean
    risk: (typeof ACTION_RISKS)[number]
    needs: (typeof ACTION_NEEDS)[number]
    confirm: (typeof ACTION_CONFIRMS)[number]
    created_at: Moment
  }
  mcp_servers: {
    workspace_id: string
    id: string
    name: string
    name_key: string
    url: string
    /** Sealed. */
    token: Buffer | null
    era: WithDefault<(typeof MCP_ERAS)[number] | null>
    skipped: WithDefault<number>
    problem: OptionalJson<{ code: string; message: string }>
    checked_at: OptionalMoment
    next_check_at: Moment
    created_at: Moment
  }
  mcp_tools: {
    workspace_id: string
    server_id: string
    name: string
    title: string | null
    description: string
    own_description: WithDefault<string | null>
    hash: string
    parameters: Json<ActionParameter[]>
    omitted: Json<string[]>
    unusable: string | null
    state: WithDefault<(typeof MCP_TOOL_STATES)[number]>
    action_id: WithDefault<string | null>
  }
  action_calls: {
    workspace_id: string
    id: string
    conversation_id: string
    run_id: string | null
    token: number | null
    /** Instead of a run. */
    proposal_id: WithDefault<string | null>
    action_id: string
    host: string
    parameters: OptionalJson<Record<string, JsonValue>>
    state: WithDefault<'pending' | 'calling' | 'ended'>
    tries: WithDefault<number>
    not_before: Moment
    claimed_by: WithDefault<string | null>
    claimed_at: OptionalMoment
    outcome: WithDefault<CallOutcome | null>
    status: WithDefault<number | null>
    kept: OptionalJson<JsonValue>
    problem: OptionalJson<{ code: string; message: string }>
    created_at: Moment
    ended_at: OptionalMoment
  }
  knowledge_items: {
    workspace_id: string
    id: string
    kind: 'article' | 'answer'
    external_id: string | null
    title: string
    body: string
    phrasings: WithDefault<string[]>
    /** ISO 639. */
    language: string
    url: string | null
    state: 'draft' | 'published'
    channels: WithDefault<ChannelName[]>
    countries: WithDefault<string[]>
    tag_ids: WithDefault<string[]>
    languages: WithDefault<string[]>
    is_internal: WithDefault<boolean>
    /** A day: 2027-03-31. */
    review_by: string | null
    /** As actorId gives it. */
    updated_by: string
    created_at: Moment
    updated_at: Moment
  }
  knowledge_sources: {
    workspace_id: string
    id: string
    kind: (typeof SOURCE_KINDS)[number]
    name: string
    url: string | null
    attachment_id: string | null
    language: string
    channels: WithDefault<ChannelName[]>
    countries: WithDefault<string[]>
    tag_ids: WithDefault<string[]>
    languages: WithDefault<string[]>
    is_internal: WithDefault<boolean>
    /** A day: 2027-03-31. */
    review_by: string | null
    updates: (typeof SOURCE_UPDATES)[number]
    state: (typeof SOURCE_STATES)[number]
    problem: OptionalJson<{ code: string; message: string }>
    reading: WithDefault<number>
    is_listed: WithDefault<boolean>
    is_full: WithDefault<boolean>
    failures: WithDefault<number>
    read_at: OptionalMoment
    next_read_at: Moment
    /** As actorId gives it. */
    created_by: string
    created_at: Moment
    updated_at: Moment
  }
  knowledge_pages: {
    workspace_id: string
    source_id: string
    id: string
    location: string
    position: number
    item_id: string | null
    state: WithDefault<(typeof PAGE_STATES)[number]>
    problem: OptionalJson<{ code: string; message: string }>
    reading: WithDefault<number>
    tries: WithDefault<number>
    etag: string | null
    last_modified: string | null
    hash: Buffer | null
    new_title: string | null
    new_body: string | null
    new_language: string | null
    changed_at: OptionalMoment
  }
  ai_settings: {
    workspace_id: string
    is_stopped: WithDefault<boolean>
    name: string | null
    expectation: string | null
    /** By language; those of the others are in `expectation`. */
    hand_over_texts: ColumnType<Record<string, string>, string | undefined, string>
    asks_address: WithDefault<boolean>
    speaking: Json<Record<string, unknown>>
    hand_over_agent_id: string | null
    hand_over_team_id: string | null
    hand_over_tag_id: string | null
    /** In millionths of the provider's currency. */
    day_budget: string | number | null
    month_budget: string | number | null
    hides_contacts: WithDefault<boolean>
    sends_pictures: WithDefault<boolean>
    requests_kept_days: WithDefault<number>
    /** As actorId gives it. */
    updated_by: string
    updated_at: Moment
  }
  ai_tests: {
    workspace_id: string
    id: string
    scenario: Json<Record<string, unknown>>
    turn_id: string | null
    /** As actorId gives it. */
    created_by: string
    created_at: Moment
    updated_at: Moment
  }
  ai_test_runs: {
    workspace_id: string
    id: string
    state: WithDefault<(typeof TEST_RUN_STATES)[number]>
    live: OptionalJson<Guidance>
    draft: OptionalJson<Guidance>
    live_version: number | null
    model: string | null
    /** As actorId gives it. */
    started_by: string
    started_at: Moment
    ended_at: OptionalMoment
  }
  ai_test_results: {
    workspace_id: string
    run_id: string
    position: number
    guidance: (typeof TESTED_GUIDANCE)[number]
    test_id: string
    is_own: boolean
    fingerprint: string
    scenario: Json<Record<string, unknown>>
    state: WithDefault<(typeof TEST_STATES)[number]>
    tries: WithDefault<number>
    checks: Json<object[]>
    said: Json<string[]>
    skipped: WithDefault<string | null>
    ended_at: OptionalMoment
  }
  ai_usage: {
    workspace_id: string
    id: string
    turn_id: string
    /** Null: of a test. */
    conversation_id: string | null
    tokens: number
    /** In millionths of the currency. */
    cost: string | number
    currency: string
    created_at: Moment
    settled_at: OptionalMoment
  }
  ai_spending: {
    workspace_id: string
    period: 'day' | 'month'
    /** A day: 2027-03-31. */
    starts_on: string
    currency: string
    cost: string | number
    tokens: string | number
    requests: number
    warned_at: OptionalMoment
  }
  ai_providers: {
    workspace_id: string
    is_enabled: WithDefault<boolean>
    kind: ModelKind
    base_url: string
    /** Sealed, with the origin that it was entered for as its owner. */
    key: Buffer | null
    model: string
    embedding_model: string | null
    currency: WithDefault<string>
    /** In millionths of the currency, per million tokens. */
    input_price: string | number | null
    cached_price: string | number | null
    output_price: string | number | null
    abilities: OptionalJson<ModelAbilities>
    check_steps: OptionalJson<ModelCheckStep[]>
    checked_at: OptionalMoment
    /** As actorId gives it. */
    updated_by: string
    updated_at: Moment
  }
  ai_guidance: {
    workspace_id: string
    draft: Json<Guidance>
    revision: WithDefault<number>
    live_version: number | null
    /** As actorId gives it. */
    updated_by: string
    updated_at: Moment
  }
  ai_versions: {
    workspace_id: string
    number: number
    guidance: Json<Guidance>
    /** As actorId gives it. */
    published_by: string
    published_at: Moment
  }
  ai_outcomes: {
    workspace_id: string
    conversation_id: string
    first_id: string
    started_by: 'opened' | 'reopened' | 'assigned' | 'silence'
    started_at: Moment
    ended_at: OptionalMoment
    quiet_at: Moment
    turns: number
    answered: number
    asked: number
    handed_over_at: OptionalMoment
    hand_over_reason: string | null
    confirmed_by: 'tap' | 'thanks' | null
    is_assumed: boolean
    reopened_at: OptionalMoment
    wrong: number
    input_tokens: string | number
    cached_tokens: string | number
    output_tokens: string | number
    /** In millionths of the provider's currency. */
    cost: string | number
    first_reply_ms: string | number | null
    hand_over_ms: string | number | null
  }
  ai_judgements: {
    workspace_id: string
    conversation_id: string
    first_id: string
    is_right: boolean
    judged_by: string
    judged_at: Moment
  }
  reply_drafts: {
    workspace_id: string
    id: string
    conversation_id: string
    turn_id: string | null
    proposed_by: string
    asked_by: string | null
    text: string
    sources: Json<object[]>
    last_message_id: string | null
    state: WithDefault<(typeof DRAFT_STATES)[number]>
    message_id: WithDefault<string | null>
    settled_by: WithDefault<string | null>
    similarity: WithDefault<number | null>
    created_at: Moment
    settled_at: OptionalMoment
  }
  held_messages: {
    workspace_id: string
    id: string
    conversation_id: string
    account_id: string
    body: string
    attachment_ids: WithDefault<string[]>
    reply_to: string | null
    send_to: string | null
    draft_id: string | null
    template: Json<Record<string, unknown>> | null
    email: OptionalJson<Record<string, unknown>>
    last_message_id: string | null
    yields: boolean
    reopens: boolean
    then_close: boolean
    after: Json<Record<string, unknown>> | null
    due_at: Moment
    problem: OptionalJson<{ code: string; message: string }>
    created_at: Moment
  }
  ai_requests: {
    workspace_id: string
    turn_id: string
    id: string
    model: string
    request: Json<Record<string, unknown>>
    response: OptionalJson<Record<string, unknown>>
    problem: string | null
    provider_request_id: string | null
    tries: number
    input_tokens: WithDefault<number>
    cached_tokens: WithDefault<number>
    output_tokens: WithDefault<number>
    /** In millionths of the provider's currency. */
    cost: WithDefault<string | number>
    duration_ms: number
    created_at: Moment
  }
  ai_turns: {
    workspace_id: string
    id: string
    conversation_id: string
    kind: WithDefault<TurnKind>
    /** The account that asked for a draft or summary. */
    asked_by: WithDefault<string | null>
    /** Of the guidance. */
    version: WithDefault<number | null>
    input_tokens: WithDefault<number>
    cached_tokens: WithDefault<number>
    output_tokens: WithDefault<number>
    cost: WithDefault<string | number>
    state: 'waiting' | 'thinking' | 'thought' | 'ended'
    revision: WithDefault<number>
    due_at: Moment
    tries: WithDefault<number>
    claimed_by: WithDefault<string | null>
    claimed_at: OptionalMoment
    question: WithDefault<string | null>
    decision: OptionalJson<Record<string, unknown>>
    message_id: WithDefault<string | null>
    outcome: WithDefault<(typeof AI_OUTCOMES)[number] | null>
    created_at: Moment
    ended_at: OptionalMoment
    /** The account that called it wrong. */
    wrong_by: WithDefault<string | null>
    wrong_at: OptionalMoment
    traceparent: WithDefault<string | null>
  }
  ai_proposals: {
    workspace_id: string
    id: string
    conversation_id: string
    turn_id: string
    action_id: string
    action_name: string
    parameters: Json<Record<string, string | number | boolean>>
    fingerprint: string
    confirm: 'customer' | 'person'
    identity: (typeof IDENTITIES)[number]
    language: string | null
    state: (typeof PROPOSAL_STATES)[number]
    confirmed_by: string | null
    kept: OptionalJson<JsonValue>
    expires_at: Moment
    created_at: Moment
    ended_at: OptionalMoment
  }
  identity_codes: {
    workspace_id: string
    id: string
    conversation_id: string
    contact_id: string
    kind: 'email' | 'phone'
    address: string
    language: string
    state: 'open' | 'entered' | 'ended'
    wrong_count: WithDefault<number>
    expires_at: Moment
    verified_until: OptionalMoment
    sent_at: OptionalMoment
    created_at: Moment
  }
  event_epoch: {
    is_only: WithDefault<boolean>
    number: number
    system_identifier: string | null
    timeline: string | null
    /** Where the data was moved to: no server starts here then. */
    moved_to: WithDefault<string | null>
  }
  /** Workspaces that are closed because they are moved to another database, or were. */
  workspace_moves: {
    workspace_id: string
    move_id: string
    state: 'closing' | 'closed' | 'moved' | 'arriving'
    moved_to: string | null
    url: string | null
    has_own_files: WithDefault<boolean>
    jobs: WithDefault<unknown>
    begun_at: Moment
    moved_at: OptionalMoment
  }
  visitors: {
    workspace_id: string
    id: string
    channel_account_id: string
    token_hash: Buffer
    contact_id: string | null
    name: string | null
    email: string | null
    locale: string | null
    page: string | null
    /** As in the IANA database. */
    time_zone: string | null
    /** Their last address, in the form that limits count. */
    address: WithDefault<string | null>
    created_at: Moment
    seen_at: Moment
    /** Whom the site has signed them in as, the address it vouches for, and until when. */
    signed_id: WithDefault<string | null>
    signed_email: WithDefault<string | null>
    signed_until: OptionalMoment
  }
  visitor_blocks: {
    workspace_id: string
    kind: 'contact' | 'address'
    /** The contact's id, or the address in the form that limits count. */
    value: string
    contact_id: string
    blocked_by: string
    created_at: Moment
  }
  upload_usage: { workspace_id: string; bytes: number }
  events: {
    tx: Generated<number>
    id: Generated<number>
    workspace_id: string
    type: string
    conversation_id: string | null
    contact_id: string | null
    data: Json<Record<string, unknown>>
    /** As recordedActor writes it. */
    actor: string | null
    request_id: string | null
    traceparent: WithDefault<string | null>
    created_at: Moment
  }
  feed_heads: { workspace_id: string; seq: WithDefault<number>; swept_to: WithDefault<number> }
  feed: {
    workspace_id: string
    seq: number
    id: string
    type: string
    channel: ChannelName | null
    conversation_id: string | null
    contact_id: string | null
    /** As recordedActor writes it. */
    actor: string | null
    request_id: string | null
    data: Json<Record<string, unknown>>
    object: OptionalJson<JsonValue>
    occurred_at: Moment
    numbered_at: Moment
    /** In which it was numbered; null for events from before there were any. */
    epoch: WithDefault<number | null>
    traceparent: WithDefault<string | null>
  }
  feed_relay: {
    is_only: WithDefault<boolean>
    tx: number
    id: number
    max_id: number
    epoch: number | null
    numbered_at: Moment
  }
  webhook_endpoints: {
    workspace_id: string
    id: string
    name: string
    url: string
    status: WithDefault<(typeof WEBHOOK_STATUSES)[number]>
    status_reason: WithDefault<(typeof WEBHOOK_REASONS)[number] | null>
    /** Null: all types, future ones too. */
    event_types: string[] | null
    filter: Json<Record<string, string[]>>
    payload: (typeof WEBHOOK_PAYLOADS)[number]
    ordering: (typeof WEBHOOK_ORDERINGS)[number]
    max_in_flight: number
    header_names: WithDefault<string[]>
    /** Sealed JSON: the signing secrets and the values of the headers. */
    secrets: Buffer
    secret_prefix: string
    previous_secret_until: OptionalMoment
    external_ref: string | null
    created_by: string
    created_at: Moment
    updated_at: Moment
    deleted_at: OptionalMoment
    /** While it is set, nothing is sent: what was pending is being dropped. */
    skipped_at: OptionalMoment
    last_seq: number | null
    missed_seq: WithDefault<number | null>
    failures: WithDefault<number>
    failing_since: OptionalMoment
    failing_id: WithDefault<string | null>
    is_failing_widely: WithDefault<boolean>
    /** The circuit is open while it is set. */
    probe_at: OptionalMoment
    probes: WithDefault<number>
    places: WithDefault<number>
    last_success_at: OptionalMoment
    warnings: WithDefault<number>
  }
  webhook_deliveries: {
    workspace_id: string
    id: string
    endpoint_id: string
    event_id: string
    /** Of the event in the feed; null for tests. */
    seq: number | null
    previous_seq: number | null
    type: string
    conversation_id: string | null
    kind: (typeof WEBHOOK_KINDS)[number]
    replay_id: WithDefault<string | null>
    is_full: boolean
    body: WithDefault<string | null>
    order_key: string | null
    state: WebhookState
    dropped_reason: WithDefault<'skipped' | 'expired' | null>
    attempts: WithDefault<number>
    tries: WithDefault<number>
    not_before: Moment
    aside_at: OptionalMoment
    claimed_by: WithDefault<string | null>
    claimed_at: OptionalMoment
    created_at: Moment
    first_at: OptionalMoment
    last_at: OptionalMoment
    last_status: WithDefault<number | null>
    last_error: WithDefault<string | null>
    duration_ms: WithDefault<number | null>
  }
  webhook_attempts: {
    workspace_id: string
    delivery_id: string
    number: number
    at: Moment
    duration_ms: number
    status: number | null
    error_code: string | null
    error: string | null
    is_counted: boolean
    response_headers: OptionalJson<Record<string, string>>
    response_body: string | null
  }
  imports: {
    workspace_id: string
    id: string
    source: string
    state: WithDefault<'running' | 'completed' | 'undone'>
    counts: ColumnType<Record<string, Record<string, number>>, string | undefined, string>
    /** As actorId gives it. */
    created_by: string
    created_at: Moment
    ended_at: OptionalMoment
  }
  imported: {
    workspace_id: string
    source: string
    kind: string
    source_key: string
    target_id: string
    hash: string
    import_id: string
    is_created: boolean
  }
  exports: {
    workspace_id: string
    id: string
    status: WithDefault<(typeof EXPORT_STATUSES)[number]>
    /** Null for an export of the workspace. */
    contact_id: WithDefault<string | null>
    resources: ArchiveResource[]
    created_after: OptionalMoment
    include_files: boolean
    files: ColumnType<StoredExportFile[], string | undefined, string>
    problem: WithDefault<string | null>
    tries: WithDefault<number>
    /** As actorId gives it. */
    created_by: string
    created_at: Moment
    completed_at: OptionalMoment
  }
  erasures: {
    workspace_id: string
    id: string
    contact_id: string
    mode: ErasureMode
    status: WithDefault<(typeof ERASURE_STATUSES)[number]>
    clues: Buffer | null
    counts: ColumnType<ErasureCounts, string | undefined, string>
    /** As recordedActor gives it. */
    actor: string
    created_at: Moment
    erased_at: OptionalMoment
  }
  erased_identities: { workspace_id: string; hash: string; erased_at: Moment }
  contact_merges: {
    workspace_id: string
    id: string
    kept_id: string
    gone_id: string
    kept_before: ColumnType<unknown, string, string>
    gone: ColumnType<unknown, string, string>
    kept_after: ColumnType<unknown, string | null, string | null>
    moved: ColumnType<unknown, string, string>
    /** As recordedActor gives it. */
    actor: string
    created_at: Moment
  }
  retention_rules: {
    workspace_id: string
    channel_account_id: string
    close_after_days: number | null
    delete_after_days: number | null
    done_on: string
    counts: ColumnType<RetentionCounts, string | undefined, string>
  }
  idempotency_keys: {
    workspace_id: string
    operation: string
    key: string
    request_hash: Buffer
    response: string
    is_final: WithDefault<boolean>
    created_at: Moment
  }
}
