// What the conductor remembers of conversations: what its guards count, and when to look at their silence.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'

export type SavedState = {
  conversationId: string
  guards: object
  silenceDueAt: Date | null
}

/** Part of a larger statement. The caller holds the locks of the contacts. */
export const statesSave = ({ workspaceId }: Ctx, states: readonly SavedState[]) => sql`
    insert into automation_states (workspace_id, conversation_id, guards, silence_due_at)
    select ${workspaceId}, "conversationId", guards, "silenceDueAt"
    from ${rowsOf(states)} as s ("conversationId" text, guards jsonb, "silenceDueAt" timestamptz)
    order by "conversationId"
    on conflict (workspace_id, conversation_id) do update set
      guards = excluded.guards, silence_due_at = excluded.silence_due_at`

/** Nobody looks at the conversation's silence any more. */
export const clearSilence = async ({ db, workspaceId }: Ctx, conversationId: string): Promise<void> => {
  await db
    .updateTable('automation_states')
    .set({ silence_due_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('conversation_id', '=', conversationId)
    .execute()
}
