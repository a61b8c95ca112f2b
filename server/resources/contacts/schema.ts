import Type, { type Static } from 'typebox'
import { CHANNELS } from '../../db/tables.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../../http/pagination.ts'
import { Note } from '../notes/schema.ts'
import { ChannelEnum, Id, Moment, nullable, Text } from '../schema.ts'

export const CONTACT_NAME_MAX = 120
export const CONTACT_SEARCH_MAX = 160
export const CONTACT_PAGE_SIZE_DEFAULT = 20
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

/** A contact as the directory shows it. */
export const ContactRow = Type.Object(
  {
    id: Id,
    name: Type.String({ description: 'The phone or email when no name is known.' }),
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

/** Why a parameter does not go with the sort order. Ajv has no words of its own for "not". */
const notWith = (notSays: string) => ({ not: {}, notSays })
const ONLY_CREATED = notWith('goes only with sort=created')
const ONLY_ACTIVITY = notWith('does not go with sort=created')

export const ContactsQuery = Type.Object(
  {
    search: Type.Optional(
      Type.String({
        trim: true,
        maxLength: CONTACT_SEARCH_MAX,
        description:
          'Part of a name, email, phone or username, without regard to case. Digits, however spaced, also find the phones that contain them.',
      }),
    ),
    country: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2}$',
        patternSays: 'must be a country code of two letters',
        description: 'ISO 3166-1 alpha-2, in any case.',
      }),
    ),
    channel: Type.Optional(
      Type.Enum([...CHANNELS], { description: 'Only contacts with a conversation on this channel.' }),
    ),
    assignment: Type.Optional(
      Type.Enum(['assigned', 'unassigned'], {
        description: 'Whether the latest conversation has an agent.',
      }),
    ),
    hasOpen: Type.Optional(
      Type.Boolean({
        description: 'true: only contacts with an open conversation. false filters nothing.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum(['activity', 'created'], {
        description:
          '`activity` (default): newest activity first, in pages. `created`: newest contacts first, by cursor, for polling.',
      }),
    ),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Default 1. Past the end, the last page is answered. Not with sort=created.',
      }),
    ),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_MAX,
        description: `Default ${CONTACT_PAGE_SIZE_DEFAULT}. Not with sort=created.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({ description: 'The nextCursor of the previous page. Only with sort=created.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_MAX,
        description: `Default ${PAGE_DEFAULT}. Only with sort=created.`,
      }),
    ),
  },
  {
    if: { properties: { sort: { const: 'created' } }, required: ['sort'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { page: ONLY_ACTIVITY, pageSize: ONLY_ACTIVITY } },
    else: { properties: { cursor: ONLY_CREATED, limit: ONLY_CREATED } },
  },
)
export type ContactsQuery = Static<typeof ContactsQuery>

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
    total: Type.Integer({ description: 'Contacts that match, on all pages.' }),
    page: Type.Integer({ description: 'The page answered, which is the last one when more was asked for.' }),
    pageSize: Type.Integer(),
    totalPages: Type.Integer({ description: 'At least 1.' }),
    facets: Type.Object(
      {
        countries: Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() })),
        channels: Type.Array(Type.Object({ platform: ChannelEnum, count: Type.Integer() })),
      },
      {
        title: 'ContactFacets',
        description: 'Counts over the whole directory, whatever the filters: largest first, then by code.',
      },
    ),
  },
  {
    title: 'ContactsPage',
    examples: [examplePage],
  },
)

export const ContactsCreated = Type.Object(
  {
    contacts: Type.Array(ContactRow),
    nextCursor: nullable(Type.String({ description: 'null on the last page.' })),
  },
  { title: 'ContactsCreated', description: 'The answer to sort=created.' },
)

export const ContactsAnswer = Type.Union([ContactsPage, ContactsCreated], {
  examples: [examplePage],
})

const CustomFields = Type.Record(
  Type.String(),
  Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
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

export const ContactProfile = Type.Object(
  {
    contact: Type.Object(
      {
        id: Id,
        name: Type.String(),
        email: nullable(Type.String()),
        phone: Phone,
        countryIso: CountryIso,
        avatarUrl: nullable(Type.String()),
        channels: Channels,
        conversationCount: Type.Integer(),
        openCount: Type.Integer({ description: 'Conversations that are not closed.' }),
        firstContactAt: Moment,
        customFields: CustomFields,
      },
      { title: 'Contact' },
    ),
    flows: Type.Array(FlowRun, { description: 'Newest first.' }),
    notes: Type.Array(Note, { description: 'Newest first.' }),
  },
  {
    title: 'ContactProfile',
    examples: [
      {
        contact: {
          id: 'cmi8q2f5c0000x7h2k9d3m1vb',
          name: 'Ines Rossi',
          email: 'ines@example.org',
          phone: '+393121234567',
          countryIso: 'IT',
          avatarUrl: null,
          channels: ['web', 'whatsapp'],
          conversationCount: 3,
          openCount: 1,
          firstContactAt: '2026-10-02T14:05:11.480Z',
          customFields: { plan: 'pro', seats: 12, trial: false },
        },
        flows: [],
        notes: [
          {
            id: 'cmi8q2f5c0005b8w3e6y2u4io',
            body: 'Prefers to be called in the morning.',
            createdAt: '2026-11-21T09:30:00.000Z',
            agent: { id: 'api:cmi8q2f5c0001b4n8s6w0z2yt', nickname: 'API' },
          },
        ],
      },
    ],
  },
)
export type ContactProfile = Static<typeof ContactProfile>

export const UpdateContactBody = Type.Object(
  {
    name: Type.Optional(Text(CONTACT_NAME_MAX, { description: 'The new display name.' })),
    customFields: Type.Optional(
      Type.Unsafe<Record<string, string | number | boolean | null>>({
        type: 'object',
        maxProperties: CUSTOM_FIELDS_PER_REQUEST_MAX,
        propertyNames: { minLength: 1, maxLength: CUSTOM_FIELD_KEY_MAX },
        additionalProperties: {
          type: ['string', 'number', 'boolean', 'null'],
          maxLength: CUSTOM_FIELD_VALUE_MAX,
        },
        description: `Merged key by key: a given key overwrites, null removes it, others stay. A contact keeps at most ${CUSTOM_FIELDS_KEPT_MAX}.`,
      }),
    ),
  },
  {
    title: 'UpdateContact',
    atLeastOneOf: ['name', 'customFields'],
    examples: [{ name: 'Ines Rossi', customFields: { plan: 'pro', seats: 12, trial: null } }],
  },
)
export type UpdateContactBody = Static<typeof UpdateContactBody>

export const ReplaceTagsBody = Type.Object(
  {
    tagIds: Type.Array(Type.String(), {
      maxItems: TAG_IDS_MAX,
      description: 'The whole new set. Empty clears all tags; one given twice counts once.',
    }),
  },
  { title: 'ReplaceContactTags', examples: [{ tagIds: ['cmi8q2f5c0006n2m7v4b1x9kq'] }] },
)
