import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

type Place = Pick<Ctx, 'db' | 'workspaceId'>

export const findSignature = async ({ db, workspaceId }: Place, ownerId: string): Promise<string | null> => {
  const row = await db
    .selectFrom('signatures')
    .select('body')
    .where('workspace_id', '=', workspaceId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  return row?.body ?? null
}

/** The person's, or else that of the conversation's mailbox. */
export const findSignatureFor = async (
  { db, workspaceId }: Place,
  conversationId: string,
  accountId: string | null,
): Promise<string | null> => {
  const { rows } = await sql<{ body: string }>`
    select s.body from signatures s
    where s.workspace_id = ${workspaceId} and s.owner_id in (${accountId}, (
      select c.channel_account_id from conversations c
      where c.workspace_id = ${workspaceId} and c.id = ${conversationId} and c.channel = 'email'))
    order by s.owner_id = ${accountId} desc
    limit 1`.execute(db)
  return rows[0]?.body ?? null
}

export const saveSignature = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  ownerId: string,
  body: string,
): Promise<void> => {
  await sql`
    insert into signatures (workspace_id, owner_id, body, updated_at)
    values (${workspaceId}, ${ownerId}, ${body}, ${now()})
    on conflict (workspace_id, owner_id) do update set body = excluded.body, updated_at = excluded.updated_at`.execute(
    db,
  )
}

export const deleteSignature = async ({ db, workspaceId }: Place, ownerId: string): Promise<void> => {
  await db
    .deleteFrom('signatures')
    .where('workspace_id', '=', workspaceId)
    .where('owner_id', '=', ownerId)
    .execute()
}
