// Whether a token may make this request: now, from here, on this route. Nothing here runs a query.
import type { FastifyContextConfig } from 'fastify'
import type { Actor } from '../ctx/actor.ts'
import { requireChannel, requireScope } from '../ctx/scopes.ts'
import { type ChannelName, FULL_ACCESS, type Scope } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { TokenHolder } from './bearer.ts'
import { plainAddress } from './client-address.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In the API: what a token needs; `any` token will do. A route without one is for tokens with full access. */
    scope?: Scope | 'any'
    /** In the API: the channel that the route is about. Tokens limited to others are refused. */
    channel?: ChannelName
  }
}

type TokenActor = Actor & { type: 'token' }

export const actorOf = ({ tokenId, scopes, channels }: TokenHolder): TokenActor => ({
  type: 'token',
  tokenId,
  ...(scopes && { scopes }),
  ...(channels && { channels }),
})

/** Throws INVALID_API_TOKEN from the millisecond on at which it expires, and ADDRESS_NOT_ALLOWED. */
export const requireUsable = (
  { expiresAtMs, addresses }: TokenHolder,
  ip: string | undefined,
  nowMs: number,
): void => {
  if (expiresAtMs !== null && nowMs >= expiresAtMs)
    throw new ApiError('INVALID_API_TOKEN', {
      message: 'This API token has expired.',
      headers: { 'www-authenticate': 'Bearer' },
    })
  if (addresses === null) return
  const address = plainAddress(ip)
  if (address === undefined || !addresses.include(address))
    throw new ApiError('ADDRESS_NOT_ALLOWED', {
      message: `This API token cannot be used from ${address ?? 'this address'}.`,
    })
}

/** Throws INSUFFICIENT_SCOPE. */
export const requireAccess = (actor: TokenActor, { scope, channel }: FastifyContextConfig): void => {
  if (scope !== 'any') requireScope(actor, scope ?? FULL_ACCESS)
  if (channel) requireChannel(actor, channel)
}
