// Simulates a day passing in the demo. No clock changes: all timestamps move back, here and in the sandbox, so that
// reply windows close and the list says "yesterday".
import { sql } from 'kysely'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { record } from '../platform/events/record.ts'

/**
 * What users see, and what flows wait for. Deliveries, jobs and keys keep their times; otherwise the program would seem
 * to hang.
 */
const TABLES = [
  'conversations',
  'messages',
  'notes',
  'contacts',
  'flow_runs',
  'flow_run_steps',
  'automation_states',
]
/** Fail rather than block a demo that holds millions of messages. */
const TIMEOUT = '10s'
const ANNOUNCED_MAX = 200
const HOUR_MS = 3_600_000

/** Moves the workspace's past back by this many hours and notifies everyone viewing it. */
export const backdateThreads = (ctx: Ctx, hours: number): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const { db, workspaceId } = ctx
    await sql`select set_config('statement_timeout', ${TIMEOUT}, true)`.execute(db)
    const { rows: columns } = await sql<{ table: string; names: string[] }>`
      select table_name as table, array_agg(column_name::text) as names from information_schema.columns
      where table_schema = current_schema and domain_name = 'moment' and table_name = any(${TABLES})
      group by table_name`.execute(db)
    for (const { table, names } of columns) {
      const aged = names.map(
        (name) => sql`${sql.ref(name)} = ${sql.ref(name)} - make_interval(secs => ${hours * 3600}::float8)`,
      )
      await sql`update ${sql.table(table)} set ${sql.join(aged)} where workspace_id = ${workspaceId}`.execute(
        db,
      )
    }
    await backdateWaits(ctx, hours)
    await backdateTargets(ctx, hours)
    const latest = await db
      .selectFrom('conversations')
      .select(['id', 'contact_id', 'status'])
      .where('workspace_id', '=', workspaceId)
      .orderBy('updated_at', 'desc')
      .limit(ANNOUNCED_MAX)
      .execute()
    if (latest.length === 0) return
    const events = latest.map(({ id, contact_id, status }) => ({
      type: 'conversation.status' as const,
      conversationId: id,
      contactId: contact_id,
      data: { conversationId: id, status, previousStatus: status, by: 'system' },
    }))
    await record(ctx, events)
  })

/** Of customers who wait for a reply. What is over stays on its day, as messages do in reports, by their ids. */
const backdateTargets = async ({ db, workspaceId }: Ctx, hours: number): Promise<void> => {
  const by = sql`make_interval(secs => ${hours * 3600}::float8)`
  await sql`
    update waits set started_at = started_at - ${by}, due_at = due_at - ${by}, paused_at = paused_at - ${by}
    where workspace_id = ${workspaceId} and ended_at is null`.execute(db)
}

/** A run knows by itself until when it waits, too. What becomes due is found by the conductor's next check. */
const backdateWaits = async ({ db, workspaceId }: Ctx, hours: number): Promise<void> => {
  await sql`
    update flow_runs set state = jsonb_set(state::jsonb, '{wait,until}',
      to_jsonb((state #>> '{wait,until}')::bigint - ${hours * HOUR_MS}::bigint))::json
    where workspace_id = ${workspaceId} and status = 'running' and state #>> '{wait,until}' is not null`.execute(
    db,
  )
  // Counts by the time of what happened. None of it is within the hour any more.
  await sql`update automation_states set guards = null where workspace_id = ${workspaceId}`.execute(db)
}
