// Every event. Its data says what changed, in facts that stay true, and never contains what a customer wrote: readers fetch
// that. domain/feed/catalogue.ts says which of them programs receive.
import type {
  ChannelName,
  ConversationStatus,
  IdentityKind,
  MessageStatus,
  SenderType,
} from '../db/tables.ts'

/** `api`: a program opened it. `agent`: a person of the team did, here or at the provider. */
export type Origin = 'customer' | 'agent' | 'api'

/** `deletedAt`: its author deleted it; the text is kept. `undelivered`: the recipients whom an email has not reached. */
type MessagePart = 'body' | 'attachments' | 'reactions' | 'deletedAt' | 'undelivered'

type ContactField = 'name' | 'email' | 'phone' | 'username' | 'avatar' | 'identities' | 'tags'

export type ContactPart = ContactField | `customFields.${string}`

type Contact = { contactId: string }
type Conversation = { conversationId: string }

export type EventData = {
  'conversation.created': Conversation & { channel: ChannelName; origin: Origin; teamId: string | null }
  /** The previous assignee may have to drop it: not everyone sees other agents' conversations. */
  'conversation.assigned': Conversation & {
    agentId: string | null
    previousAgentId: string | null
    /** Which it has, whoever it is assigned to. */
    teamId: string | null
  }
  'conversation.team_changed': Conversation & { teamId: string | null; previousTeamId: string | null }
  /** The customer should have been answered by then, for the first time or again. Once for each wait. */
  'conversation.answer_overdue': Conversation & {
    agentId: string | null
    teamId: string | null
    answer: 'first' | 'next'
    dueAt: string
  }
  /** An agent read the customer's messages up to and including this one. */
  'conversation.read': Conversation & { messageId: string }
  /** A person read the conversation or marked it as unread: what is unread for them. */
  'conversation.unread': Conversation & { accountId: string; unreadCount: number }
  /** Null: the snooze ended. What the customer writes ends it without this. */
  'conversation.snoozed': Conversation & { until: string | null }
  'conversation.tagged': Conversation & { tagIdsAdded: string[]; tagIdsRemoved: string[] }
  'conversation.prioritized': Conversation & { priority: number }
  /** `by`: as actorId gives it. */
  'conversation.status': Conversation & {
    status: ConversationStatus
    previousStatus: ConversationStatus
    by: string
  }
  'message.created': {
    messageId: string
    senderType: Exclude<SenderType, 'system'>
    direction: 'inbound' | 'outbound'
    hasAttachments: boolean
    replyToMessageId: string | null
    /** Of a broadcast: the inbox does not move. */
    isBroadcast?: true
  }
  'message.updated': { messageId: string; changed: MessagePart[] }
  'message.removed': { messageId: string }
  /** `error`: with `failed`. */
  'message.status': { messageId: string; status: MessageStatus; error?: { code: string; message: string } }
  'note.created': { noteId: string }
  'note.updated': { noteId: string }
  'note.deleted': { noteId: string }
  'contact.created': Contact & { identityKinds: IdentityKind[] }
  /** The ids are of the tags that it got and lost. */
  'contact.updated': Contact & { changed: ContactPart[]; tagIdsAdded?: string[]; tagIdsRemoved?: string[] }
  /** In the web chat. `address`: everyone at that address is blocked as well. */
  'contact.blocked': Contact & { visitor: boolean; address?: string }
  'contact.merged': Contact & { mergedContactId: string }
  /** Everything about them was removed, or what says who they were. */
  'contact.deleted': Contact & { mode: 'erased' | 'anonymised' }
  /** Of broadcasts; the channel is where they said so. */
  'contact.opted_out': Contact & { channel: ChannelName }
  'contact.opted_in': Contact & { channel: ChannelName }
  'tag.created': { tagId: string }
  'tag.updated': { tagId: string }
  'tag.deleted': { tagId: string }
  'contact_group.created': { groupId: string; added: number }
  /** Its name or description, or its members: how many were added and removed. */
  'contact_group.updated': { groupId: string; added: number; removed: number }
  'contact_group.deleted': { groupId: string }
  /** The provider's own state, upper case, and its reason. */
  'template.status': { name: string; language: string; status: string; reason: string | null }
  /** A channel account doesn't work, or for another reason than before. */
  'channel.problem': { channelId: string; code: string }
  'channel.recovered': { channelId: string; code: string }
  /** `step` is null for progress that only the console shows. */
  'broadcast.updated': {
    broadcastId: string
    step: 'started' | 'progressed' | 'ended' | null
    status: 'sending' | 'completed' | 'failed'
    totalRecipients: number
    sentCount: number
    failedCount: number
    skippedCount: number
  }
  /** Created, changed or removed. */
  'team.updated': { teamId: string }
  'agent.added': { agentId: string }
  'agent.updated': { agentId: string }
  'agent.removed': { agentId: string }
  /** These people are told of something by a sound; the event's conversation is where it happened. */
  'agent.chimed': { agentIds: string[] }
  /** A webhook endpoint, by itself or by somebody. */
  'webhook_endpoint.failing': { endpointId: string; since: string | null; reason: string }
  'webhook_endpoint.disabled': { endpointId: string; since: string | null; reason: string }
  'export.completed': { exportId: string }
  /** Its rows have no events of their own. */
  'import.completed': { importId: string }
  /** A flow's run started, waits for something else, or ended. */
  'flow_run.updated': {
    runId: string
    flowId: string
    status: 'running' | 'completed' | 'failed' | 'cancelled'
  }
  /** Automation was paused in the conversation, or goes on. */
  'automation.updated': Conversation & { isPaused: boolean }
  /** A draft or summary that somebody asked for is there, or there is none. */
  'reply_draft.updated': Conversation
}

export type EventType = keyof EventData
