// Lists that grow at one end and are read from there: conversations by activity, a thread from its newest message.
// Asking again always asks for the first page only; what was loaded behind it is kept as far as it still holds. No
// network, no React.

export type Paged<T> = { rows: T[]; nextCursor: string | null }

type Rules<T> = {
  keyOf: (row: T) => string
  /** Below zero when `a` stands before `b` in the list. */
  compare: (a: T, b: T) => number
  /** Rows known to have changed since they were read: they stand in front now, or have left the list. */
  isTouched?: (row: T) => boolean
}

/**
 * The first page as it is now, put in front of what was known. A known row that would stand within the new page and is
 * not in it has left the list. When nothing known is left to join on, rows between may be missing, and the known ones
 * are dropped rather than shown with a gap.
 */
export const mergeHead = <T>(
  known: Paged<T> | undefined,
  head: Paged<T>,
  { keyOf, compare, isTouched = () => false }: Rules<T>,
): Paged<T> => {
  const last = head.rows.at(-1)
  if (!known || head.nextCursor === null || !last) return head
  const inHead = new Set(head.rows.map(keyOf))
  const joins = known.rows.some((row) => inHead.has(keyOf(row)))
  if (!joins) return head
  // So many changed that some may stand behind the new page although they still belong.
  if (known.rows.filter(isTouched).length * 2 > head.rows.length) return head
  const behind = known.rows.filter(
    (row) => !inHead.has(keyOf(row)) && !isTouched(row) && compare(row, last) > 0,
  )
  // All that is known fits into the new page: its cursor is the one that leads on.
  if (behind.length === 0) return head
  return { rows: [...head.rows, ...behind], nextCursor: known.nextCursor }
}

/** The next page behind what is known. A row may come again where the order moved meanwhile. */
export const appendPage = <T>(known: Paged<T>, page: Paged<T>, { keyOf }: Rules<T>): Paged<T> => {
  const seen = new Set(known.rows.map(keyOf))
  return {
    rows: [...known.rows, ...page.rows.filter((row) => !seen.has(keyOf(row)))],
    nextCursor: page.nextCursor,
  }
}
