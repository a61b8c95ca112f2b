// What a member without admin rights may be allowed, and what follows from it. Tokens, customers and the system are
// bound by what they are given in the first place; only people are asked here.
import type { Actor } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'

/** As they are stored in roles.permissions. */
export const PERMISSIONS = [
  'see_all_conversations',
  'assign_conversations',
  'manage_contacts',
  'manage_groups',
  'manage_tags',
  'send_broadcasts',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/** `admin` is what no role gives: members, roles, tokens, channels, the workspace. */
export type Needed = Permission | 'admin'

export const may = (actor: Actor, needed: Needed): boolean =>
  actor.type !== 'agent' ||
  actor.role === 'admin' ||
  (needed !== 'admin' && actor.permissions.includes(needed))

/** Throws FORBIDDEN unless the actor may do one of these. */
export const requireOneOf = (actor: Actor, needed: readonly Needed[]): void => {
  if (!needed.some((one) => may(actor, one))) throw new ApiError('FORBIDDEN')
}

/**
 * The agent whose own conversations are all that the actor sees, or null for who sees everything. What they may not see
 * does not exist for them; whoever reads or locks a conversation, or what hangs on one, asks this.
 */
export const confinedTo = (actor: Actor): string | null =>
  actor.type === 'agent' && !may(actor, 'see_all_conversations') ? actor.accountId : null

/** Throws FORBIDDEN for a person who may only hand over what is theirs, and this is not. */
export const requireMayAssign = (actor: Actor, { agentId }: { agentId: string | null }): void => {
  if (actor.type === 'agent' && actor.accountId !== agentId) requireOneOf(actor, ['assign_conversations'])
}
