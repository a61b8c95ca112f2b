// What the lists show of a conversation, its contact and its last message. Each field is defined once, for the
// statement that writes it as JSON, for the columns that the statement reads, and for the compiler, which checks it
// against the schema.
import { type ColumnsOf, type JsonSql, jsonColumns, jsonObject } from '../../platform/db/json-columns.ts'
import type { JsonItems, SqlText } from '../../platform/db/json-text.ts'
import { LAST_BODY_MAX } from '../deliveries/withdraw-deliveries.ts'
import type { Tag } from '../tags/schema.ts'
import type { TeamRef } from '../team-settings/schema.ts'
import { isHeld, placeOf } from './inbox-place.ts'
import type { InboxRow } from './inbox-schema.ts'
import type { Assignment, ContactRef, Conversation, LastMessage } from './schema.ts'
import { unreadOf } from './unread.ts'

/** A conversation, its contact, agent and team, and the message that the inbox shows while a broadcast is the last. */
type Columns = ColumnsOf<{
  c: 'conversations'
  k: 'contacts'
  a: 'accounts'
  g: 'teams'
  h: 'messages'
}>
/** If a conversation has a last message, an agent or a team, all their fields are set. Also where null is looked for first. */
type Complete = {
  [K in keyof Columns]: K extends
    | `c.last_message_${string}`
    | 'c.agent_id'
    | 'c.team_id'
    | 'c.waiting_since'
    | 'c.snoozed_until'
    | 'c.answer_due_at'
    ? NonNullable<Columns[K]>
    : Columns[K]
}

const column = jsonColumns<Columns>()
const present = jsonColumns<Complete>()

/** A contact, `k`, as conversations and messages show it. */
export const CONTACT_REF = jsonObject<ContactRef>({
  id: column.id('k.id'),
  name: column.text('k.name'),
  email: column.text('k.email'),
  phone: column.text('k.phone'),
})

const ASSIGNMENT = {
  agentId: present.id('c.agent_id'),
  agentNickname: present.text('a.nickname'),
  assignedAt: present.momentOr('c.assigned_at', 'c.updated_at'),
}

const LAST_MESSAGE = jsonObject<LastMessage>({
  id: present.id('c.last_message_id'),
  body: present.text('c.last_message_body'),
  senderId: present.text('c.last_message_sender_id'),
  senderType: present.word('c.last_message_sender_type'),
  status: present.word('c.last_message_status'),
  createdAt: present.moment('c.last_message_at'),
})

const TAGS = `coalesce((
  select json_agg(json_build_object('id', t.id, 'name', t.name, 'color', t.color) order by t.name_key)::text
  from conversation_tags x join tags t on t.workspace_id = $1 and t.id = x.tag_id
  where x.workspace_id = $1 and x.conversation_id = c.id), '[]')`

const FIELDS = {
  id: column.id('c.id'),
  channel: column.word('c.channel'),
  subject: column.text('c.subject'),
  status: column.word('c.status'),
  contact: CONTACT_REF,
  assignment: column.unlessNull('c.agent_id', jsonObject<Assignment>(ASSIGNMENT)),
  team: column.unlessNull(
    'c.team_id',
    jsonObject<TeamRef>({ id: present.id('c.team_id'), name: present.text('g.name') }),
  ),
  lastMessage: column.unlessNull('c.last_message_id', LAST_MESSAGE),
  createdAt: column.moment('c.created_at'),
  updatedAt: column.moment('c.updated_at'),
  snoozedUntil: column.unlessNull('c.snoozed_until', present.moment('c.snoozed_until')),
  tags: column.computedJson<Tag[]>(TAGS, { 'c.id': '::text' }),
}

/** What a page's statement yields: its rows, their count and the position of the last one. */
export type PageRow<T> = {
  items: JsonItems<T>
  found: number
  lastAt: string | null
  lastId: string | null
  /** For a search that walks: where it ended, null at the end of the list. */
  walkEnd?: string | null
}

/** Of rows `c`, for every shape. */
export const JOINED = `
  join contacts k on k.workspace_id = $1 and k.id = c.contact_id
  left join accounts a on a.id = c.agent_id
  left join teams g on g.workspace_id = $1 and g.id = c.team_id`

/** A list's row, and the SQL texts of the lists that use it. */
export type RowShape<T> = {
  json: JsonSql<T>
  /** Columns of the conversation that `joins` reads. */
  reads: Record<string, string>
  /** What `json` reads besides the conversation, its contact and its agent; `person` is a person's account id. */
  joins: (person: string) => string
  /** `unread` asks for what the person has not read, not for what nobody has. */
  isPersonal: boolean
  texts: Map<string, SqlText<unknown>>
}

export const CONVERSATION: RowShape<Conversation> = {
  json: jsonObject(FIELDS),
  reads: {},
  joins: () => '',
  isPersonal: false,
  texts: new Map(),
}

const HELD_MESSAGE = jsonObject<LastMessage>({
  id: column.id('h.id'),
  body: column.beginning('h.body', LAST_BODY_MAX),
  senderId: column.text('h.sender_id'),
  senderType: column.word('h.sender_type'),
  status: column.word('h.status'),
  createdAt: column.moment('h.created_at'),
})

/** For the console, whose rows have more than the API's. A broadcast is not what happened last in them. */
export const INBOX_ROW: RowShape<InboxRow> = {
  json: jsonObject({
    ...FIELDS,
    assignment: column.unlessNull(
      'c.agent_id',
      jsonObject({ ...ASSIGNMENT, isAi: present.boolean('a.is_ai') }),
    ),
    lastMessage: column.unlessNullOr<LastMessage | null>('h.id', HELD_MESSAGE, FIELDS.lastMessage),
    updatedAt: column.computedMoment(placeOf('c.'), ['c.updated_at', 'c.held_until', 'c.held_at']),
    waitingSince: column.unlessNull('c.waiting_since', present.moment('c.waiting_since')),
    answerDueAt: column.unlessNull('c.answer_due_at', present.moment('c.answer_due_at')),
    priority: column.integer('c.priority'),
    unreadCount: column.computed('u.unread', {
      'c.inbound_seq': '',
      'c.unread_count': '',
      'c.closed_seq': '',
      'c.last_inbound_at': '::timestamptz',
    }),
    channelAccountId: column.id('c.channel_account_id'),
  }),
  reads: { 'c.held_message_id': '::text', 'c.id': '::text' },
  isPersonal: true,
  joins: (person) => `
    left join messages h on h.workspace_id = $1
      and h.id = case when ${isHeld('c.')} then c.held_message_id end
    left join conversation_reads r
      on r.workspace_id = $1 and r.account_id = ${person} and r.conversation_id = c.id
    cross join lateral (select ${unreadOf('c', 'r', person)} as unread) u`,
  texts: new Map(),
}
