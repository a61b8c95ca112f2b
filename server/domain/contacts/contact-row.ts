// What the directory shows of a contact `c`: each field defined once, for every statement that lists contacts.

import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely'
import { PHONE_KINDS } from '../../../channels/definitions.ts'
import { compactJson, momentText, precompiled } from '../../platform/db/select-list.ts'
import type { ChannelName, Tables } from '../../platform/db/tables.ts'
import type { ContactRow, InboxContactRow } from './schema.ts'

const contact = expressionBuilder<{ c: Tables['contacts'] }, 'c'>()
const account = expressionBuilder<{ a: Tables['accounts'] }, 'a'>()

/** A summary of a contact's conversations: all of them, or those of one agent. */
export type Activity = {
  channels: Expression<ChannelName[]>
  conversationId: Expression<string | null>
  conversationCount: Expression<number>
  openCount: Expression<number>
  lastActivityAt: Expression<string | null>
  agentId: Expression<string | null>
}

export const WHOLE_ACTIVITY: Activity = {
  channels: contact.ref('c.channels'),
  conversationId: contact.ref('c.latest_conversation_id'),
  conversationCount: contact.ref('c.conversation_count'),
  openCount: contact.ref('c.open_count'),
  lastActivityAt: contact.ref('c.last_activity_at'),
  agentId: contact.ref('c.assigned_agent_id'),
}

/**
 * Whether the email of contact `c` is more than a claim: it is an identity, confirmed by mail that passed or by the
 * workspace.
 */
export const EMAIL_VERIFIED_TEXT = `exists (
  select from identities i where i.workspace_id = c.workspace_id and i.kind = 'email' and i.value = c.email
    and i.contact_id = c.id and i.confirmed)`
export const EMAIL_VERIFIED = sql.raw<boolean>(EMAIL_VERIFIED_TEXT)

/** Whether the phone of contact `c` is more than an answer that they gave: a channel or the workspace vouches for a number. */
const PHONE_VERIFIED = sql<boolean>`exists (
  select from identities i where i.workspace_id = c.workspace_id and i.contact_id = c.id and i.verified
    and i.kind = any (${sql.raw(`'{${PHONE_KINDS.map(({ kind }) => kind).join()}}'`)}))`

const fieldsOf = ({ lastActivityAt, agentId, ...activity }: Activity) => ({
  id: contact.ref('c.id'),
  name: contact.ref('c.name'),
  email: contact.ref('c.email'),
  phone: contact.ref('c.phone'),
  countryIso: contact.ref('c.country_iso'),
  ...activity,
  lastActivityAt: momentText(lastActivityAt),
  assignedAgent: sql<ContactRow['assignedAgent']>`(select ${compactJson({
    id: account.ref('a.id'),
    nickname: account.ref('a.nickname'),
  })} from accounts a where a.id = ${agentId})`,
})

/** A contact as the API lists it. */
export const contactRow = (activity: Activity): RawBuilder<ContactRow> => compactJson(fieldsOf(activity))

export const CONTACT_ROW = precompiled(contactRow(WHOLE_ACTIVITY))

/** The console also shows whether the email and the phone are only claims. */
export const inboxContactRow = (activity: Activity): RawBuilder<InboxContactRow> =>
  compactJson({ ...fieldsOf(activity), emailVerified: EMAIL_VERIFIED, phoneVerified: PHONE_VERIFIED })

export const INBOX_CONTACT_ROW = precompiled(inboxContactRow(WHOLE_ACTIVITY))
