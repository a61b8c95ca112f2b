// The SQL of files still to be downloaded from a provider. It reads all workspaces at once.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { CLAIMANT } from '../../platform/db/claimant.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { FileType } from './queries.ts'

export type PendingFile = {
  workspaceId: string
  id: string
  tries: number
  type: FileType
  mimeType: string
  name: string
  source: Record<string, unknown> | null
  createdAt: string
  messageId: string
  conversationId: string
  contactId: string
  channelAccountId: string
  /** The account whose turn it was; empty for files stored before turns existed. */
  turnOf: string
}

type Turn = Pick<PendingFile, 'workspaceId' | 'turnOf'>

/**
 * Claims a pending attachment until a time, when it becomes due again in case the worker died. Accounts take turns:
 * picks the longest-due file of the next account after `last`, skipping `full` ones. Undefined if none is due.
 */
export const claimPending = async (
  db: Db,
  { now, until, last, full }: { now: Date; until: Date; last: Turn | null; full: readonly string[] },
): Promise<PendingFile | undefined> => {
  const { rows } = await sql<PendingFile>`
    with recursive account as (
      (select workspace_id, coalesce(channel_account_id, '') as id from attachments
        where state = 'pending' and message_id is not null
        order by workspace_id, coalesce(channel_account_id, '')
        limit 1)
      union all
      select n.workspace_id, n.id from account a cross join lateral (
        select f.workspace_id, coalesce(f.channel_account_id, '') as id from attachments f
        where f.state = 'pending' and f.message_id is not null
          and (f.workspace_id, coalesce(f.channel_account_id, '')) > (a.workspace_id, a.id)
        order by f.workspace_id, coalesce(f.channel_account_id, '')
        limit 1
      ) n
    ), due as (
      select f.workspace_id, f.id
      from (
        select a.* from account a where a.id <> all(${full}::text[])
        order by (a.workspace_id, a.id) <= (${last?.workspaceId ?? ''}, ${last?.turnOf ?? ''}),
          a.workspace_id, a.id
      ) a cross join lateral (
        select f.workspace_id, f.id from attachments f
        where f.workspace_id = a.workspace_id and coalesce(f.channel_account_id, '') = a.id
          and ${isAtWork('f.workspace_id')}
          and f.state = 'pending' and f.message_id is not null and f.not_before <= ${now}
        order by f.not_before
        limit 1
        for no key update skip locked
      ) f
      limit 1
    ), claimed as (
      update attachments a set not_before = ${until}, tries = a.tries + 1, claimed_by = ${CLAIMANT}
      from due where a.workspace_id = due.workspace_id and a.id = due.id
      returning a.*
    )
    select f.workspace_id as "workspaceId", f.id, coalesce(f.channel_account_id, '') as "turnOf", f.tries, f.type, f.mime_type as "mimeType", f.name, f.source,
      f.created_at as "createdAt", m.id as "messageId", m.conversation_id as "conversationId",
      c.contact_id as "contactId", m.channel_account_id as "channelAccountId"
    from claimed f
    join messages m on m.workspace_id = f.workspace_id and m.id = f.message_id
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id`.execute(db)
  return rows[0]
}

/** The number of files not yet downloaded, and the age of the oldest. Over all workspaces. */
export const readPendingFiles = async (db: Db): Promise<{ depth: number; oldestSeconds: number }> => {
  const { rows } = await sql<{ depth: number; oldestSeconds: number }>`
    select count(*)::float8 as depth,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
    from attachments where state = 'pending' and message_id is not null and ${isAtWork('workspace_id')}`.execute(
    db,
  )
  return rows[0]!
}

type Claimed = Pick<PendingFile, 'id' | 'tries'>

/** Ends a claim. False if it was no longer the current one. */
export const endPending = async (
  { db, workspaceId }: Ctx,
  { id, tries }: Claimed,
  end:
    | { state: 'stored'; key: string; size: number; mimeType: string; name: string }
    | { state: 'failed'; failure: string }
    | { state: 'pending'; failure: string; notBefore: Date },
): Promise<boolean> => {
  const set =
    end.state === 'stored'
      ? {
          state: end.state,
          storage_key: end.key,
          size: end.size,
          mime_type: end.mimeType,
          name: end.name,
          not_before: null,
          failure: null,
        }
      : end.state === 'failed'
        ? { state: end.state, failure: end.failure, not_before: null }
        : { failure: end.failure, not_before: end.notBefore }
  const { numUpdatedRows } = await db
    .updateTable('attachments')
    .set({ ...set, claimed_by: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('tries', '=', tries)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Makes files claimed by these processes due again. */
export const releaseFilesOf = async (
  db: Db,
  claimants: readonly string[],
  now: Date,
): Promise<{ workspaceId: string; attachmentId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; attachmentId: string }>`
    update attachments set not_before = ${now}, claimed_by = null
    where state = 'pending' and claimed_by = any(${claimants}::text[])
    returning workspace_id as "workspaceId", id as "attachmentId"`.execute(db)
  return rows
}

/** Overdue pending attachments that no worker has claimed. */
export const listOverdueFiles = async (
  db: Db,
  dueBefore: Date,
  limit: number,
): Promise<{ workspaceId: string; attachmentId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; attachmentId: string }>`
    select workspace_id as "workspaceId", id as "attachmentId" from attachments
    where state = 'pending' and not_before <= ${dueBefore} and message_id is not null
      and ${isAtWork('workspace_id')}
    order by not_before
    limit ${limit}`.execute(db)
  return rows
}
