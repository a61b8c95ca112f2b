import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import type { EventStream } from '../../platform/http/sse.ts'
import { watchFor } from './await-events.ts'
import { showEpoch } from './cursor.ts'
import { cursorAfter, cursorAt, type FeedReader, type ReadPage } from './list-events.ts'
import type { FeedNews } from './news.ts'
import { showEvents } from './show-events.ts'

/** How often a client without matching events is told where it is, so that its place doesn't become too old. */
const POSITION_EVERY_MS = 60_000

type Options = {
  news: FeedNews
  stream: EventStream
  signal: AbortSignal
  /** Aborts the signal if the caller may no longer follow. */
  recheck: () => Promise<void>
}

/** Sends events for as long as the signal isn't aborted. Ends the stream. */
export const followEvents = async (ctx: Ctx, reader: FeedReader, options: Options): Promise<void> => {
  const { news, stream, signal } = options
  const watch = watchFor(ctx, news, reader)
  try {
    await sendAll(ctx, reader, options, watch.wait)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'CURSOR_EXPIRED')
      stream.send({ event: 'reset', data: { code: error.code, message: error.message } })
    else if (!signal.aborted) ctx.log.warn({ err: error }, 'a stream of events ended')
  } finally {
    watch.stop()
    stream.end()
  }
}

const sendAll = async (
  ctx: Ctx,
  reader: FeedReader,
  { stream, signal, recheck }: Options,
  wait: (maxMs: number, signal: AbortSignal) => Promise<boolean>,
): Promise<void> => {
  for (let isDue = true; !signal.aborted; ) {
    const page = await reader.next()
    await recheck()
    if (signal.aborted) return
    if (page.rows.length > 0) {
      if (!(await stream.sendAll(await eventsOf(ctx, page), signal))) return
    } else if (isDue) stream.send({ event: 'position', id: cursorAfter(ctx, page), data: positionOf(page) })
    isDue = page.to === page.head && !(await wait(POSITION_EVERY_MS, signal))
  }
}

const eventsOf = async (ctx: Ctx, { epoch, rows }: ReadPage) =>
  (await showEvents(ctx, rows)).map((event) => ({
    event: event.type,
    id: cursorAt(ctx, epoch, event),
    data: event,
  }))

const positionOf = ({ epoch, to, head }: ReadPage) => ({ sequence: to, head, epoch: showEpoch(epoch) })
