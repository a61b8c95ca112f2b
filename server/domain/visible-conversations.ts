// SQL conditions for actors who see only some of the conversations: agents who see their own, and tokens that are limited
// to some channels. For everyone else they are empty, so the API's statements stay the same.
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../platform/ctx/actor.ts'
import { sightOf } from '../platform/ctx/permissions.ts'

const NOTHING = sql``

/** Joins the role `r` of a membership `m`: a member without a role of their own has the workspace's default one. */
export const MEMBER_ROLE = sql`r.workspace_id = m.workspace_id and (r.id = m.role_id or (m.role_id is null and r.is_default))`

/** Whether a membership `m` with its role `r` sees the conversation `c`; null counts as no. */
export const memberSees = sql<boolean>`(m.role = 'admin' or 'see_all_conversations' = any (r.permissions) or c.agent_id = m.account_id)`

/** `and` a condition that the actor may see a row of conversations, by its alias. */
export const seenBy = (actor: Actor, alias: string): RawBuilder<unknown> => {
  const { agentId, channels } = sightOf(actor)
  return sql`${agentId === null ? NOTHING : sql` and ${sql.ref(`${alias}.agent_id`)} = ${agentId}`}${
    channels === null ? NOTHING : sql` and ${sql.ref(`${alias}.channel`)} = any (${channels}::text[])`
  }`
}

/** `and` a condition that a contact's row, by its alias, has a conversation that the actor may see. */
export const knownTo = (actor: Actor, alias: string): RawBuilder<unknown> => {
  const { agentId, channels } = sightOf(actor)
  const known = channels === null ? NOTHING : sql` and ${sql.ref(`${alias}.channels`)} && ${channels}::text[]`
  if (agentId === null) return known
  return sql`${known} and exists (select from conversations own
    where own.workspace_id = ${sql.ref(`${alias}.workspace_id`)} and own.contact_id = ${sql.ref(`${alias}.id`)}
      and own.agent_id = ${agentId})`
}
