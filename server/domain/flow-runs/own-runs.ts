import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/ctx/actor.ts'
import { confinedTo } from '../../platform/ctx/permissions.ts'

/** `and` a condition that a run `r` is in a conversation of the actor's own, if those are all that they may see. */
export const ownConversation = (actor: Actor): RawBuilder<unknown> => {
  const owner = confinedTo(actor)
  if (owner === null) return sql``
  return sql` and exists (select from conversations own where own.workspace_id = r.workspace_id
    and own.id = r.conversation_id and own.agent_id = ${owner})`
}
