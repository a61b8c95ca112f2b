import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/ctx/actor.ts'
import { seesAll } from '../../platform/ctx/permissions.ts'
import { seenBy } from '../visible-conversations.ts'

/** `and` a condition that a run `r` is in a conversation that the actor may see, if they don't see all. */
export const ownConversation = (actor: Actor): RawBuilder<unknown> =>
  seesAll(actor)
    ? sql``
    : sql` and exists (select from conversations own where own.workspace_id = r.workspace_id
    and own.id = r.conversation_id${seenBy(actor, 'own')})`
