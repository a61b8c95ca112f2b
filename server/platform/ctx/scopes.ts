// What a token may be used for. A token with full access has no list of scopes; every route of the API names one.
import { FULL_ACCESS, SCOPES, type Scope } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { Actor } from './actor.ts'

/** The scopes whose data a scope's responses contain. */
const IMPLIED: Partial<Record<Scope, Scope>> = {
  'conversations:write': 'conversations:read',
  'contacts:write': 'contacts:read',
  'agents:write': 'agents:read',
  'templates:send': 'templates:read',
  'broadcasts:send': 'broadcasts:read',
  'flows:run': 'flows:read',
  'knowledge:write': 'knowledge:read',
}

/** The scopes with those that they imply, in the catalogue's order. */
export const withImplied = (scopes: readonly Scope[]): Scope[] => {
  const all = new Set<Scope>(scopes.flatMap((scope) => [scope, IMPLIED[scope] ?? scope]))
  return SCOPES.filter((scope) => all.has(scope))
}

const insufficient = (field: string, message: string): ApiError =>
  new ApiError('INSUFFICIENT_SCOPE', { details: [{ field, message }] })

/** Whether the actor may do what a scope stands for. Only tokens are limited by scopes. */
export const hasScope = (actor: Actor, scope: Scope | typeof FULL_ACCESS): boolean =>
  actor.type !== 'token' ||
  actor.scopes === undefined ||
  (scope !== FULL_ACCESS && actor.scopes.includes(scope))

/** Throws INSUFFICIENT_SCOPE. */
export const requireScope = (actor: Actor, scope: Scope | typeof FULL_ACCESS): void => {
  if (!hasScope(actor, scope)) throw insufficient('scope', `needs ${scope}`)
}

/**
 * Throws INSUFFICIENT_SCOPE for a token that is limited to other channels. For calls that name the channel themselves;
 * what exists on other channels is missing instead.
 */
export const requireChannel = (actor: Actor, channel: string): void => {
  if (actor.type !== 'token' || actor.channels === undefined) return
  if (!actor.channels.some((one) => one === channel))
    throw insufficient('channel', `needs access to ${channel}; this token has ${actor.channels.join(', ')}`)
}

/** Throws INSUFFICIENT_SCOPE for a token that is limited to channels: for what belongs to no conversation yet. */
export const requireAllChannels = (actor: Actor): void => {
  if (actor.type !== 'token' || actor.channels === undefined) return
  throw insufficient('channel', `needs access to all channels; this token has ${actor.channels.join(', ')}`)
}
