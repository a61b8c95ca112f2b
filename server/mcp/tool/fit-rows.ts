// Answers are cut at a row, and the next call goes on from there.

/** About 8,000 tokens. Clients stop at 25,000. */
const ANSWER_MAX_LENGTH = 32_000
/** For what stands around the rows. */
const AROUND_LENGTH = 2_000
const ROWS_MAX_LENGTH = ANSWER_MAX_LENGTH - AROUND_LENGTH

type Page<T> = { rows: T[]; nextCursor: string | null }

/** How many of the rows fit, at least one. */
const fitting = (rows: readonly unknown[]): number => {
  let length = 0
  const cut = rows.findIndex((row) => {
    length += JSON.stringify(row).length + 1
    return length > ROWS_MAX_LENGTH
  })
  return cut === -1 ? rows.length : Math.max(1, cut)
}

/** A page that is too long is read once more with fewer rows: only the list knows the cursor after one of them. */
export const fitRows = async <T>(
  limit: number,
  read: (limit: number) => Promise<Page<T>>,
): Promise<Page<T> & { isTruncated: boolean }> => {
  const page = await read(limit)
  const count = fitting(page.rows)
  if (count === page.rows.length) return { ...page, isTruncated: page.nextCursor !== null }
  return { ...(await read(count)), isTruncated: true }
}

/** The same for a list that has no pages: its position is the number of the next row. */
export const fitList = <T>(
  all: readonly T[],
  cursor: string | undefined,
  limit: number,
): Page<T> & { isTruncated: boolean } => {
  const from = cursor && /^\d{1,6}$/.test(cursor) ? Number(cursor) : 0
  const rows = all.slice(from, from + limit)
  const shown = rows.slice(0, fitting(rows))
  const next = from + shown.length
  const isTruncated = next < all.length && shown.length > 0
  return { rows: shown, nextCursor: isTruncated ? String(next) : null, isTruncated }
}
