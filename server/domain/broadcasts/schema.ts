import Type, { type Static } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import { RECIPIENT_OUTCOMES } from '../../platform/db/tables.ts'
import { AudienceFilter, ID_MAX } from '../contacts/audience-schema.ts'
import { CONTACT_NAME_MAX } from '../contacts/schema.ts'
import { Id, Moment, Name, nullable } from '../schema.ts'
import { Header, Language, Parameters, TemplateName, TO_MAX } from '../templates/schema.ts'

/** Contacts or recipients that one call may list. */
export const AUDIENCE_MAX = 10_000
const FIELD_MAX = 200
const FIELDS_MAX = 100
export const Broadcast = Type.Object(
  {
    id: Id,
    groupId: nullable(Type.String({ description: 'Null unless the audience is a group.' })),
    groupName: nullable(Type.String({ description: 'The name of the group when the broadcast was sent.' })),
    channel: Type.Enum(['whatsapp']),
    templateName: Type.String(),
    templateLanguage: Type.String(),
    status: Type.Enum(['sending', 'completed', 'failed'], {
      description:
        '`completed`: every recipient was attempted and at least one was reached. `failed`: no one was reached.',
    }),
    totalRecipients: Type.Integer({ description: 'Number of recipients, not counting skipped people.' }),
    sentCount: Type.Integer({
      description:
        'Accepted by WhatsApp. A message that WhatsApp later reports as failed moves to failedCount.',
    }),
    failedCount: Type.Integer(),
    skippedCount: Type.Integer({
      description:
        'People with a WhatsApp conversation who were skipped because they opted out or their number does not have the template.',
    }),
    createdAt: Moment,
    name: nullable(Type.String({ description: 'For your own reference.' })),
    scheduledAt: nullable(
      Type.String({ description: 'Nothing is sent before. Until then the status is `sending`.' }),
    ),
    pausedAt: nullable(Type.String({ description: 'Set while it is paused in the console.' })),
    canceledAt: nullable(
      Type.String({ description: 'Set if it was canceled. Recipients who were not reached are skipped.' }),
    ),
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
  name: 'Autumn workshop',
  scheduledAt: null,
  pausedAt: null,
  canceledAt: null,
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
        description: "For your own reference. It does not change the contact's name.",
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

/** The discriminator selects one shape to validate against, so that only its errors are reported. */
export const Audience = Type.Unsafe<Static<(typeof shapes)[number]>>({
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: [...shapes],
  description:
    'A saved group, a set of contacts, the contacts that match a filter, or a list of phone numbers whose rows can have their own parameters. Only contacts with a WhatsApp conversation are reached, each once.',
})
export type Audience = Static<typeof Audience>

export const Message = {
  templateName: TemplateName,
  language: Type.Optional(Language),
  parameters: Type.Optional(Parameters),
  ...Header,
}

export const SendToGroupBody = Type.Object(Message, {
  title: 'SendGroupBroadcast',
  examples: [{ templateName: 'order_ready', language: 'en_US', parameters: ['there', '1182'] }],
})
export type SendToGroupBody = Static<typeof SendToGroupBody>

export const NAME_MAX = 120

export const Fields = Type.Optional(
  Type.Array(nullable(Type.String({ maxLength: FIELD_MAX })), {
    maxItems: FIELDS_MAX,
    description:
      'For each of `parameters`, the field of the contact to use in its place, or null: `name`, `firstName`, `email`, `phone` or `customFields.` and a field’s name. The parameter is the fallback for contacts without it.',
  }),
)

export const SendBroadcastBody = Type.Object(
  {
    ...Message,
    audience: Audience,
    name: Type.Optional(Name(NAME_MAX, { description: 'For your own reference.' })),
    fields: Fields,
    scheduledAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When to send it, at most a year from now. The recipients are fixed when the broadcast is accepted.',
      }),
    ),
  },
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

// Console -------------------------------------------------------------------------------------------------------------

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
    total: Type.Integer({ description: 'Everyone in the audience, each once.' }),
    reachable: Type.Integer(),
    leftOut: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() })),
    sample: Type.Array(
      Type.Object({
        contactId: Type.String(),
        name: Type.String(),
        phone: nullable(Type.String()),
        reason: nullable(Type.String({ description: 'Why the person is skipped.' })),
      }),
    ),
  },
  { title: 'AudiencePreview' },
)

/** From the messages of the recipients. */
export const BroadcastResults = Type.Object(
  {
    delivered: Type.Integer({ description: 'Delivered, and read.' }),
    read: Type.Integer(),
    answered: Type.Integer({ description: 'Customers who have written since.' }),
  },
  { title: 'BroadcastResults' },
)
export type BroadcastResults = Static<typeof BroadcastResults>

const Outcome = Type.Enum([...RECIPIENT_OUTCOMES])

export const RecipientsQuery = Type.Object({
  outcome: Type.Optional(Outcome),
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
        outcome: Outcome,
        reason: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
        messageId: nullable(Type.String()),
        conversationId: nullable(Type.String()),
        status: nullable(Type.String({ description: 'The status of the message.' })),
        updatedAt: Moment,
      }),
    ),
    nextCursor: nullable(Type.String()),
  },
  { title: 'BroadcastRecipientList' },
)
export type RecipientList = Static<typeof RecipientList>
