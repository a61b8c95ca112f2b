import { sql } from 'kysely'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { changesBetween } from '../audit/record-audit.ts'
import { auditEndpoint } from './audit-endpoint.ts'
import { checkTypes } from './check-filter.ts'
import { REPLAY_MAX, type ReplayBody, type StartedReplay } from './delivery-schema.ts'
import { announceWebhooks } from './endpoint-queries.ts'
import { ORDER_KEY } from './fan-out.ts'
import { takeEndpoint } from './get-endpoints.ts'
import { matches } from './matching.ts'

/**
 * Sends events of the feed again that the endpoint wants now: a delivery of its own for each, with the same id and
 * body. Neither waits for deliveries of new events nor holds them up. Throws WEBHOOK_ENDPOINT_NOT_FOUND, VALIDATION_ERROR
 * for more than 100,000 events, with those of earlier replays that wait.
 */
export const replayEvents = (ctx: Ctx, endpointId: string, body: ReplayBody): Promise<StartedReplay> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await takeEndpoint(ctx, endpointId)
    checkTypes(body.types, 'types')
    const range = rangeOf(body)
    const { count, waiting } = await countReplay(ctx, endpointId, range)
    if (count + waiting > REPLAY_MAX)
      throw invalid({
        field: 'from',
        message: `selects more than ${REPLAY_MAX} events, with those that wait from earlier replays. Replay them in parts`,
      })
    const id = ctx.newId()
    if (count > 0) {
      await insertReplay(ctx, endpointId, { id, count }, range)
      await announceWebhooks(ctx.db)
    }
    const { from, to, types, state = 'all' } = body
    await auditEndpoint(
      ctx,
      'webhook.replayed',
      endpoint,
      changesBetween({}, { from, to, types, state, count }),
    )
    return { replay: { id, count } }
  })

type Range = {
  fromSeq: number
  toSeq: number | null
  fromAt: string | null
  toAt: string | null
  types: string[] | null
  isFailedOnly: boolean
}

const rangeOf = ({ from, to, types, state }: ReplayBody): Range => {
  const isTime = typeof from === 'string'
  if (to !== undefined && (typeof to === 'string') !== isTime)
    throw invalid({ field: 'to', message: 'must be a time or a number, as “from” is' })
  if (to !== undefined && to < from) throw invalid({ field: 'to', message: 'must not be before “from”' })
  return {
    fromSeq: typeof from === 'number' ? from : 1,
    toSeq: typeof to === 'number' ? to : null,
    fromAt: typeof from === 'string' ? from : null,
    toAt: typeof to === 'string' ? to : null,
    types: types ?? null,
    isFailedOnly: state === 'failed',
  }
}

/** The events f of the endpoint e. */
const eventsOf = (
  { workspaceId }: Ctx,
  endpointId: string,
  { fromSeq, toSeq, fromAt, toAt, types, isFailedOnly }: Range,
) => sql`webhook_endpoints e join feed f on f.workspace_id = e.workspace_id
  where e.workspace_id = ${workspaceId} and e.id = ${endpointId} and e.deleted_at is null
    and f.seq >= ${fromSeq} and (${toSeq}::bigint is null or f.seq <= ${toSeq})
    and (${fromAt}::timestamptz is null or f.occurred_at >= ${fromAt})
    and (${toAt}::timestamptz is null or f.occurred_at <= ${toAt})
    and (${types}::text[] is null or f.type = any (${types}) or split_part(f.type, '.', 1) || '.*' = any (${types}))
    and (not ${isFailedOnly}::boolean or exists (
      select from webhook_deliveries o
      where o.workspace_id = e.workspace_id and o.endpoint_id = e.id and o.seq = f.seq and o.state = 'failed'))
    and ${matches}`

const countReplay = async (
  ctx: Ctx,
  endpointId: string,
  range: Range,
): Promise<{ count: number; waiting: number }> => {
  const { rows } = await sql<{ count: number; waiting: number }>`
    select (select count(*)::integer from (
        select from ${eventsOf(ctx, endpointId, range)} limit ${REPLAY_MAX + 1}::integer) found) as count,
      (select count(*)::integer from webhook_deliveries d
        where d.workspace_id = ${ctx.workspaceId} and d.endpoint_id = ${endpointId} and d.kind = 'replay'
          and d.state in ('pending', 'held', 'sending')) as waiting`.execute(ctx.db)
  return rows[0]!
}

const insertReplay = async (
  { db, workspaceId, newId, now, ...ctx }: Ctx,
  endpointId: string,
  { id, count }: { id: string; count: number },
  range: Range,
): Promise<void> => {
  const ids = Array.from({ length: count }, () => newId())
  await sql`
    insert into webhook_deliveries (workspace_id, id, endpoint_id, event_id, seq, previous_seq, type, conversation_id,
      kind, replay_id, is_full, order_key, state, not_before, created_at)
    select m.workspace_id, (${ids}::text[])[m.place], m.endpoint_id, m.event_id, m.seq,
      coalesce((
        select l.previous_seq from webhook_deliveries l
        where l.workspace_id = m.workspace_id and l.endpoint_id = m.endpoint_id and l.seq = m.seq and l.kind = 'live'
      ), m.before),
      m.type, m.conversation_id, 'replay', ${id}, m.is_full, m.order_key,
      case when is_first then 'pending' else 'held' end,
      case when is_first then ${now()}::timestamptz else 'infinity' end, ${now()}
    from (
      select m.*, m.order_key is null
        or row_number() over (partition by m.order_key order by m.seq) = 1 as is_first
      from (
        select e.workspace_id, e.id as endpoint_id, e.payload = 'full' as is_full, f.id as event_id, f.seq, f.type,
          f.conversation_id, ${id}::text || ' ' || ${ORDER_KEY} as order_key,
          lag(f.seq) over (order by f.seq) as before, row_number() over (order by f.seq) as place
        from ${eventsOf({ ...ctx, db, workspaceId, newId, now }, endpointId, range)}
      ) m
    ) m
    where m.place <= ${count}::integer`.execute(db)
}
