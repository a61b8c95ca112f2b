// Lists that grow at one end and are read from there: conversations by activity, a thread from its newest message. A
// refetch only requests the first page; pages loaded after it are kept as far as they are still valid. No network, no
// React.

export type Paged<T> = { rows: T[]; nextCursor: string | null }

type Rules<T> = {
  keyOf: (row: T) => string
  /** Negative if `a` comes before `b` in the list. */
  compare: (a: T, b: T) => number
  /** Rows known to have changed since they were fetched: they are now at the front or no longer in the list. */
  isTouched?: (row: T) => boolean
}

/**
 * Puts the current first page in front of the known rows. A known row that belongs in the new page but isn't in it has
 * left the list. If nothing known overlaps, rows in between may be missing, so the known rows are dropped rather than
 * shown with a gap.
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
  // With this many changes, some rows may be after the new page although they still belong in the list.
  if (known.rows.filter(isTouched).length * 2 > head.rows.length) return head
  const behind = known.rows.filter(
    (row) => !inHead.has(keyOf(row)) && !isTouched(row) && compare(row, last) > 0,
  )
  // All known rows fit in the new page, so its cursor is the one to continue from.
  if (behind.length === 0) return head
  return { rows: [...head.rows, ...behind], nextCursor: known.nextCursor }
}

/** Appends the next page. Rows may repeat if the order changed in the meantime. */
export const appendPage = <T>(known: Paged<T>, page: Paged<T>, { keyOf }: Rules<T>): Paged<T> => {
  const seen = new Set(known.rows.map(keyOf))
  return {
    rows: [...known.rows, ...page.rows.filter((row) => !seen.has(keyOf(row)))],
    nextCursor: page.nextCursor,
  }
}
