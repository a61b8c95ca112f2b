import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../../platform/db/tables.ts'
import { type ConversationCode, codeJson } from '../../identity-codes/queries.ts'
import { type Identity, identityIn } from './identity.ts'

/** Who a conversation's customer has been shown to be by now, as far as their newest message says. */
export const findIdentity = async (
  { db, workspaceId, now }: Ctx,
  conversationId: string,
): Promise<Identity> => {
  const { rows } = await sql<{ channel: ChannelName; isProven: boolean; code: ConversationCode | null }>`
    select c.channel, ${codeJson(workspaceId, sql.ref('c.id'))} as code,
      coalesce((select m.metadata ->> 'senderVerification' = 'verified' from messages m
        where m.workspace_id = c.workspace_id and m.conversation_id = c.id and m.sender_type = 'customer'
        order by m.id desc limit 1), false) as "isProven"
    from conversations c
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}`.execute(db)
  return rows[0] ? identityIn(rows[0].channel, { ...rows[0], now: now().getTime() }) : 'claimed'
}
