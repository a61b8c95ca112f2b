// The console's search: what it found, page by page, and how much of it in other views. find-hits.ts finds it.
import { performance } from 'node:perf_hooks'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { timeOfId } from '../../platform/db/id.ts'
import { decodeCursor, encodeCursor, type Listing } from '../../platform/db/pagination.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { readTerms } from '../contacts/search-terms.ts'
import { INBOX_ROW } from './conversation-json.ts'
import { type ConversationFilter, ID_CEILING } from './conversation-rows.ts'
import { findPage, goOn } from './find-hits.ts'
import { countByStatus, listFound } from './found-queries.ts'
import type { Found, Search } from './hits.ts'
import type { FoundConversations, FoundElsewhere } from './inbox-schema.ts'
import { filterOf } from './list-conversations.ts'

export type InboxSearch = {
  q: string
  status: ConversationFilter['status']
  mine?: boolean
  channel?: ChannelName
  unread?: boolean
  snoozed?: boolean
  mentioned?: boolean
  agentId?: string
  ownTagId?: string
  teamId?: string
  ownTeams?: boolean
  overdue?: boolean
  channelAccountId?: string
  language?: string
  hasFailedMessage?: boolean
  cursor?: string
  limit: number
}

const NOTHING: FoundConversations = { results: [], nextCursor: null, searchedBackTo: null }

/** Undefined if there is nothing to search for, or nothing that the actor may see. */
const startSearch = (
  ctx: Ctx,
  q: string,
  filter: ConversationFilter | undefined,
  limit: number,
): Search | undefined => {
  const terms = readTerms(q)
  if (!filter || terms.length === 0) return undefined
  return { ctx, shown: { filter, shape: INBOX_ROW }, terms, limit, startedMs: performance.now() }
}

/**
 * A page of the conversations that have all terms of `q`, each with the part of a text that shows why. Actors who see
 * only some of the conversations find those. A page always takes a bounded time. `searchedBackTo` is set if older
 * messages have not been searched; the next page does. Throws VALIDATION_ERROR for a cursor of another search.
 */
export const searchInbox = async (
  ctx: Ctx,
  { q, cursor, limit, ...query }: InboxSearch,
): Promise<FoundConversations> => {
  const filter = filterOf(INBOX_ROW, ctx, { ...query, sort: 'updated' })
  const listing: Listing = [
    'searchInbox',
    ctx.workspaceId,
    q,
    ...Object.entries(query).flat(),
    filter?.agentId,
  ]
  const from = cursor === undefined ? null : decodeCursor(listing, cursor)
  const search = startSearch(ctx, q, filter, limit)
  if (!search) return NOTHING
  const { hits, next } = from && from.at === null ? await goOn(search, from.id) : await findPage(search, from)
  return {
    results: await listFound(ctx, hits, search.terms),
    nextCursor: next && encodeCursor(listing, next),
    searchedBackTo:
      next && next.at === null && next.id !== ID_CEILING ? timeOfId(next.id).toISOString() : null,
  }
}

const COUNTED_MAX = 50

/** How many of the first 50 conversations of any status are open and closed: for a view in which nothing was found. */
export const countFound = async (
  ctx: Ctx,
  { q, ...query }: Omit<InboxSearch, 'status' | 'mine' | 'snoozed' | 'mentioned' | 'cursor' | 'limit'>,
): Promise<FoundElsewhere> => {
  const filter = filterOf(INBOX_ROW, ctx, { ...query, status: 'all', sort: 'updated' })
  const search = startSearch(ctx, q, filter, COUNTED_MAX)
  const { hits, next }: Found = search ? await findPage(search, null) : { hits: [], next: null }
  const counts = await countByStatus(
    ctx,
    hits.map(({ id }) => id),
  )
  return { ...counts, isMore: next !== null }
}
