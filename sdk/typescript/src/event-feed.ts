// Follows the feed of events: long polling that goes on after failures, and checks that no event is missing.
import { MissingEventsError } from './errors.ts'
import type { FoyerEvent, KnownEvent } from './generated/events.ts'
import { EventsResource } from './generated/resources.ts'
import type { CoveredEvents, EventList, ListEventsQuery } from './generated/types.ts'

/** `cursor`: save it once you have handled the event, and follow from there after a restart. */
export type FollowedEvent = FoyerEvent & { cursor: string }

export type FollowedPage = Omit<EventList, 'events'> & { events: FollowedEvent[] }

type KnownType = KnownEvent['type']
type GroupOf<Type> = Type extends `${infer Group}.${string}` ? Group : never
/** A type, or all that begin with the same word. */
export type EventPattern = KnownType | `${GroupOf<KnownType>}.*`

export type FollowOptions = {
  /** Continue after this position. Without it, `from` says where to begin. */
  cursor?: string | null | undefined
  /** `now` by default. */
  from?: ListEventsQuery['from']
  types?: readonly EventPattern[]
  conversationId?: string
  contactId?: string
  channel?: ListEventsQuery['channel']
  include?: ListEventsQuery['include']
  /** Ends the iteration. */
  signal?: AbortSignal
  /**
   * Called with a cursor after each wait without events. Save it as well: a cursor that is older than the events that
   * the server keeps has expired.
   */
  onQuiet?: (cursor: string) => unknown
}

const WAIT_SECONDS = 25
/** Of a call that waits. */
const TIMEOUT_MS = (WAIT_SECONDS + 30) * 1_000

export class EventFeed extends EventsResource {
  /**
   * Every event, as it happens, in order. Goes on after failures that may pass. Throws CursorExpiredError if events after
   * the cursor are no longer available, and MissingEventsError if the numbers show a gap.
   *
   * Scope: `events:read`.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<FollowedEvent, void, undefined> {
    const { onQuiet, signal } = options
    for await (const { events, cursor } of this.pages(options)) {
      for (const event of events) {
        if (signal?.aborted) return
        yield event
      }
      if (events.length === 0) await onQuiet?.(cursor)
    }
  }

  /** The same, page by page, whether it has events or not. */
  async *pages({
    cursor,
    from = 'now',
    types,
    onQuiet: _,
    signal,
    ...filters
  }: FollowOptions = {}): AsyncGenerator<FollowedPage, void, undefined> {
    const query = { ...filters, ...(types && { types: types.join(',') }) }
    let place: ListEventsQuery = cursor ? { cursor } : { from }
    let last: CoveredEvents | undefined
    while (!signal?.aborted) {
      let page: EventList
      try {
        // The first call can fail because of a wrong address; after that, a failure passes.
        const patience = last ? { maxRetries: Number.POSITIVE_INFINITY } : {}
        const wait = 'cursor' in place ? WAIT_SECONDS : 0
        page = await this.list(
          { ...query, ...place, wait },
          { timeoutMs: TIMEOUT_MS, ...patience, ...(signal && { signal }) },
        )
      } catch (error) {
        if (signal?.aborted) return
        throw error
      }
      requireNext(page, last)
      last = page.covers
      place = { cursor: page.cursor }
      yield page as FollowedPage
    }
  }
}

/** Throws MissingEventsError unless a page begins where the last one ended. */
const requireNext = ({ covers, events }: EventList, last: CoveredEvents | undefined): void => {
  const expected = last ? last.to + 1 : covers.from
  // A feed that was empty has nothing to lose in another database.
  const isSame = !last || last.to === 0 || covers.epoch === last.epoch
  const numbers = [covers.from - 1, ...events.map(({ sequence }) => sequence), covers.to + 1]
  const isInOrder = numbers.every((number, index) => index === 0 || number > numbers[index - 1]!)
  if (covers.from !== expected || !isSame || !isInOrder) throw new MissingEventsError(expected, covers.from)
}
