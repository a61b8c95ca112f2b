// Takes back automated messages that a person has overtaken. They were never sent, so they leave the thread.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { eventsFrom } from '../../platform/events/record.ts'
import { DELIVERIES_CHANNEL } from './due-deliveries.ts'

/** Lists only show the beginning of the last message; inbound ones may be longer than what the API sends. */
export const LAST_BODY_MAX = 2000

/** Sets the last message of `conversations` from the row `m`; null if there is none. */
export const LAST_MESSAGE = sql`
  last_message_id = m.id,
  last_message_body = left(m.body, ${sql.lit(LAST_BODY_MAX)}),
  last_message_sender_id = m.sender_id,
  last_message_sender_type = m.sender_type,
  last_message_status = m.status,
  last_message_at = m.created_at`

/**
 * The CTEs that withdraw what waits with an older epoch than `speaker` has (conversation_id, epoch): the messages are
 * `removed` (id, "conversationId"), with their deliveries. The caller holds the conversations' locks and those of their
 * automation_states.
 *
 * Rows that another transaction holds are skipped, because it may be waiting for the conversation: they are settled
 * there, or withdrawn when it's their turn (claimHead). An email that was tried may have arrived although nobody said
 * so: it stays, unconfirmed, and isn't sent again. What waited behind a withdrawn message is due at once.
 */
export const withdrawal = (ctx: Ctx) => {
  const { workspaceId, channels, now } = ctx
  const resent = Object.entries(channels).flatMap(([name, channel]) =>
    channel.isResendHarmless ? [name] : [],
  )
  return sql`
  overtaken as materialized (
    select d.id, d.message_id, d.conversation_id, d.channel_account_id, c.contact_id,
      d.tries > 0 and c.channel = any(${resent}::text[]) or exists (select from deliveries o
        where o.workspace_id = ${workspaceId} and o.message_id = d.message_id and o.id <> d.id
          and (o.state <> 'refused' or o.error_code = 'DELIVERY_UNCONFIRMED')) as is_uncertain
    from speaker s
    join conversations c on c.workspace_id = ${workspaceId} and c.id = s.conversation_id
    join deliveries d on d.workspace_id = ${workspaceId} and d.conversation_id = s.conversation_id
      and d.state = 'pending' and d.only_if_epoch < s.epoch
    join messages m on m.workspace_id = ${workspaceId} and m.id = d.message_id
    for update of d, m skip locked
  ), removed as (
    delete from messages m using overtaken o
    where m.workspace_id = ${workspaceId} and m.id = o.message_id and not o.is_uncertain
    returning m.id, m.conversation_id as "conversationId", o.contact_id as "contactId"
  ), unconfirmed as (
    update deliveries d set state = 'unconfirmed', updated_at = ${now()}
    from overtaken o
    where d.workspace_id = ${workspaceId} and d.id = o.id and o.is_uncertain
  ), freed as (
    update deliveries d set not_before = ${now()}
    from (
      select b.id from deliveries b
      where b.workspace_id = ${workspaceId} and b.conversation_id in (select conversation_id from overtaken)
        and b.state = 'pending' and b.tries = 0 and b.not_before > ${now()}
        and b.id not in (select id from overtaken)
      for update of b skip locked
    ) b
    where d.workspace_id = ${workspaceId} and d.id = b.id
  ), last as (
    update conversations c set ${LAST_MESSAGE}
    from (select distinct "conversationId" as id from removed) r
    left join lateral (
      select * from messages
      where workspace_id = ${workspaceId} and conversation_id = r.id and sender_type <> 'system'
        and id not in (select id from removed)
      order by id desc
      limit 1
    ) m on true
    where c.workspace_id = ${workspaceId} and c.id = r.id and c.last_message_id in (select id from removed)
  ), gone as (${eventsFrom(
    ctx,
    'message.removed',
    sql`select "conversationId", "contactId", jsonb_build_object('messageId', id) as data from removed`,
  )}
  )`
}

/** Announces the conversations whose next message may be due now. To be selected by the statement. */
export const withdrawalAnnounced = ({ workspaceId }: Ctx): RawBuilder<number> => sql<number>`(
  select count(pg_notify(${DELIVERIES_CHANNEL}, ${workspaceId} || ' ' || channel_account_id || ' ' || conversation_id))
  from overtaken)`
