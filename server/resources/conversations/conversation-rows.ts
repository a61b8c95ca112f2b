// The SQL of conversation lists: which rows a filter walks through, in which order, by which index, and how a row
// becomes JSON. Texts are made once for each kind of filter; enums are literals in them, so that the plan, which is
// made once too, knows them. A parameter is written $n by hand because one value stands in many branches.
import { CompiledQuery } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { Db } from '../../db/pool.ts'
import { CHANNELS, type ChannelName } from '../../db/tables.ts'
import { PAGE_MAX, type Position } from '../../http/pagination.ts'

export type StatusFilter = 'open' | 'closed' | 'unassigned' | 'all'
export type Sort = 'updated' | 'created'

export type ConversationFilter = {
  status: StatusFilter
  channel?: ChannelName
  agentId?: string
  contactId?: string
  /** Only those with something from the customer that nobody has read. */
  isUnread?: boolean
  sort: Sort
  /** For people, whose rows say more than the API's. */
  isForPeople?: boolean
}

/**
 * One text for each kind of filter. A connection keeps the plan of every text that it ran, up to a megabyte for one of
 * many branches, so there are few: values are parameters wherever the plan does not depend on them.
 */
export const textOf = (
  texts: Map<string, string>,
  filter: ConversationFilter,
  make: (filter: ConversationFilter) => string,
): string => {
  const { status, channel, agentId, contactId, isUnread, sort, isForPeople } = filter
  const kind = [
    sort,
    isForPeople && 'people',
    isUnread && 'unread',
    contactId !== undefined
      ? 'contact'
      : [
          agentId !== undefined && 'agent',
          status === 'open' || status === 'closed' ? 'status' : status,
          channel && 'channel',
        ],
  ].join()
  const text = texts.get(kind) ?? make(filter)
  texts.set(kind, text)
  return text
}

export const runText = async <Row>(db: Db, text: string, parameters: unknown[]): Promise<Row[]> =>
  (await db.executeQuery<Row>(CompiledQuery.raw(text, parameters))).rows

/** What the parameters of a walk stand for: $1 to $7, in every text of this file. */
export type WalkParameters = [
  workspaceId: string,
  /** Where the walk begins: the position before, or AT_CEILING and ID_CEILING for the first page. */
  at: string,
  id: string,
  agentId: string | null,
  contactId: string | null,
  status: StatusFilter,
  channel: ChannelName | null,
]

/** They sort before everything in a list that is newest first. */
export const AT_CEILING = 'infinity'
export const ID_CEILING = '~'

const ORDERS = { updated: 'updated_at desc, id desc', created: 'id desc' } satisfies Record<Sort, string>
const POSITIONS = {
  updated: '(updated_at, id) < ($2::timestamptz, $3)',
  created: 'id < $3',
} satisfies Record<Sort, string>

export const orderBy = (sort: Sort, alias: string): string =>
  ORDERS[sort].replaceAll(/(\w+) desc/g, `${alias}.$1 desc`)

/** `id desc` is the order of creation: ids are ordered by time. */
export const positionAt = (sort: Sort, alias: string): string =>
  `${sort === 'updated' ? `${alias}.updated_at` : `${alias}.created_at`}`

/** The AI agent is one account of the platform, which the literal `ai` stands for. */
const AGENT =
  "case when $4 = 'ai' then (select id from accounts where email = 'ai@agents.invalid') else $4 end"

/** Whether a conversation that was found in another way passes the filter. */
const passes = (alias: string): string =>
  [
    `($6 = 'all' or ${alias}.status = case $6 when 'unassigned' then 'open' else $6 end)`,
    `($6 <> 'unassigned' or ${alias}.agent_id is null)`,
    `($7::text is null or ${alias}.channel = $7)`,
    `($4::text is null or ${alias}.agent_id = ${AGENT})`,
    `($5::text is null or ${alias}.contact_id = $5)`,
  ].join(' and ')

/**
 * The conditions whose union is the filter. Each is one range of one index in which the rows lie in the wanted order,
 * so that a page reads no row that it does not show: a status without a channel is the merge of six such ranges.
 */
const branchesOf = ({ status, channel, agentId, contactId, isUnread }: ConversationFilter): string[] => {
  // Of those there are few where people read; they have an index of their own, and the agent's have one.
  if (isUnread)
    return [
      `unread_count > 0 and ${agentId === undefined ? '' : `agent_id is not null and agent_id = ${AGENT} and `}${passes('v')}`,
    ]
  // Few rows, found by the contact; what else must hold is written so that no other index looks tempting.
  if (contactId !== undefined) return [`contact_id = $5 and ${passes('v')}`]
  const channels = channel ? ['$7'] : CHANNELS.map((name) => `'${name}'`)
  if (status === 'unassigned')
    return channels.map((channel) => `status = 'open' and agent_id is null and channel = ${channel}`)
  if (agentId === undefined && status === 'all' && !channel) return ['true']
  const statuses = status === 'all' ? ["'open'", "'closed'"] : ['$6']
  const agent = agentId === undefined ? '' : `agent_id = ${AGENT} and `
  return statuses.flatMap((status) =>
    channels.map((channel) => `${agent}status = ${status} and channel = ${channel}`),
  )
}

/** A filter that nothing can pass: assigned to somebody and to nobody. */
export const isContradiction = ({ status, agentId }: ConversationFilter): boolean =>
  status === 'unassigned' && agentId !== undefined

/**
 * What a list reads. The domains are cast to what they are made of, and each branch of a union has a limit of its own:
 * otherwise PostgreSQL 18 does not see that the branches are in order, and sorts them whole instead of merging them.
 */
const COLUMNS = [
  ...['id', 'contact_id', 'agent_id', 'last_message_id'].map((name) => `${name}::text`),
  ...['assigned_at', 'last_message_at', 'created_at', 'updated_at'].map((name) => `${name}::timestamptz`),
  ...['channel', 'subject', 'status', 'last_message_body', 'last_message_sender_id'],
  ...['last_message_sender_type', 'last_message_status'],
].join(', ')
const PEOPLES_COLUMNS = `${COLUMNS}, unread_count, channel_account_id::text`

/**
 * The conversations of a filter from a position on, in order: at most `max`, a literal, because a plan for an unknown
 * number would sort the whole workspace.
 */
export const walk = (filter: ConversationFilter, max: number): string => {
  const inOrder = `order by ${ORDERS[filter.sort]} limit ${max}`
  const branches = branchesOf(filter).map(
    (condition) =>
      `(select ${filter.isForPeople ? PEOPLES_COLUMNS : COLUMNS} from conversations v
        where workspace_id = $1 and ${condition} and ${POSITIONS[filter.sort]} ${inOrder})`,
  )
  return `select * from (${branches.join('\n union all ')}) w ${inOrder}`
}

/** The filter and the position as a condition on a conversation that was found in another way. */
export const filterCondition = (
  { sort, isUnread }: Pick<ConversationFilter, 'sort' | 'isUnread'>,
  alias: string,
): string =>
  [
    POSITIONS[sort].replace(/\b(updated_at|id)\b/g, `${alias}.$1`),
    passes(alias),
    ...(isUnread ? [`${alias}.unread_count > 0`] : []),
  ].join(' and ')

export const timeText = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
export const timeJson = (column: string): string => `'"' || ${timeText(column)} || '"'`
export const textJson = (column: string): string => `coalesce(to_json(${column})::text, 'null')`

/** A contact, `k`, as conversations and messages show it. */
export const CONTACT_REF_JSON = `'{"id":"' || k.id || '","name":' || ${textJson('k.name')} || ',"email":' || ${textJson('k.email')}
  || ',"phone":' || ${textJson('k.phone')} || '}'`

/** A conversation `c` with its contact `k` and its agent `a` as JSON text, `more` before its end. */
const conversationJson = (
  more = '',
): string => `'{"id":"' || c.id || '","channel":"' || c.channel || '","subject":' || ${textJson('c.subject')}
  || ',"status":"' || c.status || '","contact":' || ${CONTACT_REF_JSON}
  || ',"assignment":' || case when c.agent_id is null then 'null' else '{"agentId":"' || c.agent_id
    || '","agentNickname":' || ${textJson('a.nickname')} || ',"assignedAt":' || ${timeJson('coalesce(c.assigned_at, c.updated_at)')} || '}' end
  || ',"lastMessage":' || case when c.last_message_id is null then 'null' else '{"id":"' || c.last_message_id
    || '","body":' || ${textJson('c.last_message_body')} || ',"senderId":' || ${textJson('c.last_message_sender_id')}
    || ',"senderType":"' || c.last_message_sender_type || '","status":"' || c.last_message_status
    || '","createdAt":' || ${timeJson('c.last_message_at')} || '}' end
  || ',"createdAt":' || ${timeJson('c.created_at')} || ',"updatedAt":' || ${timeJson('c.updated_at')}${more} || '}'`

const CONVERSATION_JSON = conversationJson()
/** The same for people, with what their lists show beyond it. */
const PEOPLES_CONVERSATION_JSON = conversationJson(`
  || ',"unreadCount":' || c.unread_count || ',"channelAccountId":"' || c.channel_account_id || '"'`)

/**
 * One row: the first $8 conversations of `rows` as JSON, how many `rows` yields, and the position of the last shown.
 * `rows` must yield conversations in order and one more than are shown, when there is one more. The first line names
 * the parameters that not every filter uses, because each must have a type.
 */
export const pageOf = (
  rows: string,
  { sort, isForPeople }: Pick<ConversationFilter, 'sort' | 'isForPeople'>,
  more = '',
): string => `
with parameters as (select $2::timestamptz, $3::text, $4::text, $5::text, $6::text, $7::text)
select coalesce(string_agg(p.json, ',' order by p.n) filter (where p.n <= $8), '') as items, count(*)::integer as found,
  max(p.at) filter (where p.n = $8) as "lastAt", max(p.id) filter (where p.n = $8) as "lastId"${more && `,${more}`}
from (
  select row_number() over (order by ${orderBy(sort, 'c')}) as n, c.id, ${positionAt(sort, 'c')} as at,
    ${isForPeople ? PEOPLES_CONVERSATION_JSON : CONVERSATION_JSON} as json
  from (${rows}) c
  join contacts k on k.workspace_id = $1 and k.id = c.contact_id
  left join accounts a on a.id = c.agent_id
) p`

/** The page of a plain list. The inner limit makes the plan, the outer one ends the walk. */
export const listText = (filter: ConversationFilter): string =>
  pageOf(`select * from (${walk(filter, PAGE_MAX + 1)}) l limit $8 + 1`, filter)

const findText = (json: string): string => `
select ${json} as json
from conversations c
join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
left join accounts a on a.id = c.agent_id
where c.workspace_id = $1 and c.id = $2`

/** $1 the workspace, $2 the id. */
export const FIND_TEXT = findText(CONVERSATION_JSON)
/** $3 the agent whose own it must be, or null. */
export const FIND_FOR_PEOPLE_TEXT = `${findText(PEOPLES_CONVERSATION_JSON)} and ($3::text is null or c.agent_id = $3)`

/** A page's JSON: its conversations, and where the next page begins (null: there is none). */
export type Page = { items: string; next: Position | null }

export type PageRow = { items: string; found: number; lastAt: string | null; lastId: string | null }

export const walkParameters = (
  ctx: Ctx,
  { agentId, contactId, status, channel }: ConversationFilter,
  from: Position | null,
): WalkParameters => [
  ctx.workspaceId,
  from?.at ?? AT_CEILING,
  from?.id ?? ID_CEILING,
  agentId ?? null,
  contactId ?? null,
  status,
  channel ?? null,
]
