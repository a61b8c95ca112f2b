// Waits for events without holding a connection.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { FeedReader, ReadPage } from './list-events.ts'
import type { FeedNews } from './news.ts'
import type { FeedFilter, FeedKey } from './queries.ts'

const matches = (
  { types, conversationId, contactId, channel }: FeedFilter,
  key: Omit<FeedKey, 'seq'>,
): boolean =>
  (types === null || types.includes(key.type)) &&
  (conversationId === undefined || conversationId === key.conversationId) &&
  (contactId === undefined || contactId === key.contactId) &&
  (channel === undefined || channel === key.channel)

/** Whether there may be something new for a reader, since the last time it was asked. */
export const watchFor = (ctx: Ctx, news: FeedNews, { filter }: FeedReader) => {
  let isNew = false
  let wake = (): void => {}
  const stop = news.subscribe(ctx.workspaceId, (keys) => {
    if (keys && !keys.some((key) => matches(filter, key))) return
    isNew = true
    wake()
  })
  return {
    stop,
    /** Resolves when there may be something new, at the latest after this time or once the signal is aborted. */
    wait: async (maxMs: number, signal: AbortSignal): Promise<boolean> => {
      if (!isNew && !signal.aborted)
        await new Promise<void>((resolve) => {
          const end = (): void => {
            clearTimeout(timer)
            signal.removeEventListener('abort', end)
            wake = () => {}
            resolve()
          }
          const timer = setTimeout(end, maxMs)
          signal.addEventListener('abort', end)
          wake = end
        })
      const was = isNew
      isNew = false
      return was
    },
  }
}

/** The first page with an event, or the last one that could be read in time. */
export const awaitEvents = async (
  ctx: Ctx,
  reader: FeedReader,
  { news, waitMs, signal }: { news: FeedNews; waitMs: number; signal: AbortSignal },
): Promise<ReadPage> => {
  const watch = watchFor(ctx, news, reader)
  const endMs = performance.now() + waitMs
  try {
    for (;;) {
      // Read after the subscription began, so that nothing happens in between.
      const page = await reader.next()
      if (page.rows.length > 0 || signal.aborted) return page
      // Few match, and there is more to look at.
      if (page.to < page.head && performance.now() < endMs) continue
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) return page
      await watch.wait(leftMs, signal)
    }
  } finally {
    watch.stop()
  }
}
