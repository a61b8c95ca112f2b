// Numbers settled events in the order in which they are read, those of one conversation as they happened, in one transaction: a batch is in the feed, with all that
// follows from it, or is taken again.
import type { Db } from '../../platform/db/pool.ts'
import type { Position } from '../../platform/live/settled.ts'
import { type RecordedEvent, toPublic } from './catalogue.ts'
import { makeEventId } from './event-id.ts'
import { inOrder } from './happened-order.ts'
import {
  announceNumbers,
  type FeedRow,
  insertFeedRows,
  lockRelayPlace,
  moveRelay,
  type NewFeedRow,
  type RelayPlace,
  takeNumbers,
} from './relay-queries.ts'

export type SettledEvent = Position &
  RecordedEvent & {
    workspaceId: string
    conversationId: string | null
    contactId: string | null
    requestId: string | null
    traceparent: string | null
    createdAt: string
  }

/**
 * Called for each batch, in the transaction that numbers it, with the rows in order. What it writes is committed with
 * them; if it throws, the batch is numbered later. It must be quick: live streams wait for this transaction.
 */
export type OnNumbered = (trx: Db, rows: readonly FeedRow[]) => Promise<void>

/** The same for all events, before they are numbered: those that programs don't receive too. */
export type OnSettled = (trx: Db, events: readonly SettledEvent[]) => Promise<void>

/** Another relay is at work, or the database was replaced: the caller has to find its place again. */
export class LostPlace extends Error {}

type Options = {
  place: RelayPlace
  now: () => Date
  onNumbered?: OnNumbered | undefined
  onSettled?: OnSettled | undefined
  /** An event that can't be translated is left out: waiting for it would hold up all others. */
  onError: (error: unknown, event: SettledEvent) => void
}

/** Numbers the public ones of these events and returns the new place. Throws LostPlace. */
export const numberEvents = async (
  db: Db,
  events: readonly SettledEvent[],
  { place, now, onNumbered, onSettled, onError }: Options,
): Promise<RelayPlace> => {
  const last = events.at(-1)!
  const maxId = events.reduce((max, { id }) => Math.max(max, id), place.maxId)
  const next = { ...place, tx: last.tx, id: last.id, maxId }
  const shown = inOrder(events).flatMap((event) => translate(event, onError))
  await db.transaction().execute(async (trx) => {
    const found = await lockRelayPlace(trx)
    if (!found.isEpoch || found.tx !== place.tx || found.id !== place.id) throw new LostPlace()
    const at = now()
    await onSettled?.(trx, events)
    if (shown.length > 0) {
      const { rows, heads } = await insertNumbered(trx, shown, at)
      await onNumbered?.(trx, rows)
      await announceNumbers(trx, heads)
    }
    await moveRelay(trx, next, at)
  })
  return next
}

type Shown = Omit<NewFeedRow, 'seq' | 'id'>

const translate = (event: SettledEvent, onError: Options['onError']): Shown[] => {
  try {
    const shown = toPublic(event)
    if (!shown) return []
    const { workspaceId, conversationId, contactId, actor, requestId, traceparent, createdAt } = event
    const where = { workspaceId, conversationId, contactId }
    return [{ ...where, actor, requestId, traceparent, ...shown, occurredAt: createdAt }]
  } catch (error) {
    onError(error, event)
    return []
  }
}

const insertNumbered = async (trx: Db, shown: readonly Shown[], now: Date) => {
  const byWorkspace = Map.groupBy(shown, ({ workspaceId }) => workspaceId)
  const counts = [...byWorkspace].map(([workspaceId, { length }]) => ({ workspaceId, count: length }))
  const heads = await takeNumbers(trx, counts)
  const next = new Map(
    counts.map(({ workspaceId, count }) => [workspaceId, (heads.get(workspaceId) ?? 0) - count]),
  )
  const numbered = shown.flatMap((event) => {
    if (!heads.has(event.workspaceId)) return []
    const seq = next.get(event.workspaceId)! + 1
    next.set(event.workspaceId, seq)
    return [{ ...event, seq, id: makeEventId(seq) }]
  })
  const inserted = await insertFeedRows(trx, numbered, now)
  const found = new Map(inserted.map((row) => [row.id, row]))
  return { heads, rows: numbered.map((event): FeedRow => ({ ...event, ...found.get(event.id)! })) }
}
