// Finds a term in subjects, contacts' names and emails, message bodies and the hidden parts of mails, as a
// case-insensitive substring. No single plan is fast for every term: the trigram index finds a rare word in a
// millisecond but needs seconds for a frequent one, while a walk through the recent conversations finds frequent ones
// at once. So a short walk comes first. If it does not fill the page, either the index is used under a time limit, or a
// longer walk follows, whichever the short one suggests. If both reach their limits the page is short and its cursor is
// where the walk ended; if nothing was found until then, the search goes on with patience (see patiently.ts). Every page
// takes a bounded time, and following the cursors still finds every match.

import { performance } from 'node:perf_hooks'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { timeText } from '../../platform/db/json-columns.ts'
import { type JsonItems, joinItems, runText, type SqlText } from '../../platform/db/json-text.ts'
import type { Position } from '../../platform/db/pagination.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ANY_BIGRAM, bigramsOf } from '../search/bigrams.ts'
import { foldText } from '../search/search-text.ts'
import type { PageRow } from './conversation-json.ts'
import {
  filterCondition,
  orderBy,
  type Page,
  pageOf,
  placeColumn,
  positionAt,
  type Shown,
  textOf,
  walk,
  walkParameters,
} from './conversation-rows.ts'
import { PATIENCE_MS, patiently, withinLimit } from './patiently.ts'
import type { Sort } from './rare-conversations.ts'

/** About 30 microseconds for each conversation of ten messages. */
const FIRST_WALK = 100
const LONG_WALK_MAX = 1000
/** Has no time limit and few conversations, because a thread may have tens of thousands of messages. */
const SHORT_WALK = 5
/** The first walk must have found enough for the long one to fill the page, with this margin. */
const WALK_MARGIN = 2

/**
 * The term is in a message of `c`, in the quotes or signature of one of its mails, in its subject, or in its contact's
 * name or email. $18 is the term as a pattern, $19 the same folded as contacts' search texts are. System entries do not
 * count.
 */
const MATCHES = `(
  c.subject ilike $18
  or (k.search_text like $19 and (k.name ilike $18 or k.email ilike $18))
  or coalesce((
    select true from messages m
    where m.workspace_id = $1 and m.conversation_id = c.id and m.sender_type <> 'system' and m.body ilike $18
    limit 1
  ), false)
  or (c.channel = 'email' and exists (
    select from email_hidden_texts where workspace_id = $1 and conversation_id = c.id and text ilike $18)))`

/** `offset 0` keeps the planner from turning the lookup of each row's contact into a scan of all contacts. */
const CONTACT = 'lateral (select * from contacts where workspace_id = $1 and id = c.contact_id offset 0) k'

/** Tests the next $20 conversations of the filter. walkEnd is where they end, null if there are no more. */
const walkText = <T>(shown: Shown<T>): SqlText<PageRow<T>> => {
  const { sort } = shown.filter
  const walked = walk(shown, LONG_WALK_MAX)
  const rows = `
    select c.* from (select * from (${walked}) l limit $20::bigint) c cross join ${CONTACT}
    where ${MATCHES} order by ${orderBy(sort, 'c')} limit $17 + 1`
  return pageOf(
    rows,
    shown,
    `
    case when count(*) <= $17 then (
      select ${sort === 'created' ? "''" : timeText(positionAt(sort, 'w'))} || '~' || w.id
      from (${walked}) w offset $20::bigint - 1 limit 1
    ) end as "walkEnd"`,
  )
}

/** Every conversation that contains the term, by the trigram indexes. Each part is fenced to its intended index. */
const TRIGRAM_HITS = `
  select m.conversation_id as id from messages m
    where m.workspace_id = $1 and m.body ilike $18 and m.sender_type <> 'system'
  union
  select h.conversation_id from email_hidden_texts h where h.workspace_id = $1 and h.text ilike $18
  union
  select v.id from conversations v where v.workspace_id = $1 and v.subject ilike $18
  union
  select v.id from (
    select contact_id from contact_search where workspace_id = $1 and text like $19 offset 0
  ) s cross join lateral (
    select id from contacts where workspace_id = $1 and id = s.contact_id and (name ilike $18 or email ilike $18) offset 0
  ) k cross join lateral (
    select id from conversations where workspace_id = $1 and contact_id = k.id offset 0
  ) v`

/** The conversations that may contain the term: those listed under one of its rare bigrams, $20, or under ANY_BIGRAM. */
const GRAM_HITS = `
  select conversation_id as id from conversation_grams where workspace_id = $1 and gram = $20
  union select conversation_id from conversation_grams where workspace_id = $1 and gram = '${ANY_BIGRAM}'`

const hitsText = <T>(shown: Shown<T>, hits: string, test: string): SqlText<PageRow<T>> =>
  pageOf(
    `select c.* from (
       select v.* from (${hits}) h cross join lateral (
         select *${placeColumn(shown.filter.sort, 'x.')} from conversations x where x.workspace_id = $1 and x.id = h.id and ${filterCondition(shown.filter, 'x')} offset 0
       ) v order by ${orderBy(shown.filter.sort, 'v')}
     ) c ${test} order by ${orderBy(shown.filter.sort, 'c')} limit $17 + 1`,
    shown,
  )

const trigramText = <T>(shown: Shown<T>): SqlText<PageRow<T>> => hitsText(shown, TRIGRAM_HITS, '')
const gramText = <T>(shown: Shown<T>): SqlText<PageRow<T>> =>
  hitsText(shown, GRAM_HITS, `cross join ${CONTACT} where ${MATCHES}`)

/** Everything that determines the text of a lookup; the rest of the filter are parameters. */
const lookedUp = <T>({ filter: { agentId, contactId, channels, ...filter }, shape }: Shown<T>): Shown<T> => ({
  filter: { ...filter, status: 'all' },
  shape,
})

const patternOf = (term: string): string => `%${term.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Whether the pattern contains a full trigram: three letters or digits, or fewer at the edge of a word inside it. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u
const TRIGRAM = 3

type Step<T> = { items: JsonItems<T>[]; found: number; next: Position | null }
type Search<T> = { ctx: Ctx; shown: Shown<T>; q: string }

const positionOf = (text: string, sort: Sort): Position => {
  const [at, id] = text.split('~') as [string, string]
  return { at: sort === 'created' ? null : at, id }
}

const commonParameters = <T>(
  { ctx, shown, q }: Search<T>,
  from: Position | null,
  limit: number,
): unknown[] => [...walkParameters(ctx, shown.filter, from), limit, patternOf(q), patternOf(foldText(q))]

/** next is where a full page ends, null if there are no more matches. */
const toStep = <T>(row: PageRow<T>, limit: number): Step<T> => ({
  items: row.items === '' ? [] : [row.items],
  found: Math.min(row.found, limit),
  next: row.found > limit ? { at: row.lastAt, id: row.lastId! } : null,
})

const walkOn = async <T>(
  search: Search<T>,
  from: Position | null,
  limit: number,
  length: number,
  db = search.ctx.searchDb,
): Promise<Step<T>> => {
  const text = textOf('walk', search.shown, walkText)
  const parameters = [...commonParameters(search, from, limit), length]
  const [row] = await runText(db, text, parameters)
  const step = toStep(row!, limit)
  return step.next || !row!.walkEnd
    ? step
    : { ...step, next: positionOf(row!.walkEnd, search.shown.filter.sort) }
}

/** All matches from a position on, or undefined if no index helps with this term. */
const lookUp = async <T>(
  search: Search<T>,
  from: Position | null,
  limit: number,
  db: Db = search.ctx.searchDb,
): Promise<Step<T> | undefined> => {
  const { q } = search
  const shown = lookedUp(search.shown)
  const parameters = commonParameters(search, from, limit)
  if ([...q].length >= TRIGRAM && HAS_TRIGRAM.test(q)) {
    const [row] = await runText(db, textOf('trigrams', shown, trigramText), parameters)
    return toStep(row!, limit)
  }
  const [gram] = bigramsOf(q)
  if (gram === undefined) return undefined
  const [row] = await runText(db, textOf('grams', shown, gramText), [...parameters, gram])
  return toStep(row!, limit)
}

const join = <T>(...steps: Step<T>[]): Step<T> => ({
  items: steps.flatMap((step) => step.items),
  found: steps.reduce((sum, step) => sum + step.found, 0),
  next: steps.at(-1)!.next,
})

/** At most three statements, all but the very short walk bounded in time by ctx.searchDb. */
const searchQuickly = async <T>(
  search: Search<T>,
  from: Position | null,
  limit: number,
): Promise<Step<T>> => {
  const first = await withinLimit(walkOn(search, from, limit, FIRST_WALK))
  // The threads ahead are long: use the index, or read a few at a time.
  if (!first)
    return (
      (await withinLimit(lookUp(search, from, limit))) ??
      (await walkOn(search, from, limit, SHORT_WALK, search.ctx.db))
    )
  const missing = limit - first.found
  const { next: rest } = first
  if (!rest || missing === 0) return first
  const wanted = Math.ceil(((missing + 1) * FIRST_WALK * WALK_MARGIN) / Math.max(first.found, 0.01))
  const length = Math.min(Math.max(wanted, FIRST_WALK), LONG_WALK_MAX)
  const byIndex = () => withinLimit(lookUp(search, rest, missing))
  const byWalk = () => withinLimit(walkOn(search, rest, missing, length))
  const last =
    wanted <= LONG_WALK_MAX
      ? ((await byWalk()) ?? (await byIndex()))
      : ((await byIndex()) ?? (await byWalk()))
  return last ? join(first, last) : first
}

/** From a position before which nothing was found: all matches by the index, or else the first ones by walking. */
const searchPatiently = async <T>(search: Search<T>, from: Position, limit: number): Promise<Step<T>> => {
  const { ctx } = search
  const startedMs = performance.now()
  const all = await patiently(ctx, (db) => lookUp(search, from, limit, db))
  if (all) return all
  let step: Step<T> = { items: [], found: 0, next: from }
  do {
    const { next } = step
    const walked = await patiently(ctx, (db) => walkOn(search, next, limit, LONG_WALK_MAX, db))
    if (!walked) break
    step = walked
  } while (step.found === 0 && step.next && performance.now() - startedMs < PATIENCE_MS)
  return step
}

type Input<T> = { shown: Shown<T>; q: string; from: Position | null; limit: number }

/**
 * A page of the conversations that contain the term, in the filter's order. It may be short and still have a next page.
 * It is only empty before the last page if a search of many seconds found nothing.
 */
export const searchConversations = async <T>(
  ctx: Ctx,
  { shown, q, from, limit }: Input<T>,
): Promise<Page<T>> => {
  const search = { ctx, shown, q }
  const quick = await searchQuickly(search, from, limit)
  const { items, next } =
    quick.found === 0 && quick.next ? await searchPatiently(search, quick.next, limit) : quick
  return { items: joinItems(items), next }
}
