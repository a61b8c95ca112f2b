// Reads a website or a file, page by page, in turns: every page is stored when it was read, so that a process that
// dies loses one page, and a slow site gives way to others after each turn.
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { ApiError } from '../../../platform/errors.ts'
import { MissingFileError } from '../../../platform/files/store.ts'
import { ThreadError } from '../../../platform/threads.ts'
import { lockIndex, removeChunks } from '../index-queries.ts'
import { deleteItemRows } from '../queries.ts'
import { extractPage } from './extract/extract-thread.ts'
import type { ReadProblem } from './extract/problem.ts'
import { makeSiteReader, type SiteReader } from './fetch-page.ts'
import { listSite } from './list-site.ts'
import {
  deleteOldPages,
  findNextPage,
  findOutcome,
  insertPages,
  listArticlesOf,
  type StoredPage,
  updatePage,
} from './page-queries.ts'
import { readFileParts } from './read-file-parts.ts'
import { PAGES_MAX } from './schema.ts'
import { beginReading, endReading, findSource, type StoredSource, updateProgress } from './source-queries.ts'
import { storeState, storeText } from './store-page.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const AGAIN_AFTER_MS = 7 * DAY_MS
const AGAIN_AFTER_FAILURE_MS = DAY_MS
/** Longer than a turn can take. */
export const OVERDUE_AFTER_MS = 20 * MINUTE_MS
const RETRY_MS = 30_000
/** Of a page in one reading. */
const TRIES_MAX = 3
/** Pages in a row that can't be fetched: then the site is down. */
const FAILURES_MAX = 5
/** Each fourth time pages are read even if the site says that they haven't changed. */
const FULL_EVERY = 4

export type TurnOptions = {
  /** Ends requests; nothing is recorded of the page that is being read. */
  signal: AbortSignal
  /** No page is begun after this long. */
  turnMs: number
}

type Turn = { ctx: Ctx; source: StoredSource; site: SiteReader; signal: AbortSignal }

const later = (ctx: Ctx, ms: number): Date => new Date(ctx.now().getTime() + ms)

/** Reads for one turn. Returns when the next one should be, null if nothing is left to do. */
export const readSource = async (
  ctx: Ctx,
  sourceId: string,
  { signal, turnMs }: TurnOptions,
): Promise<Date | null> => {
  const source = await startTurn(ctx, sourceId)
  if (!source) return null
  const turn = { ctx, source, site: makeSiteReader(signal), signal }
  const until = performance.now() + turnMs
  try {
    if (!source.isListed) {
      const listed = source.kind === 'file' ? await listFile(turn) : await listPagesOf(turn)
      if (listed !== 'listed') return listed
    }
    while (!signal.aborted && performance.now() < until) {
      const page = await findNextPage(ctx, source)
      if (!page) return await finish(turn)
      const again = await readPageOf(turn, page)
      if (again !== 'next') return again
    }
    return ctx.now()
  } catch (error) {
    if (error instanceof ThreadError) return later(ctx, RETRY_MS)
    throw error
  }
}

/** Undefined if it was removed, or isn't to be read now. */
const startTurn = async (ctx: Ctx, sourceId: string): Promise<StoredSource | undefined> => {
  const nextReadAt = later(ctx, OVERDUE_AFTER_MS)
  const known = await findSource(ctx, sourceId)
  if (!known) return undefined
  if (known.state !== 'reading') {
    if (new Date(known.nextReadAt) > ctx.now() || known.kind === 'file') return undefined
    await beginReading(ctx, sourceId, { isFull: (known.reading + 1) % FULL_EVERY === 0, nextReadAt })
  } else await updateProgress(ctx, known, { nextReadAt })
  return findSource(ctx, sourceId)
}

const end = async (
  { ctx, source }: Turn,
  state: 'ready' | 'failed',
  problem: ReadProblem | null,
): Promise<null> => {
  const isFile = source.kind === 'file'
  // A file is read once.
  const ms = isFile ? 100 * 365 * DAY_MS : state === 'ready' ? AGAIN_AFTER_MS : AGAIN_AFTER_FAILURE_MS
  await endReading(ctx, source, { state, problem, nextReadAt: later(ctx, ms) })
  return null
}

const finish = async (turn: Turn): Promise<null> => {
  const { useful, problem } = await findOutcome(turn.ctx, turn.source.id)
  return useful > 0 ? end(turn, 'ready', null) : end(turn, 'failed', problem ?? NOTHING)
}

const NOTHING: ReadProblem = {
  code: 'NO_PAGES',
  message: 'There is nothing to read. Check the address.',
}

/** Counts a failure of the site; too many in a row end the reading. */
const countFailure = async (turn: Turn, problem: ReadProblem): Promise<Date | null> => {
  const { ctx, source } = turn
  const failures = source.failures + 1
  if (failures >= FAILURES_MAX) return end(turn, 'failed', problem)
  await updateProgress(ctx, source, { failures })
  return later(ctx, RETRY_MS * failures)
}

const listPagesOf = async (turn: Turn): Promise<'listed' | Date | null> => {
  const { ctx, source, site, signal } = turn
  const listed = await listSite(source, site)
  if (signal.aborted) return ctx.now()
  if ('problem' in listed)
    return listed.isTemporary ? countFailure(turn, listed.problem) : end(turn, 'failed', listed.problem)
  await insertPages(ctx, source.id, listed.urls, PAGES_MAX)
  await updateProgress(ctx, source, { isListed: true })
  return 'listed'
}

/** Reads a whole file; it has no pages to wait for. */
const listFile = async (turn: Turn): Promise<Date | null> => {
  const { ctx, source } = turn
  let parts: Awaited<ReturnType<typeof readFileParts>>
  try {
    parts = await readFileParts(ctx, source)
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error
    parts = {
      problem: { code: 'FILE_GONE', message: 'The uploaded file is no longer there. Upload it again.' },
    }
  }
  if ('problem' in parts) return end(turn, 'failed', parts.problem)
  await insertPages(
    ctx,
    source.id,
    parts.texts.map((_, at) => String(at + 1)),
    PAGES_MAX,
  )
  for (;;) {
    const page = await findNextPage(ctx, source)
    // The last parts of an older version may have no successor.
    const body = page && parts.texts[Number(page.location) - 1]
    if (!page || body === undefined) break
    const title = parts.texts.length === 1 ? source.name : `${source.name} (${page.location})`
    await storeOrRefuse(turn, page, { title: titleOf(title), body, language: source.language, url: null })
  }
  await removeArticles(ctx, source, source.reading)
  return finish(turn)
}

const titleOf = (name: string): string => name.replace(/\.(pdf|docx|md|txt|csv)\b/i, '')

/** Someone should know which page the knowledge base had no room for. */
const storeOrRefuse = async (
  { ctx, source }: Turn,
  page: StoredPage,
  text: Parameters<typeof storeText>[3],
  validators = { etag: null, lastModified: null } as Parameters<typeof storeText>[4],
): Promise<void> => {
  try {
    await storeText(ctx, source, page, text, validators)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const message = error.details?.[0] ? `${error.details[0].message}.` : error.message
    const problem = { code: error.code, message: message.charAt(0).toUpperCase() + message.slice(1) }
    await storeState(ctx, source, page, { state: 'failed', problem })
  }
}

const readPageOf = async (turn: Turn, page: StoredPage): Promise<'next' | Date | null> => {
  const { ctx, source, site, signal } = turn
  const canSkip = !source.isFull && page.hash !== null && page.state === 'read'
  const validators = canSkip ? { etag: page.etag, lastModified: page.lastModified } : null
  const fetched = await site.fetch({ url: new URL(page.location), kind: 'page', validators })
  if (signal.aborted) return ctx.now()
  if (fetched.is === 'failed' && fetched.isTemporary) return postpone(turn, page, fetched.problem)
  if (source.failures > 0) {
    source.failures = 0
    await updateProgress(ctx, source, { failures: 0 })
  }
  if (fetched.is === 'unchanged') await storeState(ctx, source, page, { state: 'read', problem: null })
  else if (fetched.is !== 'read')
    await storeState(ctx, source, page, { state: fetched.is, problem: fetched.problem })
  else {
    const read = await extractPage(fetched.bytes, fetched.contentType)
    if ('problem' in read) await storeState(ctx, source, page, { state: 'failed', problem: read.problem })
    else if (read.text === '') await storeState(ctx, source, page, { state: 'empty', problem: EMPTY })
    else {
      const { title, text: body, language } = read
      const text = { title, body, language: language ?? source.language, url: fetched.url.href }
      await storeOrRefuse(turn, page, text, fetched.validators)
    }
  }
  return 'next'
}

const EMPTY: ReadProblem = {
  code: 'NO_TEXT',
  message: 'The page has no text of its own; scripts may add it later. Paste its text as an article.',
}

/** Tries the page again after the others, up to three times. */
const postpone = async (turn: Turn, page: StoredPage, problem: ReadProblem): Promise<Date | null> => {
  const { ctx, source } = turn
  const tries = page.tries + 1
  if (tries >= TRIES_MAX) await storeState(ctx, source, page, { state: 'failed', problem })
  else await updatePage(ctx, source.id, page.id, { tries })
  return countFailure(turn, problem)
}

/** Removes the articles of a source, or of what had no turn since a reading. */
export const removeArticles = (ctx: Ctx, { id }: Pick<StoredSource, 'id'>, before: number | null) =>
  inTransaction(ctx, async (ctx) => {
    await lockIndex(ctx, 0)
    const items = await listArticlesOf(ctx, id, { before })
    if (items.length > 0) {
      await removeChunks(ctx, items)
      await deleteItemRows(
        ctx,
        items.map(({ itemId }) => itemId),
      )
    }
    if (before !== null) await deleteOldPages(ctx, id, before)
  })
