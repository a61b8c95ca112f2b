// SQL conditions for agents who see only their own conversations. For everyone else they are empty, so the API's
// statements stay the same.
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../platform/ctx/actor.ts'
import { confinedTo } from '../platform/ctx/permissions.ts'

const NOTHING = sql``

/** `and` a condition that a row of conversations, by its alias, is the actor's own. */
export const ownedBy = (actor: Actor, alias: string): RawBuilder<unknown> => {
  const owner = confinedTo(actor)
  return owner === null ? NOTHING : sql` and ${sql.ref(`${alias}.agent_id`)} = ${owner}`
}

/** `and` a condition that a contact's row, by its alias, has a conversation of the actor's own. */
export const knownTo = (actor: Actor, alias: string): RawBuilder<unknown> => {
  const owner = confinedTo(actor)
  if (owner === null) return NOTHING
  return sql` and exists (select from conversations own
    where own.workspace_id = ${sql.ref(`${alias}.workspace_id`)} and own.contact_id = ${sql.ref(`${alias}.id`)}
      and own.agent_id = ${owner})`
}
