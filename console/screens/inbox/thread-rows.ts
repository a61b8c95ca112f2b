// The rows of a thread from top to bottom: days, entries grouped by sender, and unsent messages. Pure.
import { dayKey } from '../../state/dates.ts'
import { entryId, entryMoment } from '../../state/timeline.ts'
import type { TimelineEntry } from '../../state/types.ts'
import { t } from '../../words/t.ts'
import type { Outgoing } from './outbox.ts'

export type ThreadRow =
  | { kind: 'start'; key: 'start' }
  | { kind: 'day'; key: string; moment: string }
  | { kind: 'new'; key: 'new' }
  | { kind: 'entry'; key: string; entry: TimelineEntry; isFirst: boolean; isLast: boolean }
  | { kind: 'outgoing'; key: string; item: Outgoing }

const GROUP_MAX_MS = 5 * 60_000
/** How far this clock may be ahead of the server's when a sent message is matched with one in the thread. */
const SKEW_MS = 120_000

const writerOf = (entry: TimelineEntry): string =>
  entry.kind === 'note'
    ? t`note ${entry.note.agent.id}`
    : `${entry.message.senderType} ${entry.message.senderId}`
const isSystem = (entry: TimelineEntry): boolean =>
  entry.kind === 'message' && entry.message.senderType === 'system'

const goTogether = (a: TimelineEntry | undefined, b: TimelineEntry | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  !isSystem(a) &&
  writerOf(a) === writerOf(b) &&
  dayKey(entryMoment(a)) === dayKey(entryMoment(b)) &&
  Math.abs(Date.parse(entryMoment(b)) - Date.parse(entryMoment(a))) < GROUP_MAX_MS

/** Matches unsent messages with stored ones, before the response to the send arrives; each is matched once. */
export const findStored = (
  rows: readonly TimelineEntry[],
  outbox: readonly Outgoing[],
  accountId: string,
): Set<string> => {
  const taken = new Set<string>()
  const stored = new Set<string>()
  for (const item of outbox) {
    if (item.state === 'held') continue
    const echo = rows.find((entry) => {
      if (taken.has(entryId(entry))) return false
      if (Date.parse(entryMoment(entry)) < Date.parse(item.createdAt) - SKEW_MS) return false
      if (item.knownIds.includes(entryId(entry))) return false
      return entry.kind === 'note'
        ? item.kind === 'note' && entry.note.agent.id === accountId && entry.note.body === item.body
        : item.kind === 'reply' && entry.message.senderId === accountId && entry.message.body === item.body
    })
    if (!echo) continue
    taken.add(entryId(echo))
    stored.add(item.key)
  }
  return stored
}

/** `entries` are newest first, as in the cache. */
export const threadRows = ({
  entries,
  outbox,
  isComplete,
  firstNewId,
  accountId,
}: {
  entries: readonly TimelineEntry[]
  outbox: readonly Outgoing[]
  isComplete: boolean
  firstNewId: string | null
  accountId: string
}): ThreadRow[] => {
  const rows: ThreadRow[] = isComplete ? [{ kind: 'start', key: 'start' }] : []
  let day = ''
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]!
    const moment = entryMoment(entry)
    if (dayKey(moment) !== day) {
      day = dayKey(moment)
      rows.push({ kind: 'day', key: `day ${day}`, moment })
    }
    const isNew = entryId(entry) === firstNewId
    if (isNew) rows.push({ kind: 'new', key: 'new' })
    rows.push({
      kind: 'entry',
      key: entryId(entry),
      entry,
      isFirst: isNew || !goTogether(entries[index + 1], entry),
      isLast: !goTogether(entry, entries[index - 1]),
    })
  }
  const stored = findStored(entries, outbox, accountId)
  for (const item of outbox)
    if (!stored.has(item.key)) rows.push({ kind: 'outgoing', key: `out ${item.key}`, item })
  return rows
}
