// The one way in which an article or an answer changes, and with it the index.
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { countChunks, insertChunks, lockIndex, removeChunks } from './index-queries.ts'
import { makeChunks, type NewChunk } from './make-chunks.ts'
import {
  countItems,
  deleteItemRows,
  findItem,
  findItemByExternalId,
  findUnknownTags,
  type Item,
  type ItemValues,
  insertItem,
  type Kind,
  updateItem,
} from './queries.ts'
import { type AnswerBody, type ArticleBody, ITEMS_MAX } from './schema.ts'

/** Keeps a search within its time. */
const CHUNKS_MAX = 100_000

export const noSuchItem = (kind: Kind): ApiError =>
  new ApiError(kind === 'article' ? 'ARTICLE_NOT_FOUND' : 'ANSWER_NOT_FOUND')

/** Whether the index of one would be another's. */
const isIndexedAlike = (one: ItemValues, other: ItemValues): boolean =>
  one.state === other.state &&
  (one.state === 'draft' ||
    (one.title === other.title &&
      one.body === other.body &&
      one.language === other.language &&
      one.phrasings.join('\0') === other.phrasings.join('\0')))

const valuesOf = (given: ArticleBody | AnswerBody): ItemValues => ({
  externalId: given.externalId ?? null,
  title: given.title,
  body: given.body,
  phrasings: 'phrasings' in given ? [...new Set(given.phrasings)] : [],
  language: given.language,
  url: 'url' in given ? (given.url ?? null) : null,
  state: given.state ?? 'published',
  audience: { channels: [], countries: [], tagIds: [], languages: [], ...given.audience },
  isInternal: given.isInternal ?? false,
  reviewBy: given.reviewBy ?? null,
})

export const requireDate = (reviewBy: string | null): void => {
  if (reviewBy !== null && new Date(`${reviewBy}T00:00:00Z`).toISOString().slice(0, 10) !== reviewBy)
    throw invalid({ field: 'reviewBy', message: 'is not a day of the calendar' })
}

export const requireTags = async (ctx: Ctx, { audience }: Pick<ItemValues, 'audience'>): Promise<void> => {
  const unknown = audience.tagIds.length > 0 ? await findUnknownTags(ctx, audience.tagIds) : []
  if (unknown.length > 0)
    throw invalid(
      ...unknown.map((id) => ({
        field: `audience.tagIds[${audience.tagIds.indexOf(id)}]`,
        message: 'is not a tag of this workspace',
      })),
    )
}

/** The item that is replaced, undefined for a new one. */
const findReplaced = async (
  ctx: Ctx,
  kind: Kind,
  id: string | null,
  item: ItemValues,
): Promise<Item | undefined> => {
  const bearer = item.externalId === null ? undefined : await findItemByExternalId(ctx, kind, item.externalId)
  if (id === null) return bearer
  const before = await findItem(ctx, kind, id)
  if (!before) throw noSuchItem(kind)
  if (bearer && bearer.id !== id)
    throw invalid({ field: 'externalId', message: `is the external id of another ${kind}` })
  return before
}

type Given = { kind: Kind; given: ArticleBody | AnswerBody }
export type PreparedItem = {
  kind: Kind
  item: ItemValues
  chunks: NewChunk[]
  ifUpdatedAt: string | undefined
}

/** What takes the processor, before the transaction: it would hold the lock. */
export const prepareItem = async ({ kind, given }: Given): Promise<PreparedItem> => {
  const item = valuesOf(given)
  requireDate(item.reviewBy)
  const chunks = item.state === 'published' ? await makeChunks({ kind, ...item }) : []
  return { kind, item, chunks, ifUpdatedAt: given.ifUpdatedAt }
}

/**
 * Creates an article or answer, or replaces the one with this id, or (without one) with this external id. The terms of
 * a published one are written in the same transaction; saving it unchanged writes no terms. Throws ARTICLE_NOT_FOUND or
 * ANSWER_NOT_FOUND, KNOWLEDGE_CHANGED if it isn't as it was at `ifUpdatedAt`, and VALIDATION_ERROR for an external id
 * of another item, unknown tags and a full knowledge base.
 */
export const saveItem = async (ctx: Ctx, { id, ...given }: Given & { id: string | null }): Promise<Item> => {
  const prepared = await prepareItem(given)
  return inTransaction(ctx, (ctx) => storeItem(ctx, id, prepared))
}

/** Like saveItem; call it in a transaction. */
export const storeItem = async (
  ctx: Ctx,
  id: string | null,
  { kind, item, chunks, ifUpdatedAt }: PreparedItem,
): Promise<Item> => {
  const first = await lockIndex(ctx, chunks.length)
  const before = await findReplaced(ctx, kind, id, item)
  if (before && ifUpdatedAt !== undefined && before.updatedAt !== ifUpdatedAt)
    throw new ApiError('KNOWLEDGE_CHANGED')
  await requireTags(ctx, item)
  if (!before && (await countItems(ctx)) >= ITEMS_MAX)
    throw invalid({
      field: 'title',
      message: `the workspace already has ${ITEMS_MAX} articles and answers`,
    })
  const itemId = before?.id ?? ctx.newId()
  const by = actorId(ctx.actor)
  if (before) await updateItem(ctx, { id: itemId, item, by })
  else await insertItem(ctx, { id: itemId, kind, item, by })
  if (!before || !isIndexedAlike(before, item)) {
    if (before?.state === 'published') await removeChunks(ctx, [{ itemId, language: before.language }])
    if (chunks.length > 0 && (await countChunks(ctx)) + chunks.length > CHUNKS_MAX)
      throw invalid({ field: 'body', message: `the workspace would have more than ${CHUNKS_MAX} sections` })
    if (chunks.length > 0) await insertChunks(ctx, { itemId, language: item.language, first, chunks })
  }
  return (await findItem(ctx, kind, itemId))!
}

/** Deletes an article or answer and takes it out of the index. Throws ARTICLE_NOT_FOUND or ANSWER_NOT_FOUND. */
export const deleteItem = (ctx: Ctx, { kind, id }: { kind: Kind; id: string }): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    await lockIndex(ctx, 0)
    const before = await findItem(ctx, kind, id)
    if (!before) throw noSuchItem(kind)
    if (before.state === 'published') await removeChunks(ctx, [{ itemId: id, language: before.language }])
    await deleteItemRows(ctx, [id])
    return { success: true }
  })
