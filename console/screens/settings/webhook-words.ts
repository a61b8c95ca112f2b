import type { WebhookDelivery, WebhookEndpoint } from '../../state/webhooks.ts'
import type { Tone } from '../../ui/badge.tsx'
import { LOCALE } from '../../words/locale.ts'

/** Each type of event that can be chosen, in words. */
const EVENT_WORDS: Record<string, string> = {
  'message.created': 'Received, or written by your team',
  'message.sent': 'Sent to the channel',
  'message.delivered': 'Delivered to the customer',
  'message.read': 'Read by the customer',
  'message.failed': 'Not delivered',
  'message.updated': 'Edited',
  'message.deleted': 'Deleted',
  'note.created': 'Added',
  'note.updated': 'Changed',
  'note.deleted': 'Deleted',
  'conversation.created': 'Started',
  'conversation.closed': 'Closed',
  'conversation.reopened': 'Reopened',
  'conversation.assigned': 'Assigned',
  'conversation.unassigned': 'Unassigned',
  'conversation.team_changed': 'Moved to a team',
  'conversation.answer_overdue': 'Reply overdue',
  'conversation.read': 'Read by your team',
  'conversation.snoozed': 'Snoozed',
  'conversation.unsnoozed': 'Snooze ended',
  'conversation.updated': 'Tags changed',
  'contact.created': 'Created',
  'contact.updated': 'Changed',
  'contact.merged': 'Merged',
  'contact.deleted': 'Deleted',
  'contact.opted_out': 'Opted out of broadcasts',
  'contact.opted_in': 'Opted in to broadcasts',
  'agent.added': 'Added',
  'agent.updated': 'Changed',
  'agent.removed': 'Removed',
  'tag.created': 'Created',
  'tag.updated': 'Changed',
  'tag.deleted': 'Deleted',
  'contact_group.created': 'Created',
  'contact_group.updated': 'Changed',
  'contact_group.deleted': 'Deleted',
  'broadcast.started': 'Started',
  'broadcast.progressed': 'Progress',
  'broadcast.completed': 'Completed',
  'broadcast.failed': 'Failed',
  'template.approved': 'Approved',
  'template.rejected': 'Rejected',
  'template.paused': 'Paused',
  'channel.problem': 'Stopped working',
  'channel.recovered': 'Works again',
  'export.completed': 'Completed',
  'import.completed': 'Completed',
  'webhook_endpoint.failing': 'Failing',
  'webhook_endpoint.disabled': 'Disabled',
}

const GROUP_WORDS: Record<string, string> = {
  message: 'Messages',
  note: 'Notes',
  conversation: 'Conversations',
  contact: 'Contacts',
  agent: 'Members',
  tag: 'Tags',
  contact_group: 'Groups',
  broadcast: 'Broadcasts',
  template: 'Templates',
  channel: 'Channels',
  export: 'Exports',
  import: 'Imports',
  webhook_endpoint: 'Webhooks',
}

export const EVENT_TYPES = Object.keys(EVENT_WORDS)
export const eventWords = (type: string): string => EVENT_WORDS[type] ?? type

export const EVENT_GROUPS = [...new Set(EVENT_TYPES.map((type) => type.split('.')[0]!))].map((group) => ({
  wildcard: `${group}.*`,
  label: GROUP_WORDS[group] ?? group,
  types: EVENT_TYPES.filter((type) => type.startsWith(`${group}.`)),
}))

export const eventTypesLabel = (types: WebhookEndpoint['eventTypes']): string =>
  types === null ? 'All events' : types.join(', ')

const REASONS: Record<NonNullable<WebhookEndpoint['statusReason']>, string> = {
  failing: 'It failed for five days.',
  gone: 'The address responded 410 Gone.',
  admin: 'It was disabled through the API.',
  url_refused: 'The address isn’t allowed anymore.',
  scope_lost: 'The API token that created it was revoked or can’t manage webhooks anymore.',
}
export const reasonWords = ({ statusReason }: WebhookEndpoint): string | null =>
  statusReason && REASONS[statusReason]

export const statusLook = ({ status, health }: WebhookEndpoint): { label: string; tone: Tone } => {
  if (status === 'disabled') return { label: 'Disabled', tone: 'danger' }
  if (status === 'paused') return { label: 'Paused', tone: 'warn' }
  return health.failingSince ? { label: 'Failing', tone: 'danger' } : { label: 'Enabled', tone: 'ok' }
}

export const DELIVERY_LOOKS: Record<WebhookDelivery['state'], { label: string; tone: Tone }> = {
  pending: { label: 'Pending', tone: 'plain' },
  sending: { label: 'Sending', tone: 'accent' },
  delivered: { label: 'Delivered', tone: 'ok' },
  failed: { label: 'Failed', tone: 'danger' },
  dropped: { label: 'Skipped', tone: 'plain' },
}

const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 })
export const rateWords = (rate: number): string => percent.format(rate)
