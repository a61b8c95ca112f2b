// SQL of the conversation that a test is kept from.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { ChannelName, Metadata } from '../../../platform/db/tables.ts'

/** Of the newest messages before the turn. */
const MESSAGES_MAX = 60

export type KeptTurn = {
  channel: ChannelName
  name: string | null
  country: string | null
  /** Until the agent thought, since the conversation was opened or reopened; the oldest first. */
  messages: { isCustomer: boolean; body: string; metadata: Metadata | null; fileName: string | null }[]
}

/** The caller has checked that the turn may be seen. Undefined if it is gone. */
export const findKeptTurn = async (
  { db, workspaceId }: Ctx,
  turnId: string,
): Promise<KeptTurn | undefined> => {
  const { rows } = await sql<KeptTurn>`
    with newest as (
      select m.id, m.sender_type, m.body, m.metadata from messages m
      join ai_turns t on t.workspace_id = m.workspace_id and t.conversation_id = m.conversation_id
      where m.workspace_id = ${workspaceId} and t.id = ${turnId} and m.created_at <= t.due_at
        and (t.message_id is null or m.id < t.message_id)
      order by m.id desc limit ${MESSAGES_MAX}::integer
    ), spoken as (
      select * from newest where sender_type <> 'system' and coalesce(metadata ->> 'deletedAt', '') = ''
        and id > coalesce((select max(id) from newest where metadata ->> 'event' = 'reopened'), '')
    )
    select c.channel, k.name, k.country_iso as country,
      (select coalesce(json_agg(json_build_object('isCustomer', s.sender_type = 'customer', 'body', s.body,
          'metadata', s.metadata, 'fileName', (select min(f.name) from attachments f
            where f.workspace_id = ${workspaceId} and f.message_id = s.id)) order by s.id), '[]')
        from spoken s) as messages
    from ai_turns t
    join conversations c on c.workspace_id = t.workspace_id and c.id = t.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    where t.workspace_id = ${workspaceId} and t.id = ${turnId}`.execute(db)
  return rows[0]
}
