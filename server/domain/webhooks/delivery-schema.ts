// Deliveries of webhooks: what was sent, what came back, and sending it again.
import Type, { type Static } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import { WEBHOOK_KINDS } from '../../platform/db/tables.ts'
import { Id, Moment, nullable } from '../schema.ts'
import { EventTypes } from './schema.ts'

export const REPLAY_MAX = 100_000

/** As callers see them: a held delivery is pending. */
const STATES = ['pending', 'sending', 'delivered', 'failed', 'dropped'] as const
const Problem = Type.Object({ code: Type.String(), message: Type.String() })

export const WebhookDelivery = Type.Object(
  {
    id: Id,
    endpointId: Id,
    eventId: Id,
    sequence: nullable(Type.Integer()),
    previous: nullable(Type.Integer()),
    type: Type.String(),
    conversationId: nullable(Id),
    kind: Type.Enum([...WEBHOOK_KINDS]),
    replayId: nullable(Id),
    state: Type.Enum([...STATES]),
    droppedReason: nullable(Type.Enum(['skipped', 'expired'])),
    attempts: Type.Integer(),
    tries: Type.Integer({
      description: 'Attempts that count towards the limit of 15: those made while the endpoint was not down.',
    }),
    nextAttemptAt: nullable(Moment),
    createdAt: Moment,
    firstAttemptAt: nullable(Moment),
    lastAttemptAt: nullable(Moment),
    lastStatus: nullable(Type.Integer()),
    lastError: nullable(Type.String()),
    durationMs: nullable(Type.Integer()),
  },
  { title: 'WebhookDelivery' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookAttempt = Type.Object(
  {
    number: Type.Integer(),
    at: Moment,
    durationMs: Type.Integer(),
    status: nullable(Type.Integer()),
    error: nullable(Problem),
    isCounted: Type.Boolean(),
    responseHeaders: nullable(Type.Record(Type.String(), Type.String())),
    responseBody: nullable(Type.String({ description: 'Its first KiB.' })),
  },
  { title: 'WebhookAttempt' },
)
export type WebhookAttempt = Static<typeof WebhookAttempt>

const exampleDelivery: WebhookDelivery = {
  id: 'cmi8q2f5c0008t4s7g1k3n6pq',
  endpointId: 'cmi8q2f5c0007r3d6f9h2j5km',
  eventId: 'cmi8q2f5c0009v5t8h2m4q7rs',
  sequence: 10_421,
  previous: 10_398,
  type: 'message.created',
  conversationId: 'cmi8q2f5c0003t5k1q9r8w2ea',
  kind: 'live',
  replayId: null,
  state: 'delivered',
  droppedReason: null,
  attempts: 1,
  tries: 1,
  nextAttemptAt: null,
  createdAt: '2026-11-21T09:30:00.000Z',
  firstAttemptAt: '2026-11-21T09:30:00.020Z',
  lastAttemptAt: '2026-11-21T09:30:00.020Z',
  lastStatus: 200,
  lastError: null,
  durationMs: 41,
}
const exampleAttempt: WebhookAttempt = {
  number: 1,
  at: '2026-11-21T09:30:00.020Z',
  durationMs: 41,
  status: 200,
  error: null,
  isCounted: true,
  responseHeaders: { 'content-type': 'text/plain' },
  responseBody: 'ok',
}
const exampleBody =
  '{"id":"cmi8q2f5c0009v5t8h2m4q7rs","type":"message.created","timestamp":"2026-11-21T09:30:00.000Z","sequence":10421}'

export const DeliveryQuery = Type.Object({
  state: Type.Optional(Type.Enum([...STATES])),
  type: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  conversationId: Type.Optional(Id),
  after: Type.Optional({ ...Moment, description: 'Created at or after.' }),
  before: Type.Optional({ ...Moment, description: 'Created before.' }),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const DeliveryList = Type.Object(
  { deliveries: Type.Array(WebhookDelivery), nextCursor: nullable(Type.String()) },
  { title: 'WebhookDeliveryList', examples: [{ deliveries: [exampleDelivery], nextCursor: null }] },
)
export const DeliveryAnswer = Type.Object(
  { delivery: WebhookDelivery },
  { title: 'WebhookDeliveryAnswer', examples: [{ delivery: exampleDelivery }] },
)
export type DeliveryAnswer = Static<typeof DeliveryAnswer>
export const DeliveryDetails = Type.Object(
  {
    delivery: WebhookDelivery,
    attempts: Type.Array(WebhookAttempt),
    requestBody: nullable(
      Type.String({ description: 'The signed bytes; null once the event is no longer in the feed.' }),
    ),
  },
  {
    title: 'WebhookDeliveryDetails',
    examples: [{ delivery: exampleDelivery, attempts: [exampleAttempt], requestBody: exampleBody }],
  },
)
export type DeliveryDetails = Static<typeof DeliveryDetails>

export const TestBody = Type.Object(
  { type: Type.Optional(Type.String({ pattern: '^[a-z_]+(\\.[a-z_]+)?$', maxLength: 80, default: 'ping' })) },
  { title: 'TestWebhookEndpoint', examples: [{ type: 'message.created' }] },
)
export type TestBody = Static<typeof TestBody>
export const TestedEndpoint = Type.Object(
  {
    delivery: WebhookDelivery,
    attempt: nullable(WebhookAttempt),
    signed: Type.Object(
      { id: Type.String(), timestamp: Type.String(), body: Type.String() },
      { description: 'The parts of what was signed: joined with dots.' },
    ),
  },
  {
    title: 'TestedWebhookEndpoint',
    examples: [
      {
        delivery: { ...exampleDelivery, kind: 'test', sequence: null, previous: null },
        attempt: exampleAttempt,
        signed: { id: exampleDelivery.eventId, timestamp: '1795253400', body: exampleBody },
      },
    ],
  },
)
export type TestedEndpoint = Static<typeof TestedEndpoint>

const Place = Type.Union([Moment, Type.Integer({ minimum: 1 })])
export const ReplayBody = Type.Object(
  {
    from: { ...Place, description: 'A time or a sequence number, included.' },
    to: Type.Optional({ ...Place, description: 'The same, included.' }),
    types: Type.Optional(EventTypes),
    state: Type.Optional(
      Type.Enum(['failed', 'all'], {
        default: 'all',
        description: '`failed`: only events whose delivery to this endpoint failed.',
      }),
    ),
  },
  { title: 'ReplayWebhooks', examples: [{ from: '2026-11-21T00:00:00.000Z', state: 'failed' }] },
)
export type ReplayBody = Static<typeof ReplayBody>
export const StartedReplay = Type.Object(
  { replay: Type.Object({ id: Id, count: Type.Integer() }) },
  { title: 'StartedWebhookReplay', examples: [{ replay: { id: 'cmi8q2f5c000aw6u9j3n5r8st', count: 212 } }] },
)
export type StartedReplay = Static<typeof StartedReplay>
