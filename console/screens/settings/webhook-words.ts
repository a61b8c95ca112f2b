import type { WebhookDelivery, WebhookEndpoint } from '../../state/webhooks.ts'
import type { Tone } from '../../ui/badge.tsx'
import { LOCALE } from '../../words/locale.ts'
import { t } from '../../words/t.ts'

/** Each type of event that can be chosen, in words. */
const EVENT_WORDS: Record<string, string> = {
  'message.created': t`Received, or written by your team`,
  'message.sent': t`Sent to the channel`,
  'message.delivered': t`Delivered to the customer`,
  'message.read': t`Read by the customer`,
  'message.failed': t`Not delivered`,
  'message.updated': t`Edited`,
  'message.deleted': t`Deleted`,
  'note.created': t`Added`,
  'note.updated': t`Changed`,
  'note.deleted': t`Deleted`,
  'conversation.created': t`Started`,
  'conversation.closed': t`Closed`,
  'conversation.reopened': t`Reopened`,
  'conversation.assigned': t`Assigned`,
  'conversation.unassigned': t`Unassigned`,
  'conversation.team_changed': t`Moved to a team`,
  'conversation.answer_overdue': t`Reply overdue`,
  'conversation.read': t`Read by your team`,
  'conversation.snoozed': t`Snoozed`,
  'conversation.unsnoozed': t`Snooze ended`,
  'conversation.updated': t`Tags changed`,
  'contact.created': t`Created`,
  'contact.updated': t`Changed`,
  'contact.merged': t`Merged`,
  'contact.deleted': t`Deleted`,
  'contact.opted_out': t`Opted out of broadcasts`,
  'contact.opted_in': t`Opted in to broadcasts`,
  'agent.added': t`Added`,
  'agent.updated': t`Changed`,
  'agent.removed': t`Removed`,
  'tag.created': t`Created`,
  'tag.updated': t`Changed`,
  'tag.deleted': t`Deleted`,
  'contact_group.created': t`Created`,
  'contact_group.updated': t`Changed`,
  'contact_group.deleted': t`Deleted`,
  'broadcast.started': t`Started`,
  'broadcast.progressed': t`Progress`,
  'broadcast.completed': t`Completed`,
  'broadcast.failed': t`Failed`,
  'template.approved': t`Approved`,
  'template.rejected': t`Rejected`,
  'template.paused': t`Paused`,
  'channel.problem': t`Stopped working`,
  'channel.recovered': t`Works again`,
  'export.completed': t`Completed`,
  'import.completed': t`Completed`,
  'webhook_endpoint.failing': t`Failing`,
  'webhook_endpoint.disabled': t`Disabled`,
}

const GROUP_WORDS: Record<string, string> = {
  message: t`Messages`,
  note: t`Notes`,
  conversation: t`Conversations`,
  contact: t`Contacts`,
  agent: t`Members`,
  tag: t`Tags`,
  contact_group: t`Groups`,
  broadcast: t`Broadcasts`,
  template: t`Templates`,
  channel: t`Channels`,
  export: t`Exports`,
  import: t`Imports`,
  webhook_endpoint: t`Webhooks`,
}

export const EVENT_TYPES = Object.keys(EVENT_WORDS)
export const eventWords = (type: string): string => EVENT_WORDS[type] ?? type

export const EVENT_GROUPS = [...new Set(EVENT_TYPES.map((type) => type.split('.')[0]!))].map((group) => ({
  wildcard: `${group}.*`,
  label: GROUP_WORDS[group] ?? group,
  types: EVENT_TYPES.filter((type) => type.startsWith(`${group}.`)),
}))

export const eventTypesLabel = (types: WebhookEndpoint['eventTypes']): string =>
  types === null ? t`All events` : types.join(', ')

const REASONS: Record<NonNullable<WebhookEndpoint['statusReason']>, string> = {
  failing: t`It failed for five days.`,
  gone: t`The address responded 410 Gone.`,
  admin: t`It was disabled through the API.`,
  url_refused: t`The address isn’t allowed anymore.`,
  scope_lost: t`The API token that created it was revoked or can’t manage webhooks anymore.`,
}
export const reasonWords = ({ statusReason }: WebhookEndpoint): string | null =>
  statusReason && REASONS[statusReason]

export const statusLook = ({ status, health }: WebhookEndpoint): { label: string; tone: Tone } => {
  if (status === 'disabled') return { label: t`Disabled`, tone: 'danger' }
  if (status === 'paused') return { label: t`Paused`, tone: 'warn' }
  return health.failingSince ? { label: t`Failing`, tone: 'danger' } : { label: t`Enabled`, tone: 'ok' }
}

export const DELIVERY_LOOKS: Record<WebhookDelivery['state'], { label: string; tone: Tone }> = {
  pending: { label: t`Pending`, tone: 'plain' },
  sending: { label: t`Sending`, tone: 'accent' },
  delivered: { label: t`Delivered`, tone: 'ok' },
  failed: { label: t`Failed`, tone: 'danger' },
  dropped: { label: t`Skipped`, tone: 'plain' },
}

const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 })
export const rateWords = (rate: number): string => percent.format(rate)
