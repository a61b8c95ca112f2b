// SQL of what people read about a turn, and what they think of it.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { AI_OUTCOMES } from '../../platform/db/tables.ts'
import { seenBy } from '../visible-conversations.ts'
import { DEFAULT_SETTINGS } from './default-settings.ts'
import type { Decision } from './think.ts'
import type { AiRequest } from './turn-schema.ts'

/** A loop makes fewer. */
const REQUESTS_MAX = 100

export type TurnRow = {
  id: string
  conversationId: string
  question: string | null
  outcome: (typeof AI_OUTCOMES)[number] | null
  decision: Decision | null
  version: number | null
  durationMs: number | null
  inputTokens: number
  cachedTokens: number
  outputTokens: number
  cost: number
  currency: string | null
  requestCount: number
  wrongAt: string | null
  wrongBy: string | null
  createdAt: string
}

/** Undefined if the actor may not see its conversation. */
export const findTurn = async (
  { db, workspaceId, actor }: Ctx,
  turnId: string,
): Promise<TurnRow | undefined> => {
  const { rows } = await sql<TurnRow>`
    select t.id, t.conversation_id as "conversationId", t.question, t.outcome, t.decision, t.version,
      greatest(0, floor(extract(epoch from t.ended_at - t.due_at) * 1000))::integer as "durationMs",
      t.input_tokens as "inputTokens", t.cached_tokens as "cachedTokens", t.output_tokens as "outputTokens",
      t.cost::float8 as cost, t.created_at as "createdAt", t.wrong_at as "wrongAt", a.nickname as "wrongBy",
      (select currency from ai_providers where workspace_id = ${workspaceId}) as currency,
      (select count(*)::integer from ai_requests r
        where r.workspace_id = ${workspaceId} and r.turn_id = t.id) as "requestCount"
    from ai_turns t
    join conversations c on c.workspace_id = t.workspace_id and c.id = t.conversation_id
    left join accounts a on a.id = t.wrong_by
    where t.workspace_id = ${workspaceId} and t.id = ${turnId}${seenBy(actor, 'c')}`.execute(db)
  return rows[0]
}

/** In order. The caller has checked that the turn may be seen. */
export const listTurnRequests = async ({ db, workspaceId }: Ctx, turnId: string): Promise<AiRequest[]> => {
  const { rows } = await sql<AiRequest>`
    select id, model, request, response, problem, provider_request_id as "providerRequestId", tries,
      input_tokens as "inputTokens", cached_tokens as "cachedTokens", output_tokens as "outputTokens",
      cost::float8 as cost, duration_ms as "durationMs", created_at as "createdAt"
    from ai_requests
    where workspace_id = ${workspaceId} and turn_id = ${turnId}
    order by id limit ${REQUESTS_MAX}::integer`.execute(db)
  return rows
}

/** The first who calls it wrong is kept. */
export const markTurnWrong = async (
  { db, workspaceId, now }: Ctx,
  turnId: string,
  by: string | null,
): Promise<void> => {
  await sql`
    update ai_turns set wrong_by = ${by}::text, wrong_at = case when ${by}::text is not null then ${now()}::timestamptz end
    where workspace_id = ${workspaceId} and id = ${turnId} and (wrong_at is null or ${by}::text is null)`.execute(
    db,
  )
}

const REQUESTS_KEPT_DAYS = DEFAULT_SETTINGS.privacy.requestsKeptDays

/**
 * Requests that are older than their workspace keeps them: what they cost stays with their turns. Returns how many were
 * deleted.
 */
export const deleteOldRequests = async (db: Db, now: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from ai_requests where (workspace_id, turn_id, id) in (
      select r.workspace_id, r.turn_id, r.id
      from (
        select workspace_id, requests_kept_days as days from ai_settings
        union all
        select w.id, ${REQUESTS_KEPT_DAYS}::integer from workspaces w
        where not exists (select from ai_settings s where s.workspace_id = w.id)
      ) kept
      cross join lateral (
        select workspace_id, turn_id, id from ai_requests q
        where q.workspace_id = kept.workspace_id and q.created_at < ${now}::timestamptz - make_interval(days => kept.days)
        order by q.created_at limit ${limit}::integer
      ) r
      limit ${limit}::integer)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
