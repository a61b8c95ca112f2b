// The sums that a contact row carries for the directory: changed here, in the transaction of whatever changed them.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'

type Activity = {
  conversationId: string
  /** The agent of that conversation, which is the contact's latest from now on. */
  agentId: string | null
  at: Date
  openDelta?: -1 | 0 | 1
}

/** A conversation of the contact moved: it becomes the latest one. The caller holds the contact's row lock. */
export const noteActivity = async (ctx: Ctx, contactId: string, activity: Activity): Promise<void> => {
  await ctx.db
    .updateTable('contacts')
    .set({
      latest_conversation_id: activity.conversationId,
      assigned_agent_id: activity.agentId,
      last_activity_at: activity.at,
      open_count: sql<number>`open_count + ${activity.openDelta ?? 0}::integer`,
    })
    .where('workspace_id', '=', ctx.workspaceId)
    .where('id', '=', contactId)
    .execute()
}
