import type { TokenScope } from '../../state/types.ts'
import { t } from '../../words/t.ts'

type Scope = Exclude<TokenScope, 'full'>

/** Each scope in words, in the order in which they are shown. */
export const SCOPE_LABELS: Record<Scope, string> = {
  'conversations:read': t`Read conversations`,
  'conversations:write': t`Start, assign and close conversations`,
  'messages:draft': t`Propose replies`,
  'messages:send': t`Send messages`,
  'contacts:read': t`Read contacts`,
  'contacts:write': t`Edit contacts and their tags`,
  'contacts:erase': t`Erase contacts and everything about them`,
  'notes:write': t`Add notes`,
  'tags:write': t`Create, edit and delete tags`,
  'agents:read': t`See agents`,
  'agents:write': t`Add and remove agents`,
  'groups:read': t`Read groups`,
  'templates:read': t`Read WhatsApp templates`,
  'templates:send': t`Send WhatsApp templates`,
  'broadcasts:read': t`Read broadcasts`,
  'broadcasts:send': t`Send broadcasts`,
  'flows:read': t`Read flows and their runs`,
  'flows:run': t`Start and cancel flows`,
  'knowledge:read': t`Read knowledge`,
  'knowledge:write': t`Edit knowledge`,
  'events:read': t`Follow events`,
  'webhooks:manage': t`Manage webhooks`,
  'exports:create': t`Export the workspace`,
  'audit:read': t`Read the audit log`,
}

export const SCOPES = Object.keys(SCOPE_LABELS) as Scope[]

export const PRESETS = {
  full: { label: t`Full access`, scopes: ['full'] },
  read: {
    label: t`Read only`,
    scopes: SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'audit:read'),
  },
  reply: {
    label: t`Reply to customers`,
    scopes: [
      'conversations:read',
      'conversations:write',
      'messages:send',
      'contacts:read',
      'notes:write',
      'agents:read',
    ],
  },
  sync: { label: t`Sync contacts`, scopes: ['contacts:read', 'contacts:write', 'groups:read'] },
  feed: {
    label: t`Feed and webhooks`,
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
