// Where to follow the feed after an archive. A snapshot can contain transactions that the feed numbers only later, even
// after others that the snapshot doesn't contain. So no cursor alone has neither gap nor overlap: the events in question
// are named.
import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { toPublic } from '../feed/catalogue.ts'
import { encodePosition } from '../feed/cursor.ts'
import type { FeedStart } from './archive-format.ts'
import {
  type FeedHead,
  hasNumbered,
  listNumbered,
  type NumberedEvent,
  PENDING_MAX,
  type PendingEvent,
} from './feed-queries.ts'

const LOOK_AGAIN_MS = 20
/** Others may be numbered between those that are looked for. */
const LOOKED_AT_MAX = 4 * PENDING_MAX

/** Waits until the feed has numbered what the snapshot contains. Null if it stands still, or is far behind. */
export const findFeedStart = async (
  ctx: Pick<Ctx, 'db' | 'workspaceId' | 'seal'>,
  head: FeedHead,
  waitMs: number,
): Promise<FeedStart | null> => {
  const { pending, isStale, seq } = head
  if (isStale || pending.length > PENDING_MAX) return null
  const endMs = performance.now() + waitMs
  const last = pending.at(-1)
  while (last && !(await hasNumbered(ctx.db, head, last))) {
    if (performance.now() > endMs) return null
    await delay(LOOK_AGAIN_MS)
  }
  const rows = pending.length > 0 ? await listNumbered(ctx.db, ctx.workspaceId, seq, LOOKED_AT_MAX) : []
  const included = findIncluded(pending, rows)
  if (!included) return null
  // As far as everything is in the archive.
  const first = rows.findIndex(({ id }) => !included.has(id))
  const passed = rows.slice(0, first === -1 ? rows.length : first)
  const position = passed.at(-1)
  const place = position ? { ...head, seq: position.seq, mark: position.id.slice(-8) } : head
  return {
    cursor: encodePosition(ctx, place),
    sequence: place.seq,
    included: rows.slice(passed.length).flatMap(({ id }) => (included.has(id) ? [id] : [])),
  }
}

/** The ids of the numbered events that are those pending; undefined if one is missing. */
const findIncluded = (
  pending: readonly PendingEvent[],
  numbered: readonly NumberedEvent[],
): Set<string> | undefined => {
  const wanted = new Map<string, number>()
  for (const { tx: _, id: __, ...event } of pending) {
    const shown = toPublic(event)
    if (shown)
      wanted.set(factsOf({ ...event, ...shown }), (wanted.get(factsOf({ ...event, ...shown })) ?? 0) + 1)
  }
  const included = new Set<string>()
  for (const { seq: _, id, ...event } of numbered) {
    const facts = factsOf(event)
    const left = wanted.get(facts) ?? 0
    if (left === 0) continue
    included.add(id)
    if (left === 1) wanted.delete(facts)
    else wanted.set(facts, left - 1)
  }
  return wanted.size === 0 ? included : undefined
}

/** Two events with the same facts say the same, so it doesn't matter which of them is named. */
const factsOf = ({
  type,
  actor,
  data,
  conversationId,
  requestId,
  occurredAt,
}: Omit<NumberedEvent, 'seq' | 'id'>): string =>
  JSON.stringify([type, actor, conversationId, requestId, occurredAt, sorted(data)])

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, sorted(one)])
}
