// A list that does not move under the hand. While it is held (scrolled, or a pointer rests on it) rows change where they
// stand and nothing comes, goes or moves; what waits is counted. Let go, it shows itself as it is.
import { useRef } from 'react'

type Row = { id: string; updatedAt: string }

export type Held<T> = { rows: T[]; waitingCount: number }

/** Pure: what is shown of `rows` to somebody who saw `shown`. Rows behind the last one shown are older pages: they join. */
export const holdOrder = <T extends Row>(
  shown: readonly T[],
  rows: readonly T[],
  isOwnChange: (id: string) => boolean,
): Held<T> => {
  const current = new Map(rows.map((row) => [row.id, row]))
  const seen = new Set(shown.map(({ id }) => id))
  const kept = shown.flatMap((row) => {
    const now = current.get(row.id)
    // What oneself has just closed or handed over goes at once.
    if (!now) return isOwnChange(row.id) ? [] : [row]
    return [now]
  })
  const newestSeen =
    shown
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? ''
  const lastKnown = rows.findLastIndex(({ id }) => seen.has(id))
  const fresh = rows.filter(
    ({ id, updatedAt }, index) => !seen.has(id) && (index < lastKnown || updatedAt > newestSeen),
  )
  const behind = rows.filter(
    (row, index) => !seen.has(row.id) && index > lastKnown && row.updatedAt <= newestSeen,
  )
  const risen = shown.filter(({ id, updatedAt }) => {
    const now = current.get(id)
    return now && now.updatedAt > updatedAt && now.updatedAt > newestSeen
  })
  return { rows: [...kept, ...behind], waitingCount: fresh.length + risen.length }
}

/** What this person has just changed: it may leave a held list. */
const ownChanges = new Map<string, number>()
const OWN_CHANGE_KEPT_MS = 10_000
export const noteOwnChange = (conversationId: string): void => {
  ownChanges.set(conversationId, Date.now())
}
const isOwnChange = (id: string): boolean => Date.now() - (ownChanges.get(id) ?? 0) < OWN_CHANGE_KEPT_MS

/** `name` is what the list is of: another list starts afresh. */
export const useHeldOrder = <T extends Row>(rows: readonly T[], isHeld: boolean, name: string): Held<T> => {
  /** As it was when it was last free: what the others are measured by. */
  const base = useRef<{ name: string; rows: readonly T[] }>({ name, rows })
  if (!isHeld || base.current.name !== name || base.current.rows.length === 0) {
    base.current = { name, rows }
    return { rows: [...rows], waitingCount: 0 }
  }
  const held = holdOrder(base.current.rows, rows, isOwnChange)
  if (held.rows.length > base.current.rows.length) {
    const known = new Set(base.current.rows.map(({ id }) => id))
    base.current = {
      name,
      rows: [...base.current.rows, ...held.rows.filter(({ id }) => !known.has(id))],
    }
  }
  return held
}
