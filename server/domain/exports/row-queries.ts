// The rows of an archive, as the lines that are written: PostgreSQL makes the JSON, which costs a third of making it here.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { momentText } from '../../platform/db/select-list.ts'
import type { ArchiveResource } from '../../platform/db/tables.ts'

export type RowFilter = {
  workspaceId: string
  /** Only what is about this person. */
  contactId: string | null
  createdAfter: string | null
  includeFiles: boolean
}

/** `id` is where the next page begins. */
type Line = { id: string; line: string }

/** A page of this many lines, of up to 50 kB each. */
const PAGE = 2_000

const moment = (column: string) => momentText(sql<string | null>`${sql.ref(column)}`)

/** Each selects, `from` one table, what a line contains; the table has the alias `t`. */
const FIELDS: Record<ArchiveResource, RawBuilder<unknown>> = {
  workspace: sql`t.id, t.name, ${moment('t.created_at')} as "createdAt"`,
  agents: sql`t.account_id as id, a.email, a.nickname, t.role, a.is_ai as "isAi",
    ${moment('t.created_at')} as "createdAt", ${moment('t.removed_at')} as "removedAt"`,
  channels: sql`t.id, t.channel, t.name, t.address, ${moment('t.created_at')} as "createdAt"`,
  tags: sql`t.id, t.name, t.color, ${moment('t.created_at')} as "createdAt"`,
  contactGroups: sql`t.id, t.name, t.description, ${moment('t.created_at')} as "createdAt"`,
  contacts: sql`t.id, t.name, t.email, t.phone, t.username, t.country_iso as "countryIso",
    t.custom_fields as "customFields", ${moment('t.opted_out_at')} as "optedOutAt",
    ${moment('t.created_at')} as "createdAt",
    (select coalesce(json_agg(json_build_object('kind', i.kind, 'value', i.value, 'verified', i.verified)
        order by i.kind, i.value), '[]')
      from identities i where i.workspace_id = t.workspace_id and i.contact_id = t.id) as identities,
    array(select g.tag_id from contact_tags g
      where g.workspace_id = t.workspace_id and g.contact_id = t.id order by 1) as "tagIds",
    array(select g.group_id from contact_group_members g
      where g.workspace_id = t.workspace_id and g.contact_id = t.id order by 1) as "groupIds"`,
  conversations: sql`t.id, t.channel, t.channel_account_id as "channelId", t.contact_id as "contactId", t.subject,
    t.status, t.agent_id as "agentId", ${moment('t.assigned_at')} as "assignedAt",
    ${moment('t.created_at')} as "createdAt", ${moment('t.updated_at')} as "updatedAt",
    array(select g.tag_id from conversation_tags g
      where g.workspace_id = t.workspace_id and g.conversation_id = t.id order by 1) as "tagIds",
    (select json_build_object('address', e.address, 'replyTo', e.reply_to, 'subject', e.subject)
      from email_threads e where e.workspace_id = t.workspace_id and e.conversation_id = t.id) as email`,
  messages: sql`t.id, t.conversation_id as "conversationId", t.sender_type as "senderType",
    t.sender_id as "senderId", t.body, t.status, t.reply_to_message_id as "replyToMessageId",
    t.reply_quote as "replyQuote", t.metadata, t.external_id as "externalId",
    ${moment('t.created_at')} as "createdAt",
    (select json_build_object('text', e.text, 'html', e.html, 'referenceIds', e.reference_ids)
      from email_contents e where e.workspace_id = t.workspace_id and e.message_id = t.id) as email`,
  notes: sql`t.id, t.contact_id as "contactId", t.conversation_id as "conversationId", t.author_id as "authorId",
    t.body, ${moment('t.created_at')} as "createdAt"`,
  attachments: sql`t.id, t.message_id as "messageId", t.note_id as "noteId", t.type, t.name, t.mime_type as "mimeType", t.size,
    case t.state when 'inline' then t.source end as content, ${moment('t.created_at')} as "createdAt"`,
}

const TABLES: Record<ArchiveResource, string> = {
  workspace: 'workspaces',
  agents: 'memberships',
  channels: 'channel_accounts',
  tags: 'tags',
  contactGroups: 'contact_groups',
  contacts: 'contacts',
  conversations: 'conversations',
  messages: 'messages',
  notes: 'notes',
  attachments: 'attachments',
}

const ofPerson = (resource: ArchiveResource, contactId: string): RawBuilder<unknown> => {
  const conversations = sql`(select c.id from conversations c
    where c.workspace_id = t.workspace_id and c.contact_id = ${contactId})`
  switch (resource) {
    case 'contacts':
      return sql`t.id = ${contactId}`
    case 'conversations':
    case 'notes':
      return sql`t.contact_id = ${contactId}`
    case 'messages':
      return sql`t.conversation_id in ${conversations}`
    case 'attachments':
      return sql`t.state <> 'uploading' and (t.contact_id = ${contactId} or t.message_id in (
        select m.id from messages m where m.workspace_id = t.workspace_id and m.conversation_id in ${conversations})
        or t.note_id in (select n.id from notes n
          where n.workspace_id = t.workspace_id and n.contact_id = ${contactId}))`
    case 'tags':
      return sql`(t.id in (select g.tag_id from contact_tags g
        where g.workspace_id = t.workspace_id and g.contact_id = ${contactId})
        or t.id in (select g.tag_id from conversation_tags g
          where g.workspace_id = t.workspace_id and g.conversation_id in ${conversations}))`
    case 'contactGroups':
      return sql`t.id in (select g.group_id from contact_group_members g
        where g.workspace_id = t.workspace_id and g.contact_id = ${contactId})`
    default:
      return sql`false`
  }
}

/** What else decides whether a row is in the archive. */
const conditionOf = (
  resource: ArchiveResource,
  { contactId, createdAfter }: RowFilter,
): RawBuilder<unknown> => {
  if (contactId !== null) return sql` and ${ofPerson(resource, contactId)}`
  const since = createdAfter === null ? null : sql`${createdAfter}::timestamptz`
  if (resource === 'attachments')
    return sql` and (t.message_id is not null or t.note_id is not null) and t.state <> 'uploading'${
      since ? sql` and t.created_at >= ${since}` : sql``
    }`
  if (since === null) return sql``
  if (resource === 'messages' || resource === 'notes') return sql` and t.created_at >= ${since}`
  if (resource !== 'conversations') return sql``
  return sql` and (t.updated_at >= ${since} or exists (select from notes n where n.workspace_id = t.workspace_id
    and n.conversation_id = t.id and n.created_at >= ${since}))`
}

const listPage = async (
  db: Db,
  resource: ArchiveResource,
  filter: RowFilter,
  after: string,
): Promise<Line[]> => {
  const { workspaceId, includeFiles } = filter
  const key = sql.ref(resource === 'agents' ? 't.account_id' : 't.id')
  const owner = sql.ref(resource === 'workspace' ? 't.id' : 't.workspace_id')
  const join = resource === 'agents' ? sql`join accounts a on a.id = t.account_id` : sql``
  const path =
    resource === 'attachments'
      ? sql`, case when t.state = 'stored' and ${includeFiles}::boolean then 'files/' || t.id end as path`
      : sql``
  const { rows } = await sql<Line>`
    select r.id, to_json(r)::text as line from (
      select ${FIELDS[resource]}${path} from ${sql.table(TABLES[resource])} t ${join}
      where ${owner} = ${workspaceId} and ${key} > ${after}${conditionOf(resource, filter)}
      order by ${key} limit ${sql.lit(PAGE)}) r`.execute(db)
  return rows
}

/** All lines of a resource in the order of their ids, a page at a time. */
export async function* readLines(
  db: Db,
  resource: ArchiveResource,
  filter: RowFilter,
): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const rows = await listPage(db, resource, filter, after)
    if (rows.length > 0) yield rows.map(({ line }) => line)
    if (rows.length < PAGE) return
    after = rows.at(-1)!.id
  }
}

export type ArchivedFile = { id: string; key: string; size: number }

/** The attachments whose contents belong to the archive. */
export async function* readFiles(db: Db, filter: RowFilter): AsyncGenerator<ArchivedFile> {
  for (let after = ''; ; ) {
    const { rows } = await sql<ArchivedFile>`
      select t.id, t.storage_key as key, t.size from attachments t
      where t.workspace_id = ${filter.workspaceId} and t.id > ${after} and t.state = 'stored'
        and t.storage_key is not null${conditionOf('attachments', filter)}
      order by t.id limit ${sql.lit(PAGE)}`.execute(db)
    yield* rows
    if (rows.length < PAGE) return
    after = rows.at(-1)!.id
  }
}
