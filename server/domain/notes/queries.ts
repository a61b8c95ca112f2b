// All SQL of notes.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { seenBy } from '../visible-conversations.ts'

type NewNote = {
  id: string
  contactId: string
  conversationId: string
  authorId: string
  body: string
  at: Date
}

export const insertNote = async ({ db, workspaceId }: Ctx, row: NewNote): Promise<void> => {
  await db
    .insertInto('notes')
    .values({
      workspace_id: workspaceId,
      id: row.id,
      contact_id: row.contactId,
      conversation_id: row.conversationId,
      author_id: row.authorId,
      body: row.body,
      created_at: row.at,
    })
    .execute()
}

/** The most recently active WhatsApp conversation with any of the numbers, given in E.164. */
export const findWhatsappConversationId = async (
  { db, workspaceId, actor }: Ctx,
  phones: readonly string[],
): Promise<string | undefined> => {
  // A WhatsApp id is the number's digits.
  const { rows } = await sql<{ id: string }>`
    select c.id
    from identities i
    join conversations c on c.workspace_id = i.workspace_id and c.contact_id = i.contact_id
    where i.workspace_id = ${workspaceId} and i.kind in ('phone', 'whatsapp_id')
      and i.value = any(${phones.flatMap((phone) => [phone, phone.slice(1)])}::text[]) and c.channel = 'whatsapp'${seenBy(actor, 'c')}
    order by c.updated_at desc, c.id desc
    limit 1`.execute(db)
  return rows[0]?.id
}

export const findNickname = async ({ db }: Ctx, accountId: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('accounts')
    .select('nickname')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.nickname
}

export const moveNotes = async ({ db, workspaceId }: Ctx, from: string, to: string): Promise<void> => {
  await db
    .updateTable('notes')
    .set({ contact_id: to })
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', from)
    .execute()
}
