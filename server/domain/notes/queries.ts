// All SQL of notes.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { seesAll } from '../../platform/ctx/permissions.ts'
import { selected } from '../../platform/db/select-list.ts'
import { NOTE, type NoteRow, toNote } from '../contacts/profile-parts.ts'
import type { Note } from '../contacts/schema.ts'
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

/** `and` a condition that the actor may see the conversation of a note `n`. */
const isSeen = ({ actor }: Pick<Ctx, 'actor'>) =>
  seesAll(actor)
    ? sql``
    : sql` and exists (select from conversations c
        where c.workspace_id = n.workspace_id and c.id = n.conversation_id${seenBy(actor, 'c')})`

/** The notes about a contact that the actor may see, before an id, newest first. */
export const listNoteRows = async (
  ctx: Ctx,
  { contactId, before, limit }: { contactId: string; before: string; limit: number },
): Promise<Note[]> => {
  const { rows } = await sql<NoteRow>`
    select ${selected(NOTE)} from notes n left join accounts a on a.id = n.author_id
    where n.workspace_id = ${ctx.workspaceId} and n.contact_id = ${contactId} and n.id < ${before}${isSeen(ctx)}
    order by n.id desc
    limit ${limit}`.execute(ctx.db)
  return rows.map((row) => toNote(ctx, row))
}

export type LockedNote = { contactId: string; conversationId: string | null; authorId: string }

/** A note that the actor may see, locked after its contact's row. */
export const lockNote = async (ctx: Ctx, id: string): Promise<LockedNote | undefined> => {
  const { rows } = await sql<LockedNote>`
    select n.contact_id as "contactId", n.conversation_id as "conversationId", n.author_id as "authorId"
    from contacts k
    join notes n on n.workspace_id = k.workspace_id and n.contact_id = k.id
    where n.workspace_id = ${ctx.workspaceId} and n.id = ${id}${isSeen(ctx)}
    for no key update of k, n`.execute(ctx.db)
  return rows[0]
}

/** The caller holds the note's lock. */
export const updateNoteRow = async (ctx: Ctx, id: string, body: string): Promise<Note> => {
  const { rows } = await sql<NoteRow>`
    with n as (
      update notes set body = ${body}, edited_at = ${ctx.now()} where workspace_id = ${ctx.workspaceId} and id = ${id} returning *
    )
    select ${selected(NOTE)} from n left join accounts a on a.id = n.author_id`.execute(ctx.db)
  return toNote(ctx, rows[0]!)
}

/** As the API shows it. */
export const findNote = async (ctx: Ctx, id: string): Promise<Note | undefined> => {
  const { rows } = await sql<NoteRow>`
    select ${selected(NOTE)} from notes n left join accounts a on a.id = n.author_id
    where n.workspace_id = ${ctx.workspaceId} and n.id = ${id}`.execute(ctx.db)
  return rows[0] && toNote(ctx, rows[0])
}

export const deleteNoteRow = async ({ db, workspaceId }: Ctx, id: string): Promise<void> => {
  await db.deleteFrom('notes').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

export const moveNotes = async ({ db, workspaceId }: Ctx, from: string, to: string): Promise<void> => {
  await db
    .updateTable('notes')
    .set({ contact_id: to })
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', from)
    .execute()
}

/** Moves those notes, and all that are in conversations of the contact that gets them. */
export const returnNotes = async (
  { db, workspaceId }: Ctx,
  { from, to, ids }: { from: string; to: string; ids: readonly string[] },
): Promise<void> => {
  await sql`
    update notes n set contact_id = ${to}
    where n.workspace_id = ${workspaceId} and n.contact_id = ${from}
      and (n.id = any(${ids}::text[]) or n.conversation_id in (select c.id from conversations c
        where c.workspace_id = ${workspaceId} and c.contact_id = ${to}))`.execute(db)
}
