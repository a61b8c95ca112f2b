import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { ApiError } from '../../../platform/errors.ts'
import { findItem } from '../queries.ts'
import { findPage, listPages, type StoredPage } from './page-queries.ts'
import {
  PAGES_MAX,
  type PageChange,
  type PageReview,
  SOURCES_MAX,
  type Source,
  type SourceDetails,
  type SourceSettings,
} from './schema.ts'
import { findSource, listSourceRows, type PageCounts, type StoredSource } from './source-queries.ts'
import { reviewText } from './store-page.ts'

const show = (source: StoredSource & { pages: PageCounts }): Source => ({
  id: source.id,
  type: source.kind,
  name: source.name,
  url: source.url,
  language: source.language,
  updates: source.updates,
  state: source.state,
  problem: source.problem,
  version: source.reading,
  pages: source.pages,
  readAt: source.readAt,
  createdAt: source.createdAt,
})

/** The workspace's websites and files, newest first. */
export const listSources = async (ctx: Ctx): Promise<{ sources: Source[] }> => ({
  sources: (await listSourceRows(ctx, null, SOURCES_MAX)).map(show),
})

/** Throws KNOWLEDGE_SOURCE_NOT_FOUND. */
export const getSource = async (ctx: Ctx, id: string): Promise<Source> => {
  const [source] = await listSourceRows(ctx, id, 1)
  if (!source) throw new ApiError('KNOWLEDGE_SOURCE_NOT_FOUND')
  return show(source)
}

/** With its settings and pages. Throws KNOWLEDGE_SOURCE_NOT_FOUND. */
export const getSourceDetails = async (ctx: Ctx, id: string): Promise<SourceDetails> => {
  const [row] = await listSourceRows(ctx, id, 1)
  if (!row) throw new ApiError('KNOWLEDGE_SOURCE_NOT_FOUND')
  return { source: show(row), settings: settingsOf(row), pages: await listPages(ctx, id, PAGES_MAX) }
}

export const settingsOf = ({
  name,
  updates,
  language,
  audience,
  isInternal,
  reviewBy,
}: StoredSource): SourceSettings => ({ name, updates, language, audience, isInternal, reviewBy })

const getPage = async (ctx: Ctx, sourceId: string, pageId: string): Promise<[StoredSource, StoredPage]> => {
  const source = await findSource(ctx, sourceId)
  const page = source && (await findPage(ctx, sourceId, pageId))
  if (!source || !page) throw new ApiError('KNOWLEDGE_SOURCE_NOT_FOUND')
  return [source, page]
}

/** The text of a page that waits for review, and the one that it would replace. Throws KNOWLEDGE_SOURCE_NOT_FOUND. */
export const getPageChange = async (
  ctx: Ctx,
  { sourceId, pageId }: { sourceId: string; pageId: string },
): Promise<PageChange> => {
  const [, { itemId, newTitle, newBody, changedAt }] = await getPage(ctx, sourceId, pageId)
  if (newTitle === null || newBody === null || changedAt === null)
    throw new ApiError('KNOWLEDGE_SOURCE_NOT_FOUND')
  const item = itemId === null ? undefined : await findItem(ctx, 'article', itemId)
  return {
    before: item ? { title: item.title, body: item.body } : null,
    after: { title: newTitle, body: newBody },
    changedAt,
  }
}

/** See reviewText. Throws KNOWLEDGE_SOURCE_NOT_FOUND as well. */
export const reviewPage = async (
  ctx: Ctx,
  { sourceId, pageId }: { sourceId: string; pageId: string },
  review: PageReview,
): Promise<{ success: true }> => {
  const [source, page] = await getPage(ctx, sourceId, pageId)
  await reviewText(ctx, source, page, review)
  return { success: true }
}
