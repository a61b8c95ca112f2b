// Transactions get their numbers before they wait for each other's locks, so their order is not that in which they changed
// one conversation or contact. The ids of its events are: they are taken by whoever holds the lock.

type Placed = { id: number; conversationId: string | null; contactId: string | null }

const keyOf = ({ conversationId, contactId }: Placed): string | null => conversationId ?? contactId

/** How many of the first `count` rows nothing in the rest precedes. What precedes a row is committed, so it is there. */
export const countComplete = (rows: readonly Placed[], count: number): number => {
  const first = new Map<string, number>()
  const note = (row: Placed): void => {
    const key = keyOf(row)
    if (key !== null) first.set(key, Math.min(row.id, first.get(key) ?? row.id))
  }
  rows.slice(count).forEach(note)
  let complete = count
  for (let index = count - 1; index >= 0; index--) {
    const row = rows[index]!
    if (row.id < (first.get(keyOf(row) ?? '') ?? Number.POSITIVE_INFINITY)) continue
    rows.slice(index, complete).forEach(note)
    complete = index
  }
  return complete
}

/** The same rows; those of each conversation or contact change places until they are in the order of their ids. */
export const inOrder = <Row extends Placed>(rows: readonly Row[]): Row[] => {
  const sorted = new Map(
    [...Map.groupBy(rows, keyOf)].map(([key, some]) => [
      key,
      key === null ? some : some.toSorted((a, b) => a.id - b.id),
    ]),
  )
  const taken = new Map<string | null, number>()
  return rows.map((row) => {
    const key = keyOf(row)
    const place = taken.get(key) ?? 0
    taken.set(key, place + 1)
    return sorted.get(key)![place]!
  })
}
