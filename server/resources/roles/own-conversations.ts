// What keeps those who see only their own conversations to them, as parts of statements. For everybody else the parts
// are empty, so that the API's statements are the same as if there were no such people.
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../ctx.ts'
import { confinedTo } from './permissions.ts'

const NOTHING = sql``

/** `and` that a row of conversations, by its alias, is the actor's own. */
export const ownedBy = (actor: Actor, alias: string): RawBuilder<unknown> => {
  const owner = confinedTo(actor)
  return owner === null ? NOTHING : sql` and ${sql.ref(`${alias}.agent_id`)} = ${owner}`
}

/** `and` that a contact, a row of contacts by its alias, has a conversation of the actor's own. */
export const metBy = (actor: Actor, alias: string): RawBuilder<unknown> => {
  const owner = confinedTo(actor)
  if (owner === null) return NOTHING
  return sql` and exists (select from conversations own
    where own.workspace_id = ${sql.ref(`${alias}.workspace_id`)} and own.contact_id = ${sql.ref(`${alias}.id`)}
      and own.agent_id = ${owner})`
}
