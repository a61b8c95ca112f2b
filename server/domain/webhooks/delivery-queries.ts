// The SQL of the delivery log.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { idFloor } from '../../platform/db/id.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import type { DeliveryQuery, WebhookAttempt, WebhookDelivery } from './delivery-schema.ts'
import type { FeedEvent } from './event-body.ts'

type Place = Pick<Ctx, 'db' | 'workspaceId'>

const DELIVERY = sql`d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.seq as sequence,
  d.previous_seq as previous, d.type, d.conversation_id as "conversationId", d.kind, d.replay_id as "replayId",
  case d.state when 'held' then 'pending' else d.state end as state, d.dropped_reason as "droppedReason", d.attempts,
  d.tries, case when d.state in ('pending', 'held') and d.not_before < 'infinity' then d.not_before end as "nextAttemptAt",
  d.created_at as "createdAt", d.first_at as "firstAttemptAt", d.last_at as "lastAttemptAt",
  d.last_status as "lastStatus", d.last_error as "lastError", d.duration_ms as "durationMs"`

/** Newest first. */
export const listDeliveryRows = async (
  { db, workspaceId }: Place,
  endpointId: string,
  query: DeliveryQuery,
): Promise<{ deliveries: WebhookDelivery[]; nextCursor: string | null }> => {
  const { state, type, conversationId, after, before, cursor, limit = PAGE_DEFAULT } = query
  const listing = [
    'listWebhookDeliveries',
    workspaceId,
    endpointId,
    state,
    type,
    conversationId,
    after,
    before,
  ]
  const from = cursor === undefined ? null : decodeCursor(listing, cursor).id
  const { rows } = await sql<WebhookDelivery>`
    select ${DELIVERY} from webhook_deliveries d
    where d.workspace_id = ${workspaceId} and d.endpoint_id = ${endpointId}
      and (${from}::text is null or d.id < ${from})
      and (${after ?? null}::text is null or d.id >= ${floorOf(after)})
      and (${before ?? null}::text is null or d.id < ${floorOf(before)})
      and (${state ?? null}::text is null or case d.state when 'held' then 'pending' else d.state end = ${state ?? null})
      and (${type ?? null}::text is null or d.type = ${type ?? null})
      and (${conversationId ?? null}::text is null or d.conversation_id = ${conversationId ?? null})
    order by d.id desc
    limit ${limit + 1}::integer`.execute(db)
  const page = rows.slice(0, limit)
  return {
    deliveries: page,
    nextCursor: rows.length > limit ? encodeCursor(listing, { at: null, id: page.at(-1)!.id }) : null,
  }
}

/** Ids are in the order of creation. */
const floorOf = (at: string | undefined): string | null => (at === undefined ? null : idFloor(Date.parse(at)))

export const findDelivery = async (
  { db, workspaceId }: Place,
  id: string,
): Promise<WebhookDelivery | undefined> => {
  const { rows } = await sql<WebhookDelivery>`
    select ${DELIVERY} from webhook_deliveries d
      join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id and e.deleted_at is null
    where d.workspace_id = ${workspaceId} and d.id = ${id}`.execute(db)
  return rows[0]
}

type Content = { isFull: boolean; previous: number | null; body: string | null; event: FeedEvent | null }

/** What its body is made of. */
export const findContent = async ({ db, workspaceId }: Place, id: string): Promise<Content | undefined> => {
  const { rows } = await sql<Content>`
    select d.is_full as "isFull", d.previous_seq as previous, d.body,
      case when f.id is not null then to_jsonb(f) end as event
    from webhook_deliveries d left join feed f on f.workspace_id = d.workspace_id and f.seq = d.seq
    where d.workspace_id = ${workspaceId} and d.id = ${id}`.execute(db)
  return rows[0]
}

const ATTEMPTS_SHOWN_MAX = 100

/** The latest, in order. */
export const listAttempts = async (
  { db, workspaceId }: Place,
  deliveryId: string,
): Promise<WebhookAttempt[]> => {
  const { rows } = await sql<WebhookAttempt>`
    select number, at, duration_ms as "durationMs", status,
      case when error_code is not null then json_build_object('code', error_code, 'message', error) end as error,
      is_counted as "isCounted", response_headers as "responseHeaders", response_body as "responseBody"
    from webhook_attempts
    where workspace_id = ${workspaceId} and delivery_id = ${deliveryId}
    order by number desc
    limit ${ATTEMPTS_SHOWN_MAX}::integer`.execute(db)
  return rows.reverse()
}

/** Whatever its state, it is tried now; it holds up nothing. Nothing changes while it is being sent. */
export const restartDelivery = async (
  { db, workspaceId, now }: Place & Pick<Ctx, 'now'>,
  id: string,
): Promise<void> => {
  await sql`
    update webhook_deliveries
    set state = 'pending', dropped_reason = null, tries = 0, not_before = ${now()}, aside_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id} and state not in ('sending', 'held')
      and (seq is not null or body is not null)`.execute(db)
}

type NewTest = { id: string; endpointId: string; eventId: string; type: string; body: string }

/** Claimed by the request that makes it. */
export const insertTest = async (
  { db, workspaceId, now }: Place & Pick<Ctx, 'now'>,
  { id, endpointId, eventId, type, body }: NewTest,
): Promise<void> => {
  await db
    .insertInto('webhook_deliveries')
    .values({
      workspace_id: workspaceId,
      id,
      endpoint_id: endpointId,
      event_id: eventId,
      seq: null,
      previous_seq: null,
      type,
      conversation_id: null,
      kind: 'test',
      is_full: false,
      body,
      order_key: null,
      state: 'sending',
      attempts: 1,
      not_before: now(),
      claimed_at: now(),
      created_at: now(),
      first_at: now(),
    })
    .execute()
}

/** A test is tried once, and says nothing about the endpoint's health. */
export const endTest = async (
  { db, workspaceId }: Place,
  id: string,
  {
    at,
    durationMs,
    status,
    error,
    responseHeaders,
    responseBody,
  }: Omit<WebhookAttempt, 'number' | 'isCounted'>,
): Promise<void> => {
  const isDelivered = error === null
  await sql`
    with ended as (
      update webhook_deliveries
      set state = ${isDelivered ? 'delivered' : 'failed'}, tries = 1, last_at = ${at}, last_status = ${status},
        last_error = ${error?.message ?? null}, duration_ms = ${durationMs}
      where workspace_id = ${workspaceId} and id = ${id} and state = 'sending'
      returning workspace_id, id
    )
    insert into webhook_attempts (workspace_id, delivery_id, number, at, duration_ms, status, error_code, error,
      is_counted, response_headers, response_body)
    select workspace_id, id, 1, ${at}, ${durationMs}, ${status}, ${error?.code ?? null}, ${error?.message ?? null}, true,
      ${responseHeaders === null ? null : JSON.stringify(responseHeaders)}::jsonb, ${responseBody}
    from ended`.execute(db)
}
