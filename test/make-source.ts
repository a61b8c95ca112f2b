// Sources of knowledge, as if they had been read.
import { findNextPage, findPage, insertPages } from '../server/domain/knowledge/sources/page-queries.ts'
import {
  beginReading,
  findSource,
  insertSource,
  type NewSource,
} from '../server/domain/knowledge/sources/source-queries.ts'
import { storeText } from '../server/domain/knowledge/sources/store-page.ts'
import { newId } from '../server/platform/db/id.ts'
import type { TestApp } from './app.ts'

const FAR = new Date('2099-01-01T00:00:00Z')
const UNTAGGED = { etag: null, lastModified: null }

/** A website of one page whose new text waits for review, and a file. */
export const makeSources = async ({ ctxOf }: Pick<TestApp, 'ctxOf'>, workspaceId: string, name: string) => {
  const ctx = ctxOf(workspaceId)
  const given = {
    url: `https://${name}.example/help`,
    attachmentId: null,
    language: 'en',
    audience: { channels: [], countries: [], tagIds: [], languages: [] },
    isInternal: false,
    reviewBy: null,
    updates: 'review',
  } satisfies Omit<NewSource, 'id' | 'kind' | 'name'>
  const [sourceId, fileSourceId] = [newId(), newId()]
  const times = { by: 'system', nextReadAt: FAR }
  await insertSource(ctx, { ...given, id: sourceId, kind: 'page', name: `${name}.example/help` }, times)
  await insertSource(ctx, { ...given, id: fileSourceId, kind: 'file', name: `${name}.pdf`, url: null }, times)
  await insertPages(ctx, sourceId, [given.url], 1)
  const first = (await findSource(ctx, sourceId))!
  const page = (await findNextPage(ctx, first))!
  const text = { title: `${name} page`, language: 'en', url: given.url }
  await storeText(ctx, first, page, { ...text, body: 'Write to us.' }, UNTAGGED)
  const changed = { ...first, reading: 2 }
  await ctx.db
    .updateTable('knowledge_sources')
    .set({ state: 'ready' })
    .where('workspace_id', '=', workspaceId)
    .execute()
  await beginReading(ctx, sourceId, { isFull: true, nextReadAt: FAR })
  await storeText(
    ctx,
    changed,
    (await findPage(ctx, sourceId, page.id))!,
    { ...text, body: 'Call us.' },
    UNTAGGED,
  )
  const { changedAt } = (await findPage(ctx, sourceId, page.id))!
  return { sourceId, fileSourceId, pageId: page.id, changedAt: changedAt! }
}
