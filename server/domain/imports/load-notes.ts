import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { findImported } from './import-queries.ts'
import { type NoteRow, readNote } from './import-rows.ts'
import type { Loader, Placed, Run } from './loader.ts'
import { isNotErased, lockContacts } from './thread-counts.ts'

const insert = async (ctx: Ctx, run: Run, rows: readonly NoteRow[]): Promise<Placed[]> => {
  const { db, workspaceId } = ctx
  const contacts = await findImported(
    ctx,
    run.source,
    'contact',
    rows.map(({ contactId }) => contactId),
  )
  const conversations = await findImported(
    ctx,
    run.source,
    'conversation',
    rows.map(({ conversationId }) => conversationId),
  )
  const held = await lockContacts(
    ctx,
    [...contacts.values()].map(({ targetId }) => targetId),
  )
  const created: object[] = []
  const placed = rows.map((row): Placed => {
    const contactId = contacts.get(row.contactId)?.targetId
    if (contactId === undefined || !held.has(contactId)) return { problem: 'its contact is not here' }
    const targetId = run.idAt(row.at, row.id)
    const conversationId = conversations.get(row.conversationId ?? '')?.targetId ?? null
    created.push({ ...row, targetId, contactId, conversationId })
    return { targetId, isCreated: true }
  })
  // A conversation that is no longer here leaves the note with its contact.
  await sql`
    insert into notes (workspace_id, id, contact_id, conversation_id, author_id, body, created_at)
    select ${workspaceId}, n."targetId", n."contactId", c.id, n."authorId", n.body, n.at
    from ${rowsOf(created)} as n ("targetId" text, "contactId" text, "conversationId" text, "authorId" text, body text,
      at timestamptz)
    left join conversations c on c.workspace_id = ${workspaceId} and c.id = n."conversationId"`.execute(db)
  return placed
}

export const NOTES: Loader<NoteRow> = {
  resource: 'notes',
  kind: 'note',
  table: 'notes',
  read: readNote,
  insert,
  update: async ({ db, workspaceId }, _, rows) => {
    await sql`
      update notes n set body = r.body from ${rowsOf(rows)} as r ("targetId" text, body text)
      where n.workspace_id = ${workspaceId} and n.id = r."targetId"
        and ${isNotErased('n.contact_id', workspaceId)}`.execute(db)
  },
}
