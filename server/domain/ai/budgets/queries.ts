// SQL of what the AI agent uses of a model.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { Db } from '../../../platform/db/pool.ts'
import {
  CONTACT_TURNS_PER_DAY_MAX,
  DAY_MS,
  HOUR_MS,
  REQUEST_MAX_MS,
  REQUESTS_AT_ONCE_MAX,
  REQUESTS_PER_MINUTE_MAX,
  REQUESTS_WITHIN_MS,
  TEST_REQUESTS_AT_ONCE_MAX,
  TEST_REQUESTS_PER_MINUTE_MAX,
  TOKENS_PER_DAY_MAX,
  TURNS_PER_DAY_MAX,
  TURNS_PER_HOUR_MAX,
  WARNING_SHARE,
} from './limits.ts'
import type { Bound, Spending } from './schema.ts'

const LOCK_SEED = 7_030_005

/** Makes reservations of a workspace wait for each other until the transaction ends. */
export const lockUsage = async ({ db, workspaceId }: Ctx): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${workspaceId}, ${LOCK_SEED}))`.execute(db)
}

export type NewUsage = {
  id: string
  turnId: string
  conversationId: string | null
  tokens: number
  /** Whom the request is for; what is reserved without one is for whoever there is. */
  provider?: { updatedAt: string }
}

const utcDay = (at: Date) => sql`(${at}::timestamptz at time zone 'UTC')::date`

/** The day and month of a time, as rows to join or insert. */
export const periodsAt = (at: Date, alias = 'p') => sql`(values ('day', ${utcDay(at)}),
  ('month', date_trunc('month', ${utcDay(at)})::date)) ${sql.ref(alias)} (period, starts_on)`

const ago = ({ now }: Pick<Ctx, 'now'>, ms: number): Date => new Date(now().getTime() - ms)

/**
 * Stores a reservation unless it exceeds a limit, and returns the first that it exceeds. The caller holds the lock, in
 * an earlier statement: so this one sees all reservations before it. A turn of several requests counts once.
 */
export const insertUsage = async (
  ctx: Ctx,
  { id, turnId, conversationId, tokens, provider }: NewUsage,
): Promise<Bound | null> => {
  const { db, workspaceId, now } = ctx
  const ofConversation = sql`from ai_usage u where u.workspace_id = ${workspaceId}
    and u.conversation_id = ${conversationId} and u.created_at >`
  const { rows } = await sql<{ bound: Bound | null }>`
    with asked as (
      select coalesce(p.currency, 'USD') as currency, s.day_budget, s.month_budget,
        ${provider?.updatedAt ?? null}::timestamptz is not null
          and (p.updated_at is distinct from ${provider?.updatedAt ?? null} or not p.is_enabled) as is_other,
        ceil(${tokens}::float8 * greatest(coalesce(p.input_price, 0), coalesce(p.output_price, 0)) / 1e6)::bigint as cost
      from (select) one
      left join ai_providers p on p.workspace_id = ${workspaceId}
      left join ai_settings s on s.workspace_id = ${workspaceId}
    ), used as (
      select a.*,
        (select count(distinct turn_id) ${ofConversation} ${ago(ctx, HOUR_MS)} and turn_id <> ${turnId}) as hour_turns,
        (select count(distinct turn_id) ${ofConversation} ${ago(ctx, DAY_MS)} and turn_id <> ${turnId}) as day_turns,
        (select coalesce(sum(tokens), 0) ${ofConversation} ${ago(ctx, DAY_MS)}) as day_tokens,
        (select count(distinct u.turn_id) from conversations c
          join conversations o on o.workspace_id = c.workspace_id and o.contact_id = c.contact_id
          join ai_usage u on u.workspace_id = o.workspace_id and u.conversation_id = o.id
          where c.workspace_id = ${workspaceId} and c.id = ${conversationId} and u.turn_id <> ${turnId}
            and u.created_at > ${ago(ctx, DAY_MS)}) as contact_turns,
        lately.*,
        (select coalesce(sum(e.cost), 0) from ai_spending e join ${periodsAt(now())} using (period, starts_on)
          where e.workspace_id = ${workspaceId} and e.currency = a.currency and period = 'day') as day_cost,
        (select coalesce(sum(e.cost), 0) from ai_spending e join ${periodsAt(now())} using (period, starts_on)
          where e.workspace_id = ${workspaceId} and e.currency = a.currency and period = 'month') as month_cost
      from asked a cross join (
        select count(*) filter (where is_recent) as requests,
          count(*) filter (where is_recent and is_test) as test_requests,
          count(*) filter (where is_open) as at_once,
          count(*) filter (where is_open and is_test) as tests_at_once
        from (select conversation_id is null as is_test, created_at > ${ago(ctx, REQUESTS_WITHIN_MS)} as is_recent,
            settled_at is null and created_at > ${ago(ctx, REQUEST_MAX_MS)} as is_open
          from ai_usage where workspace_id = ${workspaceId}
            and created_at > ${ago(ctx, Math.max(REQUESTS_WITHIN_MS, REQUEST_MAX_MS))}) u
      ) lately
    ), decided as (
      select currency, cost, case
        when is_other then 'provider'
        when day_cost + cost > day_budget then 'dayMoney'
        when month_cost + cost > month_budget then 'monthMoney'
        when hour_turns >= ${TURNS_PER_HOUR_MAX} then 'hourTurns'
        when day_turns >= ${TURNS_PER_DAY_MAX} then 'dayTurns'
        when day_tokens + ${tokens}::integer > ${TOKENS_PER_DAY_MAX} then 'dayTokens'
        when contact_turns >= ${CONTACT_TURNS_PER_DAY_MAX} then 'contactTurns'
        when requests >= ${REQUESTS_PER_MINUTE_MAX} then 'requests'
        when at_once >= ${REQUESTS_AT_ONCE_MAX} then 'atOnce'
        when ${conversationId}::text is not null then null
        when test_requests >= ${TEST_REQUESTS_PER_MINUTE_MAX} then 'requests'
        when tests_at_once >= ${TEST_REQUESTS_AT_ONCE_MAX} then 'atOnce' end as bound
      from used
    ), reserved as (
      insert into ai_usage (workspace_id, id, turn_id, conversation_id, tokens, cost, currency, created_at)
      select ${workspaceId}, ${id}, ${turnId}, ${conversationId}, ${tokens}, cost, currency, ${now()}
      from decided where bound is null
    ), spent as (
      insert into ai_spending (workspace_id, period, starts_on, currency, cost, tokens, requests)
      select ${workspaceId}, p.period, p.starts_on, currency, cost, ${tokens}, 1
      from decided cross join ${periodsAt(now())} where bound is null
      on conflict (workspace_id, period, starts_on, currency) do update set
        cost = ai_spending.cost + excluded.cost, tokens = ai_spending.tokens + excluded.tokens,
        requests = ai_spending.requests + 1
    )
    select bound from decided`.execute(db)
  return rows[0]!.bound
}

/** Replaces what was reserved with what was used. The second time it changes nothing. */
export const settleUsage = async (
  { db, workspaceId, now }: Ctx,
  { id, tokens, cost }: { id: string; tokens: number; cost: number },
): Promise<void> => {
  await sql`
    with reserved as (
      select tokens, cost, currency, (created_at at time zone 'UTC')::date as day from ai_usage
      where workspace_id = ${workspaceId} and id = ${id} and settled_at is null
      for update
    ), settled as (
      update ai_usage set tokens = ${tokens}, cost = ${cost}, settled_at = ${now()}
      where workspace_id = ${workspaceId} and id = ${id} and exists (select from reserved)
    )
    update ai_spending e set cost = e.cost + ${cost}::bigint - r.cost, tokens = e.tokens + ${tokens}::integer - r.tokens
    from reserved r
    where e.workspace_id = ${workspaceId} and e.currency = r.currency
      and (e.period, e.starts_on) in (('day', r.day), ('month', date_trunc('month', r.day)::date))`.execute(
    db,
  )
}

/** The periods whose budget is mostly spent for the first time. */
export const takeWarnings = async (ctx: Ctx): Promise<Spending['period'][]> => {
  const { db, workspaceId, now } = ctx
  const { rows } = await sql<{ period: Spending['period'] }>`
    update ai_spending e set warned_at = ${now()}
    from ai_settings s, ${periodsAt(now())}
    where e.workspace_id = ${workspaceId} and s.workspace_id = e.workspace_id and e.warned_at is null
      and e.period = p.period and e.starts_on = p.starts_on
      and e.cost >= ${WARNING_SHARE}::float8 * case e.period when 'day' then s.day_budget else s.month_budget end
    returning e.period`.execute(db)
  return rows.map(({ period }) => period)
}

/** Of this day and month, in the provider's currency. */
export const listSpending = async ({ db, workspaceId, now }: Ctx): Promise<Spending[]> => {
  const { rows } = await sql<Spending>`
    select p.period, o.currency, coalesce(e.cost, 0) as cost,
      case p.period when 'day' then s.day_budget else s.month_budget end as budget
    from ${periodsAt(now())}
    cross join (select coalesce(max(currency), 'USD') as currency from ai_providers
      where workspace_id = ${workspaceId}) o
    left join ai_settings s on s.workspace_id = ${workspaceId}
    left join ai_spending e on e.workspace_id = ${workspaceId} and e.period = p.period
      and e.starts_on = p.starts_on and e.currency = o.currency
    order by p.period`.execute(db)
  return rows
}

/** From before a time. Returns how many were deleted. */
export const deleteOldUsage = async (db: Db, before: Date, rowsMax: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from ai_usage where (workspace_id, id) in (
      select workspace_id, id from ai_usage where created_at < ${before} order by created_at limit ${rowsMax})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
