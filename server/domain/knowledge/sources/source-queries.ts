// The SQL of websites and files; page-queries.ts has that of their pages.
import { sql } from 'kysely'
import { actorId } from '../../../platform/ctx/actor.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { isAtWork } from '../../../platform/db/closed-workspaces.ts'
import type { Db } from '../../../platform/db/pool.ts'
import type { ChannelName, Tables } from '../../../platform/db/tables.ts'
import type { ReadProblem } from './extract/problem.ts'
import type { SourceSettings } from './schema.ts'

type Row = Tables['knowledge_sources']

export type StoredSource = {
  id: string
  kind: Row['kind']
  name: string
  url: string | null
  attachmentId: string | null
  language: string
  audience: { channels: ChannelName[]; countries: string[]; tagIds: string[]; languages: string[] }
  isInternal: boolean
  reviewBy: string | null
  updates: Row['updates']
  state: Row['state']
  problem: ReadProblem | null
  reading: number
  isListed: boolean
  isFull: boolean
  failures: number
  readAt: string | null
  nextReadAt: string
  createdAt: string
}

export type PageCounts = {
  total: number
  read: number
  published: number
  changed: number
  unavailable: number
  failed: number
}

const columns = sql`s.id, s.kind, s.name, s.url, s.attachment_id as "attachmentId", s.language,
  json_build_object('channels', s.channels, 'countries', s.countries, 'tagIds', s.tag_ids, 'languages', s.languages) as audience,
  s.is_internal as "isInternal", s.review_by::text as "reviewBy", s.updates, s.state, s.problem, s.reading,
  s.is_listed as "isListed", s.is_full as "isFull", s.failures, s.read_at as "readAt", s.next_read_at as "nextReadAt",
  s.created_at as "createdAt"`

export const findSource = async (
  { db, workspaceId }: Ctx,
  id: string,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<StoredSource | undefined> => {
  const { rows } = await sql<StoredSource>`
    select ${columns} from knowledge_sources s where workspace_id = ${workspaceId} and id = ${id}
    ${isLocked ? sql`for update` : sql``}`.execute(db)
  return rows[0]
}

/** Newest first; of all or of one. */
export const listSourceRows = async (
  { db, workspaceId }: Ctx,
  id: string | null,
  limit: number,
): Promise<(StoredSource & { pages: PageCounts })[]> => {
  const { rows } = await sql<StoredSource & { pages: PageCounts }>`
    select ${columns}, c.pages from knowledge_sources s
    cross join lateral (
      select json_build_object(
        'total', count(*), 'read', count(*) filter (where p.reading = s.reading), 'published', count(p.item_id),
        'changed', count(p.new_body), 'unavailable', count(*) filter (where p.state in ('gone', 'blocked')),
        'failed', count(*) filter (where p.state in ('failed', 'empty'))
      ) as pages
      from knowledge_pages p where p.workspace_id = ${workspaceId} and p.source_id = s.id
    ) c
    where s.workspace_id = ${workspaceId} and (${id}::text is null or s.id = ${id})
    order by s.id desc
    limit ${limit}`.execute(db)
  return rows
}

export const countSources = async ({ db, workspaceId }: Ctx): Promise<number> => {
  const { count } = await db
    .selectFrom('knowledge_sources')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export type NewSource = Pick<
  StoredSource,
  | 'id'
  | 'kind'
  | 'name'
  | 'url'
  | 'attachmentId'
  | 'language'
  | 'audience'
  | 'isInternal'
  | 'reviewBy'
  | 'updates'
>

export const insertSource = async (
  { db, workspaceId, now }: Ctx,
  source: NewSource,
  { by, nextReadAt }: { by: string; nextReadAt: Date },
): Promise<void> => {
  const at = now()
  const { channels, countries, tagIds, languages } = source.audience
  await db
    .insertInto('knowledge_sources')
    .values({
      workspace_id: workspaceId,
      id: source.id,
      kind: source.kind,
      name: source.name,
      url: source.url,
      attachment_id: source.attachmentId,
      language: source.language,
      channels,
      countries,
      tag_ids: tagIds,
      languages,
      is_internal: source.isInternal,
      review_by: source.reviewBy,
      updates: source.updates,
      state: 'reading',
      next_read_at: nextReadAt,
      created_by: by,
      created_at: at,
      updated_at: at,
    })
    .execute()
}

/** Of a source, and of its articles where they are still the source's own. */
export const updateSettings = async (
  { db, workspaceId, now, actor }: Ctx,
  id: string,
  { name, updates, language, audience, isInternal, reviewBy }: SourceSettings,
): Promise<void> => {
  const { channels, countries, tagIds, languages } = audience
  const isOwnAudience = sql`(i.channels, i.countries, i.tag_ids, i.languages)
    is not distinct from (s.channels, s.countries, s.tag_ids, s.languages)`
  const isOwnReview = sql`i.review_by is not distinct from s.review_by`
  await sql`
    with articles as (
      update knowledge_items i set
        channels = case when ${isOwnAudience} then ${channels}::text[] else i.channels end,
        countries = case when ${isOwnAudience} then ${countries}::text[] else i.countries end,
        tag_ids = case when ${isOwnAudience} then ${tagIds}::text[] else i.tag_ids end,
        languages = case when ${isOwnAudience} then ${languages}::text[] else i.languages end,
        is_internal = case when i.is_internal = s.is_internal then ${isInternal} else i.is_internal end,
        review_by = case when ${isOwnReview} then ${reviewBy}::date else i.review_by end,
        updated_by = ${actorId(actor)}, updated_at = ${now()}
      from knowledge_pages p
      join knowledge_sources s on s.workspace_id = p.workspace_id and s.id = p.source_id
      where p.workspace_id = ${workspaceId} and p.source_id = ${id} and i.workspace_id = p.workspace_id
        and i.id = p.item_id
    )
    update knowledge_sources set name = ${name}, updates = ${updates}, language = ${language},
      channels = ${channels}::text[], countries = ${countries}::text[], tag_ids = ${tagIds}::text[],
      languages = ${languages}::text[], is_internal = ${isInternal}, review_by = ${reviewBy}::date,
      updated_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
}

/** Begins the next reading; does nothing if one is under way. `file`: a new version to read instead, in any case. */
export const beginReading = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  {
    isFull,
    nextReadAt,
    file,
  }: { isFull: boolean; nextReadAt: Date; file?: { attachmentId: string; name: string } },
): Promise<void> => {
  await sql`
    update knowledge_sources set state = 'reading', reading = reading + 1, is_listed = false, is_full = ${isFull},
      failures = 0, problem = null, next_read_at = ${nextReadAt}, updated_at = ${now()},
      attachment_id = coalesce(${file?.attachmentId ?? null}, attachment_id), name = coalesce(${file?.name ?? null}, name)
    where workspace_id = ${workspaceId} and id = ${id} and (state <> 'reading' or ${file !== undefined})`.execute(
    db,
  )
}

type Progress = { nextReadAt?: Date; isListed?: boolean; failures?: number }

/** Records how far a reading is, unless another has begun. */
export const updateProgress = async (
  { db, workspaceId }: Ctx,
  { id, reading }: Pick<StoredSource, 'id' | 'reading'>,
  { nextReadAt, isListed, failures }: Progress,
): Promise<void> => {
  await sql`
    update knowledge_sources set next_read_at = coalesce(${nextReadAt ?? null}, next_read_at),
      is_listed = coalesce(${isListed ?? null}, is_listed), failures = coalesce(${failures ?? null}, failures)
    where workspace_id = ${workspaceId} and id = ${id} and reading = ${reading} and state = 'reading'`.execute(
    db,
  )
}

/** Ends a reading, unless another has begun. A file that was read is no longer needed. */
export const endReading = async (
  { db, workspaceId, now }: Ctx,
  { id, reading }: Pick<StoredSource, 'id' | 'reading'>,
  {
    state,
    problem,
    nextReadAt,
  }: { state: 'ready' | 'failed'; problem: ReadProblem | null; nextReadAt: Date },
): Promise<void> => {
  await sql`
    update knowledge_sources set state = ${state}, problem = ${problem && JSON.stringify(problem)},
      next_read_at = ${nextReadAt}, attachment_id = null, read_at = ${now()}, updated_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id} and reading = ${reading} and state = 'reading'`.execute(
    db,
  )
}

export const deleteSourceRow = async ({ db, workspaceId }: Ctx, id: string): Promise<void> => {
  await db
    .deleteFrom('knowledge_sources')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Those of all workspaces that are to be read, and those whose reader may have died. */
export const listDueSources = async (
  db: Db,
  now: Date,
  limit: number,
): Promise<{ workspaceId: string; sourceId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; sourceId: string }>`
    select workspace_id as "workspaceId", id as "sourceId" from knowledge_sources
    where next_read_at <= ${now} and ${isAtWork('workspace_id')} order by next_read_at limit ${limit}`.execute(
    db,
  )
  return rows
}
