import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { startEpochAfter } from '../../platform/live/epoch.ts'
import {
  decodePosition,
  encodePosition,
  type FeedPosition,
  provesRestore,
  requireKept,
  showEpoch,
} from './cursor.ts'
import { seqOfEventId } from './event-id.ts'
import { findObjects } from './find-objects.ts'
import { type FeedFilter, type FeedPage, findFeedRow, readFeedPage, type Start } from './queries.ts'
import { readTypes } from './read-types.ts'
import {
  EVENTS_DEFAULT,
  EVENTS_INCLUDED_MAX,
  type Event,
  type EventList,
  type EventStreamQuery,
  type EventsQuery,
} from './schema.ts'
import { showEvents } from './show-events.ts'

/** More than a transaction can take: an event of one that a list did not show yet is after this. */
const SYNC_MS = 60_000

/** One page of the feed, before it is shown. `from` is the first number that its predecessors looked at. */
export type ReadPage = FeedPage & { from: number }

/** Reads a feed page after page, each after the one before. */
export type FeedReader = {
  filter: FeedFilter
  /** Throws CURSOR_EXPIRED. */
  next: () => Promise<ReadPage>
}

/** Throws VALIDATION_ERROR. Nothing is read yet. */
export const makeFeedReader = (ctx: Ctx, query: EventStreamQuery, limit: number): FeedReader => {
  const { cursor, from = 'now', types, ...rest } = query
  if (cursor !== undefined && query.from !== undefined)
    throw invalid({ field: 'from', message: 'can only be used without a cursor' })
  const filter = { types: readTypes(types), ...rest }
  let position = cursor === undefined ? null : decodePosition(ctx, cursor)
  let first: number | null = null
  return {
    filter,
    next: async () => {
      const page = await readFeedPage(
        ctx,
        position ? { after: position.seq } : startAt(ctx, from),
        filter,
        limit,
      )
      if (position) await requireSound(ctx, position, page)
      position = { epoch: page.epoch, seq: page.to, mark: page.toMark }
      first ??= page.after + 1
      return { ...page, from: first }
    },
  }
}

/** Throws CURSOR_EXPIRED. All other clients, and receivers of webhooks, then learn it by the new epoch. */
const requireSound = async (ctx: Ctx, position: FeedPosition, page: FeedPage): Promise<void> => {
  const feed = { ...page, mark: page.afterMark }
  if (provesRestore(position, feed)) {
    ctx.log.warn(
      { position, head: page.head },
      'the database was put back to an earlier copy: a new epoch begins',
    )
    await startEpochAfter(ctx.db, { number: page.epoch, nextTx: 0 })
  }
  requireKept(position, feed)
}

const startAt = ({ now }: Ctx, from: 'now' | 'sync' | 'oldest'): Start =>
  from === 'sync' ? { from, before: new Date(now().getTime() - SYNC_MS) } : { from }

export const limitOf = ({ limit, include }: EventsQuery): number => {
  if (include && limit !== undefined && limit > EVENTS_INCLUDED_MAX)
    throw invalid({ field: 'limit', message: `must be at most ${EVENTS_INCLUDED_MAX} with include` })
  return limit ?? EVENTS_DEFAULT
}

export const cursorAfter = (ctx: Ctx, { epoch, to, toMark }: FeedPage): string =>
  encodePosition(ctx, { epoch, seq: to, mark: toMark })

/** The position after an event. */
export const cursorAt = (ctx: Ctx, epoch: number, { sequence, id }: Event): string =>
  encodePosition(ctx, { epoch, seq: sequence, mark: id.slice(-8) })

export const showPage = async (
  ctx: Ctx,
  page: ReadPage,
  { include }: Pick<EventsQuery, 'include'>,
): Promise<EventList> => {
  const shown = await showEvents(ctx, page.rows)
  const events = include ? await withObjects(ctx, shown) : shown
  return {
    events: events.map((event) => ({ ...event, cursor: cursorAt(ctx, page.epoch, event) })),
    cursor: cursorAfter(ctx, page),
    hasMore: page.to < page.head,
    covers: { from: page.from, to: page.to, epoch: showEpoch(page.epoch) },
    head: page.head,
    oldest: page.sweptTo + 1,
  }
}

const withObjects = async (ctx: Ctx, events: Event[]): Promise<Event[]> => {
  const objects = await findObjects(ctx, events)
  return events.map((event) => {
    const object = objects.get(event.id)
    return object === undefined ? event : { ...event, object }
  })
}

/** Throws EVENT_NOT_FOUND, also for an event that is no longer kept. */
export const getEvent = async (ctx: Ctx, id: string): Promise<Event> => {
  const seq = seqOfEventId(id)
  const row = seq === undefined ? undefined : await findFeedRow(ctx, seq, id)
  if (!row) throw new ApiError('EVENT_NOT_FOUND')
  const [event] = await showEvents(ctx, [row])
  return event!
}
