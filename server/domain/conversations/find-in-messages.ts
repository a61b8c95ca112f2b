// Finds a frequent word in messages, newest first. Where many have it, they are read one by one, since a few thousand
// hold enough; otherwise the index is asked, for the 25 days of twice as many buckets each time.
import { performance } from 'node:perf_hooks'
import { runText } from '../../platform/db/json-text.ts'
import type { Position } from '../../platform/db/pagination.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ID_CEILING, textOf } from './conversation-rows.ts'
import { type Counted, countByBucket, OFTEN } from './found-queries.ts'
import { comparedWith, type Found, merge, type Primary, parametersOf, type Search } from './hits.ts'
import { BUCKET_MAX, bucketsText, type Hit, readText } from './inbox-search-queries.ts'
import { PATIENCE_MS, patiently, withinLimit } from './patiently.ts'

/** When something was found, no further part of the search is begun after this. */
const ENOUGH_MS = 100
/** The length of an id, so that the beginning of a bucket can be a position. */
const ID_LENGTH = 25
/** How many messages are read one by one, at two microseconds each: at first, and then. */
const READ_FIRST = 5_000
const READ_MAX = 20_000
/** Reading goes on if it found one in so many of the wanted hits. */
const WORTHWHILE = 4

/** Not greater than any id in the bucket. */
const startOf = (bucket: string): string => bucket.padEnd(ID_LENGTH, '0')

/** Greater than any id in the bucket. */
const endOf = (bucket: string): string => `${bucket}${ID_CEILING}`

/** How far a part of the search came: the hits, and the message before which the next begins. */
type Read = { hits: Hit[]; before: string }
type Part = { part: string[]; wanted: number; most: number }

const readPart = (rows: Hit[], { part, wanted, most }: Part): Read => {
  const hits: Hit[] = []
  const inBucket = new Map<string, number>()
  for (const row of rows) {
    if (row.isHit) hits.push(row)
    const count = (inBucket.get(row.bucket!) ?? 0) + 1
    inBucket.set(row.bucket!, count)
    if (hits.length === wanted || count === most) return { hits, before: row.messageId! }
  }
  const before = rows.length === 2 * most ? rows.at(-1)!.messageId! : startOf(part.at(-1)!)
  return { hits, before }
}

/** The last row, without an id, is the message up to which was read. */
const readRows = (rows: Hit[], bucket: string, wanted: number): Read => {
  const hits = rows.filter(({ isHit }) => isHit).slice(0, wanted)
  if (hits.length === wanted) return { hits, before: hits.at(-1)!.messageId! }
  return { hits, before: rows.find(({ id }) => id === '')?.messageId ?? startOf(bucket) }
}

/** From the first counted bucket to before the next in which it is frequent. */
const untilOften = (counted: Counted[]): string[] => {
  const at = counted.findIndex(({ count }, n) => n > 0 && count === OFTEN)
  return counted.slice(0, at < 0 ? undefined : at).map(({ bucket }) => bucket)
}

type Reach = { from: Position | null; before: string; wanted: number }

/**
 * Hits after a position of the list, in messages before one, newest first. While nothing is found it goes on, and what
 * takes longer than ctx.searchDb allows is done with patience.
 */
export const findInMessages = async (
  search: Search,
  { term, buckets, newest }: Primary,
  reach: Reach,
): Promise<Found> => {
  const { ctx, shown, terms, startedMs } = search
  const parameters = [
    ...[...parametersOf(search, reach.from, comparedWith(terms, term)), term.typed],
    term.other,
  ]
  const hits: Hit[] = []
  let { before } = reach
  let size = 1
  let reading = READ_FIRST
  let isWorthReading = true
  let isSlow = false
  // How many messages of the next bucket have the term; undefined if that has to be counted.
  let expected = newest || undefined

  const readOn = async (db: Db, bucket: string, wanted: number): Promise<Read> => {
    const [end] = [before, endOf(bucket)].sort()
    const text = textOf('inbox read', shown, readText)
    const rows = await runText(db, text, [...parameters, startOf(bucket), end, reading])
    const read = readRows(rows, bucket, wanted)
    const isOver = !rows.some(({ id }) => id === '')
    if (isOver) expected = undefined
    else if (read.hits.length * WORTHWHILE < wanted) {
      isWorthReading = false
      isSlow = true
    }
    reading = READ_MAX
    return read
  }

  const goOn = async (db: Db, left: string[]): Promise<Read> => {
    const wanted = reach.wanted - hits.length
    const next =
      expected === undefined
        ? await countByBucket(db, ctx.workspaceId, term, left, size)
        : left.slice(0, size).map((bucket) => ({ bucket, count: expected! }))
    const [first] = next
    if (!first) return { hits: [], before: startOf(left.at(-1)!) }
    expected = first.count
    if (first.count === OFTEN && isWorthReading) return readOn(db, first.bucket, wanted)
    const part = isWorthReading ? untilOften(next) : next.map(({ bucket }) => bucket)
    const most = BUCKET_MAX * size
    const text = textOf('inbox buckets', shown, bucketsText)
    const rows = await runText(db, text, [...parameters, part, before, most])
    if (rows.length === 0 && isWorthReading) expected = undefined
    size *= 2
    return readPart(rows, { part, wanted, most })
  }

  while (hits.length < reach.wanted) {
    const spentMs = performance.now() - startedMs
    if (spentMs > (hits.length > 0 ? ENOUGH_MS : PATIENCE_MS)) break
    const left = buckets.filter((bucket) => startOf(bucket) < before)
    if (left.length === 0) return { hits: merge(hits), next: null }
    const read = isSlow
      ? await patiently(ctx, (db) => goOn(db, left))
      : await withinLimit(goOn(ctx.searchDb, left))
    if (read) {
      hits.push(...read.hits)
      before = read.before
    } else if (hits.length > 0 || isSlow) break
    else isSlow = true
  }
  return { hits: merge(hits), next: { at: null, id: before } }
}
