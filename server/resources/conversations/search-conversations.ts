// Finds a term in subjects, contacts' names and emails, and message bodies, as a substring without regard to case.
//
// No one plan is fast for every term: the trigram index answers a rare word in a millisecond and needs seconds for a
// frequent one, which in turn is met at once on a walk through the recent conversations. So a short walk comes first.
// Where it does not fill the page, the index answers under a time limit, or a longer walk goes on, whichever the
// short one makes likely. When both come to their limits the page is short and its cursor stands where the walk
// ended: every page costs a bounded time, and following the cursors still meets every conversation that matches.
import type { Ctx } from '../../ctx.ts'
import type { Position } from '../../http/pagination.ts'
import { foldText } from '../contacts/search-text.ts'
import {
  type ConversationFilter,
  filterCondition,
  orderBy,
  type Page,
  type PageRow,
  pageOf,
  runText,
  type Sort,
  textOf,
  timeText,
  walk,
  walkParameters,
} from './conversation-rows.ts'
import { gramsOf } from './grams.ts'

/** About 30 microseconds for each conversation of ten messages. */
const FIRST_WALK = 100
const LONG_WALK_MAX = 1000
/** A thread may have tens of thousands of messages, so this one has no limit of time and few conversations. */
const SHORT_WALK = 5
/** The first walk found enough for the long one to fill the page, with so much to spare. */
const WALK_MARGIN = 2

const QUERY_CANCELED = '57014'

/**
 * The term is in a message of `c`, in its subject, or in its contact's name or email. $9 is the term as a pattern, $10
 * the same folded as contacts' search texts are. What the system wrote into the thread does not count.
 */
const MATCHES = `(
  c.subject ilike $9
  or (k.search_text like $10 and (k.name ilike $9 or k.email ilike $9))
  or coalesce((
    select true from messages m
    where m.workspace_id = $1 and m.conversation_id = c.id and m.sender_type <> 'system' and m.body ilike $9
    limit 1
  ), false))`

/** `offset 0` keeps the planner from turning the look-up of each row's contact into a scan of all contacts. */
const CONTACT = 'lateral (select * from contacts where workspace_id = $1 and id = c.contact_id offset 0) k'

/** Tests the next $11 conversations of the filter. walkEnd is where they end, null when there are no more. */
const walkText = (filter: ConversationFilter): string => {
  const walked = walk(filter, LONG_WALK_MAX)
  const rows = `
    select c.* from (select * from (${walked}) l limit $11::bigint) c cross join ${CONTACT}
    where ${MATCHES} order by ${orderBy(filter.sort, 'c')} limit $8 + 1`
  return pageOf(
    rows,
    filter,
    `
    case when count(*) <= $8 then (
      select ${filter.sort === 'updated' ? timeText('w.updated_at') : "''"} || '~' || w.id
      from (${walked}) w offset $11::bigint - 1 limit 1
    ) end as "walkEnd"`,
  )
}

/** Every conversation that holds the term, by the trigram indexes. Each part is fenced to the index that is meant. */
const TRIGRAM_HITS = `
  select m.conversation_id as id from messages m
    where m.workspace_id = $1 and m.body ilike $9 and m.sender_type <> 'system'
  union
  select v.id from conversations v where v.workspace_id = $1 and v.subject ilike $9
  union
  select v.id from (
    select contact_id from contact_search where workspace_id = $1 and text like $10 offset 0
  ) s cross join lateral (
    select id from contacts where workspace_id = $1 and id = s.contact_id and (name ilike $9 or email ilike $9) offset 0
  ) k cross join lateral (
    select id from conversations where workspace_id = $1 and contact_id = k.id offset 0
  ) v`

/** The conversations that may hold the term: those listed under one of its rare grams, $11. */
const GRAM_HITS =
  'select conversation_id as id from conversation_grams where workspace_id = $1 and gram = $11'

const hitsText = (filter: ConversationFilter, hits: string, test: string): string =>
  pageOf(
    `select c.* from (
       select v.* from (${hits}) h cross join lateral (
         select * from conversations x where x.workspace_id = $1 and x.id = h.id and ${filterCondition(filter, 'x')} offset 0
       ) v order by ${orderBy(filter.sort, 'v')}
     ) c ${test} order by ${orderBy(filter.sort, 'c')} limit $8 + 1`,
    filter,
  )

const trigramText = (filter: ConversationFilter): string => hitsText(filter, TRIGRAM_HITS, '')
const gramText = (filter: ConversationFilter): string =>
  hitsText(filter, GRAM_HITS, `cross join ${CONTACT} where ${MATCHES}`)

const walkTexts = new Map<string, string>()
const trigramTexts = new Map<string, string>()
const gramTexts = new Map<string, string>()

/** All that decides the text of a look-up; the rest of the filter are parameters. */
const lookUpTextOf = (
  texts: Map<string, string>,
  { sort, isUnread, isForPeople }: ConversationFilter,
  make: (filter: ConversationFilter) => string,
): string => textOf(texts, { status: 'all', sort, isUnread, isForPeople }, make)

const patternOf = (term: string): string => `%${term.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Whether the pattern holds a trigram whole: three letters or digits, or fewer at the edge of a word inside it. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u
const TRIGRAM = 3

type Step = { items: string[]; found: number; next: Position | null }
type Search = { ctx: Ctx; filter: ConversationFilter; q: string }

const positionOf = (text: string, sort: Sort): Position => {
  const [at, id] = text.split('~') as [string, string]
  return { at: sort === 'updated' ? at : null, id }
}

const commonParameters = ({ ctx, filter, q }: Search, from: Position | null, limit: number): unknown[] => [
  ...walkParameters(ctx, filter, from),
  limit,
  patternOf(q),
  patternOf(foldText(q)),
]

/** next is where a full page ends, null where there are no more matches. */
const toStep = (row: PageRow, limit: number): Step => ({
  items: row.items === '' ? [] : [row.items],
  found: Math.min(row.found, limit),
  next: row.found > limit ? { at: row.lastAt, id: row.lastId! } : null,
})

const walkOn = async (
  search: Search,
  from: Position | null,
  limit: number,
  length: number,
  db = search.ctx.searchDb,
): Promise<Step> => {
  const text = textOf(walkTexts, search.filter, walkText)
  const parameters = [...commonParameters(search, from, limit), length]
  const [row] = await runText<PageRow & { walkEnd: string | null }>(db, text, parameters)
  const step = toStep(row!, limit)
  return step.next || !row!.walkEnd ? step : { ...step, next: positionOf(row!.walkEnd, search.filter.sort) }
}

/** All matches from a position on, or undefined when no index helps with this term. */
const lookUp = async (search: Search, from: Position | null, limit: number): Promise<Step | undefined> => {
  const { ctx, filter, q } = search
  const parameters = commonParameters(search, from, limit)
  if ([...q].length >= TRIGRAM && HAS_TRIGRAM.test(q)) {
    const [row] = await runText<PageRow>(
      ctx.searchDb,
      lookUpTextOf(trigramTexts, filter, trigramText),
      parameters,
    )
    return toStep(row!, limit)
  }
  const [gram] = gramsOf(q)
  if (gram === undefined) return undefined
  const [row] = await runText<PageRow>(ctx.searchDb, lookUpTextOf(gramTexts, filter, gramText), [
    ...parameters,
    gram,
  ])
  return toStep(row!, limit)
}

/** Undefined when the statement ran into the time limit of ctx.searchDb. */
const withinLimit = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if ((error as { code?: string }).code === QUERY_CANCELED) return undefined
    throw error
  }
}

const toPage = (...steps: Step[]): Page => ({
  items: steps.flatMap((step) => step.items).join(','),
  next: steps.at(-1)!.next,
})

type Input = { filter: ConversationFilter; q: string; from: Position | null; limit: number }

/**
 * A page of the conversations that hold the term, in the filter's order. It may be short, even empty, and still have
 * a next one; at most three statements, all but the very short walk bounded in time by ctx.searchDb.
 */
export const searchConversations = async (ctx: Ctx, { filter, q, from, limit }: Input): Promise<Page> => {
  const search = { ctx, filter, q }
  const first = await withinLimit(walkOn(search, from, limit, FIRST_WALK))
  // The threads ahead are long: the index answers, or they are read a few at a time.
  if (!first)
    return toPage(
      (await withinLimit(lookUp(search, from, limit))) ??
        (await walkOn(search, from, limit, SHORT_WALK, ctx.db)),
    )
  const missing = limit - first.found
  const { next: rest } = first
  if (!rest || missing === 0) return toPage(first)
  const wanted = Math.ceil(((missing + 1) * FIRST_WALK * WALK_MARGIN) / Math.max(first.found, 0.01))
  const length = Math.min(Math.max(wanted, FIRST_WALK), LONG_WALK_MAX)
  const byIndex = () => withinLimit(lookUp(search, rest, missing))
  const byWalk = () => withinLimit(walkOn(search, rest, missing, length))
  const last =
    wanted <= LONG_WALK_MAX
      ? ((await byWalk()) ?? (await byIndex()))
      : ((await byIndex()) ?? (await byWalk()))
  return last ? toPage(first, last) : toPage(first)
}
