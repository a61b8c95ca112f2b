// The SQL of live-threads.ts.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { ImportedKind } from './import-queries.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type LiveThread = { conversationId: string; contactId: string; channelAccountId: string }

/** The conversations of messages that are here, by the providers' ids. */
export const listLive = async (
  { db, workspaceId }: Scope,
  accountIds: readonly string[],
  externalIds: readonly string[],
): Promise<(LiveThread & { externalId: string })[]> => {
  if (accountIds.length === 0 || externalIds.length === 0) return []
  const { rows } = await sql<LiveThread & { externalId: string }>`
    select c.id as "conversationId", c.contact_id as "contactId", c.channel_account_id as "channelAccountId",
      m.external_id as "externalId"
    from unnest(${[...accountIds]}::text[]) as a (id) cross join unnest(${[...externalIds]}::text[]) as q (external)
    join messages m on m.workspace_id = ${workspaceId} and m.channel_account_id = a.id
      and m.external_id = q.external collate "C" and m.external_id is not null
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    order by m.id`.execute(db)
  return rows
}

/** A condition: imports of the source made the row. */
const made = (workspaceId: string, source: string, kind: ImportedKind, id: string) => sql`exists (
  select from imports s join imported i on i.workspace_id = s.workspace_id and i.import_id = s.id
  where s.workspace_id = ${workspaceId} and s.source = ${source} and i.kind = ${kind}
    and i.target_id = ${sql.ref(id)} and i.is_created)`

/** Of these conversations, those that have nothing but what was imported. */
export const listUnheard = async (
  { db, workspaceId }: Scope,
  source: string,
  ids: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select c.id from conversations c
    where c.workspace_id = ${workspaceId} and c.id = any (${[...ids]}::text[])
      and not exists (select from messages m where m.workspace_id = c.workspace_id and m.conversation_id = c.id
        and not ${made(workspaceId, source, 'message', 'm.id')})
      and not exists (select from notes n where n.workspace_id = c.workspace_id and n.conversation_id = c.id
        and not ${made(workspaceId, source, 'note', 'n.id')})
      and not exists (select from flow_runs r where r.workspace_id = c.workspace_id and r.conversation_id = c.id)`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

type Move = { from: string; to: string }

/** Messages with their failures, and notes. */
export const moveContents = async ({ db, workspaceId }: Scope, moves: readonly Move[]): Promise<void> => {
  const moved = sql`${rowsOf(moves.map(({ from, to }) => ({ from, to })))} as r ("from" text, "to" text)`
  for (const table of ['messages', 'failed_messages', 'notes'] as const)
    await sql`
      update ${sql.table(table)} t set conversation_id = r."to" from ${moved}
      where t.workspace_id = ${workspaceId} and t.conversation_id = r."from"`.execute(db)
}

export type Emptied = { key: string; id: string; contactId: string }

const EMPTIED_MAX = 100_000

/** Conversations that imports of the source made and in which there is nothing; of these ids only, if given. */
export const listEmptied = async (
  { db, workspaceId }: Scope,
  source: string,
  ids: readonly string[] | null = null,
): Promise<Emptied[]> => {
  const { rows } = await sql<Emptied>`
    select i.source_key as key, c.id, c.contact_id as "contactId"
    from imports s
      join imported i on i.workspace_id = s.workspace_id and i.import_id = s.id and i.kind = 'conversation' and i.is_created
      join conversations c on c.workspace_id = i.workspace_id and c.id = i.target_id
    where s.workspace_id = ${workspaceId} and s.source = ${source}
      and (${ids}::text[] is null or c.id = any (${ids}::text[]))
      and not exists (select from messages m where m.workspace_id = c.workspace_id and m.conversation_id = c.id)
      and not exists (select from notes n where n.workspace_id = c.workspace_id and n.conversation_id = c.id)
      and not exists (select from flow_runs r where r.workspace_id = c.workspace_id and r.conversation_id = c.id)
    order by c.id limit ${EMPTIED_MAX}`.execute(db)
  return rows
}
