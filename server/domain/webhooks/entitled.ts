// Who may have webhooks: they bring events of all channels.
import { sql } from 'kysely'
import type { Actor } from '../../platform/ctx/actor.ts'
import { requireScope } from '../../platform/ctx/scopes.ts'
import type { Scope } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'

const SCOPE: Scope = 'webhooks:manage'
/** What events contain with `payload: full`. */
const FULL_SCOPES: readonly Scope[] = ['conversations:read', 'contacts:read']

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

/** Throws INSUFFICIENT_SCOPE for a token that couldn't read what such events contain. */
export const requireMayRead = (actor: Actor, payload: 'thin' | 'full'): void => {
  if (payload === 'full') for (const scope of FULL_SCOPES) requireScope(actor, scope)
}

/** A condition on the endpoint e: it ends with the rights of the token that created it, but not with its term. */
export const isEntitled = sql`(split_part(e.created_by, ':', 1) <> 'token' or exists (
  select from api_tokens t
  where t.workspace_id = e.workspace_id and t.id = split_part(e.created_by, ':', 2) and t.revoked_at is null
    and t.scopes && ${['full', SCOPE]}::text[]))`
