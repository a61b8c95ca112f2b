import Type, { type Static } from 'typebox'
import { ChannelEnum, Id, Moment, nullable } from '../schema.ts'

export const GROUP_NAME_MAX = 120
export const GROUP_DESCRIPTION_MAX = 500
/** As many as a broadcast to a list of contacts takes. */
export const GROUP_MEMBERS_MAX = 10_000

export const ContactGroup = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: Type.String({ description: 'Empty when there is none.' }),
    memberCount: Type.Integer(),
    whatsappCount: Type.Integer({ description: 'Members with a WhatsApp conversation.' }),
    members: Type.Array(
      Type.Object(
        {
          id: Id,
          name: Type.String(),
          email: nullable(Type.String()),
          phone: nullable(Type.String({ description: 'E.164' })),
          hasWhatsapp: Type.Boolean(),
          channels: Type.Array(ChannelEnum),
        },
        { title: 'ContactGroupMember' },
      ),
      { description: 'By name.' },
    ),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'ContactGroup' },
)
export type ContactGroup = Static<typeof ContactGroup>

export const ContactGroupList = Type.Object(
  { groups: Type.Array(ContactGroup, { description: 'By name.' }) },
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
