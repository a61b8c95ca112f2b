// The SQL of what is stored with a merge, so that it can be undone.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Membership } from '../contact-groups/queries.ts'
import type { Identity } from '../contacts/people-queries.ts'
import type { MovedBlocks } from '../visitors/block-queries.ts'

export const UNDO_WITHIN_MS = 30 * 24 * 3_600_000

/** The rows that moved with a contact. `closedIds`: of conversations that the merge closed. */
export type Moved = {
  identities: Identity[]
  conversationIds: string[]
  closedIds: string[]
  noteIds: string[]
  visitorIds: string[]
  fileIds: string[]
  runIds: string[]
  tags: { tagId: string; isAdded: boolean }[]
  memberships: Membership[]
  blocks: MovedBlocks
  broadcastIds: string[]
  /** Earlier merges into the contact. */
  mergeIds: string[]
}

/** What is about to move. The caller holds both contacts' locks. */
export const insertMerge = async (
  { db, workspaceId }: Ctx,
  merge: { id: string; keptId: string; goneId: string; actor: string; createdAt: Date },
): Promise<void> => {
  const { id, keptId, goneId, actor, createdAt } = merge
  const of = (table: string, column = 'id') => sql`(
    select coalesce(jsonb_agg(t.${sql.ref(column)} order by t.${sql.ref(column)}), '[]') from ${sql.table(table)} t
    where t.workspace_id = ${workspaceId} and t.contact_id = ${goneId})`
  const keptHas = (table: string, column: string) => sql`exists (select from ${sql.table(table)} o
    where o.workspace_id = t.workspace_id and o.contact_id = ${keptId} and o.${sql.ref(column)} = t.${sql.ref(column)})`
  const isBlocked = (contactId: string) => sql`exists (select from visitor_blocks b
    where b.workspace_id = ${workspaceId} and b.kind = 'contact' and b.value = ${contactId})`
  await sql`
    insert into contact_merges (workspace_id, id, kept_id, gone_id, kept_before, gone, moved, actor, created_at)
    select ${workspaceId}, ${id}, kept.id, gone.id, to_jsonb(kept), to_jsonb(gone), jsonb_build_object(
      'identities', (select coalesce(jsonb_agg(jsonb_build_object('kind', t.kind, 'value', t.value)), '[]')
        from identities t where t.workspace_id = ${workspaceId} and t.contact_id = ${goneId}),
      'conversationIds', ${of('conversations')},
      'closedIds', (select coalesce(jsonb_agg(t.id), '[]') from conversations t
        where t.workspace_id = ${workspaceId} and t.contact_id = ${goneId} and t.status = 'open'
          and t.channel <> 'email' and exists (select from conversations o where o.workspace_id = t.workspace_id
            and o.contact_id = ${keptId} and o.channel_account_id = t.channel_account_id and o.status = 'open')),
      'noteIds', ${of('notes')},
      'visitorIds', ${of('visitors')},
      'fileIds', ${of('attachments')},
      'runIds', ${of('flow_runs')},
      'tags', (select coalesce(jsonb_agg(jsonb_build_object('tagId', t.tag_id,
          'isAdded', not ${keptHas('contact_tags', 'tag_id')})), '[]')
        from contact_tags t where t.workspace_id = ${workspaceId} and t.contact_id = ${goneId}),
      'memberships', (select coalesce(jsonb_agg(jsonb_build_object('groupId', t.group_id, 'addedAt', t.added_at,
          'isAdded', not ${keptHas('contact_group_members', 'group_id')})), '[]')
        from contact_group_members t where t.workspace_id = ${workspaceId} and t.contact_id = ${goneId}),
      'blocks', jsonb_build_object('isBlocked', ${isBlocked(goneId)},
        'wereBothBlocked', ${isBlocked(goneId)} and ${isBlocked(keptId)},
        'addresses', (select coalesce(jsonb_agg(t.value), '[]') from visitor_blocks t
          where t.workspace_id = ${workspaceId} and t.contact_id = ${goneId} and t.kind = 'address')),
      'broadcastIds', (select coalesce(jsonb_agg(t.broadcast_id), '[]') from broadcasts b
        join broadcast_recipients t on t.workspace_id = b.workspace_id and t.broadcast_id = b.id
        where b.workspace_id = ${workspaceId} and t.contact_id = ${goneId}
          and not ${keptHas('broadcast_recipients', 'broadcast_id')}),
      'mergeIds', (select coalesce(jsonb_agg(t.id), '[]') from contact_merges t
        where t.workspace_id = ${workspaceId} and t.kept_id = ${goneId})
    ), ${actor}, ${createdAt}
    from contacts kept, contacts gone
    where kept.workspace_id = ${workspaceId} and kept.id = ${keptId}
      and gone.workspace_id = ${workspaceId} and gone.id = ${goneId}`.execute(db)
}

/** Stores what became of the contact, at the end of the merge. */
export const completeMerge = async ({ db, workspaceId }: Ctx, id: string, createdAt: Date): Promise<void> => {
  await sql`
    update contact_merges m set kept_after = to_jsonb(k), created_at = ${createdAt}
    from contacts k
    where m.workspace_id = ${workspaceId} and m.id = ${id} and k.workspace_id = m.workspace_id and k.id = m.kept_id`.execute(
    db,
  )
}

/** Earlier merges into a contact that is merged itself can be undone from where it went. */
export const followMerges = async ({ db, workspaceId }: Ctx, from: string, to: string): Promise<void> => {
  await sql`
    update contact_merges set kept_id = ${to} where workspace_id = ${workspaceId} and kept_id = ${from}`.execute(
    db,
  )
}

export type MergeRow = {
  id: string
  contactId: string
  name: string
  email: string | null
  phone: string | null
  mergedAt: string
}

/** Those into a contact that can be undone, newest first. */
export const listMerges = async (
  { db, workspaceId, now }: Ctx,
  { contactId, id = null }: { contactId: string; id?: string | null },
): Promise<MergeRow[]> => {
  const { rows } = await sql<MergeRow>`
    select m.id, m.gone_id as "contactId", m.gone ->> 'name' as name, m.gone ->> 'email' as email,
      m.gone ->> 'phone' as phone, m.created_at as "mergedAt"
    from contact_merges m
    where m.workspace_id = ${workspaceId} and m.kept_id = ${contactId} and (${id}::text is null or m.id = ${id})
      and m.created_at > ${new Date(now().getTime() - UNDO_WITHIN_MS)}
    order by m.created_at desc, m.id desc
    limit 100`.execute(db)
  return rows
}

/** Of all workspaces, from before a time. Returns how many. */
export const deleteOldMerges = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from contact_merges where (workspace_id, id) in (
      select workspace_id, id from contact_merges where created_at < ${before} order by created_at limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
