// SQL of whom the AI agent is writing to. Never for an agent that was stopped.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { externalIdKinds } from '../deliveries/delivery-queries.ts'

export type TypingPlace = {
  workspaceId: string
  turnId: string
  conversationId: string
  channel: ChannelName
  agent: { id: string; nickname: string }
}

/** Those of the turns that will be replies and haven't ended. */
export const listTypingPlaces = async (
  db: Db,
  turns: readonly { workspaceId: string; id: string }[],
): Promise<TypingPlace[]> => {
  const { rows } = await sql<TypingPlace>`
    select t.workspace_id as "workspaceId", t.id as "turnId", t.conversation_id as "conversationId",
      c.channel, json_build_object('id', a.id, 'nickname', a.nickname) as agent
    from ${rowsOf(turns.map(({ workspaceId, id }) => ({ workspaceId, id })))} as given ("workspaceId" text, id text)
    join ai_turns t on t.workspace_id = given."workspaceId" and t.id = given.id and t.kind = 'reply'
      and t.state <> 'ended'
    join conversations c on c.workspace_id = t.workspace_id and c.id = t.conversation_id
    join accounts a on a.id = c.agent_id and a.is_ai
    left join ai_settings s on s.workspace_id = t.workspace_id
    where s.is_stopped is not true`.execute(db)
  return rows
}

export type TypingAddress = {
  channel: ChannelName
  channelAccountId: string
  /** The customer's, at the provider. */
  externalId: string | null
  /** Of their newest message. */
  messageId: string | null
}

/** Where to show that a turn's reply is being written; undefined if there is nothing to show any more. */
export const findTypingAddress = async (
  { db, workspaceId }: Ctx,
  turnId: string,
): Promise<TypingAddress | undefined> => {
  const { rows } = await sql<TypingAddress>`
    select c.channel, c.channel_account_id as "channelAccountId",
      (select value from identities i
        where i.workspace_id = k.workspace_id and i.contact_id = k.id and i.kind = any(${externalIdKinds})
        order by i.kind, i.created_at desc, i.value limit 1) as "externalId",
      (select m.external_id from messages m
        where m.workspace_id = c.workspace_id and m.conversation_id = c.id and m.sender_type = 'customer'
          and m.external_id is not null
        order by m.id desc limit 1) as "messageId"
    from ai_turns t
    join conversations c on c.workspace_id = t.workspace_id and c.id = t.conversation_id
    join accounts a on a.id = c.agent_id and a.is_ai
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    left join ai_settings s on s.workspace_id = t.workspace_id
    where t.workspace_id = ${workspaceId} and t.id = ${turnId} and t.kind = 'reply' and t.state = 'thinking'
      and s.is_stopped is not true`.execute(db)
  return rows[0]
}
