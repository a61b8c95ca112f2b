// What people do with websites and files: add, change, read again, replace and remove them.

import { refuseUrl } from '../../../../channels/channel.ts'
import { actorId } from '../../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../../platform/errors.ts'
import { addJob } from '../../../platform/queue/add-job.ts'
import { findOwnUploads } from '../../attachments/attach.ts'
import { lockIndex } from '../index-queries.ts'
import { requireDate, requireTags } from '../save-item.ts'
import type { Audience } from '../schema.ts'
import { getSource, getSourceDetails, settingsOf } from './list-sources.ts'
import { OVERDUE_AFTER_MS, removeArticles } from './read-source.ts'
import {
  FILE_BYTES_MAX,
  type NewFile,
  type NewWebsite,
  SOURCES_MAX,
  type Source,
  type SourceChange,
  type SourceDetails,
} from './schema.ts'
import {
  beginReading,
  countSources,
  deleteSourceRow,
  findSource,
  insertSource,
  type NewSource,
  type StoredSource,
  updateSettings,
} from './source-queries.ts'

const overdueAt = ({ now }: Ctx): Date => new Date(now().getTime() + OVERDUE_AFTER_MS)

const noSuchSource = () => new ApiError('KNOWLEDGE_SOURCE_NOT_FOUND')

type Given = { language: string; audience?: Audience; isInternal?: boolean; reviewBy?: string | null }

const create = (
  ctx: Ctx,
  given: Given,
  more: Pick<NewSource, 'kind' | 'name' | 'url' | 'updates'>,
  attachmentId: string | null,
) => {
  const source = {
    ...more,
    attachmentId,
    language: given.language,
    audience: { channels: [], countries: [], tagIds: [], languages: [], ...given.audience },
    isInternal: given.isInternal ?? false,
    reviewBy: given.reviewBy ?? null,
  }
  requireDate(source.reviewBy)
  return inTransaction(ctx, async (ctx) => {
    // One at a time, so that the count is right.
    await lockIndex(ctx, 0)
    await requireTags(ctx, source)
    if ((await countSources(ctx)) >= SOURCES_MAX)
      throw invalid({ field: 'body', message: `the workspace already has ${SOURCES_MAX} websites and files` })
    const id = ctx.newId()
    await insertSource(ctx, { id, ...source }, { by: actorId(ctx.actor), nextReadAt: overdueAt(ctx) })
    await addJob(ctx, 'read_source', { workspaceId: ctx.workspaceId, sourceId: id })
    return { source: await getSource(ctx, id) }
  })
}

const NAME_MAX = 200
const shortUrl = (url: URL): string =>
  url.href
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
    .slice(0, NAME_MAX)

/** Adds a page or a sitemap and begins to read it. Throws VALIDATION_ERROR. */
export const addWebsite = (ctx: Ctx, given: NewWebsite): Promise<{ source: Source }> => {
  const url = URL.canParse(given.url) ? new URL(given.url) : undefined
  const refusal = url ? refuseUrl(url) : 'is not a valid URL'
  if (!url || refusal) throw invalid({ field: 'url', message: refusal ?? 'is not a valid URL' })
  url.hash = ''
  const { type: kind, updates = 'review' } = given
  return create(ctx, given, { kind, name: shortUrl(url), url: url.href, updates }, null)
}

const READABLE = /\.(pdf|docx|md|txt|csv)$/i

const findFile = async (ctx: Ctx, attachmentId: string) => {
  const [upload] = await findOwnUploads(ctx, [attachmentId], 'attachmentId')
  if (!upload || !READABLE.test(upload.name))
    throw invalid({ field: 'attachmentId', message: 'must be a .pdf, .docx, .md, .txt or .csv file' })
  if (upload.size > FILE_BYTES_MAX)
    throw invalid({ field: 'attachmentId', message: 'must be a file of at most 10 MiB' })
  return upload
}

/** Adds a file that the actor has uploaded and begins to read it. Throws VALIDATION_ERROR. */
export const addFile = async (ctx: Ctx, given: NewFile): Promise<{ source: Source }> => {
  const { id, name } = await findFile(ctx, given.attachmentId)
  return create(ctx, given, { kind: 'file', name, url: null, updates: 'publish' }, id)
}

const getRow = async (ctx: Ctx, id: string): Promise<StoredSource> => {
  const source = await findSource(ctx, id, { isLocked: ctx.afterCommit !== null })
  if (!source) throw noSuchSource()
  return source
}

/** Replaces a file by another version. Throws KNOWLEDGE_SOURCE_NOT_FOUND and VALIDATION_ERROR. */
export const replaceFile = async (
  ctx: Ctx,
  id: string,
  { attachmentId }: { attachmentId: string },
): Promise<{ source: Source }> => {
  if ((await getRow(ctx, id)).kind !== 'file')
    throw invalid({ field: 'sourceId', message: 'is a website, which has no versions' })
  const file = await findFile(ctx, attachmentId)
  return inTransaction(ctx, async (ctx) => {
    await getRow(ctx, id)
    const nextReadAt = overdueAt(ctx)
    await beginReading(ctx, id, { isFull: true, nextReadAt, file: { attachmentId, name: file.name } })
    await addJob(ctx, 'read_source', { workspaceId: ctx.workspaceId, sourceId: id })
    return { source: await getSource(ctx, id) }
  })
}

/**
 * Changes settings; what is left out stays. Its articles follow where nobody has changed theirs since. Throws
 * KNOWLEDGE_SOURCE_NOT_FOUND and VALIDATION_ERROR.
 */
export const changeSource = (
  ctx: Ctx,
  id: string,
  { audience, ...given }: SourceChange,
): Promise<SourceDetails> =>
  inTransaction(ctx, async (ctx) => {
    // In the order of everything that changes articles.
    await lockIndex(ctx, 0)
    const before = settingsOf(await getRow(ctx, id))
    const settings = { ...before, ...given, audience: { ...before.audience, ...audience } }
    requireDate(settings.reviewBy)
    if (audience) await requireTags(ctx, settings)
    await updateSettings(ctx, id, settings)
    return getSourceDetails(ctx, id)
  })

/**
 * Reads a website again, whatever it says has changed. Does nothing while it is being read, nor for a file. Throws
 * KNOWLEDGE_SOURCE_NOT_FOUND.
 */
export const readAgain = (ctx: Ctx, id: string): Promise<{ source: Source }> =>
  inTransaction(ctx, async (ctx) => {
    if ((await getRow(ctx, id)).kind !== 'file') {
      await beginReading(ctx, id, { isFull: true, nextReadAt: overdueAt(ctx) })
      await addJob(ctx, 'read_source', { workspaceId: ctx.workspaceId, sourceId: id })
    }
    return { source: await getSource(ctx, id) }
  })

/** Removes a website or file with its articles; the agent doesn't find them any more. Throws KNOWLEDGE_SOURCE_NOT_FOUND. */
export const removeSource = (ctx: Ctx, id: string): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    await lockIndex(ctx, 0)
    await getRow(ctx, id)
    await removeArticles(ctx, { id }, null)
    await deleteSourceRow(ctx, id)
    return { success: true }
  })
