import type { Ctx } from '../../platform/ctx/ctx.ts'
import { findItem, type Item, listItems } from './queries.ts'
import { noSuchItem, saveItem } from './save-item.ts'
import type { Article, ArticleBody, KnowledgeQuery } from './schema.ts'

const toArticle = ({ phrasings: _, ...article }: Item): Article => article

/** The workspace's articles without their bodies, newest first. */
export const listArticles = async (ctx: Ctx, query: KnowledgeQuery) => {
  const { items, nextCursor } = await listItems(ctx, 'article', query, { hasBodies: false })
  return { articles: items.map(({ body: _, phrasings: __, ...article }) => article), nextCursor }
}

/** Throws ARTICLE_NOT_FOUND. */
export const getArticle = async (ctx: Ctx, id: string): Promise<{ article: Article }> => {
  const item = await findItem(ctx, 'article', id)
  if (!item) throw noSuchItem('article')
  return { article: toArticle(item) }
}

/** See saveItem. */
export const saveArticle = async (ctx: Ctx, id: string | null, given: ArticleBody) => ({
  article: toArticle(await saveItem(ctx, { kind: 'article', id, given })),
})
