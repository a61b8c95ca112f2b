import Type, { type Static } from 'typebox'
import { ChannelEnum, Id, nullable } from '../schema.ts'

export const EVENTS_MAX = 500
export const EVENTS_DEFAULT = 100
/** With `include`, which reads more for each. */
export const EVENTS_INCLUDED_MAX = 100
export const WAIT_MAX_SECONDS = 30
export const TYPES_MAX = 50
const TYPES_LENGTH = 4_000
const CURSOR_LENGTH = 300
const ID_LENGTH = 64

const cursorExample = 'dDFrMm0zLjgzai5rM2Y5cTF4Mi5sT0ZzV2l6cHBuaDJkM2ZBcEJrTmJ2cXpSNXlLcFdnMmFENGpUNnVZOHM'

export const EventActor = Type.Object(
  {
    type: Type.Enum(['customer', 'agent', 'ai', 'token', 'automation', 'operator', 'system']),
    id: nullable(
      Type.String({
        description:
          'The contact, the agent, `api:` and the token, or the flow; null for the operator and the system.',
      }),
    ),
    name: Type.Optional(nullable(Type.String({ description: 'Their current name. Not in webhooks.' }))),
  },
  { title: 'EventActor', description: 'Who did it.' },
)
export type EventActor = Static<typeof EventActor>

export const Event = Type.Object(
  {
    id: Type.String({
      description: 'The same wherever the event appears.',
      examples: ['cmi8q2f5c0000083j9d3m1vbq'],
    }),
    type: Type.String({
      description: 'One of the types that `GET /event-types` lists.',
      examples: ['message.created'],
    }),
    timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
    sequence: Type.Integer({ description: 'Its number in the workspace: 1, 2, 3 and so on, without gaps.' }),
    previous: nullable(
      Type.Integer({
        description: 'In webhooks, the sequence sent to the endpoint before this one; otherwise null.',
      }),
    ),
    epoch: Type.Optional(
      Type.String({
        description:
          'In which history of the database it was numbered. After a restore, numbers begin again at an earlier one, in a new epoch: compare `epoch` as text first, then `sequence`. Left out of events that an earlier version recorded.',
        examples: ['t1k2m3'],
      }),
    ),
    workspaceId: Id,
    conversationId: nullable(Id),
    contactId: nullable(Id),
    channel: nullable(ChannelEnum),
    actor: nullable(EventActor),
    requestId: nullable(Type.String({ description: 'The X-Request-Id of the call that did it.' })),
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'What happened: facts that stay true. The type says which.',
    }),
    object: Type.Optional(
      Type.Unsafe<Record<string, unknown> | null>({
        anyOf: [{ type: 'object', additionalProperties: true }, { type: 'null' }],
        description:
          'With `include=object`: what it is about, as it is now; null if that no longer exists, and left out if the token may not read it.',
      }),
    ),
    objectTruncated: Type.Optional(
      Type.Boolean({
        description:
          'Long texts or lists were cut, so that the event stays below 20 kB. Read the whole from the API.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        description:
          'In lists: the position after this event. Save it once you have handled the event, and go on from there after a restart.',
      }),
    ),
  },
  { title: 'Event' },
)
export type Event = Static<typeof Event>

/** Ids of the examples, as elsewhere in the document. */
export const EXAMPLE = {
  conversationId: 'cmi8q2f5c0002x7h2m4s8k1vd',
  messageId: 'cmi8q2f5c0003x7h2q6t5n9we',
  contactId: 'cmi8q2f5c0001x7h2j7r3p5vc',
  agentId: 'cmi8q2f5c0004x7h2b8y2c6xf',
  tagId: 'cmi8q2f5c0006n2m7v4b1x9kq',
  teamId: 'cmi8q2f5c0007h4j6k8l0z2xc',
} as const

export const eventExample = {
  id: 'cmi8q2f5c0000083j9d3m1vbq',
  type: 'message.created',
  timestamp: '2026-11-21T09:30:00.000Z',
  sequence: 10_421,
  previous: null,
  epoch: 't1k2m3',
  workspaceId: 'cmi8q2f5c0000w7h2k9d3m1vb',
  conversationId: EXAMPLE.conversationId,
  contactId: EXAMPLE.contactId,
  channel: 'whatsapp' as const,
  actor: { type: 'customer' as const, id: EXAMPLE.contactId, name: 'Ada Moreau' },
  requestId: null,
  data: {
    messageId: EXAMPLE.messageId,
    direction: 'inbound',
    senderType: 'customer',
    hasAttachments: false,
    replyToMessageId: null,
  },
}

const Covers = Type.Object(
  {
    from: Type.Integer(),
    to: Type.Integer(),
    epoch: Type.String({ description: 'Changes when the database was replaced or restored.' }),
  },
  {
    title: 'CoveredEvents',
    description:
      'Every number from `from` to `to` was looked at. The next response begins at `to` + 1. If `to` is less than `from`, there was nothing to look at.',
  },
)

const Cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: CURSOR_LENGTH,
    description:
      'The `cursor` of the previous response: events after it are returned. It does not depend on filters, which may change from call to call.',
  }),
)
const From = Type.Optional(
  Type.Enum(['now', 'sync', 'oldest'], {
    description:
      'Where to begin without a cursor. `now`, the default: with what happens next. `sync`: a minute ago; read the lists, then handle the events of this response and follow the feed from its cursor, and nothing is missing. `oldest`: with the oldest event that is kept.',
  }),
)
const filters = {
  types: Type.Optional(
    Type.String({
      maxLength: TYPES_LENGTH,
      description: `Up to ${TYPES_MAX} types, comma-separated; \`message.*\` means all types of messages.`,
      examples: ['message.*,conversation.closed'],
    }),
  ),
  conversationId: Type.Optional(Type.String({ maxLength: ID_LENGTH })),
  contactId: Type.Optional(Type.String({ maxLength: ID_LENGTH })),
  channel: Type.Optional(ChannelEnum),
}

export const EventsQuery = Type.Object({
  cursor: Cursor,
  from: From,
  ...filters,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EVENTS_MAX,
      description: `${EVENTS_DEFAULT} by default; at most ${EVENTS_INCLUDED_MAX} with \`include\`.`,
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WAIT_MAX_SECONDS,
      description: 'How many seconds to wait for an event if there is none. 0 by default.',
    }),
  ),
  include: Type.Optional(
    Type.Enum(['object'], { description: 'Returns each event with what it is about, as it is now.' }),
  ),
})
export type EventsQuery = Static<typeof EventsQuery>

export const EventStreamQuery = Type.Object({ cursor: Cursor, from: From, ...filters })
export type EventStreamQuery = Static<typeof EventStreamQuery>

export const EventList = Type.Object(
  {
    events: Type.Array(Event),
    cursor: Type.String({ description: 'Where the next call goes on. Never null: a feed has no last page.' }),
    hasMore: Type.Boolean({ description: 'There is more to look at now.' }),
    covers: Covers,
    head: Type.Integer({ description: 'The number of the latest event.' }),
    oldest: Type.Integer({ description: 'The number of the oldest event that is kept.' }),
  },
  {
    title: 'EventList',
    examples: [
      {
        events: [{ ...eventExample, cursor: cursorExample }],
        cursor: cursorExample,
        hasMore: false,
        covers: { from: 10_312, to: 10_421, epoch: 't1k2m3' },
        head: 10_421,
        oldest: 2_210,
      },
    ],
  },
)
export type EventList = Static<typeof EventList>

export const EventParams = Type.Object({ eventId: Id })
export const EventAnswer = Type.Object(
  { event: Event },
  { title: 'EventAnswer', examples: [{ event: eventExample }] },
)

export const EventTypeList = Type.Object(
  {
    eventTypes: Type.Array(
      Type.Object(
        {
          type: Type.String(),
          description: Type.String(),
          object: nullable(Type.String({ description: 'The schema of `object`.' })),
          schema: Type.Unsafe<Record<string, unknown>>({
            type: 'object',
            additionalProperties: true,
            description: 'The JSON Schema of `data`.',
          }),
          example: Event,
        },
        { title: 'EventType' },
      ),
    ),
  },
  {
    title: 'EventTypeList',
    examples: [
      {
        eventTypes: [
          {
            type: eventExample.type,
            description: 'A message was received from a customer, or is to be sent to one.',
            object: 'message',
            schema: {
              type: 'object',
              required: ['messageId'],
              properties: { messageId: { type: 'string' } },
            },
            example: eventExample,
          },
        ],
      },
    ],
  },
)
export type EventTypeList = Static<typeof EventTypeList>
