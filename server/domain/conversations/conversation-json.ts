// What the lists show of a conversation, its contact and its last message. Each field is defined once, for the
// statement that writes it as JSON, for the columns that the statement reads, and for the compiler, which checks it
// against the schema.
import { type ColumnsOf, type JsonSql, jsonColumns, jsonObject } from '../../platform/db/json-columns.ts'
import type { JsonItems, SqlText } from '../../platform/db/json-text.ts'
import type { InboxRow } from './inbox-schema.ts'
import type { Assignment, ContactRef, Conversation, LastMessage } from './schema.ts'

/** A conversation, its contact and its agent. */
type Columns = ColumnsOf<{ c: 'conversations'; k: 'contacts'; a: 'accounts' }>
/** If a conversation has a last message or an agent, all their fields are set. */
type Complete = {
  [K in keyof Columns]: K extends `c.last_message_${string}` | 'c.agent_id'
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

const FIELDS = {
  id: column.id('c.id'),
  channel: column.word('c.channel'),
  subject: column.text('c.subject'),
  status: column.word('c.status'),
  contact: CONTACT_REF,
  assignment: column.unlessNull('c.agent_id', jsonObject<Assignment>(ASSIGNMENT)),
  lastMessage: column.unlessNull('c.last_message_id', LAST_MESSAGE),
  createdAt: column.moment('c.created_at'),
  updatedAt: column.moment('c.updated_at'),
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

/** A list's row, and the SQL texts of the lists that use it. */
export type RowShape<T> = { json: JsonSql<T>; texts: Map<string, SqlText<PageRow<T>>> }

export const CONVERSATION: RowShape<Conversation> = { json: jsonObject(FIELDS), texts: new Map() }

/** For the console, whose rows have more than the API's. */
export const INBOX_ROW: RowShape<InboxRow> = {
  json: jsonObject({
    ...FIELDS,
    assignment: column.unlessNull(
      'c.agent_id',
      jsonObject({ ...ASSIGNMENT, isAi: present.boolean('a.is_ai') }),
    ),
    unreadCount: column.integer('c.unread_count'),
    channelAccountId: column.id('c.channel_account_id'),
  }),
  texts: new Map(),
}
