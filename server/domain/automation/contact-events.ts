// What happens to a contact, for automation in the conversation that they were last active in.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { addInputs, causedBy, type HappenedData } from './inputs.ts'

type ContactEvent = Pick<HappenedData, 'on'> & Partial<Pick<HappenedData, 'to' | 'tagId' | 'field'>>

/** Adds the events in the caller's transaction, which holds the contact's lock. Contacts without conversations have none. */
export const addContactEvents = async (
  ctx: Ctx,
  contactId: string,
  events: readonly ContactEvent[],
): Promise<void> => {
  if (events.length === 0) return
  const { rows } = await sql<{ conversationId: string | null }>`
    select k.latest_conversation_id as "conversationId"
    from contacts k join workspaces w on w.id = k.workspace_id and w.is_automated
    where k.workspace_id = ${ctx.workspaceId} and k.id = ${contactId}`.execute(ctx.db)
  const conversationId = rows[0]?.conversationId
  if (!conversationId) return
  await addInputs(
    ctx,
    events.map((event) => ({
      kind: 'event' as const,
      conversationId,
      data: { to: null, tagId: null, field: null, ...event, ...causedBy(ctx.actor) },
    })),
  )
}
