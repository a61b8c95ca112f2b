// The SQL of conversation lists: which rows a filter reads, in which order, and by which index. Texts are built once
// for each kind of filter; enums are literals in them so that the plan, which is also made once, can use their values.
// Parameters are written $n by hand because one value occurs in many branches.
import { personId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { columnsRead, jsonText } from '../../platform/db/json-columns.ts'
import { type JsonItems, type JsonText, type SqlText, sqlText } from '../../platform/db/json-text.ts'
import { PAGE_MAX, type Position } from '../../platform/db/pagination.ts'
import { CHANNELS, type ChannelName } from '../../platform/db/tables.ts'
import { JOINED, type PageRow, type RowShape } from './conversation-json.ts'
import { placeOf } from './inbox-place.ts'
import {
  gatherOrWalk,
  isNarrowed,
  type NarrowingParameters,
  narrowingCondition,
  narrowingParameters,
  type RareFilter,
  rarityOf,
  type Sort,
  TEAMS,
  teamsOf,
  timeCondition,
} from './rare-conversations.ts'
import { isUnreadBy } from './unread.ts'

type StatusFilter = 'open' | 'closed' | 'unassigned' | 'all'

export type ConversationFilter = RareFilter & {
  status: StatusFilter
  /** Only those on these channels. */
  channels?: readonly ChannelName[]
  agentId?: string
  /** Only those with something unread for the person who asks. */
  isUnreadByOwn?: boolean
  /** Only those that are snoozed, or only others. */
  isSnoozed?: boolean
}

/** The rows that a filter shows, each a T. */
export type Shown<T> = { filter: ConversationFilter; shape: RowShape<T> }

/** What a text is for. */
type Use =
  | 'list'
  | 'count'
  | 'walk'
  | 'trigrams'
  | 'grams'
  | `inbox ${'walk' | 'people' | 'besides' | 'messages' | 'grams' | 'buckets' | 'read'}`

/**
 * One text for each kind of filter. A connection keeps the plan of every text that it ran, up to a megabyte for one
 * with many branches, so there are few: values are parameters wherever the plan does not depend on them.
 */
export const textOf = <T, R = PageRow<T>>(
  use: Use,
  { filter, shape }: Shown<T>,
  make: (shown: Shown<T>) => SqlText<R>,
): SqlText<R> => {
  const { status, channels, agentId, contactId, isUnread, isUnreadByOwn, isSnoozed, tagOf, sort } = filter
  const teams = teamsOf(filter)
  const rarity = rarityOf(filter)
  const kind = [
    use,
    sort,
    isUnread && 'unread',
    isUnreadByOwn && 'own',
    isSnoozed !== undefined && `snoozed ${isSnoozed}`,
    tagOf,
    teams,
    filter.isOverdue && 'overdue',
    isNarrowed(filter) && 'narrowed',
    contactId !== undefined
      ? 'contact'
      : (rarity ?? [
          agentId !== undefined && 'agent',
          status === 'open' || status === 'closed' ? 'status' : status,
          channels && (channels.length === 1 ? 'channel' : 'channels'),
        ]),
  ].join()
  // A use has one kind of rows.
  const text = (shape.texts.get(kind) as SqlText<R> | undefined) ?? make({ filter, shape })
  shape.texts.set(kind, text)
  return text
}

/** The parameters of a walk: $1 to $16, in every text of this file. */
type WalkParameters = [
  workspaceId: string,
  /** Where the walk starts: the previous position, or AT_CEILING and ID_CEILING for the first page. */
  at: string,
  id: string,
  agentId: string | null,
  contactId: string | null,
  status: StatusFilter,
  channels: readonly ChannelName[] | null,
  ...NarrowingParameters,
  /** The person who asks, by whom something is unread; null for a program. */
  person: string | null,
  teamId: string | null,
  /** With `isOverdue`, now. */
  now: Date,
]
const PERSON = '$14'

/** They sort before everything in a newest-first list. */
const AT_CEILING = 'infinity'
export const ID_CEILING = '~'

/** By the columns of `rowsOf`, with what stands before their names. `id desc` is newest first: ids are ordered by time. */
const orderOf = (sort: Sort, row: string): string =>
  ({
    updated: `${row}updated_at desc, ${row}id desc`,
    created: `${row}id desc`,
    inbox: `${row}place desc, ${row}id desc`,
    waiting: `${row}waiting_since, ${row}id`,
    due: `${row}answer_due_at, ${row}id`,
    snoozed: `${row}snoozed_until, ${row}id`,
  })[sort]

/** The order in which the earliest comes first. */
const isRising = (sort: Sort): boolean => sort === 'waiting' || sort === 'due' || sort === 'snoozed'

/** By an index of the notes of the conversation. */
const isMentionedIn = (row: string): string => `coalesce((
  select true from notes n join note_mentions m on m.workspace_id = $1 and m.note_id = n.id
  where n.workspace_id = $1 and n.conversation_id = ${row}.id and m.account_id = ${PERSON} limit 1
), false)`

/** Conditions that have a text of their own, because few lists ask for them. */
const ownConditions = (filter: ConversationFilter, row: string): string => {
  const { isSnoozed, isOverdue } = filter
  const teams = teamsOf(filter)
  return [
    isSnoozed !== undefined && ` and ${row}.snoozed_until is ${isSnoozed ? 'not ' : ''}null`,
    teams && ` and ${row}.team_id in (${TEAMS[teams]})`,
    isOverdue && ` and ${row}.answer_due_at <= $16`,
  ]
    .filter(Boolean)
    .join('')
}

const positionOf = (sort: Sort, row: string): string =>
  ({
    updated: `(${row}updated_at, ${row}id) < ($2::timestamptz, $3)`,
    created: `${row}id < $3`,
    inbox: `(${placeOf(row)}, ${row}id) < ($2::timestamptz, $3)`,
    waiting: `${row}status = 'open' and ${row}waiting_since is not null and (${row}waiting_since, ${row}id) > ($2::timestamptz, $3)`,
    due: `${row}answer_due_at is not null and (${row}answer_due_at, ${row}id) > ($2::timestamptz, $3)`,
    snoozed: `${row}snoozed_until is not null and (${row}snoozed_until, ${row}id) > ($2::timestamptz, $3)`,
  })[sort]

export const orderBy = (sort: Sort, alias: string): string => orderOf(sort, `${alias}.`)

/** The time by which a list is ordered, in a row of `rowsOf`. */
export const positionAt = (sort: Sort, alias: string): string =>
  ({
    updated: `${alias}.updated_at`,
    created: `${alias}.created_at`,
    inbox: `${alias}.place`,
    waiting: `${alias}.waiting_since`,
    due: `${alias}.answer_due_at`,
    snoozed: `${alias}.snoozed_until`,
  })[sort]

/** What an order needs besides the columns, in a select list; `row` as for placeOf. */
export const placeColumn = (sort: Sort, row: string): string =>
  sort === 'inbox' ? `, ${placeOf(row)} as place` : ''

/** The AI agent is one account across the platform, which the literal `ai` stands for. */
const AGENT =
  "case when $4 = 'ai' then (select id from accounts where email = 'ai@agents.invalid') else $4 end"

/** Whether a conversation found in another way passes the filter. */
const passes = (alias: string): string =>
  [
    `($6 = 'all' or ${alias}.status = case $6 when 'unassigned' then 'open' else $6 end)`,
    `($6 <> 'unassigned' or ${alias}.agent_id is null)`,
    `($7::text[] is null or ${alias}.channel = any ($7))`,
    `($4::text is null or ${alias}.agent_id = ${AGENT})`,
    `($5::text is null or ${alias}.contact_id = $5)`,
  ].join(' and ')

/**
 * The conditions whose union is the filter. Each is one range of one index in the requested order, so that a page only
 * reads the rows it shows: a status without a channel is the merge of six such ranges.
 */
const branchesOf = (filter: ConversationFilter): string[] => {
  const { status, channels, agentId, contactId, isUnread, sort } = filter
  // Few conversations are unread if the team keeps up; they have an index of their own, also per agent.
  if (isUnread)
    return [
      `unread_count > 0 and ${agentId === undefined ? '' : `agent_id is not null and agent_id = ${AGENT} and `}${passes('v')}`,
    ]
  // Few rows, found by the contact; the other conditions are written so that the planner prefers no other index.
  if (contactId !== undefined) return [`contact_id = $5 and ${passes('v')}`]
  const onChannel = channelBranches(channels)
  if (status === 'unassigned')
    return onChannel.map((condition) => `status = 'open' and agent_id is null and ${condition}`)
  if (isRising(sort)) return [passes('v')]
  if (agentId === undefined && status === 'all' && !channels && sort !== 'inbox') return ['true']
  const statuses = status === 'all' ? ["'open'", "'closed'"] : ['$6']
  const agent = agentId === undefined ? '' : `agent_id = ${AGENT} and `
  return statuses.flatMap((status) =>
    onChannel.map((condition) => `${agent}status = ${status} and ${condition}`),
  )
}

/** One for each channel. Those that are not among several wanted ones are never run. */
const channelBranches = (channels: ConversationFilter['channels']): string[] => {
  if (channels?.length === 1) return ['channel = ($7::text[])[1]']
  return CHANNELS.map((name) => `channel = '${name}'${channels ? ` and '${name}' = any ($7)` : ''}`)
}

/** A filter that nothing can pass: both assigned and unassigned, or on no channel. */
export const isContradiction = ({ status, agentId, channels }: ConversationFilter): boolean =>
  (status === 'unassigned' && agentId !== undefined) || channels?.length === 0

/**
 * The columns that a walk reads: what its rows show, and their contacts. Domains are cast to their base types, and each
 * branch of a union has its own limit: otherwise PostgreSQL 18 does not see that the branches are in order, and sorts
 * them completely instead of merging them.
 */
const columnsOf = <T>({ json, reads }: RowShape<T>, sort: Sort): string =>
  columnsRead(json, 'c', { ...reads, 'c.contact_id': '::text' }) + placeColumn(sort, 'v.')

/**
 * The conversations of a filter from a position on, in order: at most `max`, a literal, because a plan for an unknown
 * number would sort the whole workspace.
 */
export const walk = <T>({ filter, shape }: Shown<T>, max: number): string => {
  const inOrder = `order by ${orderOf(filter.sort, '')} limit ${max}`
  const columns = columnsOf(shape, filter.sort)
  const rarity = rarityOf(filter)
  if (rarity)
    return gatherOrWalk({
      rarity,
      columns,
      condition: filterCondition(filter, 'v'),
      inOrder,
      sort: filter.sort,
    })
  // An order that ends in the times has them as ranges. Few rows are looked at whole.
  const isFew = filter.isUnread || filter.contactId !== undefined
  const more = isNarrowed(filter)
    ? ` and ${isFew ? narrowingCondition('v', filter) : timeCondition('v')}`
    : ''
  const own = (filter.isUnreadByOwn ? ` and ${isUnreadBy('v', PERSON)}` : '') + ownConditions(filter, 'v')
  const branch = (condition: string): string =>
    `(select ${columns} from conversations v
        where workspace_id = $1 and ${condition}${more}${own} and ${positionOf(filter.sort, 'v.')} ${inOrder})`
  const teams = teamsOf(filter)
  if (teams && isWalkedByTeam(filter)) {
    const ofOne = teamBranchesOf(filter).map(branch).join('\n union all ')
    return `select w.* from (${TEAMS[teams]}) t (team) cross join lateral (${ofOne}) w ${inOrder}`
  }
  return `select * from (${branchesOf(filter).map(branch).join('\n union all ')}) w ${inOrder}`
}

/** Other orders and filters have an index of their own. */
const isWalkedByTeam = ({ sort, agentId, contactId, isUnread }: ConversationFilter): boolean =>
  sort === 'inbox' && agentId === undefined && contactId === undefined && !isUnread

/** One range for each status of a team, in the inbox's order. */
const teamBranchesOf = ({ status }: ConversationFilter): string[] => {
  const statuses = status === 'all' ? ["'open'", "'closed'"] : [status === 'unassigned' ? "'open'" : '$6']
  return statuses.map((status) => `team_id = t.team and status = ${status} and ${passes('v')}`)
}

/** The filter and the position as a condition on a conversation found in another way. */
export const filterCondition = (filter: ConversationFilter, alias: string): string =>
  [
    positionOf(filter.sort, `${alias}.`),
    passes(alias),
    ...(filter.isUnread && !isNarrowed(filter) ? [`${alias}.unread_count > 0`] : []),
    ...(filter.isUnreadByOwn ? [isUnreadBy(alias, PERSON)] : []),
    ...(filter.isMentioned ? [isMentionedIn(alias)] : []),
    ...(isNarrowed(filter) ? [narrowingCondition(alias, filter)] : []),
  ].join(' and ') + ownConditions(filter, alias)

/**
 * One row: the first $17 conversations of `rows` as JSON, how many `rows` yields, and the position of the last shown.
 * `rows` must yield conversations in order, and one more than is shown if there is one. The first line names the
 * parameters that not every filter uses, because each must have a type.
 */
export const pageOf = <T>(
  rows: string,
  { filter: { sort }, shape }: Shown<T>,
  more = '',
): SqlText<PageRow<T>> =>
  sqlText(`
with parameters as (select $2::timestamptz, $3::text, $4::text, $5::text, $6::text, $7::text[], $8::text[], $9::boolean,
  $10::boolean, $11::text, $12::text, $13::timestamptz, $14::text, $15::text, $16::timestamptz)
select coalesce(string_agg(p.json, ',' order by p.n) filter (where p.n <= $17), '') as items, count(*)::integer as found,
  max(p.at) filter (where p.n = $17) as "lastAt", max(p.id) filter (where p.n = $17) as "lastId"${more && `,${more}`}
from (
  select row_number() over (order by ${orderBy(sort, 'c')}) as n, c.id, ${positionAt(sort, 'c')} as at,
    ${jsonText(shape.json)} as json
  from (${rows}) c${JOINED}${shape.joins(PERSON)}
) p`)

/** The page of a plain list. The inner limit is for the planner, the outer one ends the walk. */
export const listText = <T>(shown: Shown<T>): SqlText<PageRow<T>> =>
  pageOf(`select * from (${walk(shown, PAGE_MAX + 1)}) l limit $17 + 1`, shown)

/** How many a plain list has, up to `max`, a literal. */
export const countText =
  (max: number) =>
  <T>(shown: Shown<T>): SqlText<{ count: number }> =>
    sqlText(`
with parameters as (select $2::timestamptz, $3::text, $4::text, $5::text, $6::text, $7::text[], $8::text[], $9::boolean,
  $10::boolean, $11::text, $12::text, $13::timestamptz, $14::text, $15::text, $16::timestamptz)
select count(*)::integer as count from (${walk(shown, max)}) l`)

/** One conversation. $1 is the workspace, $2 the id, $3 the agent who must own it and $4 its channels, or null, $5 the person. */
export const findText = <T>(shape: RowShape<T>): SqlText<{ json: JsonText<T> }> => textBy('c.id = $2', shape)

/** The same for several, whose ids are an array. */
export const findAllText = <T>(shape: RowShape<T>): SqlText<{ json: JsonText<T> }> =>
  textBy('c.id = any ($2::text[])', shape)

const textBy = <T>(condition: string, { json, joins }: RowShape<T>): SqlText<{ json: JsonText<T> }> =>
  sqlText(`
with parameters as (select $5::text)
select ${jsonText(json)} as json
from conversations c${JOINED}${joins('$5')}
where c.workspace_id = $1 and ${condition} and ($3::text is null or c.agent_id = $3)
  and ($4::text[] is null or c.channel = any ($4))`)

/** The conversations of a page, and where the next page begins (null: there is none). */
export type Page<T> = { items: JsonItems<T>; next: Position | null }

export const walkParameters = (
  ctx: Ctx,
  filter: ConversationFilter,
  from: Position | null,
): WalkParameters => [
  ctx.workspaceId,
  from?.at ?? (isRising(filter.sort) ? '-infinity' : AT_CEILING),
  from?.id ?? (isRising(filter.sort) ? '' : ID_CEILING),
  filter.agentId ?? null,
  filter.contactId ?? null,
  filter.status,
  filter.channels ?? null,
  ...narrowingParameters(filter),
  personId(ctx.actor),
  filter.teamId ?? null,
  ctx.now(),
]
