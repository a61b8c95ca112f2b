import { type Ctx, isPerson } from '../../ctx.ts'
import { decodeCursor, encodeCursor, type Listing, type Position } from '../../http/pagination.ts'
import { confinedTo } from '../roles/permissions.ts'
import {
  type ConversationFilter,
  FIND_FOR_PEOPLE_TEXT,
  FIND_TEXT,
  isContradiction,
  listText,
  type Page,
  type PageRow,
  runText,
  textOf,
  walkParameters,
} from './conversation-rows.ts'
import type { Conversation } from './schema.ts'
import { searchConversations } from './search-conversations.ts'

export type ConversationQuery = Omit<ConversationFilter, 'isUnread' | 'isForPeople'> & {
  q?: string
  cursor?: string
  limit: number
  /** Of people: only those assigned to them. */
  mine?: boolean
  unread?: boolean
}

const texts = new Map<string, string>()

/**
 * A page of the workspace's conversations as the JSON text of the answer: {conversations, nextCursor}. PostgreSQL
 * builds the rows, because parsing and writing them again costs this process twice its other work. Whoever is confined
 * to their own conversations gets those of the filter. Throws VALIDATION_ERROR for a cursor of another listing.
 */
export const listConversations = async (ctx: Ctx, query: ConversationQuery): Promise<string> => {
  const { status, channel, contactId, sort, q, cursor, limit, mine, unread } = query
  const isForPeople = isPerson(ctx.actor)
  const owner = confinedTo(ctx.actor) ?? (mine && isPerson(ctx.actor) ? ctx.actor.accountId : null)
  const agentId = owner ?? query.agentId
  const filter: ConversationFilter = {
    status,
    channel,
    agentId,
    contactId,
    sort,
    isUnread: isForPeople && unread,
    isForPeople,
  }
  const listing: Listing = [
    'listConversations',
    ctx.workspaceId,
    status,
    channel,
    agentId,
    contactId,
    sort,
    q,
    ...(filter.isUnread ? ['unread'] : []),
  ]
  const from = cursor === undefined ? null : decodeCursor(listing, cursor)
  const isOthers = owner !== null && query.agentId !== undefined && query.agentId !== owner
  const page =
    isOthers || isContradiction(filter)
      ? { items: '', next: null }
      : q
        ? await searchConversations(ctx, { filter, q, from, limit })
        : await listPage(ctx, filter, from, limit)
  const next = page.next ? `"${encodeCursor(listing, page.next)}"` : 'null'
  return `{"conversations":[${page.items}],"nextCursor":${next}}`
}

const listPage = async (
  ctx: Ctx,
  filter: ConversationFilter,
  from: Position | null,
  limit: number,
): Promise<Page> => {
  const parameters = [...walkParameters(ctx, filter, from), limit]
  const [row] = await runText<PageRow>(ctx.db, textOf(texts, filter, listText), parameters)
  return { items: row!.items, next: row!.found > limit ? { at: row!.lastAt, id: row!.lastId! } : null }
}

export const findConversationItem = async (
  { db, workspaceId, actor }: Ctx,
  id: string,
): Promise<Conversation | undefined> => {
  const [row] = isPerson(actor)
    ? await runText<{ json: string }>(db, FIND_FOR_PEOPLE_TEXT, [workspaceId, id, confinedTo(actor)])
    : await runText<{ json: string }>(db, FIND_TEXT, [workspaceId, id])
  return row && (JSON.parse(row.json) as Conversation)
}
