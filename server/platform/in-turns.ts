import { setImmediate as letOthersRun } from 'node:timers/promises'

/** Work on many rows pauses after this long to let other requests run. */
const TURN_MS = 10

/** Maps each row, in order. For thousands of rows that each take some time, such as parsing phone numbers. */
export const mapInTurns = async <Row, Result>(
  rows: readonly Row[],
  map: (row: Row, index: number) => Result,
): Promise<Result[]> => {
  const results: Result[] = []
  let endsAtMs = performance.now() + TURN_MS
  for (const [index, row] of rows.entries()) {
    results.push(map(row, index))
    if (performance.now() < endsAtMs) continue
    await letOthersRun()
    endsAtMs = performance.now() + TURN_MS
  }
  return results
}
