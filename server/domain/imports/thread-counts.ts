// What conversations and contacts show of what is in them, computed again from it.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { CHANNELS } from '../../platform/db/tables.ts'
import { freeShard } from '../contacts/counters.ts'
import { LAST_MESSAGE } from '../deliveries/withdraw-deliveries.ts'

/** Nothing comes back to a contact that was anonymized, or is being erased. */
export const isNotErased = (contactId: string, workspaceId: string): RawBuilder<unknown> => sql`
  not exists (select from erasures e where e.workspace_id = ${workspaceId} and e.contact_id = ${sql.ref(contactId)})`

/** Whoever changes a contact's conversations holds the contact's row. Returns those that are there and were not erased. */
export const lockContacts = async (
  { db, workspaceId }: Ctx,
  ids: readonly string[],
): Promise<Map<string, { name: string; email: string | null }>> => {
  const { rows } = await sql<{ id: string; name: string; email: string | null }>`
    select id, name, email from contacts
    where workspace_id = ${workspaceId} and id = any (${[...new Set(ids)]}::text[])
      and ${isNotErased('contacts.id', workspaceId)}
    order by id for update`.execute(db)
  return new Map(rows.map(({ id, ...contact }) => [id, contact]))
}

/** The caller holds the contacts' rows. Neither unread messages nor the reply window change. */
export const recountConversations = async (
  { db, workspaceId }: Ctx,
  ids: readonly string[],
): Promise<void> => {
  await sql`
    update conversations c set ${LAST_MESSAGE}
    from unnest(${[...new Set(ids)]}::text[]) q (id)
    left join lateral (
      select * from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = q.id and m.sender_type <> 'system'
      order by m.id desc limit 1) m on true
    where c.workspace_id = ${workspaceId} and c.id = q.id
      and c.last_message_id is distinct from m.id`.execute(db)
}

/** The same for contacts, with the directory's counts. */
export const recountContacts = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  const { db, workspaceId } = ctx
  await sql`
    with before as (
      select id, channels from contacts
      where workspace_id = ${workspaceId} and id = any (${[...new Set(ids)]}::text[])
    ), now as (
      select b.id, b.channels as old, coalesce(s.count, 0) as count, coalesce(s.open, 0) as open,
        array(select channel from unnest(coalesce(s.channels, '{}')) channel
          order by array_position(${[...CHANNELS]}::text[], channel)) as channels
      from before b left join lateral (
        select count(*) as count, count(*) filter (where status = 'open') as open,
          array_agg(distinct channel) as channels
        from conversations v where v.workspace_id = ${workspaceId} and v.contact_id = b.id) s on true
    ), contact as (
      update contacts k set conversation_count = n.count, open_count = n.open, channels = n.channels,
        latest_conversation_id = l.id, assigned_agent_id = l.agent_id, last_activity_at = l.updated_at
      from now n left join lateral (
        select id, agent_id, updated_at from conversations v
        where v.workspace_id = ${workspaceId} and v.contact_id = n.id
        order by v.updated_at desc, v.id desc limit 1) l on true
      where k.workspace_id = ${workspaceId} and k.id = n.id
    ), changed as (
      select channel, sum(by) as by from (
        select channel, 1 as by from now, unnest(now.channels) channel where not channel = any (now.old)
        union all
        select channel, -1 from now, unnest(now.old) channel where not channel = any (now.channels)
      ) c group by channel having sum(by) <> 0
    )
    insert into contact_counts (workspace_id, kind, key, shard, count)
    select ${workspaceId}, 'channel', channel, ${freeShard(ctx)}, by from changed order by channel
    on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count + excluded.count`.execute(
    db,
  )
}
