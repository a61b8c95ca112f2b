import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { idFloor } from '../../platform/db/id.ts'

/** Of a message: longer ones are cut for a backtest, where only words and patterns are looked for. */
const TEXT_MAX = 1_000

/**
 * The first messages of the latest conversations that customers opened since a time, the oldest first, as the JSON text
 * of an array of PastMessage. One statement by the key of conversations.
 */
export const readFirstMessages = async (
  { db, workspaceId }: Ctx,
  { since, limit }: { since: Date; limit: number },
): Promise<string> => {
  const { rows } = await sql<{ messages: string }>`
    select coalesce(json_agg(json_build_object(
      'conversationId', m.conversation_id, 'channel', m.channel, 'accountId', m.channel_account_id,
      'at', floor(extract(epoch from m.created_at) * 1000),
      'isFirst', not exists (select from conversations o
        where o.workspace_id = ${workspaceId} and o.contact_id = m.contact_id and o.id < m.conversation_id),
      'isAutomatic', coalesce(m.metadata ? 'automatic', false),
      'message', json_build_object('id', m.id, 'text', left(m.body, ${TEXT_MAX}::integer),
        'choice', m.metadata #>> '{choice,payload}', 'attachments', '[]'::json),
      'contact', json_build_object('id', k.id, 'name', k.name, 'email', k.email, 'phone', k.phone,
        'language', null, 'country', k.country_iso, 'fields', k.custom_fields,
        'tags', (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name)), '[]')
          from contact_tags ct join tags t on t.workspace_id = ct.workspace_id and t.id = ct.tag_id
          where ct.workspace_id = ${workspaceId} and ct.contact_id = k.id))
    ) order by m.id), '[]')::text as messages
    from (
      select c.contact_id, c.channel, f.*
      from (select id, contact_id, channel from conversations
        where workspace_id = ${workspaceId} and id >= ${idFloor(since.getTime())}
        order by id desc limit ${limit}) c
      cross join lateral (
        select * from messages
        where workspace_id = ${workspaceId} and conversation_id = c.id and sender_type <> 'system'
        order by id limit 1
      ) f
      where f.sender_type = 'customer'
    ) m
    join contacts k on k.workspace_id = ${workspaceId} and k.id = m.contact_id`.execute(db)
  return rows[0]!.messages
}
