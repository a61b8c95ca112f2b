// All SQL of snoozing, priorities and the tags of conversations.
import { sql } from 'kysely'
import { personId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Tag } from '../tags/schema.ts'

/** Null ends the snooze. `at`: the conversation moves to the top of the inbox. */
export const setSnooze = async (
  { db, workspaceId, actor }: Ctx,
  conversationId: string,
  { until, at }: { until: string | null; at?: Date },
): Promise<void> => {
  await db
    .updateTable('conversations')
    .set({
      snoozed_until: until,
      // A program has nothing to be unread for.
      snoozed_by: until === null ? null : personId(actor),
      ...(at && { updated_at: at }),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', conversationId)
    .execute()
}

export type Triage = { snoozedUntil: string | null; snoozedBy: string | null; priority: number }

/** The caller holds the conversation's lock. */
export const findTriage = ({ db, workspaceId }: Ctx, conversationId: string): Promise<Triage> =>
  db
    .selectFrom('conversations')
    .select(['snoozed_until as snoozedUntil', 'snoozed_by as snoozedBy', 'priority'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()

export type DueSnooze = { workspaceId: string; conversationId: string }

/** Of all workspaces, the longest due first. */
export const listDueSnoozes = async (
  db: Db,
  { by, max, after }: { by: Date; max: number; after: readonly string[] },
): Promise<DueSnooze[]> => {
  const { rows } = await sql<DueSnooze>`
    select workspace_id as "workspaceId", id as "conversationId" from conversations
    where snoozed_until <= ${by} and not id = any(${after}::text[]) and ${isAtWork('workspace_id')}
    order by snoozed_until limit ${max}`.execute(db)
  return rows
}

export const setPriority = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
  priority: number,
): Promise<void> => {
  await db
    .updateTable('conversations')
    .set({ priority })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', conversationId)
    .execute()
}

/** Those of the ids that are tags of the workspace, kept from being deleted until the transaction ends. */
export const lockKnownTags = async (
  { db, workspaceId }: Ctx,
  ids: readonly string[],
): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    select id from tags where workspace_id = ${workspaceId} and id = any(${ids}::text[]) order by id
    for key share`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Adds tags to a conversation and removes others, and returns what changed. The caller holds the conversation's lock. */
export const setConversationTags = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<{ added: string[]; removed: string[] }> => {
  const { rows } = await sql<{ added: string[]; removed: string[] }>`
    with removed as (
      delete from conversation_tags
      where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and tag_id = any(${remove}::text[])
      returning tag_id
    ), added as (
      insert into conversation_tags (workspace_id, conversation_id, tag_id)
      select ${workspaceId}, ${conversationId}, unnest(${add}::text[])
      on conflict do nothing
      returning tag_id
    )
    select array(select tag_id::text from added order by tag_id) as added,
      array(select tag_id::text from removed order by tag_id) as removed`.execute(db)
  return rows[0]!
}

export const listConversationTags = ({ db, workspaceId }: Ctx, conversationId: string): Promise<Tag[]> =>
  db
    .selectFrom('conversation_tags as g')
    .innerJoin('tags as t', (join) =>
      join.onRef('t.workspace_id', '=', 'g.workspace_id').onRef('t.id', '=', 'g.tag_id'),
    )
    .select(['t.id', 't.name', 't.color'])
    .where('g.workspace_id', '=', workspaceId)
    .where('g.conversation_id', '=', conversationId)
    .orderBy('t.name_key')
    .execute()
