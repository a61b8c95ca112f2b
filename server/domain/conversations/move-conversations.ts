import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { interruptAutomation } from '../automation/interrupt.ts'
import { listPaused } from '../automation/states.ts'
import { insertSystemEntry, type LockedConversation, lockedColumns } from './queries.ts'

/**
 * Moves one contact's conversations to another, in the caller's transaction, which holds both contacts' locks. If both
 * have an open one on a channel account that allows only one, the first contact's is closed; if automation is paused
 * there, it is silenced in the other's, where the customer will write next.
 */
export const moveConversations = async (ctx: Ctx, from: string, to: string): Promise<void> => {
  const { db, workspaceId, now } = ctx
  const { rows: closed } = await sql<LockedConversation>`
    update conversations c set status = 'closed', updated_at = ${now()}, snoozed_until = null, snoozed_by = null,
      wait_id = null, answer_due_at = null
    where c.workspace_id = ${workspaceId} and c.contact_id = ${from} and c.status = 'open' and c.channel <> 'email'
      and exists (select from conversations o where o.workspace_id = c.workspace_id and o.contact_id = ${to}
        and o.channel_account_id = c.channel_account_id and o.status = 'open')
    returning ${lockedColumns(ctx)}`.execute(db)
  if (closed.length > 0)
    await sql`update waits set ended_at = ${now()}
      where workspace_id = ${workspaceId} and conversation_id = any(${closed.map(({ id }) => id)}::text[])
        and ended_at is null`.execute(db)
  for (const conversation of closed)
    await insertSystemEntry(ctx, {
      conversation,
      body: 'Foyer closed this conversation because two contacts were merged',
      metadata: { event: 'closed', by: 'system', reason: 'merged' },
    })
  await record(
    ctx,
    closed.map(({ id }) => ({
      type: 'conversation.status',
      conversationId: id,
      contactId: to,
      data: { conversationId: id, status: 'closed', previousStatus: 'open', by: 'system' },
    })),
  )
  await sql`
    with moved as (
      update conversations set contact_id = ${to},
        last_message_sender_id = case when last_message_sender_id = ${from} then ${to} else last_message_sender_id end
      where workspace_id = ${workspaceId} and contact_id = ${from}
      returning id
    )
    update messages m set sender_id = ${to}
    from moved
    where m.workspace_id = ${workspaceId} and m.conversation_id = moved.id
      and m.sender_type = 'customer' and m.sender_id = ${from}`.execute(db)
  if (closed[0] && closed[0].automationRevision !== null) await silenceMerged(ctx, closed, to)
}

const silenceMerged = async (
  ctx: Ctx,
  closed: readonly LockedConversation[],
  contactId: string,
): Promise<void> => {
  const ids = closed.map(({ id }) => id)
  const paused = await listPaused(ctx, ids)
  const pausedIds = new Set(paused.map(({ conversationId }) => conversationId))
  const accountIds = closed.flatMap(({ id, channelAccountId }) =>
    pausedIds.has(id) ? [channelAccountId] : [],
  )
  await interruptAutomation(ctx, ids, { by: 'system', reason: 'contact_merged', pause: 'end' })
  if (accountIds.length === 0) return
  const { rows } = await sql<{ id: string }>`
    select id from conversations
    where workspace_id = ${ctx.workspaceId} and contact_id = ${contactId} and status = 'open'
      and channel_account_id = any(${accountIds}::text[])`.execute(ctx.db)
  await interruptAutomation(
    ctx,
    rows.map(({ id }) => id),
    { by: paused[0]!.by, reason: 'person_took_over', pause: 'start' },
  )
}
