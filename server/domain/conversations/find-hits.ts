// How the console's search finds conversations. What there is little of is looked up at once: people, tags, subjects,
// notes, files, and messages with a rare word. A frequent word is found by walking through the recent conversations,
// and if that does not fill a page, in the messages of 25 days after the other, newest first. See docs/decisions/0066.
import { performance } from 'node:perf_hooks'
import { runText, type SqlText } from '../../platform/db/json-text.ts'
import type { Position } from '../../platform/db/pagination.ts'
import type { Db } from '../../platform/db/pool.ts'
import { lookedUpBy } from '../contacts/find-people.ts'
import type { SearchTerm } from '../contacts/search-terms.ts'
import { bigramsOf } from '../search/bigrams.ts'
import { ID_CEILING, type Shown, textOf } from './conversation-rows.ts'
import { findInMessages } from './find-in-messages.ts'
import { estimateMessages, listBuckets } from './found-queries.ts'
import { comparedWith, type Found, merge, type Primary, parametersOf, type Search } from './hits.ts'
import type { InboxRow } from './inbox-schema.ts'
import {
  besidesText,
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
/** A conversation of ten messages takes a quarter of a millisecond: beyond this, looking up is faster. */
const WORTH_WALKING = 200
/** With more messages than this, looking them all up takes longer than ctx.searchDb allows. */
const LOOKED_UP_MAX = 3_000
/** Has no time limit and few conversations, because a thread may have tens of thousands of messages. */
const SHORT_WALK = 5

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

/** Undefined if no term is one that an index can look up. */
const choosePrimary = async ({ ctx, terms }: Search): Promise<Primary | undefined> => {
  const able = terms.filter(({ hasTrigram }) => hasTrigram)
  if (able.length === 0) return undefined
  const buckets = await listBuckets(ctx)
  const estimates = await patiently(ctx, (db) => estimateMessages(db, ctx.workspaceId, able, buckets))
  if (!estimates) return { term: longestOf(able), buckets, isRare: false, newest: null }
  const least = Math.min(...estimates.map(({ all }) => all))
  const rarest = able.filter((_, n) => estimates[n]!.all === least)
  const term = longestOf(rarest)
  return { term, buckets, isRare: least <= LOOKED_UP_MAX, newest: estimates[able.indexOf(term)]!.newest }
}

const longestOf = (terms: SearchTerm[]): SearchTerm =>
  terms.reduce((a, b) => (b.plain.length > a.plain.length ? b : a))

const pageOf = (hits: Hit[], limit: number): Found => ({
  hits: hits.slice(0, limit),
  next: hits.length > limit ? positionOf(hits[limit - 1]!) : null,
})

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

/** Whether walking on would soon fill the page, judged by what the first part of it found. */
const wouldFill = (found: number, missing: number): boolean =>
  found > 0 && ((missing + 1) * FIRST_WALK * WALK_MARGIN) / found <= WORTH_WALKING

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
  const missing = limit - near.hits.length
  if (wouldFill(near.hits.length, missing)) {
    const far = await walkOn(search, near.next, LONG_WALK_MAX)
    if (far) return withFar(near, far, limit)
  }
  const primary = await choosePrimary(search)
  if (!primary) return searchShort(search, near)
  const look = lookupsOf(search, near.next, primary)
  // With nothing to show yet, there is no reason to be quick.
  const run = (lookup: Lookup) =>
    near.hits.length > 0 ? quickly(search, lookup) : patiently(search.ctx, lookup)
  const [people, besides, messages] = await Promise.all([
    run(look.people),
    run(look.besides),
    look.messages && run(look.messages),
  ])
  if (!people || !besides) return near.hits.length > 0 ? near : walkPatiently(search, near.next)
  if (messages) return pageOf([...near.hits, ...merge(people, besides, messages)], limit)
  const older = await findInMessages(search, primary, {
    from: near.next,
    before: ID_CEILING,
    wanted: missing,
  })
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
    ? findInMessages(search, primary, { from: null, before, wanted: search.limit })
    : { hits: [], next: null }
}
