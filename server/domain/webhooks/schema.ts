import Type, { type Static } from 'typebox'
import {
  WEBHOOK_ORDERINGS,
  WEBHOOK_PAYLOADS,
  WEBHOOK_REASONS,
  WEBHOOK_STATUSES,
} from '../../platform/db/tables.ts'
import { ChannelEnum, Id, Moment, Name, nullable, Text } from '../schema.ts'

export const ENDPOINTS_MAX = 20
export const URL_MAX = 2_048
export const NAME_MAX = 100
export const EVENT_TYPES_MAX = 100
export const FILTER_VALUES_MAX = 100
export const IN_FLIGHT_MAX = 50
export const HEADERS_MAX = 10
export const HEADER_NAME_MAX = 100
export const HEADERS_BYTES_MAX = 8_192
export const EXTERNAL_REF_MAX = 200
export const OVERLAP_HOURS_MAX = 168
/** More than this is not counted. */
export const PENDING_COUNTED_MAX = 10_000

export const EventTypes = Type.Array(
  Type.String({
    pattern: '^[a-z_]+\\.([a-z_]+|\\*)$',
    patternSays: 'must be a type such as "message.created" or a group such as "message.*"',
    maxLength: 80,
  }),
  { minItems: 1, maxItems: EVENT_TYPES_MAX, uniqueItems: true, examples: [['message.*', 'contact.created']] },
)

const Values = { minItems: 1, maxItems: FILTER_VALUES_MAX, uniqueItems: true }

export const WebhookFilter = Type.Object(
  {
    channels: Type.Optional(
      Type.Array(ChannelEnum, {
        ...Values,
        description: 'Only events of these channels; those that belong to no channel are left out.',
      }),
    ),
    directions: Type.Optional(
      Type.Array(Type.Enum(['inbound', 'outbound']), {
        ...Values,
        description: 'Of events that have a direction, only these.',
      }),
    ),
    agentIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
        ...Values,
        description: 'Only events of conversations that are assigned to these agents; `none`: to nobody.',
      }),
    ),
    tagIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
        ...Values,
        description: 'Only events about contacts with at least one of these tags.',
      }),
    ),
    notActors: Type.Optional(
      Type.Array(
        Type.Enum(['self', 'customer', 'agent', 'ai', 'token', 'automation', 'operator', 'system']),
        {
          ...Values,
          description:
            'Leaves out what these did. `self`: whoever created the endpoint, so that a sync doesn’t hear of its own changes.',
        },
      ),
    ),
  },
  { title: 'WebhookFilter', description: 'All of it must hold.' },
)
export type WebhookFilter = Static<typeof WebhookFilter>

const Url = Type.String({
  minLength: 1,
  maxLength: URL_MAX,
  description: 'https://, or http:// if the operator allows the host.',
  examples: ['https://crm.example.com/foyer'],
})
const Ordering = Type.Enum([...WEBHOOK_ORDERINGS], {
  description:
    '`conversation`: events of one conversation one after the other; one that fails holds up those behind it for five minutes. `none`: as fast as possible. `strict`: all events one after the other, however long one fails.',
})
const Payload = Type.Enum([...WEBHOOK_PAYLOADS], {
  description: '`full`: events contain what they are about, as it was then.',
})
const InFlight = Type.Integer({ minimum: 1, maximum: IN_FLIGHT_MAX, description: 'Concurrent requests.' })

const GivenHeader = Type.Object({
  name: Text(HEADER_NAME_MAX),
  value: Type.Optional(
    Type.String({ minLength: 1, maxLength: HEADERS_BYTES_MAX, description: 'Left out: stays as it is.' }),
  ),
})

const settings = {
  name: Name(NAME_MAX),
  url: Url,
  eventTypes: nullable(EventTypes),
  filter: WebhookFilter,
  payload: Payload,
  ordering: Ordering,
  maxInFlight: InFlight,
}

export const NewWebhookEndpoint = Type.Object(
  {
    name: Type.Optional(settings.name),
    url: Url,
    eventTypes: Type.Optional(nullable(EventTypes)),
    filter: Type.Optional(WebhookFilter),
    payload: Type.Optional(Payload),
    ordering: Type.Optional(Ordering),
    maxInFlight: Type.Optional(InFlight),
    headers: Type.Optional(Type.Array(GivenHeader, { maxItems: HEADERS_MAX })),
    externalRef: Type.Optional(
      Text(EXTERNAL_REF_MAX, {
        description: 'Creating an endpoint with the same reference again returns the one that is there.',
      }),
    ),
  },
  {
    title: 'NewWebhookEndpoint',
    examples: [
      { url: 'https://crm.example.com/foyer', eventTypes: ['message.*'], filter: { channels: ['whatsapp'] } },
    ],
  },
)
export type NewWebhookEndpoint = Static<typeof NewWebhookEndpoint>

export const WebhookEndpointChanges = Type.Partial(
  Type.Object({ ...settings, headers: Type.Array(GivenHeader, { maxItems: HEADERS_MAX }) }),
  {
    title: 'WebhookEndpointChanges',
    minProperties: 1,
    examples: [{ eventTypes: ['message.*', 'contact.*'] }],
  },
)
export type WebhookEndpointChanges = Static<typeof WebhookEndpointChanges>

const Health = Type.Object({
  pending: Type.Integer({ description: `Not counted beyond ${PENDING_COUNTED_MAX}.` }),
  oldestPendingAt: nullable(Moment),
  failingSince: nullable(Moment),
  lastSuccessAt: nullable(Moment),
  successRate24h: nullable(
    Type.Number({ description: 'Of the latest 500 deliveries of the last 24 hours.' }),
  ),
  p50Ms: nullable(Type.Integer()),
  p95Ms: nullable(Type.Integer()),
})

export const WebhookEndpoint = Type.Object(
  {
    id: Id,
    ...settings,
    status: Type.Enum([...WEBHOOK_STATUSES]),
    statusReason: nullable(Type.Enum([...WEBHOOK_REASONS])),
    headers: Type.Array(Type.Object({ name: Type.String(), isSet: Type.Boolean() }), {
      description: 'Their values are encrypted and never returned.',
    }),
    externalRef: nullable(Type.String()),
    health: Health,
    secretPrefix: Type.String(),
    previousSecretValidUntil: nullable(Moment),
    createdBy: Type.Object({
      type: Type.String(),
      id: nullable(Type.String()),
      name: Type.Optional(
        nullable(Type.String({ description: 'Their current name, also of someone who was removed.' })),
      ),
    }),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'WebhookEndpoint' },
)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

const exampleEndpoint: WebhookEndpoint = {
  id: 'cmi8q2f5c0007r3d6f9h2j5km',
  name: 'CRM',
  url: 'https://crm.example.com/foyer',
  eventTypes: ['message.*'],
  filter: { channels: ['whatsapp'] },
  payload: 'thin',
  ordering: 'conversation',
  maxInFlight: 10,
  status: 'enabled',
  statusReason: null,
  headers: [{ name: 'authorization', isSet: true }],
  externalRef: null,
  health: {
    pending: 0,
    oldestPendingAt: null,
    failingSince: null,
    lastSuccessAt: '2026-11-21T09:30:00.120Z',
    successRate24h: 1,
    p50Ms: 41,
    p95Ms: 120,
  },
  secretPrefix: 'whsec_Ab3',
  previousSecretValidUntil: null,
  createdBy: { type: 'token', id: 'cmi8q2f5c0001b4n8s6w0z2yt', name: 'CRM sync' },
  createdAt: '2026-11-20T08:00:00.000Z',
  updatedAt: '2026-11-20T08:00:00.000Z',
}
const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

export const EndpointParams = Type.Object({ endpointId: Id })
export const DeliveryParams = Type.Object({ deliveryId: Id })

export const EndpointAnswer = Type.Object(
  { webhookEndpoint: WebhookEndpoint },
  { title: 'WebhookEndpointAnswer', examples: [{ webhookEndpoint: exampleEndpoint }] },
)
export type EndpointAnswer = Static<typeof EndpointAnswer>
export const EndpointList = Type.Object(
  { webhookEndpoints: Type.Array(WebhookEndpoint) },
  { title: 'WebhookEndpointList', examples: [{ webhookEndpoints: [exampleEndpoint] }] },
)
export const CreatedEndpoint = Type.Object(
  {
    webhookEndpoint: WebhookEndpoint,
    secret: nullable(
      Type.String({
        description:
          'What deliveries are signed with. Shown only in this response; null if the endpoint was already there.',
      }),
    ),
  },
  {
    title: 'CreatedWebhookEndpoint',
    examples: [{ webhookEndpoint: exampleEndpoint, secret: exampleSecret }],
  },
)
export type CreatedEndpoint = Static<typeof CreatedEndpoint>
export const EndpointRemoved = Type.Object(
  { success: Type.Literal(true) },
  { title: 'WebhookEndpointRemoved', examples: [{ success: true }] },
)

export const EnableBody = Type.Object(
  { backlog: Type.Enum(['send', 'skip'], { description: 'What becomes of events since it was stopped.' }) },
  { title: 'EnableWebhookEndpoint', examples: [{ backlog: 'send' }] },
)
export type EnableBody = Static<typeof EnableBody>

export const RotateBody = Type.Object(
  {
    overlapHours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_HOURS_MAX,
        default: 24,
        description: 'How long deliveries are signed with the previous secret as well.',
      }),
    ),
  },
  { title: 'RotateWebhookSecret', examples: [{ overlapHours: 48 }] },
)
export type RotateBody = Static<typeof RotateBody>
export const RotatedSecret = Type.Object(
  { secret: Type.String(), previousValidUntil: nullable(Moment) },
  {
    title: 'RotatedWebhookSecret',
    examples: [{ secret: exampleSecret, previousValidUntil: '2026-11-23T09:30:00.000Z' }],
  },
)
export type RotatedSecret = Static<typeof RotatedSecret>
