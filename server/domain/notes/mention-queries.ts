// All SQL of mentions in notes.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { MEMBER_ROLE, memberSees, seenBy } from '../visible-conversations.ts'
import type { Mentionable, MentionRange } from './mention-schema.ts'

const MEMBERS_MAX = 1_000

/** The people of the workspace by name, and whether they may see a conversation. None if the actor may not see it. */
export const listMentionable = async (
  { db, workspaceId, actor }: Ctx,
  conversationId: string,
): Promise<Mentionable[]> => {
  const { rows } = await sql<Mentionable>`
    select a.id, a.nickname, coalesce(${memberSees}, false) as "canSee"
    from conversations c
    join memberships m on m.workspace_id = c.workspace_id and m.removed_at is null and m.role <> 'ai'
    join accounts a on a.id = m.account_id
    left join roles r on ${MEMBER_ROLE}
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}${seenBy(actor, 'c')}
    order by a.nickname_key, a.id limit ${MEMBERS_MAX}`.execute(db)
  return rows
}

type TakenMention = { accountId: string; isAnnounced: boolean; isUnread: boolean }

/** Deletes the note's mentions, and returns whether each person has been told of it and has read it. */
export const takeMentions = async ({ db, workspaceId }: Ctx, noteId: string): Promise<TakenMention[]> => {
  const { rows } = await sql<TakenMention>`
    delete from note_mentions where workspace_id = ${workspaceId} and note_id = ${noteId}
    returning account_id as "accountId", is_announced as "isAnnounced", is_unread as "isUnread"`.execute(db)
  return rows
}

/** Those of the notes that nobody has been told of so far; now they are. For the transaction that tells them. */
export const announceMentions = async (
  { db, workspaceId }: Ctx,
  noteIds: readonly string[],
): Promise<{ noteId: string; accountId: string }[]> => {
  const { rows } = await sql<{ noteId: string; accountId: string }>`
    update note_mentions set is_announced = true
    where workspace_id = ${workspaceId} and note_id = any (${noteIds}::text[]) and not is_announced
    returning note_id as "noteId", account_id as "accountId"`.execute(db)
  return rows
}

type NewMention = MentionRange & Pick<TakenMention, 'isAnnounced' | 'isUnread'>

export const insertMentions = async (
  { db, workspaceId }: Ctx,
  noteId: string,
  mentions: readonly NewMention[],
): Promise<void> => {
  await sql`
    insert into note_mentions (workspace_id, note_id, position, length, account_id, is_announced, is_unread)
    select ${workspaceId}, ${noteId}, m.position, m.length, m."accountId", m."isAnnounced", m."isUnread"
    from ${rowsOf(mentions)} as m (position integer, length integer, "accountId" text, "isAnnounced" boolean, "isUnread" boolean)`.execute(
    db,
  )
}
