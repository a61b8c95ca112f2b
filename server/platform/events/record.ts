import { type RawBuilder, sql } from 'kysely'
import { recordedActor } from '../ctx/actor.ts'
import type { Ctx } from '../ctx/ctx.ts'
import { rowsOf } from '../db/rows-of.ts'
import { countEvents } from '../metrics.ts'
import { traceparent } from '../tracing.ts'
import type { EventData, EventType } from './catalogue.ts'

export type NewEvent<T extends EventType = EventType> = {
  [K in T]: {
    type: K
    conversationId?: string
    contactId?: string
    /** Who did it, as recordedActor writes it, if not the context's actor. */
    actor?: string
    /** The trace that it belongs to, if not the current one. */
    traceparent?: string | null
    data: EventData[K]
  }
}[T]

/** Records events in the transaction that makes the change; live followers get them after the commit. */
export const record = async (ctx: Ctx, events: NewEvent | readonly NewEvent[]): Promise<void> => {
  const list = [events].flat()
  if (list.length > 0) await eventsInsert(ctx, list).execute(ctx.db)
}

/** `record` as part of a larger statement; works without events too. */
export const eventsInsert = (ctx: Ctx, events: readonly NewEvent[]) => {
  ctx.afterCommit?.add(() => countEvents(events))
  return insertion(
    ctx,
    sql`${rowsOf(events)} as e (type text, "conversationId" text, "contactId" text, actor text, traceparent text, data jsonb)`,
  )
}

/**
 * The same for events that only the larger statement knows: `rows` yields "conversationId", "contactId" and data. The
 * caller tells countLater how many there were.
 */
export const eventsFrom = (ctx: Ctx, type: CountedType, rows: RawBuilder<unknown>) =>
  insertion(
    ctx,
    sql`(select ${type}::text as type, null as actor, null as traceparent, r.* from (${rows}) r) e`,
  )

const insertion = (ctx: Ctx, events: RawBuilder<unknown>) => {
  if (!ctx.afterCommit) throw new Error('events must be recorded inside a transaction')
  ctx.afterCommit.add(ctx.stream.wake)
  return sql`
    insert into events (workspace_id, type, conversation_id, contact_id, data, actor, request_id, traceparent,
      created_at)
    select ${ctx.workspaceId}, e.type, e."conversationId", e."contactId", e.data,
      coalesce(e.actor, ${recordedActor(ctx.actor)}::text), ${ctx.requestId ?? null}::text,
      coalesce(e.traceparent, ${traceparent()}::text), ${ctx.now()}
    from ${events}`
}

/** Counts, once they are committed, events that a statement found by itself. */
export const countLater = ({ afterCommit }: Ctx, type: CountedType, count: number): void => {
  afterCommit?.add(() => countEvents(Array.from({ length: count }, () => ({ type, data: {} }))))
}

/** Those whose data isn't counted. */
type CountedType = Exclude<EventType, 'message.created' | 'message.status'>
