import Type from 'typebox'
import { getAiAccount } from '../../domain/agents/queries.ts'
import { getContactProfile } from '../../domain/contacts/profile-queries.ts'
import type { ContactProfile } from '../../domain/contacts/schema.ts'
import { listConversations } from '../../domain/conversations/list-conversations.ts'
import { hasScope } from '../../platform/ctx/scopes.ts'
import { decode } from '../../platform/db/json-text.ts'
import { CUSTOMER_TEXT_IS, known, lineOf, showNote } from '../tool/customer-text.ts'
import { defineTool, given, IdGiven, READS } from '../tool/tool.ts'
import { showConversation } from './find-conversations.ts'

const NOTES_MAX = 10
const NOTE_LENGTH = 500
const FIELDS_MAX = 40
const IDENTITIES_MAX = 20
const CONVERSATIONS_MAX = 5

export const readContact = defineTool({
  name: 'read_contact',
  scopes: ['contacts:read'],
  hints: READS,
  description: 'A contact: fields, tags, latest notes and latest conversations.',
  input: given({ contactId: IdGiven }),
  output: Type.Object({
    contact: Type.Object({}, { additionalProperties: true }),
    notes: Type.Array(Type.Object({}, { additionalProperties: true })),
    conversations: Type.Array(Type.Object({}, { additionalProperties: true })),
    isTruncated: Type.Boolean(),
    customerTextIs: Type.String(),
  }),
  run: async (ctx, { contactId }) => {
    const profile = await getContactProfile(ctx, contactId)
    const conversations = hasScope(ctx.actor, 'conversations:read')
      ? decode(
          await listConversations(ctx, {
            status: 'all',
            sort: 'updated',
            contactId,
            limit: CONVERSATIONS_MAX,
          }),
        ).conversations
      : []
    const { contact, notes } = profile
    const { id: aiAccountId } = await getAiAccount(ctx)
    const isTruncated =
      notes.length > NOTES_MAX ||
      Object.keys(contact.customFields).length > FIELDS_MAX ||
      contact.identities.length > IDENTITIES_MAX
    return {
      text: `A contact with ${contact.conversationCount} conversations, ${contact.openCount} of them open.`,
      data: {
        contact: showContact(profile),
        notes: notes
          .slice(0, NOTES_MAX)
          .map((note) => showNote(note, { aiAccountId, maxLength: NOTE_LENGTH })),
        conversations: conversations.map(showConversation),
        isTruncated,
        customerTextIs: CUSTOMER_TEXT_IS,
      },
    }
  },
})

/** Custom fields can come from a form that the customer filled in, and tags from a program. */
export const showContact = ({ contact }: Pick<ContactProfile, 'contact'>) => ({
  id: contact.id,
  channels: contact.channels,
  openCount: contact.openCount,
  firstContactAt: contact.firstContactAt,
  emailVerified: contact.emailVerified,
  customerText: known({
    name: lineOf(contact.name),
    email: lineOf(contact.email),
    phone: lineOf(contact.phone),
    tags: contact.tags.map(({ id, name }) => ({ id, name: lineOf(name) })),
    externalId: lineOf(contact.externalId),
    identities: contact.identities
      .slice(0, IDENTITIES_MAX)
      .map(({ kind, value }) => `${kind}: ${lineOf(value) ?? ''}`),
    fields: Object.fromEntries(
      Object.entries(contact.customFields)
        .slice(0, FIELDS_MAX)
        .map(([key, value]) => [lineOf(key) ?? '', typeof value === 'string' ? lineOf(value) : value]),
    ),
  }),
})
