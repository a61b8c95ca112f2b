// What an import made and nobody has touched since, a batch at a time.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ImportedKind } from './import-queries.ts'

const made = (ctx: Ctx, importId: string, kind: ImportedKind, id: string) => sql`exists (
  select from imported i where i.workspace_id = ${ctx.workspaceId} and i.import_id = ${importId} and i.kind = ${kind}
    and i.target_id = ${sql.ref(id)} and i.is_created)`

export type MadeConversation = { id: string; contactId: string }

/** Conversations of the import, in the order of their ids. */
export const listMade = async (
  { db, workspaceId }: Ctx,
  importId: string,
  after: string,
  limit: number,
): Promise<MadeConversation[]> => {
  const { rows } = await sql<MadeConversation>`
    select c.id, c.contact_id as "contactId" from imported i
    join conversations c on c.workspace_id = i.workspace_id and c.id = i.target_id
    where i.workspace_id = ${workspaceId} and i.import_id = ${importId} and i.kind = 'conversation' and i.is_created
      and i.target_id > ${after}
    order by i.target_id limit ${limit}`.execute(db)
  return rows
}

/** Of these, those in which there is nothing that the import didn't make. The caller holds their contacts' rows. */
export const listUntouched = async (
  ctx: Ctx,
  importId: string,
  ids: readonly string[],
): Promise<string[]> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<{ id: string }>`
    select c.id from conversations c
    where c.workspace_id = ${workspaceId} and c.id = any (${[...ids]}::text[])
      and not exists (select from messages m where m.workspace_id = c.workspace_id and m.conversation_id = c.id
        and not ${made(ctx, importId, 'message', 'm.id')})
      and not exists (select from notes n where n.workspace_id = c.workspace_id and n.conversation_id = c.id
        and not ${made(ctx, importId, 'note', 'n.id')})
      and not exists (select from flow_runs r where r.workspace_id = c.workspace_id and r.conversation_id = c.id)`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** With everything in them. Returns the keys of files that nothing names any more. */
export const deleteConversations = async (
  { db, workspaceId }: Ctx,
  ids: readonly string[],
): Promise<string[]> => {
  const list = sql`any (${[...ids]}::text[])`
  const { rows } = await sql<{ key: string }>`
    delete from attachments where workspace_id = ${workspaceId} and (message_id in (
      select id from messages where workspace_id = ${workspaceId} and conversation_id = ${list}) or note_id in (
      select id from notes where workspace_id = ${workspaceId} and conversation_id = ${list}))
    returning storage_key as key`.execute(db)
  await sql`delete from notes where workspace_id = ${workspaceId} and conversation_id = ${list}`.execute(db)
  await sql`delete from email_threads where workspace_id = ${workspaceId} and conversation_id = ${list}`.execute(
    db,
  )
  await sql`delete from messages where workspace_id = ${workspaceId} and conversation_id = ${list}`.execute(
    db,
  )
  await sql`delete from conversations where workspace_id = ${workspaceId} and id = ${list}`.execute(db)
  return rows.flatMap(({ key }) => (key === null ? [] : [key]))
}

/** Notes of the import that belong to no conversation. */
export const deleteLooseNotes = async (ctx: Ctx, importId: string): Promise<void> => {
  await sql`
    delete from notes n where n.workspace_id = ${ctx.workspaceId} and n.conversation_id is null and n.id in (
      select target_id from imported where workspace_id = ${ctx.workspaceId} and import_id = ${importId}
        and kind = 'note' and is_created)`.execute(ctx.db)
}

/** Contacts of the import that have nothing left, in the order of their ids; locked. */
export const takeEmptyContacts = async (
  { db, workspaceId }: Ctx,
  importId: string,
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select c.id from imported i join contacts c on c.workspace_id = i.workspace_id and c.id = i.target_id
    where i.workspace_id = ${workspaceId} and i.import_id = ${importId} and i.kind = 'contact' and i.is_created
      and not exists (select from conversations v where v.workspace_id = c.workspace_id and v.contact_id = c.id)
      and not exists (select from notes n where n.workspace_id = c.workspace_id and n.contact_id = c.id)
      and not exists (select from visitors v where v.workspace_id = c.workspace_id and v.contact_id = c.id)
      and not exists (select from flow_runs r where r.workspace_id = c.workspace_id and r.contact_id = c.id)
    order by c.id limit ${limit} for update of c`.execute(db)
  return rows.map(({ id }) => id)
}

/** `shard` is one that is free for the directory's counts. */
export const deleteContacts = async (
  { db, workspaceId }: Ctx,
  ids: readonly string[],
  shard: ReturnType<typeof sql>,
): Promise<void> => {
  await sql`
    with gone as (
      delete from contacts where workspace_id = ${workspaceId} and id = any (${[...ids]}::text[]) returning country_iso
    )
    insert into contact_counts (workspace_id, kind, key, shard, count)
    select ${workspaceId}, kind, key, ${shard}, -count from (
      select 'total' as kind, '' as key, count(*) from gone having count(*) > 0
      union all
      select 'country', country_iso, count(*) from gone where country_iso is not null group by country_iso
    ) c
    order by kind desc, key
    on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count + excluded.count`.execute(
    db,
  )
}

/** Tags and groups of the import that nobody has. */
export const deleteEmptyLabels = async ({ db, workspaceId }: Ctx, importId: string): Promise<void> => {
  const targets = (kind: ImportedKind) => sql`
    select target_id from imported
    where workspace_id = ${workspaceId} and import_id = ${importId} and kind = ${kind} and is_created`
  await sql`
    delete from tags t where t.workspace_id = ${workspaceId} and t.id in (${targets('tag')})
      and not exists (select from contact_tags c where c.workspace_id = t.workspace_id and c.tag_id = t.id)
      and not exists (select from conversation_tags c where c.workspace_id = t.workspace_id and c.tag_id = t.id)`.execute(
    db,
  )
  await sql`
    delete from contact_groups g where g.workspace_id = ${workspaceId} and g.id in (${targets('group')})
      and not exists (select from contact_group_members m
        where m.workspace_id = g.workspace_id and m.group_id = g.id)`.execute(db)
}

/** What is gone, so that another import may bring it again. */
export const forgetGone = async ({ db, workspaceId }: Ctx, importId: string): Promise<void> => {
  const tables = [
    ['tag', 'tags'],
    ['group', 'contact_groups'],
    ['contact', 'contacts'],
    ['conversation', 'conversations'],
    ['message', 'messages'],
    ['note', 'notes'],
    ['attachment', 'attachments'],
  ] as const
  for (const [kind, table] of tables)
    await sql`
      delete from imported i where i.workspace_id = ${workspaceId} and i.import_id = ${importId} and i.kind = ${kind}
        and not exists (select from ${sql.table(table)} t
          where t.workspace_id = i.workspace_id and t.id = i.target_id)`.execute(db)
}
