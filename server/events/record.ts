import { sql } from 'kysely'
import type { Ctx } from '../ctx.ts'
import { countEvents } from '../metrics.ts'
import type { EventData, EventType } from './catalogue.ts'

export type NewEvent<T extends EventType = EventType> = {
  [K in T]: { type: K; conversationId?: string; contactId?: string; data: EventData[K] }
}[T]

/** Records events in the transaction that makes them true; those who follow live hear of them after the commit. */
export const record = async (ctx: Ctx, ...events: NewEvent[]): Promise<void> => {
  if (!ctx.afterCommit) throw new Error('events are recorded inside a transaction')
  await ctx.db
    .insertInto('events')
    .values(
      events.map(({ type, conversationId, contactId, data }) => ({
        workspace_id: ctx.workspaceId,
        type,
        conversation_id: conversationId ?? null,
        contact_id: contactId ?? null,
        data: JSON.stringify(data),
        created_at: ctx.now(),
      })),
    )
    .execute()
  ctx.afterCommit.add(ctx.stream.wake)
  ctx.afterCommit.add(() => countEvents(events))
}

/** `record` for one event, as a part of a larger statement of the same transaction. */
export const eventInsert = (ctx: Ctx, event: NewEvent) => {
  if (!ctx.afterCommit) throw new Error('events are recorded inside a transaction')
  ctx.afterCommit.add(ctx.stream.wake)
  ctx.afterCommit.add(() => countEvents([event]))
  return sql`
    insert into events (workspace_id, type, conversation_id, contact_id, data, created_at)
    values (${ctx.workspaceId}, ${event.type}, ${event.conversationId ?? null}, ${event.contactId ?? null},
      ${JSON.stringify(event.data)}, ${ctx.now()})`
}

/** recordMany as a part of a larger statement, one also when there are no events. */
export const recordedMany = (ctx: Ctx, events: NewEvent[]) => {
  if (!ctx.afterCommit) throw new Error('events are recorded inside a transaction')
  ctx.afterCommit.add(ctx.stream.wake)
  ctx.afterCommit.add(() => countEvents(events))
  return sql`
    insert into events (workspace_id, type, conversation_id, contact_id, data, created_at)
    select ${ctx.workspaceId}, e.type, e."conversationId", e."contactId", e.data, ${ctx.now()}
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as e (type text, "conversationId" text, "contactId" text, data jsonb)`
}

/** The same for a number of events that grows with the data: one statement, whatever the number. */
export const recordMany = async (ctx: Ctx, events: NewEvent[]): Promise<void> => {
  if (events.length > 0) await recordedMany(ctx, events).execute(ctx.db)
}
