import { sql } from 'kysely'
import type { Ctx } from '../ctx/ctx.ts'
import { rowsOf } from '../db/rows-of.ts'
import { countEvents } from '../metrics.ts'
import type { EventData, EventType } from './catalogue.ts'

type NewEvent<T extends EventType = EventType> = {
  [K in T]: { type: K; conversationId?: string; contactId?: string; data: EventData[K] }
}[T]

/** Records events in the transaction that makes the change; live followers get them after the commit. */
export const record = async (ctx: Ctx, events: NewEvent | readonly NewEvent[]): Promise<void> => {
  const list = [events].flat()
  if (list.length > 0) await eventsInsert(ctx, list).execute(ctx.db)
}

/** `record` as part of a larger statement; works without events too. */
export const eventsInsert = (ctx: Ctx, events: readonly NewEvent[]) => {
  if (!ctx.afterCommit) throw new Error('events must be recorded inside a transaction')
  ctx.afterCommit.add(ctx.stream.wake)
  ctx.afterCommit.add(() => countEvents(events))
  return sql`
    insert into events (workspace_id, type, conversation_id, contact_id, data, created_at)
    select ${ctx.workspaceId}, e.type, e."conversationId", e."contactId", e.data, ${ctx.now()}
    from ${rowsOf(events)}
      as e (type text, "conversationId" text, "contactId" text, data jsonb)`
}
