// SQL of the requests to models: exactly what was sent, what came back, and what it cost.
import { sql } from 'kysely'
import type { Usage } from '../../../../models/contract.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { CLAIMANT } from '../../../platform/db/claimant.ts'
import { storableJson } from '../../../platform/db/storable-json.ts'
import type { TurnRef } from '../turn-queries.ts'

export type NewRequest = {
  model: string
  request: object
  response: object | null
  problem: string | null
  providerRequestId: string | null
  tries: number
  usage: Usage
  /** In millionths of the provider's currency. */
  cost: number
  durationMs: number
}

/**
 * Stores a request and adds what it cost to its turn, in one statement. Nothing if the turn is gone; only the cost where
 * requests aren't kept.
 */
export const storeRequest = async (ctx: Ctx, turnId: string, request: NewRequest): Promise<void> => {
  const { db, workspaceId, now, newId } = ctx
  const { usage, cost } = request
  await sql`
    with turn as (
      update ai_turns set input_tokens = input_tokens + ${usage.inputTokens}::integer,
        cached_tokens = cached_tokens + ${usage.cachedTokens}::integer,
        output_tokens = output_tokens + ${usage.outputTokens}::integer, cost = cost + ${cost}::bigint
      where workspace_id = ${workspaceId} and id = ${turnId}
      returning id
    )
    insert into ai_requests (workspace_id, turn_id, id, model, request, response, problem, provider_request_id, tries,
      input_tokens, cached_tokens, output_tokens, cost, duration_ms, created_at)
    select ${workspaceId}, id, ${newId()}, ${request.model}, ${storableJson(request.request)}::jsonb,
      ${request.response && storableJson(request.response)}::jsonb, ${request.problem},
      ${request.providerRequestId}, ${request.tries}::integer, ${usage.inputTokens}::integer,
      ${usage.cachedTokens}::integer, ${usage.outputTokens}::integer, ${cost}::bigint,
      ${Math.round(request.durationMs)}::integer, ${now()}
    from turn where not exists (
      select from ai_settings s where s.workspace_id = ${workspaceId} and s.requests_kept_days = 0)`.execute(
    db,
  )
}

/** Renews the claim of a turn. False if the try is over: something newer came, or the agent was stopped. */
export const keepTurn = async (
  { db, workspaceId, now }: Ctx,
  { id, revision, tries }: TurnRef,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update ai_turns set claimed_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id} and state = 'thinking' and revision = ${revision}
      and tries = ${tries} and claimed_by = ${CLAIMANT}`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}
