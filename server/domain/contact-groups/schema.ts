import Type, { type Static } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import { AudienceFilter } from '../contacts/audience-schema.ts'
import { CONTACT_SEARCH_MAX } from '../contacts/directory-schema.ts'
import { EmailVerified } from '../contacts/schema.ts'
import { ChannelEnum, Id, Moment, Name, nullable } from '../schema.ts'

export const GROUP_NAME_MAX = 120
export const GROUP_DESCRIPTION_MAX = 500
/** Same as for a broadcast to a list of contacts. */
export const GROUP_MEMBERS_MAX = 10_000
/** Bounded because GET /contact-groups returns all of them. */
export const GROUPS_MAX = 1000
/** Members of one group. */
export const GROUP_SIZE_MAX = 200_000
/** A pasted line: the longest email address, or a phone number with its dashes. */
const LINE_MAX = 320
const ID_MAX = 64

const ContactGroupMember = Type.Object(
  {
    id: Id,
    name: Type.String(),
    email: nullable(Type.String()),
    phone: nullable(Type.String({ description: 'E.164' })),
    hasWhatsapp: Type.Boolean(),
    channels: Type.Array(ChannelEnum),
  },
  { title: 'ContactGroupMember' },
)

export const ContactGroup = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: Type.String({ description: 'Empty if there is no description.' }),
    memberCount: Type.Integer(),
    whatsappCount: Type.Integer({ description: 'Members with a WhatsApp conversation.' }),
    members: Type.Array(ContactGroupMember, { description: 'Ordered by name.' }),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'ContactGroup' },
)
export type ContactGroup = Static<typeof ContactGroup>

export const ContactGroupList = Type.Object(
  { groups: Type.Array(ContactGroup, { description: 'Ordered by name.' }) },
  {
    title: 'ContactGroupList',
    examples: [
      {
        groups: [
          {
            id: 'cmi8q2f5c0007d4f8g1h5j3kl',
            name: 'Newsletter',
            description: 'Asked for news at the fair',
            memberCount: 1,
            whatsappCount: 1,
            members: [
              {
                id: 'cmi8q2f5c0000x7h2k9d3m1vb',
                name: 'Ines Rossi',
                email: 'ines@example.org',
                phone: '+393121234567',
                hasWhatsapp: true,
                channels: ['web', 'whatsapp'],
              },
            ],
            createdAt: '2026-11-20T08:00:00.000Z',
            updatedAt: '2026-11-20T08:00:00.000Z',
          },
        ],
      },
    ],
  },
)
export type ContactGroupList = Static<typeof ContactGroupList>

// Console -------------------------------------------------------------------------------------------------------------

export const GroupParams = Type.Object({ groupId: Id })

export const GroupSummary = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: Type.String(),
    memberCount: Type.Integer(),
    whatsappCount: Type.Integer({ description: 'Members with a WhatsApp conversation.' }),
    updatedAt: Moment,
  },
  { title: 'ContactGroupSummary' },
)
export type GroupSummary = Static<typeof GroupSummary>

export const GroupSummaryList = Type.Object(
  { groups: Type.Array(GroupSummary, { description: 'Ordered by name.' }) },
  { title: 'ContactGroupSummaryList' },
)
export const GroupAnswer = Type.Object({ group: GroupSummary }, { title: 'ContactGroupAnswer' })
export const GroupRemoved = Type.Object({ success: Type.Literal(true) }, { title: 'ContactGroupRemoved' })

const ContactIds = Type.Array(Type.String({ maxLength: ID_MAX }), { maxItems: GROUP_MEMBERS_MAX })
const Description = Type.String({ trim: true, maxLength: GROUP_DESCRIPTION_MAX })

export const NewGroup = Type.Object(
  {
    name: Name(GROUP_NAME_MAX),
    description: Type.Optional(Description),
    contactIds: Type.Optional(ContactIds),
  },
  { title: 'NewContactGroup' },
)

export const GroupChange = Type.Object(
  { name: Type.Optional(Name(GROUP_NAME_MAX)), description: Type.Optional(Description) },
  {
    title: 'ContactGroupChange',
    description: 'At least one of the two is required.',
    atLeastOneOf: ['name', 'description'],
  },
)
export type GroupChange = Static<typeof GroupChange>

export const GroupMembersQuery = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: CONTACT_SEARCH_MAX, description: 'As in the contact list.' }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The nextCursor of the previous page.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `Default ${PAGE_DEFAULT}.` }),
  ),
})
export type GroupMembersQuery = Static<typeof GroupMembersQuery>

export const GroupMembers = Type.Object(
  {
    members: Type.Array(Type.Object({ ...ContactGroupMember.properties, emailVerified: EmailVerified }), {
      description: 'Newest contacts first.',
    }),
    nextCursor: nullable(Type.String()),
    total: Type.Integer({ description: 'Total on all pages that match the search, if any.' }),
  },
  { title: 'ContactGroupMembers' },
)
export type GroupMembers = Static<typeof GroupMembers>

export const AddMembers = Type.Object(
  {
    contactIds: Type.Optional(ContactIds),
    filter: Type.Optional(AudienceFilter),
    phonesOrEmails: Type.Optional(
      Type.Array(Type.String({ maxLength: LINE_MAX }), { maxItems: GROUP_MEMBERS_MAX }),
    ),
  },
  {
    title: 'AddContactGroupMembers',
    description: 'Exactly one of the three is required.',
    exactlyOneOf: ['contactIds', 'filter', 'phonesOrEmails'],
  },
)
export type AddMembers = Static<typeof AddMembers>

export const MembersAdded = Type.Object(
  {
    added: Type.Integer(),
    alreadyIn: Type.Integer(),
    notFound: Type.Array(Type.String(), {
      description: 'The given values that match no contact.',
    }),
  },
  { title: 'ContactGroupMembersAdded' },
)
export type MembersAdded = Static<typeof MembersAdded>

export const RemoveMembers = Type.Object({ contactIds: ContactIds }, { title: 'RemoveContactGroupMembers' })
export const MembersRemoved = Type.Object(
  { removed: Type.Integer() },
  { title: 'ContactGroupMembersRemoved' },
)
