// The directory's filters as SQL. Everything that affects the plan is written into the statement from a fixed list
// (statements are planned once, without their parameters); user input is always a parameter.
import { type RawBuilder, sql } from 'kysely'
import { PHONE_KINDS } from '../../../channels/definitions.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { foldText } from '../search/search-text.ts'
import { searchedDigits } from './phone-spellings.ts'

export type DirectoryFilter = {
  search?: string
  country?: string
  channel?: ChannelName
  assignment?: 'assigned' | 'unassigned'
  hasOpen?: boolean
  exact?: ExactFilter
  tagId?: string
  /** For each custom field the JSON objects of which one must be contained. */
  fields?: readonly (readonly string[])[]
  /** This id or a later one: ids are ordered by time. */
  createdFrom?: string
}

/** This exact email, and any of these spellings of a number (E.164), in one workspace. */
export type ExactFilter = { workspaceId: string; email?: string; phones?: readonly string[] }

type Condition = RawBuilder<unknown>

/** A term folded like the stored text and, if it may be (part of) a phone number, its digits as stored. */
type SearchTerm = { text: string; digits: string[] }

/** Trigrams consist of three letters or digits in a row: a term without such a run has none to look up. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u
const PHONE_LIKE = /^\+?[\s()./-]*\d[\d\s()./-]*$/

/** The normalized filter: an absent key filters nothing, and keys that aren't conditions are dropped. */
export const normalizeFilter = (filter: DirectoryFilter): DirectoryFilter => {
  const { search, country, channel, assignment, hasOpen, exact, tagId, fields, createdFrom } = filter
  return {
    ...(search?.trim() && { search: search.trim() }),
    ...(country && { country: country.toUpperCase() }),
    ...(channel && { channel }),
    ...(assignment && { assignment }),
    ...(hasOpen && { hasOpen }),
    ...(exact && { exact }),
    ...(tagId !== undefined && { tagId }),
    ...(fields && { fields }),
    ...(createdFrom !== undefined && { createdFrom }),
  }
}

export const searchTermOf = (search: string): SearchTerm => {
  const text = foldText(search)
  const digits = PHONE_LIKE.test(text) ? searchedDigits(text) : []
  // Bare digits already match the text, which contains the phone.
  return { text, digits: digits.filter((one) => one !== text) }
}

const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** The one- and two-character pieces of a term, as short_grams() cuts them. */
const shortGrams = (text: string): string[] => {
  const points = Array.from(text)
  return points.length === 1 ? points : points.slice(1).map((point, index) => points[index]! + point)
}

/** The rows of contact_search (as s) whose text contains the piece, by the best index for it. */
const textContains = (text: string): Condition =>
  HAS_TRIGRAM.test(text)
    ? sql`s.text like ${containing(text)}`
    : // The empty string keeps the planner from a full scan of the trigram index.
      sql`short_grams(s.text) @> ${shortGrams(text)}::text[] and s.text || '' like ${containing(text)}`

/** The ids of the contacts that the term finds, from the indexes of contact_search. */
export const searchHits = (workspaceId: string, { text, digits }: SearchTerm): RawBuilder<{ id: string }> => {
  const byText = sql<{ id: string }>`
    select s.contact_id as id from contact_search s where s.workspace_id = ${workspaceId} and ${textContains(text)}`
  const byDigits = digits.map(
    (one) => sql<{ id: string }>`
    select s.contact_id as id from contact_search s
    where s.workspace_id = ${workspaceId} and ${textContains(one)} and s.phone || '' like ${containing(one)}`,
  )
  return sql<{ id: string }>`${sql.join([byText, ...byDigits], sql` union `)}`
}

/** The same test on a row of contacts (as c), for a walk that expects frequent matches. */
export const searchMatches = ({ text, digits }: SearchTerm): Condition =>
  digits.length === 0
    ? sql`c.search_text like ${containing(text)}`
    : sql`(c.search_text like ${containing(text)} or c.phone like any (${digits.map(containing)}::text[]))`

/**
 * Contacts who hold it as an identity, and those who only show it: several people may claim one email. An array that is
 * read once makes the planner use their primary keys.
 */
const exactConditions = ({ workspaceId, email, phones }: ExactFilter): Condition[] => [
  ...(email === undefined
    ? []
    : [
        sql`c.id = any (array(
          select i.contact_id from identities i
          where i.workspace_id = ${workspaceId} and i.kind = 'email' and i.value = ${email}
          union
          select s.contact_id from contact_search s
          join contacts k on k.workspace_id = s.workspace_id and k.id = s.contact_id
          where s.workspace_id = ${workspaceId} and ${textContains(foldText(email))} and k.email = ${email}))`,
      ]),
  ...(phones === undefined
    ? []
    : [
        sql`c.id = any (array(
          ${sql.join(
            [
              ...PHONE_KINDS.map(
                ({ kind, holds }) => sql`select i.contact_id from identities i
                  where i.workspace_id = ${workspaceId} and i.kind = ${sql.lit(kind)}
                    and i.value = any (${holds === 'digits' ? phones.map((phone) => phone.slice(1)) : phones}::text[])`,
              ),
              ...phones.map(
                (phone) => sql`select s.contact_id from contact_search s
                  where s.workspace_id = ${workspaceId} and ${textContains(phone)} and s.phone = ${phone}`,
              ),
            ],
            sql` union `,
          )}))`,
      ]),
]

/** Contacts (as c) with a tag, as a test of one row: `exists` might be planned as a join with all tagged contacts. */
const hasTag = (tagId: string): Condition => sql`coalesce((
  select true from contact_tags t where t.workspace_id = c.workspace_id and t.contact_id = c.id and t.tag_id = ${tagId}
), false)`

/** The condition of the index contacts_custom_fields, and values that it finds. */
const fieldConditions = (fields: DirectoryFilter['fields'] = []): Condition[] =>
  fields.map(
    (objects) =>
      sql`(c.custom_fields <> '{}'::jsonb and (${sql.join(
        objects.map((object) => sql`c.custom_fields @> ${object}::jsonb`),
        sql` or `,
      )}))`,
  )

/** Conditions on contacts (as c) for everything except the search and the tag. */
export const plainConditions = ({
  country,
  channel,
  assignment,
  hasOpen,
  exact,
  fields,
  createdFrom,
}: DirectoryFilter): Condition[] => [
  ...(exact ? exactConditions(exact) : []),
  ...(createdFrom === undefined ? [] : [sql`c.id >= ${createdFrom}`]),
  ...(country ? [sql`c.country_iso = ${country}`] : []),
  ...(channel ? [sql`${sql.lit(channel)} = any (c.channels)`] : []),
  ...(assignment === 'assigned' ? [sql`c.assigned_agent_id is not null`] : []),
  ...(assignment === 'unassigned' ? [sql`c.assigned_agent_id is null`] : []),
  ...(hasOpen ? [sql`c.open_count > 0`] : []),
  ...fieldConditions(fields),
]

export const allConditions = (filter: DirectoryFilter): Condition[] => [
  ...plainConditions(filter),
  ...(filter.tagId === undefined ? [] : [hasTag(filter.tagId)]),
  ...(filter.search ? [searchMatches(searchTermOf(filter.search))] : []),
]

/** The same for a walk by activity: no index of custom fields has that order. */
export const walkConditions = ({ fields, ...filter }: DirectoryFilter): Condition[] => [
  ...allConditions(filter),
  ...fenced(fieldConditions(fields)),
]

type Hits = { ids: RawBuilder<{ id: string }>; others: Condition[] }

/** The contacts of the search or the tag by its own index, and the filter's other conditions; undefined without both. */
export const hitsOf = (workspaceId: string, filter: DirectoryFilter): Hits | undefined => {
  const { search, tagId, ...plain } = filter
  if (search)
    return {
      ids: searchHits(workspaceId, searchTermOf(search)),
      others: allConditions({ ...plain, ...(tagId !== undefined && { tagId }) }),
    }
  if (tagId === undefined) return undefined
  const ids = sql<{ id: string }>`
    select t.contact_id as id from contact_tags t where t.workspace_id = ${workspaceId} and t.tag_id = ${tagId}`
  return { ids, others: plainConditions(plain) }
}

/** The same conditions without their indexes, for a walk in an order that none of those indexes has. */
export const fenced = (conditions: Condition[]): Condition[] =>
  conditions.map((condition) => sql`coalesce(${condition}, false)`)

export const whereAll = (workspaceId: string, conditions: Condition[]): Condition =>
  sql.join([sql`c.workspace_id = ${workspaceId}`, ...conditions], sql` and `)
