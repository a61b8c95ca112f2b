import Type, { type Static } from 'typebox'
import { CHANNELS } from '../../db/tables.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../../http/pagination.ts'
import {
  CONTACT_NAME_MAX,
  CONTACT_SEARCH_MAX,
  CUSTOM_FIELD_KEY_MAX,
  CUSTOM_FIELD_VALUE_MAX,
  CUSTOM_FIELDS_PER_REQUEST_MAX,
  TAG_IDS_MAX,
} from '../contacts/schema.ts'
import { Id, Moment, nullable } from '../schema.ts'
import { Language, Parameters, TemplateName, TO_MAX } from '../templates/schema.ts'

/** Contacts or recipients that one call may list. */
export const AUDIENCE_MAX = 10_000
const ID_MAX = 64

export const Broadcast = Type.Object(
  {
    id: Id,
    groupId: nullable(Type.String({ description: 'Null for an audience other than a group.' })),
    groupName: nullable(Type.String({ description: 'As the group was called when this was sent.' })),
    channel: Type.Enum(['whatsapp']),
    templateName: Type.String(),
    templateLanguage: Type.String(),
    status: Type.Enum(['sending', 'completed', 'failed'], {
      description:
        '`failed`: nobody was reached. `completed`: everybody was tried, and somebody was reached.',
    }),
    totalRecipients: Type.Integer({ description: 'Who is sent to. Those who are skipped do not count.' }),
    sentCount: Type.Integer({
      description: 'Taken by WhatsApp. One that WhatsApp later reports as failed moves to failedCount.',
    }),
    failedCount: Type.Integer(),
    skippedCount: Type.Integer({
      description:
        'Left out though they have a WhatsApp conversation: they opted out, or their number has no such template.',
    }),
    createdAt: Moment,
  },
  { title: 'Broadcast' },
)
export type Broadcast = Static<typeof Broadcast>

const example: Broadcast = {
  id: 'cmi8q2f5c0000x7h2k9d3m1vb',
  groupId: 'cmi8q1xk20000a3c5e7g9j1km',
  groupName: 'Workshop customers',
  channel: 'whatsapp',
  templateName: 'order_ready',
  templateLanguage: 'en_US',
  status: 'completed',
  totalRecipients: 120,
  sentCount: 118,
  failedCount: 2,
  skippedCount: 3,
  createdAt: '2026-11-21T09:30:00.000Z',
}

export const BroadcastAnswer = Type.Object(
  { broadcast: Broadcast },
  { title: 'BroadcastAnswer', examples: [{ broadcast: example }] },
)
export type BroadcastAnswer = Static<typeof BroadcastAnswer>

export const BroadcastList = Type.Object(
  { broadcasts: Type.Array(Broadcast), nextCursor: nullable(Type.String()) },
  {
    title: 'BroadcastList',
    examples: [{ broadcasts: [example], nextCursor: 'WHcwMmRFNGl-Y21pOHEyZjVjMDAwMHg3aDJrOWQzbTF2Yg' }],
  },
)
export type BroadcastList = Static<typeof BroadcastList>

export const BroadcastsQuery = Type.Object({
  cursor: Type.Optional(Type.String({ description: 'The nextCursor of the previous page.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `Default ${PAGE_DEFAULT}.` }),
  ),
})
export type BroadcastsQuery = Static<typeof BroadcastsQuery>

export const BroadcastParams = Type.Object({ broadcastId: Id })
export const GroupParams = Type.Object({ groupId: Id })

const Ids = (maxItems: number, options: object) =>
  Type.Array(Type.String({ maxLength: ID_MAX }), { ...options, maxItems })

/** All given conditions hold. */
export const AudienceFilter = Type.Object(
  {
    search: Type.Optional(
      Type.String({ trim: true, maxLength: CONTACT_SEARCH_MAX, description: 'As in the list of contacts.' }),
    ),
    country: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2}$',
        patternSays: 'must be a country code of two letters',
        description: 'ISO 3166-1 alpha-2, in any case.',
      }),
    ),
    channel: Type.Optional(Type.Enum([...CHANNELS])),
    assignment: Type.Optional(Type.Enum(['assigned', 'unassigned'])),
    hasOpen: Type.Optional(
      Type.Boolean({ description: 'true: only contacts with an open conversation. false filters nothing.' }),
    ),
    tagIds: Type.Optional(Ids(TAG_IDS_MAX, { description: 'Contacts that have all of these tags.' })),
    customFields: Type.Optional(
      Type.Record(
        Type.String({ minLength: 1, maxLength: CUSTOM_FIELD_KEY_MAX }),
        Type.Unsafe<string | number | boolean>({
          type: ['string', 'number', 'boolean'],
          maxLength: CUSTOM_FIELD_VALUE_MAX,
        }),
        {
          maxProperties: CUSTOM_FIELDS_PER_REQUEST_MAX,
          description: 'Contacts whose fields have exactly these values.',
        },
      ),
    ),
    activeAfter: Type.Optional(
      Type.String({ format: 'date-time', description: 'Last active then or later.' }),
    ),
    activeBefore: Type.Optional(
      Type.String({ format: 'date-time', description: 'Last active then or earlier.' }),
    ),
  },
  { title: 'AudienceFilter', description: 'At least one condition; all of them hold.' },
)
export type AudienceFilter = Static<typeof AudienceFilter>

const RecipientRow = Type.Object(
  {
    phone: Type.String({
      trim: true,
      minLength: 1,
      maxLength: TO_MAX,
      description: 'A phone number in international format, or a WhatsApp user id.',
    }),
    name: Type.Optional(
      Type.String({
        trim: true,
        maxLength: CONTACT_NAME_MAX,
        description: 'For your own reading of the list: nobody is named or renamed by it.',
      }),
    ),
    parameters: Type.Optional(Parameters),
  },
  { title: 'BroadcastRecipient' },
)

const shapes = [
  Type.Object(
    { type: Type.Literal('group'), groupId: Type.String({ maxLength: ID_MAX }) },
    { title: 'GroupAudience' },
  ),
  Type.Object(
    {
      type: Type.Literal('contacts'),
      contactIds: Type.Array(Type.String({ maxLength: ID_MAX }), { minItems: 1, maxItems: AUDIENCE_MAX }),
    },
    { title: 'ContactsAudience' },
  ),
  Type.Object({ type: Type.Literal('filter'), filter: AudienceFilter }, { title: 'FilterAudience' }),
  Type.Object(
    {
      type: Type.Literal('recipients'),
      recipients: Type.Array(RecipientRow, { minItems: 1, maxItems: AUDIENCE_MAX }),
    },
    { title: 'RecipientsAudience' },
  ),
] as const

/** By the discriminator only the shape that is meant is held against what came, and its mistakes alone are told. */
export const Audience = Type.Unsafe<Static<(typeof shapes)[number]>>({
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: [...shapes],
  description:
    'A saved group, contacts, the contacts that a filter finds, or a list of phone numbers whose rows may carry parameters of their own. Only contacts with a WhatsApp conversation are reached, each once.',
})
export type Audience = Static<typeof Audience>

const template = {
  templateName: TemplateName,
  language: Type.Optional(Language),
  parameters: Type.Optional(Parameters),
}

export const SendToGroupBody = Type.Object(template, {
  title: 'SendGroupBroadcast',
  examples: [{ templateName: 'order_ready', language: 'en_US', parameters: ['there', '1182'] }],
})
export type SendToGroupBody = Static<typeof SendToGroupBody>

export const SendBroadcastBody = Type.Object(
  { ...template, audience: Audience },
  {
    title: 'SendBroadcast',
    examples: [
      {
        templateName: 'order_ready',
        language: 'en_US',
        parameters: ['there', '1182'],
        audience: { type: 'group', groupId: 'cmi8q1xk20000a3c5e7g9j1km' },
      },
      {
        templateName: 'order_ready',
        language: 'en_US',
        audience: {
          type: 'recipients',
          recipients: [{ phone: '+351912345678', parameters: ['Maria', '1182'] }],
        },
      },
    ],
  },
)
export type SendBroadcastBody = Static<typeof SendBroadcastBody>

// The console's -----------------------------------------------------------------------------------------------------

export const PreviewBody = Type.Object(
  {
    audience: Audience,
    templateName: TemplateName,
    language: Type.Optional(Language),
  },
  { title: 'PreviewBroadcast' },
)

export const AudiencePreview = Type.Object(
  {
    total: Type.Integer({ description: 'Everybody who is meant, each once.' }),
    reachable: Type.Integer(),
    leftOut: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() })),
    sample: Type.Array(
      Type.Object({
        contactId: Type.String(),
        name: Type.String(),
        phone: nullable(Type.String()),
        reason: nullable(Type.String({ description: 'Why they are left out.' })),
      }),
    ),
  },
  { title: 'AudiencePreview' },
)

export const RecipientsQuery = Type.Object({
  outcome: Type.Optional(Type.Enum(['pending', 'sending', 'sent', 'failed', 'unconfirmed', 'skipped'])),
  cursor: Type.Optional(Type.String({ description: 'The nextCursor of the previous page.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `Default ${PAGE_DEFAULT}.` }),
  ),
})

export const RecipientList = Type.Object(
  {
    recipients: Type.Array(
      Type.Object({
        contactId: Type.String(),
        name: nullable(Type.String()),
        phone: nullable(Type.String()),
        outcome: Type.String(),
        reason: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
        messageId: nullable(Type.String()),
        conversationId: nullable(Type.String()),
        status: nullable(Type.String({ description: 'Of the message, as far as it has come.' })),
        updatedAt: Moment,
      }),
    ),
    nextCursor: nullable(Type.String()),
  },
  { title: 'BroadcastRecipientList' },
)
