import type { Ctx } from '../../platform/ctx/ctx.ts'
import { sightOf } from '../../platform/ctx/permissions.ts'
import { startOf } from '../../platform/db/horizon.ts'
import { idFloor } from '../../platform/db/id.ts'
import {
  type ColumnsOf,
  columnsRead,
  jsonColumns,
  jsonObject,
  jsonText,
} from '../../platform/db/json-columns.ts'
import {
  arrayOf,
  decode,
  encode,
  type JsonItems,
  type JsonText,
  objectOf,
  runText,
  type SqlText,
  sqlText,
} from '../../platform/db/json-text.ts'
import { decodeCursor, encodeCursor, type Listing, PAGE_MAX } from '../../platform/db/pagination.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import type { Attachment } from '../attachments/schema.ts'
import { CONTACT_REF } from '../conversations/conversation-json.ts'
import type { MessageItem } from '../conversations/schema.ts'
import { listAttachments } from '../conversations/thread-queries.ts'

export type Direction = 'inbound' | 'outbound' | 'all'

/** Each is one partial index; `all` is the merge of the two, so that system entries are never even read. */
const BRANCHES = {
  inbound: ["sender_type = 'customer'"],
  outbound: ["sender_type in ('agent', 'automation')"],
  all: ["sender_type = 'customer'", "sender_type in ('agent', 'automation')"],
} satisfies Record<Direction, string[]>

const column = jsonColumns<ColumnsOf<{ m: 'messages'; c: 'conversations' }>>()

/** A message of the list. */
const ITEM = jsonObject<MessageItem>({
  id: column.id('m.id'),
  conversationId: column.id('m.conversation_id'),
  channel: column.word('c.channel'),
  body: column.text('m.body'),
  senderType: column.word('m.sender_type'),
  status: column.word('m.status'),
  createdAt: column.moment('m.created_at'),
  contact: CONTACT_REF,
})

/** Cast for the reason given in conversation-rows.ts. */
const COLUMNS = columnsRead(ITEM, 'm')

/** The messages of a direction in the whole workspace: each branch is a range of an index. */
const inWorkspace = (direction: Direction, since = ''): string => {
  const branches = BRANCHES[direction].map(
    (condition) =>
      `(select ${COLUMNS} from messages where workspace_id = $1 and ${condition} and id < $2${since}
        order by id desc limit ${PAGE_MAX + 1})`,
  )
  return `select * from (${branches.join('\n union all ')}) w order by id desc limit ${PAGE_MAX + 1}`
}

/** The same from the id $5 on. */
const inWorkspaceSince = (direction: Direction): string => inWorkspace(direction, ' and id >= $5')

/** The messages of the conversations v, read conversation by conversation. */
const inEach = (direction: Direction): string => `cross join lateral (
    select ${COLUMNS} from messages m
    where m.workspace_id = $1 and m.conversation_id = v.id and (${BRANCHES[direction].join(' or ')})
      and m.id < $2 and m.id >= $5
    order by m.id desc limit ${PAGE_MAX + 1}
  ) m`

/** Those in the conversations that a condition on v finds by an index, of the channels $4 and the agent $6 if given. */
const inFew =
  (condition: string) =>
  (direction: Direction): string =>
    `
  select m.* from conversations v ${inEach(direction)}
  where v.workspace_id = $1 and ${condition}
    and ($4::text[] is null or v.channel = any ($4)) and ($6::text is null or v.agent_id = $6)
  order by m.id desc limit ${PAGE_MAX + 1}`

/** With more conversations than this on the channels, walking through all messages fills a page sooner. */
const GATHERED_MAX = 2000

/**
 * Those on the channels $4: read conversation by conversation if there are few, else the messages of the workspace in
 * order, each with a look at its conversation. Only the chosen branch runs.
 */
const onChannels = (direction: Direction): string => {
  const walked = BRANCHES[direction].map(
    (condition) =>
      `(select ${COLUMNS} from messages m cross join lateral (
          select from conversations v where v.workspace_id = $1 and v.id = m.conversation_id and v.channel = any ($4) offset 0
        ) v
        where m.workspace_id = $1 and ${condition.replaceAll('sender_type', 'm.sender_type')} and m.id < $2 and m.id >= $5
          and not (select yes from few)
        order by m.id desc limit ${PAGE_MAX + 1})`,
  )
  return `
  with seen as materialized (
    select id from conversations
    where workspace_id = $1 and status in ('open', 'closed') and channel = any ($4::text[]) limit ${GATHERED_MAX + 1}
  ), few as materialized (select count(*) <= ${GATHERED_MAX} as yes from seen)
  select * from (
    (select m.* from seen v ${inEach(direction)} where (select yes from few) order by m.id desc limit ${PAGE_MAX + 1})
    union all ${walked.join(' union all ')}
  ) w order by id desc limit ${PAGE_MAX + 1}`
}

/** $1 the workspace, $2 the id before which the page begins, $3 how many; the rest says which of them are read. */
const pageOf = (messages: string): SqlText<PageRow> =>
  sqlText(`
with parameters as (select $4::text[], $5::text, $6::text, $7::text, $8::text)
select coalesce(string_agg(p.json, ',' order by p.n) filter (where p.n <= $3), '') as items,
  count(*)::integer as found, max(p.id) filter (where p.n = $3) as "lastId"
from (
  select row_number() over (order by m.id desc) as n, m.id,
    ${jsonText(ITEM)} as json
  from (
    select * from (${messages}) l limit $3 + 1
  ) m
  join conversations c on c.workspace_id = $1 and c.id = m.conversation_id
  join contacts k on k.workspace_id = $1 and k.id = c.contact_id
) p`)

const textsOf = (read: (direction: Direction) => string) =>
  ({
    inbound: pageOf(read('inbound')),
    outbound: pageOf(read('outbound')),
    all: pageOf(read('all')),
  }) satisfies Record<Direction, SqlText<PageRow>>

const TEXTS = {
  workspace: textsOf((direction) => inWorkspace(direction)),
  since: textsOf(inWorkspaceSince),
  channels: textsOf(onChannels),
  agent: textsOf(inFew('v.agent_id = $6')),
  contact: textsOf(inFew('v.contact_id = $8 and ($7::text is null or v.id = $7)')),
  conversation: textsOf(inFew('v.id = $7')),
}

type PageRow = { items: JsonItems<MessageItem>; found: number; lastId: string | null }

type MessagesQuery = {
  direction: Direction
  conversationId?: string
  contactId?: string
  channel?: ChannelName
  /** ISO 8601, inclusive. */
  createdAfter?: string
  cursor?: string
  limit: number
}

/**
 * A page of the workspace's messages, newest first, as the JSON text of the response. New messages never appear below
 * one already shown. Actors who see only some of the conversations get the messages in those. Throws VALIDATION_ERROR for
 * a cursor of another list.
 */
export const listMessages = async (
  { db, workspaceId, actor }: Ctx,
  { direction, conversationId, contactId, channel, createdAfter, cursor, limit }: MessagesQuery,
): Promise<JsonText<{ messages: MessageItem[]; nextCursor: string | null }>> => {
  const filters = [conversationId, contactId, channel, createdAfter]
  const isFiltered = filters.some((filter) => filter !== undefined)
  const listing: Listing = ['listMessages', workspaceId, direction, ...(isFiltered ? filters : [])]
  const after = cursor === undefined ? null : decodeCursor(listing, cursor)
  const before = await startOf({ db, workspaceId }, after)
  const { agentId, channels: seen } = sightOf(actor)
  const channels = channel === undefined ? seen : seen && !seen.includes(channel) ? [] : [channel]
  const since = createdAfter === undefined ? '' : idFloor(Date.parse(createdAfter))
  const kind =
    contactId !== undefined
      ? 'contact'
      : conversationId !== undefined
        ? 'conversation'
        : agentId !== null
          ? 'agent'
          : channels !== null
            ? 'channels'
            : createdAfter !== undefined
              ? 'since'
              : 'workspace'
  const [row] = await runText(db, TEXTS[kind][direction], [
    ...[workspaceId, before, limit, channels, since],
    ...[agentId, conversationId ?? null, contactId ?? null],
  ])
  return objectOf({
    messages: arrayOf(row!.items),
    nextCursor: encode(row!.found > limit ? encodeCursor(listing, { at: null, id: row!.lastId! }) : null),
  })
}

type Messages<Item> = JsonText<{ messages: Item[]; nextCursor: string | null }>

/** The same page with the attachments of each message: one statement more. */
export const withAttachments = async (
  ctx: Ctx,
  page: Messages<MessageItem>,
): Promise<Messages<MessageItem & { attachments: Attachment[] }>> => {
  const { messages, nextCursor } = decode(page)
  const found = await listAttachments(
    ctx,
    messages.map(({ id }) => id),
  )
  return encode({
    messages: messages.map((message) => ({ ...message, attachments: found.get(message.id) ?? [] })),
    nextCursor,
  })
}
