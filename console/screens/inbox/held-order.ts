// A list that doesn't move while in use. While it is held (scrolled, or under the pointer), rows update in place but
// none is added, removed or moved; pending changes are counted. When released, it shows the current order.
import { useRef } from 'react'

type Row = { id: string; updatedAt: string }

export type Held<T> = { rows: T[]; waitingCount: number }

/** Pure: which of `rows` to show after `shown`. Rows behind the last one shown are older pages and are added. */
export const holdOrder = <T extends Row>(
  shown: readonly T[],
  rows: readonly T[],
  isOwnChange: (id: string) => boolean,
): Held<T> => {
  const current = new Map(rows.map((row) => [row.id, row]))
  const seen = new Set(shown.map(({ id }) => id))
  const kept = shown.flatMap((row) => {
    const now = current.get(row.id)
    // Conversations that the agent closed or handed over are removed at once.
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

/** Conversations that the agent changed; they may leave a held list. */
const ownChanges = new Map<string, number>()
const OWN_CHANGE_KEPT_MS = 30_000
export const noteOwnChange = (conversationId: string): void => {
  ownChanges.set(conversationId, Date.now())
}
const isOwnChange = (id: string): boolean => Date.now() - (ownChanges.get(id) ?? 0) < OWN_CHANGE_KEPT_MS

/** `name` identifies the list: a different list starts afresh. */
export const useHeldOrder = <T extends Row>(rows: readonly T[], isHeld: boolean, name: string): Held<T> => {
  /** The list when it was last free, which later versions are compared with. */
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
