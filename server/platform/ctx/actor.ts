import type { ChannelName, Scope } from '../db/tables.ts'

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
  'see_reports',
] as const

export type Permission = (typeof PERMISSIONS)[number]

export type Actor =
  | {
      type: 'token'
      tokenId: string
      /** Left out: full access. */
      scopes?: readonly Scope[]
      /** The channels whose conversations it may see. Left out: all. */
      channels?: readonly ChannelName[]
    }
  /** The role's permissions; empty for an admin, who needs none. */
  | { type: 'agent'; accountId: string; role: 'agent' | 'admin'; permissions: readonly Permission[] }
  | { type: 'customer'; contactId: string | null }
  | { type: 'flow'; flowId: string; runId: string }
  /** The AI agent, which is a member. */
  | { type: 'ai'; accountId: string }
  | { type: 'operator' }
  | { type: 'system' }

export const isPerson = (actor: Actor): actor is Actor & { type: 'agent' } => actor.type === 'agent'

/** Null for whoever is no person. */
export const personId = (actor: Actor): string | null => (isPerson(actor) ? actor.accountId : null)

/**
 * Who did something, as recorded with an event: `customer` (the event names the contact), `agent:<account id>`,
 * `ai:<account id>`, `token:<token id>`, `automation:<flow id>`, `operator` or `system`.
 */
export const recordedActor = (actor: Actor): string => {
  switch (actor.type) {
    case 'agent':
    case 'ai':
      return `${actor.type}:${actor.accountId}`
    case 'token':
      return `token:${actor.tokenId}`
    case 'flow':
      return `automation:${actor.flowId}`
    default:
      return actor.type
  }
}

/** The same from the id of a stored sender (actorId): whoever started a broadcast writes what it sends later. */
export const recordedSender = (senderId: string): string => {
  const [kind, id] = senderId.split(':')
  if (id === undefined) return kind === 'system' ? 'system' : `agent:${senderId}`
  return kind === 'api' ? `token:${id}` : `automation:${id}`
}

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
