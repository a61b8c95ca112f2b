// Deliveries of automated messages, for workers to send after the commit, unless a person speaks first. Each has the
// automation epoch of its conversation; claimHead compares the two.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { ANNOUNCED } from './due-deliveries.ts'

export type PendingDelivery = {
  messageId: string
  conversationId: string
  channelAccountId: string
  /** Of what it replies to. */
  traceparent: string | null
}

/**
 * As CTEs of a larger statement; the messages of a conversation in order. The caller holds the conversations' locks. A
 * conversation gets its row in automation_states, because claims lock that.
 */
export const automatedInsert = (
  { workspaceId, now, newId }: Ctx,
  deliveries: readonly PendingDelivery[],
): RawBuilder<unknown> => sql`,
  waiting as (
    select * from ${rowsOf(deliveries.map((row) => ({ ...row, id: newId() })))} as d (
      id text, "messageId" text, "conversationId" text, "channelAccountId" text, traceparent text)
  ), speaker as (
    insert into automation_states (workspace_id, conversation_id)
    select distinct ${workspaceId}, "conversationId" from waiting
    order by "conversationId"
    on conflict do nothing
  ), delivery as (
    insert into deliveries (workspace_id, id, message_id, conversation_id, channel_account_id, not_before,
      only_if_epoch, traceparent, created_at, updated_at)
    select ${workspaceId}, id, "messageId", "conversationId", "channelAccountId", ${now()},
      coalesce((select epoch from automation_states
        where workspace_id = ${workspaceId} and conversation_id = "conversationId"), 0),
      traceparent, ${now()}, ${now()}
    from waiting
    order by id
    returning ${ANNOUNCED}
  )`
