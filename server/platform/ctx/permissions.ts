// What members without admin rights may do, and which conversations an actor sees. What a token may do is in scopes.ts;
// customers and the system are limited by the context they are given.

import type { ChannelName } from '../db/tables.ts'
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

/** The agent whose own conversations are all that the actor may see, or null. */
export const confinedTo = (actor: Actor): string | null =>
  actor.type === 'agent' && !may(actor, 'see_all_conversations') ? actor.accountId : null

/** What an actor sees of the workspace's conversations; null is no limit. */
export type Sight = { agentId: string | null; channels: readonly ChannelName[] | null }

/**
 * The conversations that the actor may see: of one agent, or on some channels. All others are treated as missing, so
 * every read or lock of a conversation, or of something in one, checks this. A contact without a visible conversation is
 * missing too.
 */
export const sightOf = (actor: Actor): Sight => ({
  agentId: confinedTo(actor),
  channels: actor.type === 'token' ? (actor.channels ?? null) : null,
})

export const seesAll = (actor: Actor): boolean => {
  const { agentId, channels } = sightOf(actor)
  return agentId === null && channels === null
}

/** Throws FORBIDDEN for an agent who may only reassign their own conversations when this is not one of them. */
export const requireMayAssign = (actor: Actor, { agentId }: { agentId: string | null }): void => {
  if (actor.type === 'agent' && actor.accountId !== agentId) requireOneOf(actor, ['assign_conversations'])
}

/** Throws FORBIDDEN for an actor who sees only some of the conversations. */
export const requireSeesAll = (actor: Actor): void => {
  if (!seesAll(actor)) throw new ApiError('FORBIDDEN')
}
