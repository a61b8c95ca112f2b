import type { TokenScope } from '../../state/types.ts'

type Scope = Exclude<TokenScope, 'full'>

/** Each scope in words, in the order in which they are shown. */
export const SCOPE_LABELS: Record<Scope, string> = {
  'conversations:read': 'Read conversations',
  'conversations:write': 'Start, assign and close conversations',
  'messages:draft': 'Propose replies',
  'messages:send': 'Send messages',
  'contacts:read': 'Read contacts',
  'contacts:write': 'Edit contacts and their tags',
  'contacts:erase': 'Erase contacts and everything about them',
  'notes:write': 'Add notes',
  'tags:write': 'Create, edit and delete tags',
  'agents:read': 'See agents',
  'agents:write': 'Add and remove agents',
  'groups:read': 'Read groups',
  'templates:read': 'Read WhatsApp templates',
  'templates:send': 'Send WhatsApp templates',
  'broadcasts:read': 'Read broadcasts',
  'broadcasts:send': 'Send broadcasts',
  'flows:read': 'Read flows and their runs',
  'flows:run': 'Start and cancel flows',
  'knowledge:read': 'Read knowledge',
  'knowledge:write': 'Edit knowledge',
  'events:read': 'Follow events',
  'webhooks:manage': 'Manage webhooks',
  'exports:create': 'Export the workspace',
  'audit:read': 'Read the audit log',
}

export const SCOPES = Object.keys(SCOPE_LABELS) as Scope[]

export const PRESETS = {
  full: { label: 'Full access', scopes: ['full'] },
  read: {
    label: 'Read only',
    scopes: SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'audit:read'),
  },
  reply: {
    label: 'Reply to customers',
    scopes: [
      'conversations:read',
      'conversations:write',
      'messages:send',
      'contacts:read',
      'notes:write',
      'agents:read',
    ],
  },
  sync: { label: 'Sync contacts', scopes: ['contacts:read', 'contacts:write', 'groups:read'] },
  feed: {
    label: 'Feed and webhooks',
    scopes: ['conversations:read', 'contacts:read', 'events:read', 'webhooks:manage'],
  },
} satisfies Record<string, { label: string; scopes: TokenScope[] }>
export type Preset = keyof typeof PRESETS

const sameScopes = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((scope) => other.includes(scope))

/** What a token may do, in a line. */
export const scopesLabel = (scopes: readonly TokenScope[]): string => {
  const preset = Object.values(PRESETS).find((preset) => sameScopes(preset.scopes, scopes))
  if (preset) return preset.label
  return scopes.map((scope) => (scope === 'full' ? PRESETS.full.label : SCOPE_LABELS[scope])).join(', ')
}
