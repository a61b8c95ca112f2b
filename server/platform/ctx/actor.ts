/** As stored in roles.permissions. */
export const PERMISSIONS = [
  'see_all_conversations',
  'assign_conversations',
  'manage_contacts',
  'manage_groups',
  'manage_tags',
  'send_broadcasts',
  'manage_automation',
  'manage_knowledge',
] as const

export type Permission = (typeof PERMISSIONS)[number]

export type Actor =
  | { type: 'token'; tokenId: string }
  /** The role's permissions; empty for an admin, who needs none. */
  | { type: 'agent'; accountId: string; role: 'agent' | 'admin'; permissions: readonly Permission[] }
  | { type: 'customer'; contactId: string | null }
  | { type: 'flow'; flowId: string; runId: string }
  /** The AI agent, which is a member. */
  | { type: 'ai'; accountId: string }
  | { type: 'operator' }
  | { type: 'system' }

export const isPerson = (actor: Actor): actor is Actor & { type: 'agent' } => actor.type === 'agent'

/**
 * The id recorded for an actor's changes: an agent's account id (the AI agent's too), `api:<token id>`, a contact's id, `flow:<flow id>` or
 * `system`.
 */
export const actorId = (actor: Actor): string => {
  switch (actor.type) {
    case 'token':
      return `api:${actor.tokenId}`
    case 'agent':
    case 'ai':
      return actor.accountId
    case 'customer':
      return actor.contactId ?? 'system'
    case 'flow':
      return `flow:${actor.flowId}`
    default:
      return 'system'
  }
}
