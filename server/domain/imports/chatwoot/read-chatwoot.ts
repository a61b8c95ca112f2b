// A Chatwoot account as an archive. Conversations are read first: what they say of people and labels is written after.
import type { ArchiveWriter } from '../archive-writer.ts'
import { isObject, type SourceRow } from '../read-row.ts'
import { type ChatwootApi, listOf } from './chatwoot-api.ts'
import { writeMessage } from './write-message.ts'

const PAGES_MAX = 1_000_000
const MS = 1_000

const CHANNELS: Record<string, string> = {
  'Channel::WebWidget': 'web',
  'Channel::Email': 'email',
  'Channel::Whatsapp': 'whatsapp',
  'Channel::FacebookPage': 'facebook',
  'Channel::Telegram': 'telegram',
  'Channel::Sms': 'sms',
  'Channel::TwilioSms': 'sms',
}

export type ChatwootCounts = { conversations: number; messages: number; contacts: number; files: number }

type Options = { writer: ArchiveWriter; onProblem: (problem: { message: string; problem: string }) => void }

type Reading = Options & {
  api: ChatwootApi
  counts: ChatwootCounts
  inboxes: Set<string>
  /** People of conversations, whom the list of contacts leaves out if they gave no address. */
  people: Map<string, SourceRow>
  labels: Map<string, Set<string>>
}

export const readChatwoot = async (api: ChatwootApi, options: Options): Promise<ChatwootCounts> => {
  const counts = { conversations: 0, messages: 0, contacts: 0, files: 0 }
  const reading: Reading = {
    ...options,
    ...{ api, counts, inboxes: new Set<string>(), people: new Map(), labels: new Map() },
  }
  await readLabelsAndAgents(reading)
  for await (const conversation of pagesOf(
    api,
    'conversations?status=all&assignee_type=all',
    conversationsIn,
  ))
    await readConversation(reading, conversation)
  await readInboxes(reading)
  await readContacts(reading)
  return counts
}

/** Until a page is empty, or only has what was there before: pages move while they are read. */
async function* pagesOf(
  api: ChatwootApi,
  path: string,
  rowsIn: (page: unknown) => SourceRow[],
): AsyncGenerator<SourceRow> {
  const seen = new Set<unknown>()
  for (let page = 1; page <= PAGES_MAX; page++) {
    const rows = rowsIn(await api.read(`${path}${path.includes('?') ? '&' : '?'}page=${page}`))
    const fresh = rows.filter(({ id }) => !seen.has(id))
    if (fresh.length === 0) return
    for (const row of fresh) seen.add(row.id)
    yield* fresh
  }
}

const payloadOf = (page: unknown): SourceRow[] => (isObject(page) ? listOf(page.payload) : [])
const conversationsIn = (page: unknown): SourceRow[] => (isObject(page) ? payloadOf(page.data) : [])

const timeOf = (value: unknown): string | null =>
  typeof value === 'number' && value > 0 ? new Date(value * MS).toISOString() : null

const readLabelsAndAgents = async ({ api, writer }: Reading): Promise<void> => {
  for (const { title, color } of payloadOf(await api.read('labels')))
    await writer.write('tags', { id: title, name: title, color: String(color).toLowerCase() })
  for (const { id, email, name } of listOf(await api.read('agents')))
    await writer.write('agents', { id: String(id), email, nickname: name })
}

const readConversation = async (reading: Reading, conversation: SourceRow): Promise<void> => {
  const { api, writer, counts, inboxes, people, labels } = reading
  const meta = isObject(conversation.meta) ? conversation.meta : {}
  const sender = isObject(meta.sender) ? meta.sender : {}
  const contactId = String(sender.id)
  const id = String(conversation.id)
  people.set(contactId, sender)
  inboxes.add(String(conversation.inbox_id))
  const tags = labels.get(contactId) ?? new Set<string>()
  labels.set(contactId, tags)
  for (const label of Array.isArray(conversation.labels) ? conversation.labels : []) tags.add(String(label))
  const createdAt = timeOf(conversation.created_at) ?? timeOf(conversation.timestamp)
  const attributes = isObject(conversation.additional_attributes) ? conversation.additional_attributes : {}
  await writer.write('conversations', {
    ...{ id, contactId, channelId: String(conversation.inbox_id), createdAt },
    updatedAt: timeOf(conversation.last_activity_at) ?? timeOf(conversation.timestamp) ?? createdAt,
    status: conversation.status === 'resolved' ? 'closed' : 'open',
    agentId: isObject(meta.assignee) ? String(meta.assignee.id) : null,
    subject: attributes.mail_subject ?? null,
  })
  counts.conversations++
  await readMessages(api, id, async (message, at) => {
    counts.messages++
    counts.files += await writeMessage({ ...reading, conversationId: id, contactId }, message, at)
  })
}

/** All of a conversation, the first one first: a page has the latest 20 before an id. */
const readMessages = async (
  api: ChatwootApi,
  conversationId: string,
  write: (message: SourceRow, at: string) => Promise<void>,
): Promise<void> => {
  const pages: SourceRow[][] = []
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const query = Number.isFinite(before) ? `?before=${before}` : ''
    const older = payloadOf(await api.read(`conversations/${conversationId}/messages${query}`))
      .filter((one): one is SourceRow & { id: number } => typeof one.id === 'number' && one.id < before)
      .sort((one, other) => one.id - other.id)
    if (older.length === 0) break
    pages.unshift(older)
    before = older[0]!.id
  }
  let lastMs = 0
  for (const message of pages.flat()) {
    // Their times have seconds: those of one second keep their order.
    lastMs = Math.max(Number(message.created_at) * MS || 0, lastMs + 1)
    await write(message, new Date(lastMs).toISOString())
  }
}

const readInboxes = async ({ api, writer, inboxes }: Reading): Promise<void> => {
  for (const { id, name, channel_type: type, email, phone_number: phone } of payloadOf(
    await api.read('inboxes'),
  ))
    if (inboxes.has(String(id)))
      await writer.write('channels', {
        ...{ id: String(id), name, address: email ?? phone ?? null },
        channel: CHANNELS[String(type)] ?? String(type),
      })
}

const readContacts = async (reading: Reading): Promise<void> => {
  const { api, people } = reading
  for await (const contact of pagesOf(api, 'contacts?sort=id', payloadOf)) {
    people.delete(String(contact.id))
    await writeContact(reading, contact)
  }
  for (const contact of people.values()) await writeContact(reading, contact)
}

const writeContact = async ({ api, writer, counts, labels }: Reading, contact: SourceRow): Promise<void> => {
  const id = String(contact.id)
  const own = await api.read(`contacts/${id}/labels`)
  const tagIds = new Set(labels.get(id) ?? [])
  for (const label of isObject(own) && Array.isArray(own.payload) ? own.payload : [])
    tagIds.add(String(label))
  const { name, email, phone_number: phone, identifier } = contact
  const identity = (kind: string, value: unknown) =>
    typeof value === 'string' && value !== '' ? [{ kind, value, verified: false }] : []
  await writer.write('contacts', {
    id,
    name: name || email || phone || identifier || `Visitor ${id}`,
    ...{ email, phone, customFields: contact.custom_attributes },
    createdAt: timeOf(contact.created_at),
    identities: [
      ...identity('email', email),
      ...identity('phone', phone),
      ...identity('external', identifier),
    ],
    tagIds: [...tagIds],
  })
  counts.contacts++
}
