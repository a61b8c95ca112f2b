// The SQL of the pages of websites and the parts of files.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { PAGE_STATES } from '../../../platform/db/tables.ts'
import type { ReadProblem } from './extract/problem.ts'
import type { SourcePage } from './schema.ts'
import type { StoredSource } from './source-queries.ts'

export type PageState = (typeof PAGE_STATES)[number]

export type StoredPage = {
  id: string
  location: string
  itemId: string | null
  state: PageState
  reading: number
  tries: number
  etag: string | null
  lastModified: string | null
  hash: Buffer | null
  newTitle: string | null
  newBody: string | null
  newLanguage: string | null
  changedAt: string | null
}

const columns = sql`id, location, item_id as "itemId", state, reading, tries, etag, last_modified as "lastModified", hash,
  new_title as "newTitle", new_body as "newBody", new_language as "newLanguage", changed_at as "changedAt"`

/** Someone has deleted its article, or dismissed it before it had one. */
const isRemoved = sql`(hash is not null and item_id is null and new_body is null)`

/** Adds the pages that aren't known yet, in their order, up to `max` of the source. */
export const insertPages = async (
  { db, workspaceId, newId }: Ctx,
  sourceId: string,
  locations: readonly string[],
  max: number,
): Promise<void> => {
  let last: string | null = null
  const ids = locations.map(() => {
    last = newId(last)
    return last
  })
  await sql`
    with known as (
      select count(*) as count, coalesce(max(position), 0) as last from knowledge_pages
      where workspace_id = ${workspaceId} and source_id = ${sourceId}
    ), fresh as (
      select g.*, row_number() over (order by position) as number
      from unnest(${ids}::text[], ${locations}::text[]) with ordinality g (id, location, position)
      where not exists (
        select from knowledge_pages p
        where p.workspace_id = ${workspaceId} and p.source_id = ${sourceId} and p.location = g.location
      )
    )
    insert into knowledge_pages (workspace_id, source_id, id, location, position)
    select ${workspaceId}, ${sourceId}, fresh.id, fresh.location, known.last + fresh.number from fresh, known
    where known.count + fresh.number <= ${max}
    on conflict (workspace_id, source_id, location) do nothing`.execute(db)
}

/** The next page of a reading; those that failed come last. */
export const findNextPage = async (
  { db, workspaceId }: Ctx,
  { id, reading }: Pick<StoredSource, 'id' | 'reading'>,
): Promise<StoredPage | undefined> => {
  const { rows } = await sql<StoredPage>`
    select ${columns} from knowledge_pages
    where workspace_id = ${workspaceId} and source_id = ${id} and reading < ${reading} and not ${isRemoved}
    order by tries, position
    limit 1`.execute(db)
  return rows[0]
}

export const findPage = async (
  { db, workspaceId }: Ctx,
  sourceId: string,
  pageId: string,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<StoredPage | undefined> => {
  const { rows } = await sql<StoredPage>`
    select ${columns} from knowledge_pages
    where workspace_id = ${workspaceId} and source_id = ${sourceId} and id = ${pageId}
    ${isLocked ? sql`for update` : sql``}`.execute(db)
  return rows[0]
}

/** Changed pages first, then those with problems. */
export const listPages = async (
  { db, workspaceId }: Ctx,
  sourceId: string,
  limit: number,
): Promise<SourcePage[]> => {
  const { rows } = await sql<SourcePage>`
    select p.id, p.location, coalesce(i.title, p.new_title) as title, p.item_id as "articleId", p.state, p.problem,
      p.new_body is not null as "hasChange",
      p.hash is not null and p.item_id is null and p.new_body is null as "isRemoved"
    from knowledge_pages p
    left join knowledge_items i on i.workspace_id = ${workspaceId} and i.id = p.item_id
    where p.workspace_id = ${workspaceId} and p.source_id = ${sourceId}
    order by p.new_body is null, p.state in ('read', 'new'), p.position
    limit ${limit}`.execute(db)
  return rows
}

export type PageChanges = Partial<{
  state: PageState
  problem: ReadProblem | null
  reading: number
  tries: number
  itemId: string
  hash: Buffer
  etag: string | null
  lastModified: string | null
  /** Null when nothing waits any more. */
  waiting: { title: string; body: string; language: string } | null
}>

export const updatePage = async (
  { db, workspaceId, now }: Ctx,
  sourceId: string,
  pageId: string,
  { state, problem, reading, tries, itemId, hash, etag, lastModified, waiting }: PageChanges,
): Promise<void> => {
  await db
    .updateTable('knowledge_pages')
    .set({
      ...(state !== undefined && { state }),
      ...(problem !== undefined && { problem: problem && JSON.stringify(problem) }),
      ...(reading !== undefined && { reading }),
      ...(tries !== undefined && { tries }),
      ...(itemId !== undefined && { item_id: itemId }),
      ...(hash !== undefined && { hash }),
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { last_modified: lastModified }),
      ...(waiting !== undefined && {
        new_title: waiting?.title ?? null,
        new_body: waiting?.body ?? null,
        new_language: waiting?.language ?? null,
        changed_at: waiting && now(),
      }),
    })
    .where('workspace_id', '=', workspaceId)
    .where('source_id', '=', sourceId)
    .where('id', '=', pageId)
    .execute()
}

/** The articles of a source. `before`: only those of pages that had no turn since that reading. */
export const listArticlesOf = async (
  { db, workspaceId }: Ctx,
  sourceId: string,
  { before = null }: { before?: number | null } = {},
): Promise<{ itemId: string; language: string }[]> => {
  const { rows } = await sql<{ itemId: string; language: string }>`
    select i.id as "itemId", i.language from knowledge_pages p
    join knowledge_items i on i.workspace_id = ${workspaceId} and i.id = p.item_id
    where p.workspace_id = ${workspaceId} and p.source_id = ${sourceId}
      and (${before}::integer is null or p.reading < ${before})`.execute(db)
  return rows
}

/** Deletes what a newer version of a file doesn't have. */
export const deleteOldPages = async (
  { db, workspaceId }: Ctx,
  sourceId: string,
  before: number,
): Promise<void> => {
  await db
    .deleteFrom('knowledge_pages')
    .where('workspace_id', '=', workspaceId)
    .where('source_id', '=', sourceId)
    .where('reading', '<', before)
    .execute()
}

/** When an article is to be reviewed. */
export const updateReviewBy = async (
  { db, workspaceId }: Ctx,
  itemId: string,
  reviewBy: string | null,
): Promise<void> => {
  await db
    .updateTable('knowledge_items')
    .set({ review_by: reviewBy })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', itemId)
    .execute()
}

/** What the pages of a reading came to. */
export const findOutcome = async (
  { db, workspaceId }: Ctx,
  sourceId: string,
): Promise<{ useful: number; problem: ReadProblem | null }> => {
  const { rows } = await sql<{ useful: number; problem: ReadProblem | null }>`
    select count(*) filter (where item_id is not null or new_body is not null)::integer as useful,
      (array_agg(problem order by position) filter (where problem is not null))[1] as problem
    from knowledge_pages where workspace_id = ${workspaceId} and source_id = ${sourceId}`.execute(db)
  return rows[0]!
}
