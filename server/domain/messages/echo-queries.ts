// The SQL of echoes: our own messages that a provider returns as if written elsewhere.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { PHONE_PREFIX } from '../conversations/thread-queries.ts'
import { restoreLastMessage } from './alter-queries.ts'

/** Those of the ids that are our own attempts to send something on the account. */
export const findOwnAttempts = async (
  { db, workspaceId }: Ctx,
  refs: readonly { channelAccountId: string; attemptId: string }[],
): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    select d.id
    from unnest(
      ${refs.map(({ channelAccountId }) => channelAccountId)}::text[],
      ${refs.map(({ attemptId }) => attemptId)}::text[]
    ) q (account, id)
    join deliveries d on d.workspace_id = ${workspaceId} and d.id = q.id and d.channel_account_id = q.account`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

type Echo = { id: string; conversationId: string; status: 'sent' | 'delivered' | 'read' }

/** The message with the provider's id that was stored as written elsewhere. */
export const findEcho = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, externalId }: { channelAccountId: string; externalId: string },
): Promise<Echo | undefined> => {
  const { rows } = await sql<Echo>`
    select id, conversation_id as "conversationId", status from messages
    where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}
      and external_id = ${externalId} and external_id is not null and sender_type = 'agent'
      and starts_with(sender_id, ${PHONE_PREFIX}) and status <> 'failed'`.execute(db)
  return rows[0]
}

export const deleteEcho = async ({ db, workspaceId }: Ctx, echo: Echo): Promise<void> => {
  await db.deleteFrom('messages').where('workspace_id', '=', workspaceId).where('id', '=', echo.id).execute()
  await restoreLastMessage({ db, workspaceId }, echo)
}
