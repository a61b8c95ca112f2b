// How the console's search finds conversations. What there is little of is looked up at once: people, tags, subjects,
// notes, files, and messages with a rare word. A frequent word is found by walking through the recent conversations,
// and if that does not fill a page, in the messages of 25 days after the other, newest first. See docs/decisions/0066.
import { performance } from 'node:perf_hooks'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { runText, type SqlText } from '../../platform/db/json-text.ts'
import type { Position } from '../../platform/db/pagination.ts'
import type { SearchTerm } from '../contacts/search-terms.ts'
import { bigramsOf } from '../search/bigrams.ts'
import { ID_CEILING, type Shown, textOf, walkParameters } from './conversation-rows.ts'
import { estimateMessages, listBuckets, termParameters } from './found-queries.ts'
import type { InboxRow } from './inbox-schema.ts'
import {
  BUCKET_MAX,
  BUCKETS_MAX,
  besidesText,
  bucketsText,
  gramsText,
  type Hit,
  messagesText,
  peopleText,
  walkText,
} from './inbox-search-queries.ts'
import { withinLimit } from './search-conversations.ts'

const FIRST_WALK = 100
const LONG_WALK_MAX = 1000
const WALK_MARGIN = 2
/** With more messages than this, looking them all up takes longer than ctx.searchDb allows. */
const LOOKED_UP_MAX = 3_000
/** When something was found, no further part of the search is begun after this. */
const ENOUGH_MS = 100
/** Of one, two, four … buckets, each perhaps tried twice: eight years. */
const PARTS_MAX = 14
/** The length of an id, so that the beginning of a bucket can be a position. */
const ID_LENGTH = 25

export type Search = {
  ctx: Ctx
  shown: Shown<InboxRow>
  terms: SearchTerm[]
  limit: number
  startedMs: number
}
/** next is in the list's order, or without a time, the message from which older ones are searched. */
export type Found = { hits: Hit[]; next: Position | null }

const parametersOf = ({ ctx, shown, limit }: Search, from: Position | null, terms: readonly SearchTerm[]) => [
  ...walkParameters(ctx, shown.filter, from),
  limit + 1,
  ...termParameters(terms),
]

const positionOf = ({ at, id }: Hit): Position => ({ at, id })

/** A page in the list's order; undefined if it takes too long. */
const walkOn = (search: Search, from: Position | null, length: number): Promise<Found | undefined> =>
  withinLimit(walkNext(search, from, length))

const walkNext = async (search: Search, from: Position | null, length: number): Promise<Found> => {
  const text = textOf('inbox walk', search.shown, walkText)
  const rows = await runText(search.ctx.searchDb, text, [...parametersOf(search, from, search.terms), length])
  const end = rows.find(({ isHit }) => !isHit)
  const hits = rows.filter(({ isHit }) => isHit)
  const isMore = hits.length > search.limit
  const shown = hits.slice(0, search.limit)
  return { hits: shown, next: isMore ? positionOf(shown.at(-1)!) : end ? positionOf(end) : null }
}

/** The text of a lookup depends on the narrowing filters alone. */
const lookUp = (
  search: Search,
  use: 'inbox people' | 'inbox besides' | 'inbox messages' | 'inbox grams',
  make: (shown: Shown<InboxRow>) => SqlText<Hit>,
  parameters: unknown[],
): Promise<Hit[] | undefined> => {
  const { agentId, contactId, channels, ...filter } = search.shown.filter
  const shown = { ...search.shown, filter: { ...filter, status: 'all' as const } }
  return withinLimit(runText(search.ctx.searchDb, textOf(use, shown, make), parameters))
}

/** The term by which candidates are looked up, and whether it is in few enough messages to look up all of them. */
const choosePrimary = async ({ ctx, terms }: Search) => {
  const able = terms.filter(({ hasTrigram }) => hasTrigram)
  if (able.length === 0) return undefined
  const buckets = await listBuckets(ctx)
  const counts = await withinLimit(estimateMessages(ctx, able, buckets))
  if (!counts) return { term: longestOf(able), buckets, isRare: false }
  const least = Math.min(...counts)
  const rarest = able.filter((_, n) => counts[n] === least)
  return { term: longestOf(rarest), buckets, isRare: least <= LOOKED_UP_MAX }
}

const longestOf = (terms: SearchTerm[]): SearchTerm =>
  terms.reduce((a, b) => (b.plain.length > a.plain.length ? b : a))

/** The others have to be compared; the term itself only if its patterns say less than it does. */
const comparedWith = (terms: SearchTerm[], primary: SearchTerm): SearchTerm[] =>
  terms.filter((term) => term !== primary || term.expression !== null)

const byTime = (a: Hit, b: Hit): number => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1)

/** One hit for each conversation, the one that names a message if there is one. */
const merge = (...lists: Hit[][]): Hit[] => {
  const hits = new Map<string, Hit>()
  for (const hit of lists.flat()) if (!hits.get(hit.id)?.messageId) hits.set(hit.id, hit)
  return [...hits.values()].sort(byTime)
}

const pageOf = (hits: Hit[], limit: number): Found => ({
  hits: hits.slice(0, limit),
  next: hits.length > limit ? positionOf(hits[limit - 1]!) : null,
})

type Primary = NonNullable<Awaited<ReturnType<typeof choosePrimary>>>

/** Not greater than any id in the bucket. */
const startOf = (bucket: string): string => bucket.padEnd(ID_LENGTH, '0')

/** How far one statement over buckets came: the hits, and the message before which the next begins. */
const readPart = (rows: Hit[], part: string[], wanted: number) => {
  const hits: Hit[] = []
  const inBucket = new Map<string, number>()
  for (const row of rows) {
    if (row.isHit) hits.push(row)
    const count = (inBucket.get(row.bucket!) ?? 0) + 1
    inBucket.set(row.bucket!, count)
    if (hits.length === wanted || count === BUCKET_MAX) return { hits, before: row.messageId! }
  }
  const before = rows.length === BUCKETS_MAX ? rows.at(-1)!.messageId! : startOf(part.at(-1)!)
  return { hits, before }
}

type Reach = { from: Position | null; before: string; wanted: number }

/**
 * Hits after a position of the list, in messages before one, newest first. While nothing is found it goes on, and what
 * takes longer than ctx.searchDb allows is tried again without that limit.
 */
const searchBuckets = async (search: Search, { term, buckets }: Primary, reach: Reach): Promise<Found> => {
  const { ctx, shown, terms, startedMs } = search
  const parameters = parametersOf(search, reach.from, comparedWith(terms, term))
  const hits: Hit[] = []
  let { before } = reach
  let size = 1
  let isSlow = false
  for (let part = 0; part < PARTS_MAX && hits.length < reach.wanted; part++) {
    if (hits.length > 0 && performance.now() - startedMs > ENOUGH_MS) break
    const left = buckets.filter((bucket) => startOf(bucket) < before).slice(0, size)
    if (left.length === 0) return { hits: merge(hits), next: null }
    const text = textOf('inbox buckets', shown, bucketsText)
    const all = [...parameters, term.typed, term.other, left, before]
    const rows: Hit[] | undefined = await withinLimit(runText(isSlow ? ctx.db : ctx.searchDb, text, all))
    if (rows) {
      const read = readPart(rows, left, reach.wanted - hits.length)
      hits.push(...read.hits)
      before = read.before
      size *= 2
    } else if (hits.length > 0) break
    isSlow = !rows
  }
  return { hits: merge(hits), next: { at: null, id: before } }
}

/** What walking has not reached: by people, by everything else beside the messages, and by those with a rare word. */
const lookUpAll = (search: Search, rest: Position | null, { term, isRare }: Primary) => {
  const all = [...parametersOf(search, rest, search.terms), term.typed, term.other, term.plain]
  const parameters = [
    ...[...parametersOf(search, rest, comparedWith(search.terms, term)), term.typed],
    term.other,
  ]
  const address = term.plain.slice(1, -1)
  return Promise.all([
    lookUp(search, 'inbox people', peopleText, all),
    lookUp(search, 'inbox besides', besidesText, [...parameters, term.plain, address]),
    isRare ? lookUp(search, 'inbox messages', messagesText, parameters) : undefined,
  ])
}

/** Without a word that a trigram index has: by a rare gram, or among the recent conversations alone. */
const searchShort = async (search: Search, near: Found): Promise<Found> => {
  const grams = search.terms.flatMap(({ typed }) => bigramsOf(typed.slice(1, -1).replaceAll('\\', '')))
  const hits =
    grams[0] === undefined
      ? undefined
      : await lookUp(search, 'inbox grams', gramsText, [
          ...parametersOf(search, near.next, search.terms),
          grams[0],
        ])
  if (hits) return pageOf([...near.hits, ...hits], search.limit)
  const far = await walkOn(search, near.next, LONG_WALK_MAX)
  return far ? withFar(near, far, search.limit) : near
}

/** Whether walking on would fill the page, judged by what the first part of it found. */
const wouldFill = (found: number, missing: number): boolean =>
  found > 0 && ((missing + 1) * FIRST_WALK * WALK_MARGIN) / found <= LONG_WALK_MAX

const withFar = (near: Found, far: Found, limit: number): Found => {
  const page = pageOf([...near.hits, ...far.hits], limit)
  return page.next ? page : { ...page, next: far.next }
}

/**
 * A page in the list's order. If a frequent word was looked up in parts, its next page goes on with older messages, so
 * the hits of different pages may interleave or repeat.
 */
export const findPage = async (search: Search, from: Position | null): Promise<Found> => {
  const { limit } = search
  const started = await walkOn(search, from, FIRST_WALK)
  if (started && (started.next === null || started.hits.length === limit)) return started
  const near = started ?? { hits: [], next: from }
  const walkFar = (): Promise<Found | undefined> => walkOn(search, near.next, LONG_WALK_MAX)
  const missing = limit - near.hits.length
  if (wouldFill(near.hits.length, missing)) {
    const far = await walkFar()
    if (far) return withFar(near, far, limit)
  }
  const primary = await choosePrimary(search)
  if (!primary) return searchShort(search, near)
  const [people, besides, messages] = await lookUpAll(search, near.next, primary)
  const far = people && besides ? undefined : await walkFar()
  if (far && (far.hits.length > 0 || far.next === null)) return withFar(near, far, limit)
  if (people && besides && messages) return pageOf([...near.hits, ...merge(people, besides, messages)], limit)
  const older = await searchBuckets(search, primary, { from: near.next, before: ID_CEILING, wanted: missing })
  const found = merge(people ?? [], besides ?? [], older.hits)
  // The next page is in the list's order again if there are more people than this one shows.
  if ([people, besides].some((hits) => hits && hits.length > missing))
    return pageOf([...near.hits, ...found], limit)
  return { hits: [...near.hits, ...found], next: older.next }
}

/** The next page of a frequent word that was looked up in parts: by messages before one. */
export const goOn = async (search: Search, before: string): Promise<Found> => {
  const primary = await choosePrimary(search)
  return primary
    ? searchBuckets(search, primary, { from: null, before, wanted: search.limit })
    : { hits: [], next: null }
}
