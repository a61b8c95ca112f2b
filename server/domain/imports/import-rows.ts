// The rows of an archive's resources as the loader takes them.
import type {
  ChannelName,
  CustomFields,
  IdentityKind,
  Metadata,
  SenderType,
  Tables,
} from '../../platform/db/tables.ts'
import { GROUP_NAME_MAX } from '../contact-groups/schema.ts'
import { CONTACT_NAME_MAX } from '../contacts/schema.ts'
import {
  bodyOf,
  cleanText,
  customFieldsOf,
  idOf,
  idsOf,
  isObject,
  metadataOf,
  oneOf,
  optionalIdOf,
  optionalTimeOf,
  RowProblem,
  type SourceRow,
  textOf,
  timeOf,
} from './read-row.ts'

/** What reading a row depends on. */
export type Reading = {
  /** When the import began. */
  now: Date
  /** The accounts of the source's agents, and the channel accounts of its channels. */
  agents: ReadonlyMap<string, string>
  channels: ReadonlyMap<string, { id: string; channel: ChannelName }>
}

/** As of an email. */
const BODY_MAX = 50_000
const TAG_NAME_MAX = 60
const DESCRIPTION_MAX = 500
const VALUE_MAX = 320
const SUBJECT_MAX = 500
const QUOTE_MAX = 500
const FILE_NAME_MAX = 255
const EMAIL_TEXT_MAX = 500_000
const REFERENCES_MAX = 100
const COLOR = '#6b7280'

/** Those of other workspaces' visitors are nobody here. */
const IDENTITY_KINDS: readonly IdentityKind[] = [
  'email',
  'phone',
  'whatsapp_id',
  'whatsapp_user_id',
  'telegram',
  'facebook',
  'sms',
  'external',
]
const ATTACHMENT_TYPES: readonly Tables['attachments']['type'][] = [
  'image',
  'audio',
  'video',
  'file',
  'sticker',
  'location',
  'contacts',
]
/** The name of a file in the archive. */
export const FILE_PATH = /^files\/([A-Za-z0-9_-]{1,64})$/

export type TagRow = { id: string; name: string; color: string; at: Date }
export const readTag = (row: SourceRow, { now }: Reading): TagRow => {
  const name = textOf(row.name, TAG_NAME_MAX)
  if (!name?.trim()) throw new RowProblem('name must be a text')
  const color = typeof row.color === 'string' && /^#[0-9a-f]{6}$/.test(row.color) ? row.color : COLOR
  return { id: idOf(row, 'id'), name: name.trim(), color, at: optionalTimeOf(row, 'createdAt', now) ?? now }
}

export type GroupRow = { id: string; name: string; description: string; at: Date }
export const readGroup = (row: SourceRow, { now }: Reading): GroupRow => {
  const name = textOf(row.name, GROUP_NAME_MAX)
  if (!name?.trim()) throw new RowProblem('name must be a text')
  return {
    id: idOf(row, 'id'),
    name: name.trim(),
    description: bodyOf(row.description, DESCRIPTION_MAX),
    at: optionalTimeOf(row, 'createdAt', now) ?? now,
  }
}

export type ImportedIdentity = { kind: IdentityKind; value: string; verified: boolean }
export type ContactRow = {
  id: string
  name: string
  email: string | null
  phone: string | null
  username: string | null
  countryIso: string | null
  customFields: CustomFields
  optedOutAt: Date | null
  identities: ImportedIdentity[]
  tagIds: string[]
  groupIds: string[]
  at: Date
}
export const readContact = (row: SourceRow, { now }: Reading): ContactRow => {
  const email = textOf(row.email, VALUE_MAX)?.toLowerCase() ?? null
  const phone = typeof row.phone === 'string' && /^\+\d{5,15}$/.test(row.phone) ? row.phone : null
  const username = textOf(row.username, VALUE_MAX)
  const identities = readIdentities(row.identities)
  const name = textOf(row.name, 4 * CONTACT_NAME_MAX) ?? email ?? phone ?? username ?? identities[0]?.value
  if (name === undefined) throw new RowProblem('a contact needs a name or an identity')
  return {
    id: idOf(row, 'id'),
    name: [...name].slice(0, CONTACT_NAME_MAX).join(''),
    email,
    phone,
    username,
    countryIso:
      typeof row.countryIso === 'string' && /^[A-Z]{2}$/.test(row.countryIso) ? row.countryIso : null,
    customFields: customFieldsOf(row.customFields),
    optedOutAt: optionalTimeOf(row, 'optedOutAt', now),
    identities,
    tagIds: idsOf(row.tagIds),
    groupIds: idsOf(row.groupIds),
    at: optionalTimeOf(row, 'createdAt', now) ?? now,
  }
}

const readIdentities = (value: unknown): ImportedIdentity[] =>
  (Array.isArray(value) ? value : []).filter(isObject).flatMap((one) => {
    const kind = IDENTITY_KINDS.find((known) => known === one.kind)
    const text = textOf(one.value, VALUE_MAX)
    if (kind === undefined || text === null) return []
    return [{ kind, value: kind === 'email' ? text.toLowerCase() : text, verified: one.verified === true }]
  })

export type ConversationRow = {
  id: string
  contactId: string
  channelAccountId: string
  channel: ChannelName
  subject: string | null
  isOpen: boolean
  agentId: string | null
  assignedAt: Date | null
  email: { address: string; replyTo: string | null; subject: string | null } | null
  tagIds: string[]
  at: Date
  updatedAt: Date
}
export const readConversation = (row: SourceRow, { now, agents, channels }: Reading): ConversationRow => {
  const channel = channels.get(idOf(row, 'channelId'))
  if (!channel) throw new RowProblem('its channel is not connected here')
  const at = timeOf(row, 'createdAt', now)
  const updatedAt = optionalTimeOf(row, 'updatedAt', now) ?? at
  const agentId = agents.get(optionalIdOf(row, 'agentId') ?? '') ?? null
  const email = isObject(row.email) ? row.email : null
  const address = textOf(email?.address, VALUE_MAX)
  return {
    id: idOf(row, 'id'),
    contactId: idOf(row, 'contactId'),
    channelAccountId: channel.id,
    channel: channel.channel,
    subject: textOf(row.subject, SUBJECT_MAX),
    isOpen: row.status === 'open',
    agentId,
    assignedAt: agentId === null ? null : (optionalTimeOf(row, 'assignedAt', now) ?? updatedAt),
    email:
      address === null
        ? null
        : {
            address,
            replyTo: textOf(email?.replyTo, VALUE_MAX),
            subject: textOf(email?.subject, SUBJECT_MAX),
          },
    tagIds: idsOf(row.tagIds),
    at,
    updatedAt: new Date(Math.max(updatedAt.getTime(), at.getTime())),
  }
}

const SENDER_TYPES: readonly SenderType[] = ['customer', 'agent', 'automation', 'system']
/** Nothing that is imported waits to be sent. */
const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const

export type MessageRow = {
  id: string
  conversationId: string
  senderType: SenderType
  /** Null: the conversation's contact. */
  senderId: string | null
  body: string
  status: (typeof STATUSES)[number]
  replyToMessageId: string | null
  replyQuote: string | null
  metadata: Metadata | null
  externalId: string | null
  email: { text: string | null; referenceIds: string[] } | null
  at: Date
}
export const readMessage = (row: SourceRow, { now, agents }: Reading): MessageRow => {
  const senderType = SENDER_TYPES.find((one) => one === row.senderType)
  if (!senderType) throw new RowProblem('senderType must be customer, agent, automation or system')
  const isCustomer = senderType === 'customer'
  // The HTML of another system is not shown here.
  const { hasHtml: _, ...metadata } = metadataOf(row.metadata) ?? {}
  const email = isObject(row.email) ? row.email : null
  return {
    id: idOf(row, 'id'),
    conversationId: idOf(row, 'conversationId'),
    senderType,
    senderId: isCustomer ? null : (agents.get(bodyOf(row.senderId, VALUE_MAX)) ?? 'import'),
    body: bodyOf(row.body, BODY_MAX),
    status: isCustomer ? 'read' : oneOf(row.status, STATUSES, 'sent'),
    replyToMessageId: optionalIdOf(row, 'replyToMessageId'),
    replyQuote: textOf(row.replyQuote, QUOTE_MAX),
    metadata: Object.keys(metadata).length > 0 ? metadata : null,
    externalId: textOf(row.externalId, 1_000),
    email: email && {
      text: textOf(email.text, EMAIL_TEXT_MAX),
      referenceIds: idsOf(email.referenceIds)
        .slice(0, REFERENCES_MAX)
        .map((one) => cleanText(one, 1_000)),
    },
    at: timeOf(row, 'createdAt', now),
  }
}

export type NoteRow = {
  id: string
  contactId: string
  conversationId: string | null
  authorId: string
  body: string
  at: Date
}
export const readNote = (row: SourceRow, { now, agents }: Reading): NoteRow => ({
  id: idOf(row, 'id'),
  contactId: idOf(row, 'contactId'),
  conversationId: optionalIdOf(row, 'conversationId'),
  authorId: agents.get(bodyOf(row.authorId, VALUE_MAX)) ?? 'import',
  body: bodyOf(row.body, BODY_MAX),
  at: timeOf(row, 'createdAt', now),
})

export type AttachmentRow = {
  id: string
  messageId: string | null
  /** Instead of a message. */
  noteId: string | null
  type: Tables['attachments']['type']
  name: string
  mimeType: string
  size: number
  content: Metadata | null
  at: Date
}
export const readAttachment = (row: SourceRow, { now }: Reading): AttachmentRow => {
  const type = oneOf(row.type, ATTACHMENT_TYPES, 'file')
  const isInline = type === 'location' || type === 'contacts'
  const content = isInline ? metadataOf(row.content) : null
  const noteId = optionalIdOf(row, 'noteId')
  if (isInline && content === null) throw new RowProblem('content must be an object')
  if (row.path !== undefined && row.path !== null && !FILE_PATH.test(bodyOf(row.path, 200)))
    throw new RowProblem('path must be of the form files/<id>')
  return {
    id: idOf(row, 'id'),
    messageId: noteId === null ? idOf(row, 'messageId') : null,
    noteId,
    type,
    name: textOf(row.name, FILE_NAME_MAX) ?? 'file',
    mimeType: textOf(row.mimeType, FILE_NAME_MAX) ?? 'application/octet-stream',
    size: typeof row.size === 'number' && Number.isSafeInteger(row.size) && row.size >= 0 ? row.size : 0,
    content,
    at: optionalTimeOf(row, 'createdAt', now) ?? now,
  }
}
