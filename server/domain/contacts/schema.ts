import Type, { type Static } from 'typebox'
import { Attachment } from '../attachments/schema.ts'
import { ChannelEnum, Id, Moment, Name, nullable, Text } from '../schema.ts'
import { Tag } from '../tags/schema.ts'

export const Note = Type.Object(
  {
    id: Id,
    body: Type.String(),
    createdAt: Moment,
    agent: Type.Object(
      {
        id: Type.String({ description: '`api:<token id>` for notes added through the API.' }),
        nickname: Type.String(),
      },
      { title: 'NoteAuthor' },
    ),
    attachments: Type.Array(Attachment, { description: 'Files that people added to it.' }),
  },
  { title: 'Note' },
)
export type Note = Static<typeof Note>

/** Where a note's body mentions somebody, in UTF-16 units. */
export const MentionRange = Type.Object({
  position: Type.Integer(),
  length: Type.Integer(),
  accountId: Id,
})
export type MentionRange = Static<typeof MentionRange>

export const CONTACT_NAME_MAX = 120
export const EXTERNAL_ID_MAX = 128
const PHONE_TEXT_MAX = 64
export const CUSTOM_FIELDS_PER_REQUEST_MAX = 50
export const CUSTOM_FIELDS_KEPT_MAX = 200
export const CUSTOM_FIELD_KEY_MAX = 64
export const CUSTOM_FIELD_VALUE_MAX = 500
export const TAG_IDS_MAX = 50

export const ContactParams = Type.Object({ contactId: Id })

const Channels = Type.Array(ChannelEnum, { description: 'The channels of the contact’s conversations.' })
const CountryIso = nullable(
  Type.String({ description: 'ISO 3166-1 alpha-2, from the phone number.', examples: ['DE'] }),
)
const Phone = nullable(Type.String({ description: 'E.164', examples: ['+4930123456'] }))

export const EmailVerified = Type.Boolean({
  description:
    'True if mail from the address passed verification or the workspace entered it. False if nothing was verified, or if a visitor typed it in; contacts are not looked up by such an address.',
})

/** A number from a request; read-phones.ts says which. */
export const PhoneInAnyNotation = (what: string) =>
  Text(PHONE_TEXT_MAX, {
    description: `${what}, in any notation: with its country code, or in the national format of a country where the workspace has its own number. In a query string, write a leading + as %2B.`,
  })

/** A contact as the directory shows it. */
export const ContactRow = Type.Object(
  {
    id: Id,
    name: Type.String({ description: 'The phone or email if no name is known.' }),
    email: nullable(Type.String()),
    phone: Phone,
    countryIso: CountryIso,
    channels: Channels,
    conversationId: nullable(Type.String({ description: 'The most recently active conversation.' })),
    conversationCount: Type.Integer(),
    openCount: Type.Integer({ description: 'Conversations that are not closed.' }),
    lastActivityAt: nullable(Moment),
    assignedAgent: nullable(
      Type.Object(
        { id: Id, nickname: Type.String() },
        { title: 'AssignedAgent', description: 'The agent of the latest conversation.' },
      ),
    ),
  },
  { title: 'ContactRow' },
)
export type ContactRow = Static<typeof ContactRow>

const exampleRow: ContactRow = {
  id: 'cmi8q2f5c0000x7h2k9d3m1vb',
  name: 'Ines Rossi',
  email: 'ines@example.org',
  phone: '+393121234567',
  countryIso: 'IT',
  channels: ['web', 'whatsapp'],
  conversationId: 'cmi8q2f5c0003t5k1q9r8w2ea',
  conversationCount: 3,
  openCount: 1,
  lastActivityAt: '2026-11-21T09:30:00.000Z',
  assignedAgent: { id: 'cmi8q2f5c0004y6p0z3x7c5vn', nickname: 'Jane' },
}

const examplePage = {
  contacts: [exampleRow],
  total: 1,
  page: 1,
  pageSize: 20,
  totalPages: 1,
  facets: {
    countries: [{ code: 'IT', count: 1 }],
    channels: [
      { platform: 'web', count: 1 },
      { platform: 'whatsapp', count: 1 },
    ],
  },
}

export const ContactsPage = Type.Object(
  {
    contacts: Type.Array(ContactRow),
    total: Type.Integer({ description: 'Number of matching contacts on all pages.' }),
    page: Type.Integer({
      description: 'The returned page: the last one if the requested page is past the end.',
    }),
    pageSize: Type.Integer(),
    totalPages: Type.Integer({ description: 'At least 1.' }),
    facets: Type.Object(
      {
        countries: Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() })),
        channels: Type.Array(Type.Object({ platform: ChannelEnum, count: Type.Integer() })),
      },
      {
        title: 'ContactFacets',
        description: 'Counts over the whole directory, regardless of filters. Largest first, then by code.',
      },
    ),
  },
  {
    title: 'ContactsPage',
    examples: [examplePage],
  },
)
export type ContactsPage = Static<typeof ContactsPage>

export const ContactsCreated = Type.Object(
  {
    contacts: Type.Array(ContactRow),
    nextCursor: nullable(Type.String({ description: 'null on the last page.' })),
  },
  { title: 'ContactsCreated', description: 'The response for sort=created.' },
)
export type ContactsCreated = Static<typeof ContactsCreated>

export const ContactsAnswer = Type.Union([ContactsPage, ContactsCreated], {
  examples: [examplePage],
})

/** The same for the console, which shows whether email and phone are only a visitor's claim. */
export const InboxContactRow = Type.Object({
  ...ContactRow.properties,
  emailVerified: EmailVerified,
  phoneVerified: Type.Boolean(),
})
export type InboxContactRow = Static<typeof InboxContactRow>
export const InboxContactsPage = Type.Object({
  ...ContactsPage.properties,
  contacts: Type.Array(InboxContactRow),
})
export type InboxContactsPage = Static<typeof InboxContactsPage>
const InboxContactsCreated = Type.Object({
  ...ContactsCreated.properties,
  contacts: Type.Array(InboxContactRow),
})
export type InboxContactsCreated = Static<typeof InboxContactsCreated>
export const InboxContactsAnswer = Type.Union([InboxContactsPage, InboxContactsCreated])

const CustomFields = Type.Record(
  Type.String(),
  Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
)

const ContactIdentity = Type.Object(
  {
    kind: Type.Enum(['email', 'phone', 'whatsapp_id', 'whatsapp_user_id', 'telegram', 'facebook', 'sms']),
    value: Type.String(),
    verified: Type.Boolean({
      description: 'Whether the channel or your workspace vouches for it, rather than the contact alone.',
    }),
  },
  { title: 'ContactIdentity' },
)

const FlowRun = Type.Object(
  {
    runId: Id,
    flowId: Id,
    flowName: Type.String(),
    conversationId: nullable(Type.String()),
    status: Type.Enum(['running', 'completed', 'failed', 'cancelled']),
    startedAt: Moment,
    completedAt: nullable(Moment),
  },
  { title: 'FlowRun' },
)

export const Contact = Type.Object(
  {
    id: Id,
    name: Type.String(),
    email: nullable(Type.String()),
    emailVerified: EmailVerified,
    phone: Phone,
    countryIso: CountryIso,
    avatarUrl: nullable(Type.String()),
    channels: Channels,
    conversationCount: Type.Integer(),
    openCount: Type.Integer({ description: 'Conversations that are not closed.' }),
    firstContactAt: Moment,
    customFields: CustomFields,
    tags: Type.Array(Tag, { description: 'By name.' }),
    externalId: nullable(Type.String({ description: 'The id that your own system has for the contact.' })),
    identities: Type.Array(ContactIdentity, {
      description: 'What the contact is recognized by on the channels.',
    }),
  },
  { title: 'Contact' },
)
export type Contact = Static<typeof Contact>

export const exampleContact: Contact = {
  id: 'cmi8q2f5c0000x7h2k9d3m1vb',
  name: 'Ines Rossi',
  email: 'ines@example.org',
  emailVerified: true,
  phone: '+393121234567',
  countryIso: 'IT',
  avatarUrl: null,
  channels: ['web', 'whatsapp'],
  conversationCount: 3,
  openCount: 1,
  firstContactAt: '2026-10-02T14:05:11.480Z',
  customFields: { plan: 'pro', seats: 12, trial: false },
  tags: [{ id: 'cmi8q2f5c0006n2m7v4b1x9kq', name: 'VIP', color: '#2f80ed' }],
  externalId: 'crm-4711',
  identities: [
    { kind: 'email', value: 'ines@example.org', verified: true },
    { kind: 'whatsapp_id', value: '393121234567', verified: true },
  ],
}

export const ContactProfile = Type.Object(
  {
    contact: Contact,
    flows: Type.Array(FlowRun, { description: 'Newest first.' }),
    notes: Type.Array(Note, { description: 'Newest first.' }),
  },
  {
    title: 'ContactProfile',
    examples: [
      {
        contact: exampleContact,
        flows: [],
        notes: [
          {
            id: 'cmi8q2f5c0005b8w3e6y2u4io',
            body: 'Prefers to be called in the morning.',
            createdAt: '2026-11-21T09:30:00.000Z',
            agent: { id: 'api:cmi8q2f5c0001b4n8s6w0z2yt', nickname: 'API' },
            attachments: [],
          },
        ],
      },
    ],
  },
)
export type ContactProfile = Static<typeof ContactProfile>

export const CustomFieldsChange = Type.Unsafe<Record<string, string | number | boolean | null>>({
  type: 'object',
  maxProperties: CUSTOM_FIELDS_PER_REQUEST_MAX,
  propertyNames: { minLength: 1, maxLength: CUSTOM_FIELD_KEY_MAX },
  additionalProperties: {
    type: ['string', 'number', 'boolean', 'null'],
    maxLength: CUSTOM_FIELD_VALUE_MAX,
  },
  description: `Merged key by key: a given key is overwritten, null removes it, others are kept. At most ${CUSTOM_FIELDS_KEPT_MAX} per contact.`,
})

export const UpdateContactBody = Type.Object(
  {
    name: Type.Optional(Name(CONTACT_NAME_MAX, { description: 'The new display name.' })),
    customFields: Type.Optional(CustomFieldsChange),
  },
  {
    title: 'UpdateContact',
    atLeastOneOf: ['name', 'customFields'],
    examples: [{ name: 'Ines Rossi', customFields: { plan: 'pro', seats: 12, trial: null } }],
  },
)
export type UpdateContactBody = Static<typeof UpdateContactBody>

export const TagIds = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { maxItems: TAG_IDS_MAX, description }))

export const ChangeTagsBody = Type.Object(
  { add: TagIds('Tags to add.'), remove: TagIds('Tags to remove.') },
  {
    title: 'ChangeContactTags',
    atLeastOneOf: ['add', 'remove'],
    examples: [{ add: ['cmi8q2f5c0006n2m7v4b1x9kq'], remove: [] }],
  },
)
export type ChangeTagsBody = Static<typeof ChangeTagsBody>

export const ReplaceTagsBody = Type.Object(
  {
    tagIds: Type.Array(Type.String(), {
      maxItems: TAG_IDS_MAX,
      description: 'The complete new set. An empty list removes all tags; duplicates are ignored.',
    }),
  },
  { title: 'ReplaceContactTags', examples: [{ tagIds: ['cmi8q2f5c0006n2m7v4b1x9kq'] }] },
)
