// The vectors of small workspaces, kept by this process. They are read as far as they go, and from then on only what was
// added; those of chunks that are gone stay until they are too many, because the search doesn't find their rows.
import type { StoredVector } from './queries.ts'
import { fromBytes } from './vector-bytes.ts'

/** Of all workspaces together; 5,000 vectors of 1,536 numbers have 31 million bytes. */
const BYTES_MAX = 256 * 1_024 * 1_024
/** Of the vectors kept for a workspace, those of chunks that are gone. */
const GONE_MAX = 500

type Kept = { dimensions: number; until: number; chunks: number[]; numbers: Float32Array }

type Wanted = {
  key: string
  dimensions: number
  /** The number of the last chunk that was embedded. */
  until: number
  /** How many chunks there are. */
  countMax: number
}

export const makeVectorMemory = (bytesMax = BYTES_MAX) => {
  const all = new Map<string, Kept>()

  const keep = (key: string, kept: Kept): void => {
    all.delete(key)
    all.set(key, kept)
    let bytes = [...all.values()].reduce((sum, { numbers }) => sum + numbers.byteLength, 0)
    for (const [oldest, { numbers }] of all) {
      if (bytes <= bytesMax) return
      all.delete(oldest)
      bytes -= numbers.byteLength
    }
  }

  /** `list` reads those after a number. */
  const read = async (
    { key, dimensions, until, countMax }: Wanted,
    list: (after: number) => Promise<readonly StoredVector[]>,
  ): Promise<Kept> => {
    const found = all.get(key)
    const isOfUse =
      found?.dimensions === dimensions && found.until <= until && found.chunks.length <= countMax + GONE_MAX
    const before = isOfUse ? found : { dimensions, until: 0, chunks: [], numbers: new Float32Array(0) }
    const kept = before.until === until ? before : append(before, await list(before.until), until)
    keep(key, kept)
    return kept
  }

  return { read, keys: () => [...all.keys()] }
}

const append = (
  { dimensions, chunks, numbers }: Kept,
  added: readonly StoredVector[],
  until: number,
): Kept => {
  const alike = added.filter(({ vector }) => vector.length === dimensions * 4)
  const longer = new Float32Array(numbers.length + alike.length * dimensions)
  longer.set(numbers)
  for (const [at, { vector }] of alike.entries())
    longer.set(fromBytes(vector), numbers.length + at * dimensions)
  return { dimensions, until, chunks: [...chunks, ...alike.map(({ chunk }) => chunk)], numbers: longer }
}
