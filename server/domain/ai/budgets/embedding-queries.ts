// What embeddings cost counts in the budget of the model, at the price of its input. A request for vectors is small, so
// nothing is reserved for it: the budget may be exceeded by those that are under way.
import { sql } from 'kysely'
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { addJob } from '../../../platform/queue/add-job.ts'
import { periodsAt, takeWarnings } from './queries.ts'

/** False once the money of the day or month is used up. */
export const mayEmbed = async ({ db, workspaceId, now }: Ctx): Promise<boolean> => {
  const { rows } = await sql<{ isSpent: boolean }>`
    select coalesce(bool_or(e.cost >= case e.period when 'day' then s.day_budget else s.month_budget end), false)
      as "isSpent"
    from ai_settings s
    join ai_providers p on p.workspace_id = s.workspace_id
    join ai_spending e on e.workspace_id = s.workspace_id and e.currency = p.currency
    join ${periodsAt(now(), 't')} on t.period = e.period and t.starts_on = e.starts_on
    where s.workspace_id = ${workspaceId}`.execute(db)
  return !rows[0]!.isSpent
}

/** `cost` is in millionths of the provider's currency. */
export const countEmbedding = (ctx: Ctx, { tokens, cost }: { tokens: number; cost: number }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const { db, workspaceId, now } = ctx
    await sql`
      insert into ai_spending (workspace_id, period, starts_on, currency, cost, tokens, requests)
      select ${workspaceId}, t.period, t.starts_on, o.currency, ${cost}, ${tokens}, 1
      from ${periodsAt(now(), 't')}
      cross join (select currency from ai_providers where workspace_id = ${workspaceId}) o
      on conflict (workspace_id, period, starts_on, currency) do update set
        cost = ai_spending.cost + excluded.cost, tokens = ai_spending.tokens + excluded.tokens,
        requests = ai_spending.requests + 1`.execute(db)
    for (const period of await takeWarnings(ctx))
      await addJob(ctx, 'warn_of_spending', { workspaceId, period })
  })
