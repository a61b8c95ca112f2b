// What becomes of a page after it was read: nothing, an article, or a change that waits for a person.
import { createHash } from 'node:crypto'
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { ApiError } from '../../../platform/errors.ts'
import { lockIndex } from '../index-queries.ts'
import { findItem, type Item } from '../queries.ts'
import { prepareItem, storeItem } from '../save-item.ts'
import { ARTICLE_MAX, TITLE_MAX } from '../schema.ts'
import type { ReadProblem } from './extract/problem.ts'
import { findPage, type PageState, type StoredPage, updatePage, updateReviewBy } from './page-queries.ts'
import type { StoredSource } from './source-queries.ts'

export type FoundText = { title: string; body: string; language: string; url: string | null }

const TRIES_MAX = 3

const UNAVAILABLE: readonly PageState[] = ['gone', 'blocked']

/** The article that a text becomes. One that exists keeps everything else, for people may have changed it. */
const articleOf = (source: StoredSource, text: FoundText, item: Item | undefined) => {
  const { title, body, language } = text
  if (item) {
    const { externalId, url, state, audience, isInternal, reviewBy, updatedAt } = item
    return {
      title,
      body,
      language,
      externalId,
      url: text.url ?? url,
      state,
      audience,
      isInternal,
      reviewBy,
      ifUpdatedAt: updatedAt,
    }
  }
  const { audience, isInternal, reviewBy } = source
  return { title, body, language, url: text.url, audience, isInternal, reviewBy }
}

/** Publishes a text as the page's article; returns the article's id. Throws as storeItem does. */
const publish = async (
  ctx: Ctx,
  source: StoredSource,
  page: Pick<StoredPage, 'itemId'>,
  text: FoundText,
  store: (ctx: Ctx, save: (ctx: Ctx) => Promise<string>) => Promise<void>,
): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    const item = page.itemId === null ? undefined : await findItem(ctx, 'article', page.itemId)
    const prepared = await prepareItem({ kind: 'article', given: articleOf(source, text, item) })
    try {
      await inTransaction(ctx, async (ctx) => {
        // In the order of everything that changes articles.
        await lockIndex(ctx, 0)
        await store(ctx, async (ctx) => (await storeItem(ctx, item?.id ?? null, prepared)).id)
      })
      return
    } catch (error) {
      const isChanged =
        error instanceof ApiError && /^(KNOWLEDGE_CHANGED|ARTICLE_NOT_FOUND)$/.test(error.code)
      if (!isChanged || attempt === TRIES_MAX) throw error
    }
  }
}

const bounded = ({ title, body, language, url }: FoundText, location: string): FoundText => ({
  title: (title === '' ? location : title).slice(0, TITLE_MAX).toWellFormed().trim(),
  body: body.slice(0, ARTICLE_MAX).toWellFormed(),
  language,
  url,
})

const CUT: ReadProblem = {
  code: 'TEXT_CUT',
  message: `Only the first ${ARTICLE_MAX.toLocaleString('en')} characters were read.`,
}

const hashOf = ({ title, body }: FoundText): Buffer =>
  createHash('sha256').update(`${title}\0${body}`).digest()

/** An article that was up for review because its page was unavailable. */
const restoreReview = async (
  ctx: Ctx,
  source: StoredSource,
  { state, itemId }: StoredPage,
): Promise<void> => {
  if (itemId !== null && UNAVAILABLE.includes(state)) await updateReviewBy(ctx, itemId, source.reviewBy)
}

type Validators = Pick<StoredPage, 'etag' | 'lastModified'>

/**
 * Takes in what a page says now. The same text changes nothing. A new text is published in the first reading of the
 * source, of files, and if the source says so; otherwise it waits for a person. Storing the same reading twice is
 * harmless. Throws VALIDATION_ERROR if the knowledge base is full.
 */
export const storeText = async (
  ctx: Ctx,
  source: StoredSource,
  page: StoredPage,
  found: FoundText,
  validators: Validators,
): Promise<void> => {
  const text = bounded(found, page.location)
  const hash = hashOf(text)
  const problem = found.body.length > ARTICLE_MAX ? CUT : null
  const seen = { state: 'read' as const, problem, reading: source.reading, tries: 0, hash, ...validators }
  const isNow = source.updates === 'publish' || source.kind === 'file' || source.reading === 1
  const locked = async (ctx: Ctx): Promise<StoredPage | undefined> => {
    const now = await findPage(ctx, source.id, page.id, { isLocked: true })
    // Another process was faster, or the source was removed.
    return now && now.reading < source.reading ? now : undefined
  }
  if (!isNow || page.hash?.equals(hash))
    return inTransaction(ctx, async (ctx) => {
      await lockIndex(ctx, 0)
      const now = await locked(ctx)
      if (!now) return
      await restoreReview(ctx, source, now)
      const item = now.itemId === null ? undefined : await findItem(ctx, 'article', now.itemId)
      const isPublished = item?.title === text.title && item.body === text.body
      const waiting = now.hash?.equals(hash) ? undefined : isPublished ? null : text
      await updatePage(ctx, source.id, page.id, { ...seen, ...(waiting !== undefined && { waiting }) })
    })
  return publish(ctx, source, page, text, async (ctx, save) => {
    const now = await locked(ctx)
    if (!now) return
    // Someone deleted the article meanwhile, and wants no other.
    if (now.itemId !== page.itemId) return updatePage(ctx, source.id, page.id, { ...seen, waiting: null })
    const itemId = await save(ctx)
    await restoreReview(ctx, source, now)
    await updatePage(ctx, source.id, page.id, { ...seen, itemId, waiting: null })
  })
}

/** Records that a page hasn't changed or can't be read. Its article keeps its last text; if the page is gone, it is up for review. */
export const storeState = async (
  ctx: Ctx,
  source: StoredSource,
  page: StoredPage,
  { state, problem }: { state: Exclude<PageState, 'new'>; problem: ReadProblem | null },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await lockIndex(ctx, 0)
    const now = await findPage(ctx, source.id, page.id, { isLocked: true })
    if (!now || now.reading >= source.reading) return
    const isLost = UNAVAILABLE.includes(state)
    if (isLost && now.itemId !== null && !UNAVAILABLE.includes(now.state))
      await updateReviewBy(ctx, now.itemId, ctx.now().toISOString().slice(0, 10))
    if (state === 'read') await restoreReview(ctx, source, now)
    await updatePage(ctx, source.id, page.id, { state, problem, reading: source.reading, tries: 0 })
  })

/**
 * A person publishes or dismisses a page's new text. Throws NOT_FOUND, and KNOWLEDGE_CHANGED if another text waits by
 * now.
 */
export const reviewText = async (
  ctx: Ctx,
  source: StoredSource,
  page: StoredPage,
  { decision, changedAt }: { decision: 'publish' | 'dismiss'; changedAt: string },
): Promise<void> => {
  const { newTitle, newBody, newLanguage } = page
  if (newTitle === null || newBody === null || newLanguage === null || page.changedAt !== changedAt)
    throw new ApiError('KNOWLEDGE_CHANGED')
  const check = async (ctx: Ctx) => {
    const now = await findPage(ctx, source.id, page.id, { isLocked: true })
    if (now?.changedAt !== changedAt || now.itemId !== page.itemId) throw new ApiError('KNOWLEDGE_CHANGED')
  }
  if (decision === 'dismiss')
    return inTransaction(ctx, async (ctx) => {
      await check(ctx)
      await updatePage(ctx, source.id, page.id, { waiting: null })
    })
  const url = source.kind === 'file' ? null : page.location
  const text = { title: newTitle, body: newBody, language: newLanguage, url }
  return publish(ctx, source, page, text, async (ctx, save) => {
    await check(ctx)
    await updatePage(ctx, source.id, page.id, { itemId: await save(ctx), waiting: null })
  })
}
