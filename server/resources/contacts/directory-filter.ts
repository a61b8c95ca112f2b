// The directory's filters as SQL. Whatever decides the plan is written into the statement from a fixed list (statements
// are planned once, without their parameters); what the caller typed is always a parameter.
import { type RawBuilder, sql } from 'kysely'
import type { ChannelName } from '../../db/tables.ts'
import { foldText } from './search-text.ts'

export type DirectoryFilter = {
  search?: string
  country?: string
  channel?: ChannelName
  assignment?: 'assigned' | 'unassigned'
  hasOpen?: boolean
}

type Condition = RawBuilder<unknown>

/** A term as the stored text is folded, and its digits where it may be read as part of a phone number. */
export type SearchTerm = { text: string; digits: string | null }

/** Trigrams are of letters and digits, three in a row: a term without such a run finds none to look for. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u
const PHONE_LIKE = /^\+?[\d\s-]*\d[\d\s-]*$/

/** The normalized filter: an absent key filters nothing, and a key that is no condition is none. */
export const normalizeFilter = (filter: DirectoryFilter): DirectoryFilter => {
  const { search, country, channel, assignment, hasOpen } = filter
  return {
    ...(search?.trim() && { search: search.trim() }),
    ...(country && { country: country.toUpperCase() }),
    ...(channel && { channel }),
    ...(assignment && { assignment }),
    ...(hasOpen && { hasOpen }),
  }
}

export const searchTermOf = (search: string): SearchTerm => {
  const text = foldText(search)
  const digits = PHONE_LIKE.test(text) ? text.replaceAll(/\D/g, '') : null
  // Digits alone are found by the text, which holds the phone.
  return { text, digits: digits === text ? null : digits }
}

const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** The one- and two-character pieces of a term, as short_grams() cuts them. */
const shortGrams = (text: string): string[] => {
  const points = Array.from(text)
  return points.length === 1 ? points : points.slice(1).map((point, index) => points[index]! + point)
}

/** The rows of contact_search (as s) whose text has the piece, by the index that helps for it. */
const textContains = (text: string): Condition =>
  HAS_TRIGRAM.test(text)
    ? sql`s.text like ${containing(text)}`
    : // The empty string keeps the trigram index, which would be read from end to end, out of the plan.
      sql`short_grams(s.text) @> ${shortGrams(text)}::text[] and s.text || '' like ${containing(text)}`

/** The ids of the contacts that the term finds, from the indexes of contact_search. */
export const searchHits = (workspaceId: string, { text, digits }: SearchTerm): RawBuilder<{ id: string }> => {
  const byText = sql<{ id: string }>`
    select s.contact_id as id from contact_search s where s.workspace_id = ${workspaceId} and ${textContains(text)}`
  if (digits === null) return byText
  return sql<{ id: string }>`${byText}
    union
    select s.contact_id as id from contact_search s
    where s.workspace_id = ${workspaceId} and ${textContains(digits)} and s.phone || '' like ${containing(digits)}`
}

/** The same test on a row of contacts (as c), for a walk that meets a hit every few rows. */
export const searchMatches = ({ text, digits }: SearchTerm): Condition =>
  digits === null
    ? sql`c.search_text like ${containing(text)}`
    : sql`(c.search_text like ${containing(text)} or c.phone like ${containing(digits)})`

/** Conditions on contacts (as c) for all but the search. */
export const plainConditions = ({ country, channel, assignment, hasOpen }: DirectoryFilter): Condition[] => [
  ...(country ? [sql`c.country_iso = ${country}`] : []),
  ...(channel ? [sql`${sql.lit(channel)} = any (c.channels)`] : []),
  ...(assignment === 'assigned' ? [sql`c.assigned_agent_id is not null`] : []),
  ...(assignment === 'unassigned' ? [sql`c.assigned_agent_id is null`] : []),
  ...(hasOpen ? [sql`c.open_count > 0`] : []),
]

export const allConditions = (filter: DirectoryFilter): Condition[] => [
  ...plainConditions(filter),
  ...(filter.search ? [searchMatches(searchTermOf(filter.search))] : []),
]

/** The same conditions where no index of theirs may be used: for a walk in an order that none of those indexes has. */
export const fenced = (conditions: Condition[]): Condition[] =>
  conditions.map((condition) => sql`coalesce(${condition}, false)`)

export const whereAll = (workspaceId: string, conditions: Condition[]): Condition =>
  sql.join([sql`c.workspace_id = ${workspaceId}`, ...conditions], sql` and `)
