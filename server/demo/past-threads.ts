// The demo's past conversations, for a sandbox that starts with no memory of them.
import { sql } from 'kysely'
import type { Ctx } from '../platform/ctx/ctx.ts'
import type { IdentityKind } from '../platform/db/tables.ts'

/** At most this many of the latest messages are shown again. */
const MESSAGES_MAX = 2_000

export type PastThread = {
  name: string
  username: string | null
  subject: string | null
  /** The contact's identities, one of each kind. */
  identities: Partial<Record<IdentityKind, string>>
  entries: PastEntry[]
}
type PastEntry = {
  id: string
  from: 'customer' | 'business'
  atMs: number
  text: string
  status: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed' | null
}

/** The threads of a channel account, each with its messages from oldest to newest. Imported ones were elsewhere. */
export const listPastThreads = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  channelAccountId: string,
): Promise<PastThread[]> => {
  const { rows } = await sql<{
    contactId: string
    name: string
    username: string | null
    subject: string | null
    identities: PastThread['identities']
    id: string
    from: 'customer' | 'business'
    at: Date
    text: string
    status: PastEntry['status']
  }>`
    select c.contact_id as "contactId", k.name, k.username, c.subject, coalesce(m.external_id, m.id) as id,
      coalesce(nullif(m.body, ''), '📎 ' || (select min(a.name) from attachments a
        where a.workspace_id = m.workspace_id and a.message_id = m.id), '') as text,
      case m.sender_type when 'customer' then 'customer' else 'business' end as "from",
      case when m.sender_type = 'customer' then null when m.status = 'queued' then 'accepted' else m.status end as status,
      m.created_at as at,
      (select jsonb_object_agg(i.kind, i.value) from identities i
        where i.workspace_id = c.workspace_id and i.contact_id = c.contact_id) as identities
    from (
      select * from messages
      where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId} and sender_type <> 'system'
        and conversation_id not in (
          select target_id from imported where workspace_id = ${workspaceId} and kind = 'conversation')
      order by id desc limit ${MESSAGES_MAX}
    ) m
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    order by m.id`.execute(db)
  const byContact = new Map<string, PastThread>()
  for (const { contactId, name, username, subject, identities, at, ...entry } of rows) {
    const known = byContact.get(contactId)
    const thread = known ?? { name, username, subject, identities: identities ?? {}, entries: [] }
    byContact.set(contactId, thread)
    thread.entries.push({ ...entry, atMs: new Date(at).getTime() })
  }
  return [...byContact.values()]
}
