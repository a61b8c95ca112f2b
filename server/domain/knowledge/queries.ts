// The SQL of articles and answers themselves; index-queries.ts and search-queries.ts have that of the index.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import type { ChannelName, Tables } from '../../platform/db/tables.ts'
import type { KnowledgeQuery } from './schema.ts'

export type Kind = Tables['knowledge_items']['kind']

export type Item = {
  id: string
  externalId: string | null
  title: string
  body: string
  phrasings: string[]
  language: string
  url: string | null
  state: 'draft' | 'published'
  audience: { channels: ChannelName[]; countries: string[]; tagIds: string[]; languages: string[] }
  isInternal: boolean
  reviewBy: string | null
  createdAt: string
  updatedAt: string
}

export type ItemValues = Omit<Item, 'id' | 'createdAt' | 'updatedAt'>

const columns = (
  body = sql`body`,
) => sql`id, external_id as "externalId", title, ${body} as body, phrasings, language, url,
  state, json_build_object('channels', channels, 'countries', countries, 'tagIds', tag_ids, 'languages', languages) as audience,
  is_internal as "isInternal", review_by::text as "reviewBy", created_at as "createdAt", updated_at as "updatedAt"`

export const findItem = async (
  { db, workspaceId }: Ctx,
  kind: Kind,
  id: string,
): Promise<Item | undefined> => {
  const { rows } = await sql<Item>`
    select ${columns()} from knowledge_items
    where workspace_id = ${workspaceId} and id = ${id} and kind = ${kind}`.execute(db)
  return rows[0]
}

export const findItemByExternalId = async (
  { db, workspaceId }: Ctx,
  kind: Kind,
  externalId: string,
): Promise<Item | undefined> => {
  const { rows } = await sql<Item>`
    select ${columns()} from knowledge_items
    where workspace_id = ${workspaceId} and kind = ${kind} and external_id = ${externalId}`.execute(db)
  return rows[0]
}

/** Newest first. `hasBodies: false` leaves the bodies empty. */
export const listItems = async (
  { db, workspaceId }: Ctx,
  kind: Kind,
  { search, externalId, state, language, reviewBefore, cursor, limit = PAGE_DEFAULT }: KnowledgeQuery,
  { hasBodies }: { hasBodies: boolean },
): Promise<{ items: Item[]; nextCursor: string | null }> => {
  const listing = ['listKnowledge', workspaceId, kind, search, externalId, state, language, reviewBefore]
  const after = cursor === undefined ? null : decodeCursor(listing, cursor).id
  const { rows } = await sql<Item>`
    select ${hasBodies ? columns() : columns(sql`''`)} from knowledge_items
    where workspace_id = ${workspaceId} and kind = ${kind}
      and (${externalId ?? null}::text is null or external_id = ${externalId ?? null})
      and (${search ?? null}::text is null
        or position(lower(${search ?? null}) in lower(title || chr(10) || array_to_string(phrasings, chr(10)))) > 0)
      and (${state ?? null}::text is null or state = ${state ?? null})
      and (${language ?? null}::text is null or language = ${language ?? null})
      and (${reviewBefore ?? null}::date is null or review_by < ${reviewBefore ?? null}::date)
      and id < coalesce(${after}::text, 'd')
    order by id desc
    limit ${limit + 1}`.execute(db)
  const items = rows.slice(0, limit)
  return {
    items,
    nextCursor: rows.length > limit ? encodeCursor(listing, { at: null, id: items.at(-1)!.id }) : null,
  }
}

/** Of both kinds, drafts included. */
export const countItems = async ({ db, workspaceId }: Ctx): Promise<number> => {
  const { count } = await db
    .selectFrom('knowledge_items')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Those of the ids that are no tags of the workspace. */
export const findUnknownTags = async (
  { db, workspaceId }: Ctx,
  tagIds: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select q.id from unnest(${tagIds}::text[]) q (id)
    where not exists (select from tags t where t.workspace_id = ${workspaceId} and t.id = q.id)`.execute(db)
  return rows.map(({ id }) => id)
}

const columnsOf = (item: ItemValues) => ({
  external_id: item.externalId,
  title: item.title,
  body: item.body,
  phrasings: item.phrasings,
  language: item.language,
  url: item.url,
  state: item.state,
  channels: item.audience.channels,
  countries: item.audience.countries,
  tag_ids: item.audience.tagIds,
  languages: item.audience.languages,
  is_internal: item.isInternal,
  review_by: item.reviewBy,
})

export const insertItem = async (
  { db, workspaceId, now }: Ctx,
  { id, kind, item, by }: { id: string; kind: Kind; item: ItemValues; by: string },
): Promise<void> => {
  const at = now()
  await db
    .insertInto('knowledge_items')
    .values({
      workspace_id: workspaceId,
      id,
      kind,
      ...columnsOf(item),
      updated_by: by,
      created_at: at,
      updated_at: at,
    })
    .execute()
}

export const updateItem = async (
  { db, workspaceId, now }: Ctx,
  { id, item, by }: { id: string; item: ItemValues; by: string },
): Promise<void> => {
  await db
    .updateTable('knowledge_items')
    .set({ ...columnsOf(item), updated_by: by, updated_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export const deleteItemRows = async ({ db, workspaceId }: Ctx, ids: readonly string[]): Promise<void> => {
  await db
    .deleteFrom('knowledge_items')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute()
}
