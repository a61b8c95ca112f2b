// Filters that few conversations may pass, however many there are: by tag, channel account, language, failed messages, times that are not
// those of the order. A walk in order would read the whole workspace for them, so a bounded number of candidates is
// gathered by an index of the filter's own. If there are more, the walk meets enough of them soon. See
// docs/decisions/0056-filters-of-lists.md.

import { CHANNELS } from '../../platform/db/tables.ts'
import { languageOf, speaking } from './contact-language.ts'

/** `inbox`: by activity, without broadcasts. `waiting`: only those that wait for a reply, longest first. `due`: only those that have to be answered by a time, the earliest first. `snoozed`: only those, the next to wake first. */
export type Sort = 'updated' | 'created' | 'inbox' | 'waiting' | 'due' | 'snoozed'

/** With more candidates than this, the conversations are read in order; gathering them takes about 20 ms. */
const GATHERED_MAX = 10_000

export type RareFilter = {
  contactId?: string
  /** Only those with unread messages from the customer. */
  isUnread?: boolean
  /** Only those whose contact has this tag, or which have it themselves. */
  tagId?: string
  tagOf?: 'contact' | 'conversation'
  channelAccountId?: string
  /** Only those with contacts of this language; see contact-language.ts. */
  language?: string
  /** Only those with a message that could not be sent. */
  hasFailedMessage?: boolean
  /** Only those with a note that mentions the person who asks, $14. */
  isMentioned?: boolean
  /** Only those of this team, $15. */
  teamId?: string
  /** Only those of the teams of the person who asks. */
  isOfOwnTeams?: boolean
  /** Only those that should have been answered by now, $16. */
  isOverdue?: boolean
  /** Only those with this id or a later one, and with an earlier one: ids are ordered by time. */
  createdFrom?: string
  createdBelow?: string
  /** Only those with activity at this time or later. */
  updatedFrom?: string
  sort: Sort
}

/** The parameters of these filters, $8 to $13. Times that are not asked for are those before or after everything. */
export type NarrowingParameters = [
  /** In an array, because all texts have the same parameters. */
  of: [tagId: string | null, channelAccountId: string | null, language: string | null],
  hasFailedMessage: boolean,
  isUnread: boolean,
  createdFrom: string,
  createdBelow: string,
  updatedFrom: string,
]

export const narrowingParameters = (filter: RareFilter): NarrowingParameters => [
  [filter.tagId ?? null, filter.channelAccountId ?? null, filter.language ?? null],
  filter.hasFailedMessage === true,
  filter.isUnread === true,
  filter.createdFrom ?? '',
  filter.createdBelow ?? '~',
  filter.updatedFrom ?? '-infinity',
]

/** Whether the filter has a condition that only the parameters above express. */
export const isNarrowed = (filter: RareFilter): boolean =>
  filter.tagId !== undefined ||
  filter.channelAccountId !== undefined ||
  filter.language !== undefined ||
  filter.hasFailedMessage === true ||
  filter.createdFrom !== undefined ||
  filter.createdBelow !== undefined ||
  filter.updatedFrom !== undefined ||
  // The index of unread conversations has them by activity.
  (filter.isUnread === true && filter.sort === 'created')

const TAG = '($8::text[])[1]'
const ACCOUNT = '($8::text[])[2]'
const LANGUAGE = '($8::text[])[3]'

/** The times, on a row of conversations. Ranges of the indexes, as these end in updated_at and id. */
export const timeCondition = (alias: string): string =>
  `${alias}.id >= $11 and ${alias}.id < $12 and ${alias}.updated_at >= $13::timestamptz`

const TAGGED = {
  contact: (alias: string) =>
    `contact_tags t where t.workspace_id = $1 and t.contact_id = ${alias}.contact_id`,
  conversation: (alias: string) =>
    `conversation_tags t where t.workspace_id = $1 and t.conversation_id = ${alias}.id`,
}

/**
 * All of these filters as a condition on a row of conversations. Subqueries that yield a value are run for the rows that
 * are read; `exists` might be planned as a join with all tagged contacts.
 */
export const narrowingCondition = (alias: string, { tagOf }: Pick<RareFilter, 'tagOf'>): string =>
  [
    timeCondition(alias),
    `(not $10::boolean or ${alias}.unread_count > 0)`,
    `(${TAG} is null or coalesce((
      select true from ${TAGGED[tagOf ?? 'contact'](alias)} and t.tag_id = ${TAG}
    ), false))`,
    `(${ACCOUNT} is null or ${alias}.channel_account_id = ${ACCOUNT})`,
    `(${LANGUAGE} is null or ${languageOf(`${alias}.contact_id`)} = ${LANGUAGE})`,
    `(not $9::boolean or coalesce((
      select true from failed_messages f join messages m on m.workspace_id = $1 and m.id = f.message_id
      where f.workspace_id = $1 and f.conversation_id = ${alias}.id and m.status = 'failed' limit 1
    ), false))`,
  ].join(' and ')

/** The teams of a filter, as a subquery: one, or those of the person who asks. */
export const TEAMS = {
  team: 'select $15::text',
  ownTeams: 'select team_id::text from team_members where workspace_id = $1 and account_id = $14',
}

export const teamsOf = ({ teamId, isOfOwnTeams }: RareFilter): keyof typeof TEAMS | undefined =>
  teamId !== undefined ? 'team' : isOfOwnTeams ? 'ownTeams' : undefined

const ofTeams = (teams: string): string => `select v.id from (${teams}) t (team) cross join lateral (
      select id from conversations where workspace_id = $1 and team_id = t.team
        and ($6 = 'all' or status = case $6 when 'unassigned' then 'open' else $6 end) offset 0
    ) v`

/** What finds the candidates, the first of them that is asked for; each is one range of an index. */
const CANDIDATES = {
  tag: `select v.id from contact_tags t cross join lateral (
      select id from conversations where workspace_id = $1 and contact_id = t.contact_id offset 0
    ) v where t.workspace_id = $1 and t.tag_id = ${TAG}`,
  ownTag: `select conversation_id from conversation_tags where workspace_id = $1 and tag_id = ${TAG}
    order by conversation_id desc`,
  language: `select v.id from (${speaking(LANGUAGE)}) s cross join lateral (
      select id from conversations where workspace_id = $1 and contact_id = s.id offset 0
    ) v`,
  account: `select id from conversations where workspace_id = $1 and channel_account_id = ${ACCOUNT} order by id desc`,
  mentioned: `select distinct n.conversation_id from note_mentions m
    join notes n on n.workspace_id = $1 and n.id = m.note_id
    where m.workspace_id = $1 and m.account_id = $14 and n.conversation_id is not null`,
  failed: 'select distinct conversation_id from failed_messages where workspace_id = $1',
  unread:
    'select id from conversations where workspace_id = $1 and unread_count > 0 order by updated_at desc, id desc',
  active: `select id from conversations where workspace_id = $1 and updated_at >= $13::timestamptz
    order by updated_at desc, id desc`,
  team: ofTeams(TEAMS.team),
  ownTeams: ofTeams(TEAMS.ownTeams),
  overdue:
    'select id from conversations where workspace_id = $1 and answer_due_at <= $16 order by answer_due_at',
  created: 'select id from conversations where workspace_id = $1 and id >= $11 and id < $12 order by id desc',
}
export type Rarity = keyof typeof CANDIDATES

/** By what the candidates of a filter are gathered; undefined if reading in order is never a scan. */
export const rarityOf = (filter: RareFilter): Rarity | undefined => {
  const {
    sort,
    contactId,
    tagId,
    tagOf,
    hasFailedMessage,
    isUnread,
    createdFrom,
    createdBelow,
    updatedFrom,
  } = filter
  if (contactId !== undefined) return undefined
  if (filter.isMentioned) return 'mentioned'
  if (tagId !== undefined) return tagOf === 'conversation' ? 'ownTag' : 'tag'
  if (hasFailedMessage) return 'failed'
  if (filter.isOverdue && !['due', 'waiting', 'snoozed'].includes(sort)) return 'overdue'
  if (filter.language !== undefined) return 'language'
  if (filter.channelAccountId !== undefined) return 'account'
  if (isUnread) return sort === 'created' ? 'unread' : undefined
  const teams = teamsOf(filter)
  if (teams && (sort === 'updated' || sort === 'created')) return teams
  if (sort !== 'updated' && updatedFrom !== undefined) return 'active'
  if (sort !== 'created' && (createdFrom ?? createdBelow) !== undefined) return 'created'
  return undefined
}

type Reading = {
  rarity: Rarity
  columns: string
  /** On a row of conversations, v: the whole filter and the position. */
  condition: string
  inOrder: string
  sort: Sort
}

/**
 * The ranges of indexes that together have all conversations in order. That of the inbox begins with the status and the
 * channel; ranges that the filter excludes are not read.
 */
const rangesOf = (sort: Sort): string[] =>
  sort === 'inbox'
    ? [`status = 'open' and $6 <> 'closed'`, `status = 'closed' and $6 in ('closed', 'all')`].flatMap(
        (status) =>
          CHANNELS.map(
            (channel) =>
              `${status} and channel = '${channel}' and ($7::text[] is null or '${channel}' = any ($7))`,
          ),
      )
    : ['true']

/** The conversations among the candidates if those are few, else by reading in order. Only the chosen branch runs. */
export const gatherOrWalk = ({ rarity, columns, condition, inOrder, sort }: Reading): string => `
  with candidate (candidate_id) as materialized (select * from (${CANDIDATES[rarity]}) r limit ${GATHERED_MAX + 1}),
    few as materialized (select count(*) <= ${GATHERED_MAX} as yes from candidate)
  select * from (
    (select ${columns} from candidate cross join lateral (
        select * from conversations where workspace_id = $1 and id = candidate_id offset 0
      ) v where (select yes from few) and ${condition} ${inOrder})
    union all
    ${rangesOf(sort)
      .map(
        (range) => `(select ${columns} from conversations v
          where v.workspace_id = $1 and ${range} and not (select yes from few) and ${condition} ${inOrder})`,
      )
      .join(' union all ')}
  ) w ${inOrder}`
