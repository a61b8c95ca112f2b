import type { AuditAction, AuditEntry } from '../../state/types.ts'
import { t } from '../../words/t.ts'

/** Each action, as a sentence about whoever did it. */
export const AUDIT_LABELS: Record<AuditAction, string> = {
  'sign_in.succeeded': t`Signed in`,
  'sign_in.failed': t`Failed to sign in`,
  'sign_in.ended': t`Ended own sign-ins`,
  'passkey.added': t`Added a passkey`,
  'passkey.removed': t`Removed a passkey`,
  'passkey.refused': t`Used a passkey that may have been copied`,
  'passkey.reset': t`Reset a member’s passkeys`,
  'recovery_codes.created': t`Created new recovery codes`,
  'recovery_codes.used': t`Used a recovery code`,
  'member.added': t`Added a member`,
  'member.updated': t`Changed a member`,
  'member.removed': t`Removed a member`,
  'member.signed_out': t`Signed out a member`,
  'team.created': t`Created a team`,
  'team.updated': t`Changed a team`,
  'team.removed': t`Removed a team`,
  'answer_targets.updated': t`Changed how fast customers are answered`,
  'role.created': t`Created a role`,
  'role.updated': t`Changed a role`,
  'role.deleted': t`Deleted a role`,
  'token.created': t`Created an API token`,
  'token.rotated': t`Rotated an API token`,
  'token.revoked': t`Revoked an API token`,
  'channel.added': t`Connected a channel`,
  'channel.updated': t`Changed a channel`,
  'channel.removed': t`Removed a channel`,
  'action.created': t`Created an action`,
  'action.updated': t`Changed an action`,
  'action.deleted': t`Deleted an action`,
  'ai_agent.enabled': t`Turned on the AI agent`,
  'ai_agent.disabled': t`Turned off the AI agent`,
  'ai_provider.saved': t`Changed the AI model`,
  'ai_provider.removed': t`Removed the AI model`,
  'ai_guidance.published': t`Published AI instructions`,
  'broadcast.started': t`Sent a broadcast`,
  'broadcast.paused': t`Paused a broadcast`,
  'broadcast.resumed': t`Resumed a broadcast`,
  'broadcast.canceled': t`Canceled a broadcast`,
  'broadcast.exported': t`Exported a broadcast’s recipients`,
  'webhook.created': t`Created a webhook`,
  'webhook.updated': t`Changed a webhook`,
  'webhook.rotated': t`Rotated a webhook’s secret`,
  'webhook.enabled': t`Enabled a webhook`,
  'webhook.paused': t`Paused a webhook`,
  'webhook.disabled': t`Disabled a webhook`,
  'webhook.replayed': t`Replayed events to a webhook`,
  'webhook.deleted': t`Deleted a webhook`,
  'mcp_server.connected': t`Connected an MCP server`,
  'mcp_server.updated': t`Changed an MCP server`,
  'mcp_server.removed': t`Disconnected an MCP server`,
  'tool.enabled': t`Switched on a tool`,
  'tool.updated': t`Changed what a tool may do`,
  'tool.disabled': t`Switched off a tool`,
  'flow.published': t`Published a flow`,
  'export.created': t`Exported the workspace`,
  'export.deleted': t`Deleted an export`,
  'import.completed': t`Imported an archive`,
  'import.undone': t`Undid an import`,
  'contact.erased': t`Erased a contact`,
  'contact.merged': t`Merged two contacts`,
  'contact.unmerged': t`Undid a merge of contacts`,
  'contact.exported': t`Exported a contact`,
  'contact.anonymised': t`Anonymised a contact`,
  'retention.updated': t`Changed how long conversations are kept`,
  'reports.updated': t`Changed the time zone of reports`,
  'retention.applied': t`Closed or deleted old conversations`,
  'mcp.tool_called': t`Used a tool`,
}

const ACTORS: Record<AuditEntry['actor']['type'], string> = {
  agent: t`A former member`,
  ai: t`AI agent`,
  token: t`API token`,
  operator: t`Operator`,
  automation: t`Automation`,
  customer: t`Customer`,
  system: t`Foyer`,
  unknown: t`Unknown`,
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
