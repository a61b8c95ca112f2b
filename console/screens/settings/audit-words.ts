import type { AuditAction, AuditEntry } from '../../state/types.ts'
import { t } from '../../words/t.ts'

/** Each action, as a sentence about whoever did it. */
export const AUDIT_LABELS: Record<AuditAction, string> = {
  'sign_in.succeeded': 'Signed in',
  'sign_in.failed': 'Failed to sign in',
  'sign_in.ended': 'Ended own sign-ins',
  'passkey.added': 'Added a passkey',
  'passkey.removed': 'Removed a passkey',
  'passkey.refused': 'Used a passkey that may have been copied',
  'passkey.reset': 'Reset a member’s passkeys',
  'recovery_codes.created': 'Created new recovery codes',
  'recovery_codes.used': 'Used a recovery code',
  'member.added': 'Added a member',
  'member.updated': 'Changed a member',
  'member.removed': 'Removed a member',
  'member.signed_out': 'Signed out a member',
  'team.created': 'Created a team',
  'team.updated': 'Changed a team',
  'team.removed': 'Removed a team',
  'answer_targets.updated': 'Changed how fast customers are answered',
  'role.created': 'Created a role',
  'role.updated': 'Changed a role',
  'role.deleted': 'Deleted a role',
  'token.created': 'Created an API token',
  'token.rotated': 'Rotated an API token',
  'token.revoked': 'Revoked an API token',
  'channel.added': 'Connected a channel',
  'channel.updated': 'Changed a channel',
  'channel.removed': 'Removed a channel',
  'action.created': 'Created an action',
  'action.updated': 'Changed an action',
  'action.deleted': 'Deleted an action',
  'ai_agent.enabled': 'Turned on the AI agent',
  'ai_agent.disabled': 'Turned off the AI agent',
  'ai_provider.saved': 'Changed the AI model',
  'ai_provider.removed': 'Removed the AI model',
  'ai_guidance.published': 'Published AI instructions',
  'broadcast.started': 'Sent a broadcast',
  'broadcast.paused': 'Paused a broadcast',
  'broadcast.resumed': 'Resumed a broadcast',
  'broadcast.canceled': 'Canceled a broadcast',
  'broadcast.exported': 'Exported a broadcast’s recipients',
  'webhook.created': 'Created a webhook',
  'webhook.updated': 'Changed a webhook',
  'webhook.rotated': 'Rotated a webhook’s secret',
  'webhook.enabled': 'Enabled a webhook',
  'webhook.paused': 'Paused a webhook',
  'webhook.disabled': 'Disabled a webhook',
  'webhook.replayed': 'Replayed events to a webhook',
  'webhook.deleted': 'Deleted a webhook',
  'mcp_server.connected': 'Connected an MCP server',
  'mcp_server.updated': 'Changed an MCP server',
  'mcp_server.removed': 'Disconnected an MCP server',
  'tool.enabled': 'Switched on a tool',
  'tool.updated': 'Changed what a tool may do',
  'tool.disabled': 'Switched off a tool',
  'flow.published': 'Published a flow',
  'export.created': 'Exported the workspace',
  'export.deleted': 'Deleted an export',
  'import.completed': 'Imported an archive',
  'import.undone': 'Undid an import',
  'contact.erased': 'Erased a contact',
  'contact.merged': 'Merged two contacts',
  'contact.unmerged': 'Undid a merge of contacts',
  'contact.exported': 'Exported a contact',
  'contact.anonymised': 'Anonymised a contact',
  'retention.updated': 'Changed how long conversations are kept',
  'reports.updated': 'Changed the time zone of reports',
  'retention.applied': 'Closed or deleted old conversations',
  'mcp.tool_called': 'Used a tool',
}

const ACTORS: Record<AuditEntry['actor']['type'], string> = {
  agent: 'A former member',
  ai: 'AI agent',
  token: 'API token',
  operator: 'Operator',
  automation: 'Automation',
  customer: 'Customer',
  system: 'Foyer',
  unknown: 'Unknown',
}

export const actorLabel = ({ type, name }: AuditEntry['actor']): string => name ?? ACTORS[type]

const valueWords = (value: unknown): string => {
  if (value === null || value === undefined) return t`none`
  if (Array.isArray(value)) return value.length === 0 ? t`none` : value.map(valueWords).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Each change in words, such as “role: agent → admin”. */
export const changeWords = ({ changes }: AuditEntry): string[] =>
  Object.entries(changes)
    .filter(([, { from, to }]) => (from ?? null) !== null || (to ?? null) !== null)
    .map(([field, { from, to }]) =>
      from === undefined
        ? `${field}: ${valueWords(to)}`
        : `${field}: ${valueWords(from)} → ${valueWords(to)}`,
    )
