import { personId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { sightOf } from '../../platform/ctx/permissions.ts'
import { startOf } from '../../platform/db/horizon.ts'
import { idFloor } from '../../platform/db/id.ts'
import {
  arrayOf,
  decode,
  encode,
  type JsonText,
  joinItems,
  objectOf,
  runText,
} from '../../platform/db/json-text.ts'
import { decodeCursor, encodeCursor, type Listing, type Position } from '../../platform/db/pagination.ts'
import { storableTime } from '../../platform/db/storable-time.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { CONVERSATION, INBOX_ROW, type RowShape } from './conversation-json.ts'
import {
  type ConversationFilter,
  countText,
  findAllText,
  findText,
  isContradiction,
  listText,
  type Page,
  type Shown,
  textOf,
  walkParameters,
} from './conversation-rows.ts'
import { type InboxRow, LISTED_MAX } from './inbox-schema.ts'
import { isNarrowed, narrowingParameters } from './rare-conversations.ts'
import type { Conversation } from './schema.ts'
import { searchConversations } from './search-conversations.ts'

type ConversationQuery = Pick<
  ConversationFilter,
  'status' | 'agentId' | 'teamId' | 'contactId' | 'tagId' | 'hasFailedMessage' | 'sort'
> & {
  channel?: ChannelName
  unread?: boolean
  /** Times as ISO 8601; the first two include theirs. */
  createdAfter?: string
  updatedAfter?: string
  createdBefore?: string
  q?: string
  cursor?: string
  limit: number
}

type InboxQuery = ConversationQuery & {
  /** Only those assigned to the actor. */
  mine?: boolean
  /** Only those that are snoozed, or only others. */
  snoozed?: boolean
  /** Only those with a note that mentions the actor. */
  mentioned?: boolean
  /** Only those that have this tag themselves; instead of `tagId`. */
  ownTagId?: string
  /** Only those of the teams that the person is in. */
  ownTeams?: boolean
  overdue?: boolean
  channelAccountId?: string
  language?: string
}

type List<T> = { conversations: T[]; nextCursor: string | null }

/**
 * A page of the workspace's conversations as the JSON text of the response. PostgreSQL builds the rows, because parsing
 * and serializing them again costs this process twice its other work. Throws VALIDATION_ERROR for a cursor of another
 * list.
 */
export const listConversations = (
  ctx: Ctx,
  query: ConversationQuery,
): Promise<JsonText<List<Conversation>>> => listAs(CONVERSATION, ctx, query)

/** The same for the console. Actors who see only their own conversations get those that match the filter. */
export const listInboxRows = (ctx: Ctx, query: InboxQuery): Promise<JsonText<List<InboxRow>>> =>
  listAs(INBOX_ROW, ctx, query)

/** How many there would be in that list of the console, up to LISTED_MAX. Whatever is searched for is not considered. */
export const countInboxRows = async (ctx: Ctx, query: InboxQuery): Promise<{ count: number }> => {
  const filter = filterOf(INBOX_ROW, ctx, query)
  if (!filter) return { count: 0 }
  const text = textOf('count', { filter, shape: INBOX_ROW }, countText(LISTED_MAX))
  const [row] = await runText(ctx.db, text, walkParameters(ctx, filter, null))
  return row!
}

/** The filter of what a query asks for and the actor may see; undefined if nothing is both. */
export const filterOf = (
  { isPersonal }: Pick<RowShape<unknown>, 'isPersonal'>,
  { actor }: Pick<Ctx, 'actor'>,
  query: Omit<InboxQuery, 'q' | 'cursor' | 'limit'>,
): ConversationFilter | undefined => {
  const { channel, createdAfter, createdBefore, updatedAfter } = query
  const sight = sightOf(actor)
  const owner = sight.agentId ?? (query.mine ? personId(actor) : null)
  const isOthers = owner !== null && query.agentId !== undefined && query.agentId !== owner
  const filter: ConversationFilter = {
    status: query.status,
    channels: channelsOf(channel, sight.channels),
    agentId: owner ?? query.agentId,
    contactId: query.contactId,
    teamId: query.teamId,
    sort: query.sort,
    ...(isPersonal ? { isUnreadByOwn: query.unread } : { isUnread: query.unread }),
    tagId: query.ownTagId ?? query.tagId,
    ...(query.ownTagId !== undefined && { tagOf: 'conversation' }),
    channelAccountId: query.channelAccountId,
    language: query.language,
    ...(query.mentioned && { isMentioned: true }),
    ...(query.ownTeams && { isOfOwnTeams: true }),
    ...(query.overdue && { isOverdue: true }),
    ...(query.snoozed !== undefined && { isSnoozed: query.snoozed }),
    hasFailedMessage: query.hasFailedMessage,
    createdFrom: createdAfter && idFloor(Date.parse(createdAfter)),
    createdBelow: createdBefore && idFloor(Date.parse(createdBefore)),
    updatedFrom: updatedAfter && storableTime(updatedAfter),
  }
  return isOthers || isContradiction(filter) ? undefined : filter
}

const EMPTY = { items: joinItems<never>([]), next: null }

const listAs = async <T>(shape: RowShape<T>, ctx: Ctx, query: InboxQuery): Promise<JsonText<List<T>>> => {
  const { status, contactId, sort, q, cursor, limit, unread } = query
  const filter = filterOf(shape, ctx, query)
  const listing: Listing = [
    'listConversations',
    ctx.workspaceId,
    status,
    filter?.channels?.join(),
    filter?.agentId,
    contactId,
    sort,
    q,
    ...(unread ? ['unread'] : []),
    ...(filter?.isSnoozed === undefined ? [] : [`snoozed ${filter.isSnoozed}`]),
    ...(filter?.tagOf ? [filter.tagOf] : []),
    ...(filter?.isMentioned ? ['mentioned'] : []),
    ...(filter?.teamId === undefined ? [] : [`team ${filter.teamId}`]),
    ...(filter?.isOfOwnTeams ? ['own teams'] : []),
    ...(filter?.isOverdue ? ['overdue'] : []),
    ...(filter && isNarrowed(filter) ? narrowingParameters(filter).flat() : []),
  ]
  const after = cursor === undefined ? null : decodeCursor(listing, cursor)
  const from = sort === 'created' ? { at: null, id: await startOf(ctx, after) } : after
  const page: Page<T> = !filter
    ? EMPTY
    : q
      ? await searchConversations(ctx, { shown: { filter, shape }, q, from, limit })
      : await listPage(ctx, { filter, shape }, from, limit)
  return objectOf<List<T>>({
    conversations: arrayOf(page.items),
    nextCursor: encode(page.next && encodeCursor(listing, page.next)),
  })
}

/** The wanted channel, if the actor may see it, or all that they may see; undefined is no limit. */
const channelsOf = (
  wanted: ChannelName | undefined,
  seen: readonly ChannelName[] | null,
): readonly ChannelName[] | undefined => {
  if (wanted === undefined) return seen ?? undefined
  return seen === null || seen.includes(wanted) ? [wanted] : []
}

const listPage = async <T>(
  ctx: Ctx,
  shown: Shown<T>,
  from: Position | null,
  limit: number,
): Promise<Page<T>> => {
  const parameters = [...walkParameters(ctx, shown.filter, from), limit]
  const [row] = await runText(ctx.db, textOf('list', shown, listText), parameters)
  return { items: row!.items, next: row!.found > limit ? { at: row!.lastAt, id: row!.lastId! } : null }
}

const FIND_CONVERSATION = findText(CONVERSATION)
const FIND_CONVERSATIONS = findAllText(CONVERSATION)
const FIND_INBOX_ROW = findText(INBOX_ROW)

export const findConversation = (ctx: Ctx, id: string): Promise<Conversation | undefined> =>
  findBy(FIND_CONVERSATION, ctx, id)

/** Those of several that the actor may see, in any order. */
export const findConversations = async (
  { db, workspaceId, actor }: Ctx,
  ids: readonly string[],
): Promise<Conversation[]> => {
  const { agentId, channels } = sightOf(actor)
  const rows = await runText(db, FIND_CONVERSATIONS, [workspaceId, ids, agentId, channels, personId(actor)])
  return rows.map(({ json }) => decode(json))
}

/** The same as the console shows one. */
export const findInboxRow = (ctx: Ctx, id: string): Promise<InboxRow | undefined> =>
  findBy(FIND_INBOX_ROW, ctx, id)

const findBy = async <T>(
  text: ReturnType<typeof findText<T>>,
  { db, workspaceId, actor }: Ctx,
  id: string,
): Promise<T | undefined> => {
  const { agentId, channels } = sightOf(actor)
  const [row] = await runText(db, text, [workspaceId, id, agentId, channels, personId(actor)])
  return row && decode(row.json)
}
