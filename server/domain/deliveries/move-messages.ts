import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { MessageStatus } from '../../platform/db/tables.ts'
import { record } from '../../platform/events/record.ts'

/** From which statuses a message may change to each other one, except `failed`. Forward only. */
export const MOVES_FROM = {
  sent: sql`m.status = 'queued' or m.status = 'failed' and m.metadata #>> '{error,code}' = 'DELIVERY_UNCONFIRMED'`,
  delivered: sql`m.status in ('queued', 'sent', 'failed')`,
  read: sql`m.status in ('queued', 'sent', 'delivered', 'failed')`,
  failed: sql`m.status in ('queued', 'sent')`,
} satisfies Record<Exclude<MessageStatus, 'queued'>, unknown>

/**
 * A timeout only fails messages without any report; if the provider has reported meanwhile, they are left as they are.
 */
const FAILS_IN_SILENCE = sql`m.status = 'queued'`

export type DeliveryFailure = { code: string; message: string }

type MovedMessage = {
  id: string
  conversationId: string
  contactId: string
  /** It was sent by a broadcast, so its recipient there may need updating. */
  isOfBroadcast: boolean
}

/**
 * Moves those of the messages that may change to a status, updates their conversations' lists, and settles their
 * deliveries. Returns those that changed.
 */
const moveMessages = async (
  { db, workspaceId, now }: Ctx,
  ids: readonly string[],
  status: keyof typeof MOVES_FROM,
  failure: DeliveryFailure | null,
): Promise<MovedMessage[]> => {
  const isSilence = failure?.code === 'DELIVERY_UNCONFIRMED'
  const { rows } = await sql<MovedMessage>`
    with movable as (
      select m.id, m.metadata ? 'broadcastId' and (m.status in ('queued', 'failed') or ${status}::text = 'failed')
          as is_of_broadcast
      from messages m
      where m.workspace_id = ${workspaceId} and m.id = any(${ids}) and (${isSilence ? FAILS_IN_SILENCE : MOVES_FROM[status]})
      order by m.id
      for no key update
    ), moved as (
      update messages m set
        status = ${status},
        metadata = case when ${failure && JSON.stringify(failure)}::jsonb is null
          then nullif(m.metadata - 'error', '{}'::jsonb)
          else coalesce(m.metadata, '{}'::jsonb) || jsonb_build_object('error', ${failure && JSON.stringify(failure)}::jsonb) end
      from movable
      where m.workspace_id = ${workspaceId} and m.id = movable.id
      returning m.id, m.conversation_id, m.status, movable.is_of_broadcast
    ), shown as (
      update conversations c set last_message_status = moved.status
      from moved
      where c.workspace_id = ${workspaceId} and c.id = moved.conversation_id and c.last_message_id = moved.id
    ), settled as (
      update deliveries d set
        state = ${status === 'failed' ? 'refused' : 'accepted'}, updated_at = ${now()},
        error_code = ${failure?.code ?? null}, error_message = ${failure?.message ?? null}
      where d.workspace_id = ${workspaceId} and d.message_id = any(${ids})
        and (d.state in ('pending', 'unconfirmed') or d.error_code = 'DELIVERY_UNCONFIRMED')
        and (not ${isSilence}::boolean or d.message_id in (select id from movable))
        and not exists (select from deliveries n
          where n.workspace_id = d.workspace_id and n.message_id = d.message_id and n.id > d.id)
    )
    select moved.id, moved.conversation_id as "conversationId", c.contact_id as "contactId",
      coalesce(moved.is_of_broadcast, false) as "isOfBroadcast"
    from moved join conversations c on c.workspace_id = ${workspaceId} and c.id = moved.conversation_id`.execute(
    db,
  )
  return rows
}

/** One statement takes them all; a longer list is a caller's mistake. */
const MESSAGES_MAX = 1_000

/**
 * The same in the caller's transaction. The caller must update the recipients of broadcasts (settleRecipients) last.
 */
export const moveForward = async (
  ctx: Ctx,
  messageIds: readonly string[],
  status: Exclude<MessageStatus, 'queued'>,
  failure?: DeliveryFailure,
): Promise<MovedMessage[]> => {
  if (messageIds.length === 0) return []
  if (messageIds.length > MESSAGES_MAX) throw new Error(`at most ${MESSAGES_MAX} messages move at once`)
  if ((status === 'failed') !== Boolean(failure)) throw new Error('failed, and only failed, has a failure')
  const moved = await moveMessages(ctx, messageIds, status, failure ?? null)
  await record(
    ctx,
    moved.map(({ id, conversationId, contactId }) => ({
      type: 'message.status',
      conversationId,
      contactId,
      // Customers read. Whatever else becomes of a message, a provider reports or we find.
      actor: status === 'read' ? 'customer' : 'system',
      data: {
        messageId: id,
        status,
        ...(failure && { error: { code: failure.code, message: failure.message } }),
      },
    })),
  )
  return moved
}
