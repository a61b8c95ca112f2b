// SQL of what a model is told of a conversation: this contact's facts, and what was said since the conversation was
// opened.
import { sql } from 'kysely'
import type { BusinessHours } from '../../../../../flow-engine/business-hours.ts'
import { PICTURE_TYPES } from '../../../../../models/contract.ts'
import type { Ctx } from '../../../../platform/ctx/ctx.ts'
import type { ChannelName, CustomFields, Metadata, SenderType } from '../../../../platform/db/tables.ts'
import { hideCodes } from '../../../identity-codes/code.ts'
import { type ConversationCode, codeIds, codeJson } from '../../../identity-codes/queries.ts'
import { type RecentAction, recentActionsJson } from '../../proposals/queries.ts'
import { hidesContacts, sendsPictures } from '../../settings-queries.ts'
import { type EarlierEpisode, earlierEpisodesJson } from './earlier-episodes.ts'
import { isHeard } from './heard.ts'
import { PICTURE_MAX_BYTES, type PictureRef } from './load-pictures.ts'

/** Of the newest messages; of what is cut off, the model is told nothing. */
const MESSAGES_MAX = 30

export type Spoken = {
  senderType: SenderType
  body: string
  metadata: Metadata | null
  /** Types and names of files; of their contents, only pictures are read, where the workspace lets the provider see them. */
  files: { type: string; name: string; picture?: PictureRef | null }[]
  createdAt: string
}

/** What is known of a contact for certain, and not only from what they typed. */
export type Addresses = { externalId: string | null; email: string | null; phone: string | null }

export type Context = {
  contactId: string
  name: string | null
  country: string | null
  customFields: CustomFields
  addresses: Addresses
  tags: { id: string; name: string }[]
  channel: ChannelName
  subject: string | null
  workspaceName: string
  /** Nobody's to be told. */
  memberEmails: string[]
  /** The provider may not read email addresses and phone numbers. */
  hidesContacts: boolean
  /** The default business hours first. */
  hours: BusinessHours[]
  /** The oldest first, since the conversation was opened or reopened; lines of the system and what isn't heard left out. */
  messages: Spoken[]
  /** Before the conversation was opened again. */
  episodes: EarlierEpisode[]
  /** What was proposed and decided lately, the oldest first. */
  actions: RecentAction[]
  /** The newest that was sent for this conversation. */
  code: ConversationCode | null
}

/** Of a contact `k`. Of several, the one that is shown, else the oldest. */
const addressesJson = sql<Addresses>`(
  select json_build_object(
    'externalId', (array_agg(i.value order by i.created_at, i.value) filter (where i.kind = 'external'))[1],
    'email', (array_agg(i.value order by i.value is not distinct from k.email desc, i.created_at, i.value)
      filter (where i.kind = 'email' and i.confirmed))[1],
    'phone', (array_agg(i.value order by i.value is not distinct from k.phone desc, i.created_at, i.value)
      filter (where i.kind = 'phone'))[1])
  from identities i
  where i.workspace_id = k.workspace_id and i.contact_id = k.id and i.verified)`

/** Undefined if the conversation is gone. */
export const findContext = async (
  { db, workspaceId, now, seal }: Ctx,
  conversationId: string,
): Promise<Context | undefined> => {
  const { rows } = await sql<Context & { codeIds: string[] }>`
    with newest as (
      select m.id, m.sender_type, m.body, m.metadata, m.created_at from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId}
      order by m.id desc limit ${MESSAGES_MAX * 2}::integer
    ), spoken as (
      select * from newest
      where sender_type <> 'system' and coalesce(metadata ->> 'deletedAt', '') = ''
        and ${isHeard}
        and id > coalesce((select max(id) from newest where metadata ->> 'event' = 'reopened'), '')
      order by id desc limit ${MESSAGES_MAX}::integer
    )
    select k.id as "contactId", k.name, k.country_iso as country, k.custom_fields as "customFields",
      ${addressesJson} as addresses, c.channel, c.subject, w.name as "workspaceName", ${hidesContacts(workspaceId)} as "hidesContacts",
      array(select a.email from memberships m join accounts a on a.id = m.account_id
        where m.workspace_id = ${workspaceId} and m.removed_at is null and m.role <> 'ai') as "memberEmails",
      (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) order by t.name_key), '[]')
        from contact_tags ct join tags t on t.workspace_id = ${workspaceId} and t.id = ct.tag_id
        where ct.workspace_id = ${workspaceId} and ct.contact_id = k.id) as tags,
      (select coalesce(json_agg(json_build_object('id', h.id, 'timeZone', h.time_zone, 'weekly', h.weekly,
          'exceptions', h.exceptions, 'isDefault', h.is_default) order by h.is_default desc, h.name_key), '[]')
        from business_hours h where h.workspace_id = ${workspaceId}) as hours,
      (select coalesce(json_agg(json_build_object('senderType', s.sender_type, 'body', s.body,
          'metadata', s.metadata, 'createdAt', s.created_at, 'files', (
            select coalesce(json_agg(json_build_object('type', f.type, 'name', f.name, 'picture', case
                when s.sender_type = 'customer' and f.state = 'stored' and f.storage_key is not null
                  and f.mime_type = any(${PICTURE_TYPES}::text[]) and f.size <= ${PICTURE_MAX_BYTES}::integer
                  and ${sendsPictures(workspaceId)}
                then json_build_object('key', f.storage_key, 'mimeType', f.mime_type, 'size', f.size) end)
              order by f.id), '[]') from attachments f
            where f.workspace_id = ${workspaceId} and f.message_id = s.id)) order by s.id), '[]')
        from spoken s) as messages,
      ${earlierEpisodesJson(workspaceId, conversationId)} as episodes,
      ${recentActionsJson(workspaceId, now())} as actions,
      ${codeJson(workspaceId, sql.ref('c.id'))} as code,
      ${codeIds(workspaceId, sql.ref('c.id'))} as "codeIds"
    from conversations c
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    join workspaces w on w.id = c.workspace_id
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}`.execute(db)
  if (!rows[0]) return undefined
  const { codeIds: ids, messages, episodes, ...context } = rows[0]
  const hide = hideCodes(seal, { workspaceId, codeIds: ids })
  return {
    ...context,
    messages: messages.map((message) => ({ ...message, body: hide(message.body) })),
    episodes: episodes.map(({ asked, lastReply, ...episode }) => ({
      ...episode,
      asked: asked.map(hide),
      lastReply: lastReply && hide(lastReply),
    })),
  }
}
