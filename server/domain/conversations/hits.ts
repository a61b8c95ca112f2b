// What the ways of the console's search have in common.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Position } from '../../platform/db/pagination.ts'
import type { SearchTerm } from '../contacts/search-terms.ts'
import { type Shown, walkParameters } from './conversation-rows.ts'
import { termParameters } from './found-queries.ts'
import type { InboxRow } from './inbox-schema.ts'
import type { Hit } from './inbox-search-queries.ts'

export type Search = {
  ctx: Ctx
  shown: Shown<InboxRow>
  terms: SearchTerm[]
  limit: number
  startedMs: number
}
/** next is in the list's order, or without a time, the message from which older ones are searched. */
export type Found = { hits: Hit[]; next: Position | null }

/**
 * The term by which candidates are looked up, whether it is in few enough messages to look up all of them, and in how
 * many of the newest bucket it is; null if counting took too long.
 */
export type Primary = { term: SearchTerm; buckets: string[]; isRare: boolean; newest: number | null }

export const parametersOf = (
  { ctx, shown, limit }: Search,
  from: Position | null,
  terms: readonly SearchTerm[],
) => [...walkParameters(ctx, shown.filter, from), limit + 1, ...termParameters(terms)]

/** The others have to be compared; the term itself only if its patterns say less than it does. */
export const comparedWith = (terms: SearchTerm[], primary: SearchTerm): SearchTerm[] =>
  terms.filter((term) => term !== primary || term.expression !== null)

const byTime = (a: Hit, b: Hit): number => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1)

/** One hit for each conversation, the one that names a message if there is one. */
export const merge = (...lists: Hit[][]): Hit[] => {
  const hits = new Map<string, Hit>()
  for (const hit of lists.flat()) if (!hits.get(hit.id)?.messageId) hits.set(hit.id, hit)
  return [...hits.values()].sort(byTime)
}
