// Who may have webhooks: they bring events of all channels.
import { sql } from 'kysely'
import type { Actor } from '../../platform/ctx/actor.ts'
import { requireScope } from '../../platform/ctx/scopes.ts'
import type { Scope } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { PUBLIC_TYPES } from '../feed/catalogue.ts'
import { objectScopeOf } from '../feed/find-objects.ts'
import { isOfType } from './check-filter.ts'

const SCOPE: Scope = 'webhooks:manage'

/** Throws INSUFFICIENT_SCOPE. */
export const requireManager = (actor: Actor): void => {
  requireScope(actor, SCOPE)
  if (actor.type === 'token' && actor.channels !== undefined)
    throw new ApiError('INSUFFICIENT_SCOPE', {
      details: [
        { field: 'channel', message: 'needs access to all channels, because webhooks have events of each' },
      ],
    })
}

/** Which events, and whether with what they are about. */
type Content = { eventTypes: readonly string[] | null; payload: 'thin' | 'full' }

/** Throws INSUFFICIENT_SCOPE for a token that couldn't read what such events contain. */
export const requireMayRead = (actor: Actor, { eventTypes, payload }: Content): void => {
  if (payload === 'thin') return
  const wanted = Object.keys(PUBLIC_TYPES).filter(
    (type) => eventTypes?.some((name) => isOfType(type, name)) ?? true,
  )
  for (const scope of new Set(wanted.map(objectScopeOf))) if (scope) requireScope(actor, scope)
}

/** A condition on the endpoint e: it ends with the rights of the token that created it, but not with its term. */
export const isEntitled = sql`(split_part(e.created_by, ':', 1) <> 'token' or exists (
  select from api_tokens t
  where t.workspace_id = e.workspace_id and t.id = split_part(e.created_by, ':', 2) and t.revoked_at is null
    and t.scopes && ${['full', SCOPE]}::text[]))`
