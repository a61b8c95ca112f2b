// How the console's search finds conversations. What there is little of is looked up at once: people, tags, subjects,
// notes, files, and messages with a rare word. A frequent word is found by walking through the recent conversations,
// and if that does not fill a page, in the messages of 25 days after the other, newest first. See docs/decisions/0066.
import { performance } from 'node:perf_hooks'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { runText, type SqlText } from '../../platform/db/json-text.ts'
import type { Position } from '../../platform/db/pagination.ts'
import type { Db } from '../../platform/db/pool.ts'
import { lookedUpBy } from '../contacts/find-people.ts'
import type { SearchTerm } from '../contacts/search-terms.ts'
import { bigramsOf } from '../search/bigrams.ts'
import { ID_CEILING, type Shown, textOf, walkParameters } from './conversation-rows.ts'
import { estimateMessages, listBuckets, termParameters } from './found-queries.ts'
import type { InboxRow } from './inbox-schema.ts'
import {
  BUCKET_MAX,
  besidesText,
  bucketsText,
  gramsText,
  type Hit,
  messagesText,
  peopleText,
  walkText,
} from './inbox-search-queries.ts'
import { PATIENCE_MS, patiently, withinLimit } from './patiently.ts'

const FIRST_WALK = 100
const LONG_WALK_MAX = 1000
const WALK_MARGIN = 2
/** With more messages than this, looking them all up takes longer than ctx.searchDb allows. */
const LOOKED_UP_MAX = 3_000
/** When something was found, no further part of the search is begun after this. */
const ENOUGH_MS = 100
/** Has no time limit and few conversations, because a thread may have tens of thousands of messages. */
const SHORT_WALK = 5
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

const walkNext = async (
  search: Search,
  from: Position | null,
  length: number,
  db: Db = search.ctx.searchDb,
): Promise<Found> => {
  const text = textOf('inbox walk', search.shown, walkText)
  const rows = await runText(db, text, [...parametersOf(search, from, search.terms), length])
  const end = rows.find(({ isHit }) => !isHit)
  const hits = rows.filter(({ isHit }) => isHit)
  const isMore = hits.length > search.limit
  const shown = hits.slice(0, search.limit)
  return { hits: shown, next: isMore ? positionOf(shown.at(-1)!) : end ? positionOf(end) : null }
}

type Lookup = (db: Db) => Promise<Hit[]>

/** The text of a lookup depends on the narrowing filters alone. */
const lookUp = (
  { shown: { filter, shape } }: Search,
  use: 'inbox people' | 'inbox besides' | 'inbox messages' | 'inbox grams',
  make: (shown: Shown<InboxRow>) => SqlText<Hit>,
  parameters: unknown[],
): Lookup => {
  const { agentId, contactId, channels, ...others } = filter
  const shown = { shape, filter: { ...others, status: 'all' as const } }
  return (db) => runText(db, textOf(use, shown, make), parameters)
}

const quickly = ({ ctx }: Search, look: Lookup): Promise<Hit[] | undefined> => withinLimit(look(ctx.searchDb))

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

type Part = { part: string[]; wanted: number; most: number }

/** How far one statement over buckets came: the hits, and the message before which the next begins. */
const readPart = (rows: Hit[], { part, wanted, most }: Part) => {
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

type Reach = { from: Position | null; before: string; wanted: number }

/**
 * Hits after a position of the list, in messages before one, newest first. While nothing is found it goes on, and what
 * takes longer than ctx.searchDb allows is done with patience.
 */
const searchBuckets = async (search: Search, { term, buckets }: Primary, reach: Reach): Promise<Found> => {
  const { ctx, shown, terms, startedMs } = search
  const parameters = parametersOf(search, reach.from, comparedWith(terms, term))
  const text = textOf('inbox buckets', shown, bucketsText)
  const hits: Hit[] = []
  let { before } = reach
  let size = 1
  let isSlow = false
  while (hits.length < reach.wanted) {
    const spentMs = performance.now() - startedMs
    if (spentMs > (hits.length > 0 ? ENOUGH_MS : PATIENCE_MS)) break
    const left = buckets.filter((bucket) => startOf(bucket) < before).slice(0, size)
    if (left.length === 0) return { hits: merge(hits), next: null }
    const most = BUCKET_MAX * size
    const all = [...parameters, term.typed, term.other, left, before, most]
    const look: Lookup = (db) => runText(db, text, all)
    const rows = isSlow ? await patiently(ctx, look) : await quickly(search, look)
    if (rows) {
      const read = readPart(rows, { part: left, wanted: reach.wanted - hits.length, most })
      hits.push(...read.hits)
      before = read.before
      size *= 2
    } else if (hits.length > 0 || isSlow) break
    else isSlow = true
  }
  return { hits: merge(hits), next: { at: null, id: before } }
}

/** What walking has not reached: by people, by everything else beside the messages, and by those with a rare word. */
const lookupsOf = (search: Search, rest: Position | null, { term, isRare }: Primary) => {
  const all = [
    ...[...parametersOf(search, rest, search.terms), term.typed, term.other],
    ...lookedUpBy(search.terms, term),
  ]
  const parameters = [
    ...[...parametersOf(search, rest, comparedWith(search.terms, term)), term.typed],
    term.other,
  ]
  const address = term.plain.slice(1, -1)
  return {
    people: lookUp(search, 'inbox people', peopleText, all),
    besides: lookUp(search, 'inbox besides', besidesText, [...parameters, term.plain, address]),
    messages: isRare ? lookUp(search, 'inbox messages', messagesText, parameters) : undefined,
  }
}

/** From a position before which nothing was found, until something is or many seconds have passed. */
const walkPatiently = async (search: Search, from: Position | null): Promise<Found> => {
  let found: Found = { hits: [], next: from }
  do {
    const { next } = found
    const walked = await patiently(search.ctx, (db) => walkNext(search, next, LONG_WALK_MAX, db))
    found = walked ?? (await walkNext(search, next, SHORT_WALK, search.ctx.db))
  } while (found.hits.length === 0 && found.next && performance.now() - search.startedMs < PATIENCE_MS)
  return found
}

/** Without a word that a trigram index has: by a rare gram, or among the recent conversations alone. */
const searchShort = async (search: Search, near: Found): Promise<Found> => {
  const grams = search.terms.flatMap(({ typed }) => bigramsOf(typed.slice(1, -1).replaceAll('\\', '')))
  const parameters = [...parametersOf(search, near.next, search.terms), grams[0]]
  const look = grams[0] === undefined ? undefined : lookUp(search, 'inbox grams', gramsText, parameters)
  const hits = look && (await quickly(search, look))
  if (hits) return pageOf([...near.hits, ...hits], search.limit)
  const far = await walkOn(search, near.next, LONG_WALK_MAX)
  if (far && (far.hits.length > 0 || far.next === null)) return withFar(near, far, search.limit)
  const next = far?.next ?? near.next
  if (near.hits.length > 0) return { hits: near.hits, next }
  const all = look && (await patiently(search.ctx, look))
  return all ? pageOf(all, search.limit) : walkPatiently(search, next)
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
  const look = lookupsOf(search, near.next, primary)
  let [people, besides, messages] = await Promise.all([
    quickly(search, look.people),
    quickly(search, look.besides),
    look.messages && quickly(search, look.messages),
  ])
  if (!people || !besides) {
    const far = await walkFar()
    if (far && (far.hits.length > 0 || far.next === null)) return withFar(near, far, limit)
    if (near.hits.length > 0) return { hits: near.hits, next: far?.next ?? near.next }
    people ??= await patiently(search.ctx, look.people)
    besides ??= await patiently(search.ctx, look.besides)
    if (!people || !besides) return walkPatiently(search, far?.next ?? near.next)
  }
  if (messages) return pageOf([...near.hits, ...merge(people, besides, messages)], limit)
  const older = await searchBuckets(search, primary, { from: near.next, before: ID_CEILING, wanted: missing })
  const found = merge(people, besides, older.hits)
  // The next page is in the list's order again if there are more people than this one shows.
  const isMore = Math.max(people.length, besides.length) > missing
  return isMore
    ? pageOf([...near.hits, ...found], limit)
    : { hits: [...near.hits, ...found], next: older.next }
}

/** The next page of a frequent word that was looked up in parts: by messages before one. */
export const goOn = async (search: Search, before: string): Promise<Found> => {
  const primary = await choosePrimary(search)
  return primary
    ? searchBuckets(search, primary, { from: null, before, wanted: search.limit })
    : { hits: [], next: null }
}
