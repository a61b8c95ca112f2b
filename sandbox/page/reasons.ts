// The failures that can be simulated in each app, the most common first.
import type { App, Json } from './client.ts'

type Trouble = { kind: string; code?: number; isAccepted?: boolean }
type Reason = { label: string; fault: Json & Trouble }

const refused = (reason: string, code: number): Reason => ({
  label: `Rejected: ${reason} (${code})`,
  fault: { kind: 'refuse', code },
})
const failed = (reason: string, code: number): Reason => ({
  label: `Not delivered: ${reason} (${code})`,
  fault: { kind: 'fail', code },
})
const error = (reason: string, code: number): Reason => ({
  label: `Rejected: ${reason} (${code})`,
  fault: { kind: 'error', code },
})
const later = (reason: string, code: number): Reason => ({
  label: `Temporary error: ${reason} (${code})`,
  fault: { kind: 'refuse', code },
})

const broken: Reason[] = [
  { label: 'Connection drops, message delivered', fault: { kind: 'drop', isAccepted: true } },
  { label: 'Connection drops, message lost', fault: { kind: 'drop' } },
  { label: 'No response, message delivered', fault: { kind: 'hang', isAccepted: true } },
]

export const REASONS: Record<App, Reason[]> = {
  whatsapp: [
    error('something went wrong', 131000),
    error('reply window closed', 131047),
    error('rate limit', 130429),
    error('too many messages to this person', 131056),
    error('access token expired', 190),
    error('template not found', 132001),
    failed('not on WhatsApp', 131026),
    failed('held back by WhatsApp', 131049),
    failed('media download failed', 131053),
    ...broken,
    { label: 'Server error without a body (502)', fault: { kind: 'server-error', http: 502 } },
    { label: 'Status arrives before the response', fault: { kind: 'status-first' } },
    { label: '“Delivered” status is skipped', fault: { kind: 'skip-delivered' } },
  ],
  mail: [
    refused('no such mailbox', 550),
    refused('message too large', 552),
    later('mailbox busy', 450),
    later('local error', 451),
    later('service closing', 421),
    { label: 'Accepted, then bounced', fault: { kind: 'fail' } },
    ...broken,
  ],
  telegram: [
    refused('blocked by this person', 403),
    refused('rate limit', 429),
    refused('bot token revoked', 401),
    refused('server error', 500),
    ...broken,
  ],
  messenger: [
    refused('outside the allowed window', 10),
    refused('person unavailable', 551),
    refused('rate limit', 613),
    refused('access token expired', 190),
    later('send failure', 1200),
    ...broken,
  ],
  sms: [
    refused('unsubscribed with STOP', 21610),
    refused('invalid number', 21211),
    refused('rate limit', 20429),
    failed('phone unreachable', 30003),
    failed('filtered by the carrier', 30007),
    ...broken,
  ],
}

export const nameOfFault = (app: App, { kind, code, isAccepted = false }: Trouble): string =>
  REASONS[app].find(
    ({ fault }) => fault.kind === kind && fault.code === code && (fault.isAccepted ?? false) === isAccepted,
  )?.label ?? [kind, code].filter((part) => part !== undefined).join(' ')
