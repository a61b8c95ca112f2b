// What members without admin rights may do. Only people are checked here: tokens, customers and the system are
// limited by the context they are given.

import { ApiError } from '../errors.ts'
import type { Actor, Permission } from './actor.ts'

/** `admin` can't be granted by a role: it covers members, roles, tokens, channels and the workspace. */
export type Needed = Permission | 'admin'

export const may = (actor: Actor, needed: Needed): boolean =>
  actor.type !== 'agent' ||
  actor.role === 'admin' ||
  (needed !== 'admin' && actor.permissions.includes(needed))

/** Throws FORBIDDEN unless the actor has one of these permissions. */
export const requireOneOf = (actor: Actor, needed: readonly Needed[]): void => {
  if (!needed.some((one) => may(actor, one))) throw new ApiError('FORBIDDEN')
}

/**
 * The agent whose own conversations are all that the actor may see, or null if they may see everything. Conversations
 * they may not see are treated as missing, so every read or lock of a conversation, or of something in one, checks
 * this.
 */
export const confinedTo = (actor: Actor): string | null =>
  actor.type === 'agent' && !may(actor, 'see_all_conversations') ? actor.accountId : null

/** Throws FORBIDDEN for an agent who may only reassign their own conversations when this is not one of them. */
export const requireMayAssign = (actor: Actor, { agentId }: { agentId: string | null }): void => {
  if (actor.type === 'agent' && actor.accountId !== agentId) requireOneOf(actor, ['assign_conversations'])
}
