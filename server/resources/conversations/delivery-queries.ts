// All SQL of deliveries: the attempts to hand outbound messages to their providers.
import type { Ctx } from '../../ctx.ts'

type NewDelivery = { messageId: string; conversationId: string; channelAccountId: string }

export const insertDelivery = async (
  { db, workspaceId, now, newId }: Ctx,
  row: NewDelivery,
): Promise<void> => {
  await db
    .insertInto('deliveries')
    .values({
      workspace_id: workspaceId,
      id: newId(),
      message_id: row.messageId,
      conversation_id: row.conversationId,
      channel_account_id: row.channelAccountId,
      not_before: now(),
      created_at: now(),
      updated_at: now(),
    })
    .execute()
}
