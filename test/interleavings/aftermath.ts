// What the database says once everybody has stopped: what is left undone, and who was left without a reply.
import { sql } from 'kysely'
import type { Db } from '../../server/platform/db/pool.ts'
import type { TestApp } from '../app.ts'

/** What is still to be done: inputs, runs to wake, turns of the AI agent, messages to send, replies that are held. */
export const listLeft = async ({ db }: TestApp): Promise<object[]> => {
  const { rows } = await sql<object>`
    select 'input' as what, conversation_id, kind as about, created_at as since from automation_inputs
    union all
    select 'delivery', conversation_id, concat_ws(' ', state, tries, error_code, not_before), created_at
    from deliveries where state in ('pending', 'sending')
    union all
    select 'run', conversation_id, concat_ws(' ', waiting_for, waiting_step, wakes_at), started_at
    from flow_runs where status = 'running' and wakes_at <= now() + interval '1 hour'
    union all
    select 'turn', conversation_id, concat_ws(' ', state, revision, tries), created_at
    from ai_turns where state <> 'ended'
    union all
    select 'held', conversation_id, concat_ws(' ', due_at), created_at
    from held_messages where problem is null
    order by since
    limit 20`.execute(db)
  return rows
}

/** How often transactions had to be retried because of each other. */
export const readContention = async ({ db }: TestApp): Promise<{ deadlocks: number }> => {
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(db)
  return rows[0]!
}

/** Turns of the AI agent that said something more than once. */
export const listDoubledTurns = async (db: Db): Promise<object[]> => {
  const { rows } = await sql<object>`
    select conversation_id, metadata -> 'ai' ->> 'turnId' as turn, count(*)::integer as messages from messages
    where metadata -> 'ai' ->> 'turnId' is not null and sender_type in ('agent', 'automation')
    group by 1, 2 having count(*) > 1`.execute(db)
  return rows
}

/** Those of the conversations in which the customer wrote last, although no person was given them. */
export const listUnanswered = async (db: Db, conversationIds: readonly string[]): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select c.id from conversations c
    left join automation_states s on s.workspace_id = c.workspace_id and s.conversation_id = c.id
    where c.id = any(${conversationIds}::text[]) and c.status = 'open' and s.paused_at is null
      and (select m.sender_type from messages m where m.workspace_id = c.workspace_id
        and m.conversation_id = c.id and m.sender_type <> 'system' order by m.id desc limit 1) = 'customer'`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** How often each text was sent that arrived more often than it was said. A body may have its choices below the text. */
export const listTooOften = async (db: Db, arrived: readonly string[]): Promise<object[]> => {
  const { rows } = await sql<object>`
    select a.text, a.count, said.count as said
    from (select text, count(*)::integer as count from unnest(${arrived}::text[]) text group by text) a
    cross join lateral (
      select count(*)::integer as count from messages m where starts_with(m.body, a.text)
    ) said
    where a.count > said.count`.execute(db)
  return rows
}
