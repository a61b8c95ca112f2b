// The events that programs receive, and which recorded event becomes which of them. What the server records for itself
// may change; these types, their names and their data are a promise.
import type { Static } from 'typebox'
import type { EventData, EventType } from '../../platform/events/catalogue.ts'
import { CONTACT_TYPES } from './contact-types.ts'
import { CONVERSATION_TYPES } from './conversation-types.ts'
import { MESSAGE_TYPES } from './message-types.ts'
import { WORKSPACE_TYPES } from './workspace-types.ts'

export const PUBLIC_TYPES = {
  ...CONVERSATION_TYPES,
  ...MESSAGE_TYPES,
  ...CONTACT_TYPES,
  ...WORKSPACE_TYPES,
}

type Types = typeof PUBLIC_TYPES
export type PublicTypeName = keyof Types

/** A recorded event as programs receive it, without what surrounds it. */
export type PublicEvent = {
  [T in Exclude<PublicTypeName, 'ping'>]: { type: T; data: Static<Types[T]['data']> }
}[Exclude<PublicTypeName, 'ping'>]

export const isPublicType = (type: string): type is PublicTypeName => Object.hasOwn(PUBLIC_TYPES, type)

/** What is recorded for the console and the chat box alone. */
const PRIVATE = () => null

/** By WhatsApp's own states. */
const TEMPLATE_TYPES = new Map<string, `template.${'approved' | 'rejected' | 'paused'}`>([
  ['APPROVED', 'template.approved'],
  ['REINSTATED', 'template.approved'],
  ['REJECTED', 'template.rejected'],
  ['PAUSED', 'template.paused'],
])

type Mapping = { [T in EventType]: (data: EventData[T]) => PublicEvent | null }

const MAPPING: Mapping = {
  // An earlier release recorded no team, here and in the next.
  'conversation.created': ({ teamId = null, ...data }) => ({
    type: 'conversation.created',
    data: { ...data, teamId },
  }),
  'conversation.assigned': ({ conversationId, agentId, previousAgentId, teamId = null }) => {
    if (agentId !== null)
      return { type: 'conversation.assigned', data: { conversationId, agentId, previousAgentId, teamId } }
    return previousAgentId === null
      ? null
      : { type: 'conversation.unassigned', data: { conversationId, agentId, previousAgentId, teamId } }
  },
  'conversation.team_changed': (data) => ({ type: 'conversation.team_changed', data }),
  'conversation.answer_overdue': (data) => ({ type: 'conversation.answer_overdue', data }),
  'conversation.read': (data) => ({ type: 'conversation.read', data }),
  /** What each person has read is theirs. */
  'conversation.unread': PRIVATE,
  'conversation.snoozed': ({ conversationId, until }) =>
    until === null
      ? { type: 'conversation.unsnoozed', data: { conversationId } }
      : { type: 'conversation.snoozed', data: { conversationId, snoozedUntil: until } },
  'conversation.tagged': (data) => ({ type: 'conversation.updated', data: { ...data, changed: ['tags'] } }),
  /** The API has no priorities. */
  'conversation.prioritized': PRIVATE,
  'conversation.status': (data) => {
    if (data.status === data.previousStatus) return null
    return { type: data.status === 'closed' ? 'conversation.closed' : 'conversation.reopened', data }
  },
  'message.created': ({ isBroadcast: _, ...data }) => ({ type: 'message.created', data }),
  'message.updated': (data) => ({ type: 'message.updated', data }),
  'message.removed': (data) => ({ type: 'message.deleted', data }),
  'message.status': ({ messageId, status, error }) => {
    switch (status) {
      case 'sent':
        return { type: 'message.sent', data: { messageId, status } }
      case 'delivered':
        return { type: 'message.delivered', data: { messageId, status } }
      case 'read':
        return { type: 'message.read', data: { messageId, status } }
      case 'failed':
        return {
          type: 'message.failed',
          data: { messageId, error: error ?? { code: 'UNKNOWN', message: 'No reason given.' } },
        }
      /** Somebody retries it. */
      case 'queued':
        return null
    }
  },
  'note.created': (data) => ({ type: 'note.created', data }),
  'note.updated': (data) => ({ type: 'note.updated', data }),
  'note.deleted': (data) => ({ type: 'note.deleted', data }),
  'contact.created': (data) => ({ type: 'contact.created', data }),
  'contact.updated': ({ contactId, changed, tagIdsAdded = [], tagIdsRemoved = [] }) => ({
    type: 'contact.updated',
    data: { contactId, changed, tagIdsAdded, tagIdsRemoved },
  }),
  /** Names addresses of visitors. */
  'contact.blocked': PRIVATE,
  'contact.merged': (data) => ({ type: 'contact.merged', data }),
  'contact.deleted': (data) => ({ type: 'contact.deleted', data }),
  'contact.opted_out': (data) => ({ type: 'contact.opted_out', data }),
  'contact.opted_in': (data) => ({ type: 'contact.opted_in', data }),
  'tag.created': (data) => ({ type: 'tag.created', data }),
  'tag.updated': (data) => ({ type: 'tag.updated', data }),
  'tag.deleted': (data) => ({ type: 'tag.deleted', data }),
  'contact_group.created': (data) => ({ type: 'contact_group.created', data }),
  'contact_group.updated': (data) => ({ type: 'contact_group.updated', data }),
  'contact_group.deleted': (data) => ({ type: 'contact_group.deleted', data }),
  'template.status': ({ name, language, status, reason }) => {
    const type = TEMPLATE_TYPES.get(status)
    return type === undefined ? null : { type, data: { name, language, reason } }
  },
  'channel.problem': (data) => ({ type: 'channel.problem', data }),
  'channel.recovered': (data) => ({ type: 'channel.recovered', data }),
  'broadcast.updated': ({ step, ...data }) => {
    if (step === null) return null
    if (step !== 'ended') return { type: `broadcast.${step}`, data }
    return { type: data.status === 'completed' ? 'broadcast.completed' : 'broadcast.failed', data }
  },
  /** Programs list them. */
  'team.updated': PRIVATE,
  'agent.added': (data) => ({ type: 'agent.added', data }),
  'agent.updated': (data) => ({ type: 'agent.updated', data }),
  'agent.removed': (data) => ({ type: 'agent.removed', data }),
  /** For the browsers of those people. */
  'agent.chimed': PRIVATE,
  'webhook_endpoint.failing': (data) => ({ type: 'webhook_endpoint.failing', data }),
  'webhook_endpoint.disabled': (data) => ({ type: 'webhook_endpoint.disabled', data }),
  'export.completed': (data) => ({ type: 'export.completed', data }),
  'import.completed': (data) => ({ type: 'import.completed', data }),
  /** Flows and drafts are the console's; what they do to conversations is public. */
  'flow_run.updated': PRIVATE,
  'automation.updated': PRIVATE,
  'reply_draft.updated': PRIVATE,
}

export type RecordedEvent = {
  type: string
  /** As recordedActor writes it; null for what an earlier release recorded, without the facts that are promised. */
  actor: string | null
  data: Record<string, unknown>
}

/** The event as programs receive it; null for one that they don't. */
export const toPublic = ({ type, actor, data }: RecordedEvent): PublicEvent | null => {
  if (actor === null || !Object.hasOwn(MAPPING, type)) return null
  // The table of events doesn't know that each type has its own data; record() does.
  const map = MAPPING[type as EventType] as (data: unknown) => PublicEvent | null
  return map(data)
}
