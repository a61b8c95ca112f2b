// Tests of flows as data: what a customer does, and what has to come of it.
import Type, { type Static } from 'typebox'
import { closed, Duration, FLOW_CHANNELS, Name, optional, Scalar, StepId, TRIGGER_EVENTS } from './schema.ts'

export const TURNS_MAX = 200
export const CALLS_MAX = 50

const Text = Type.String({ maxLength: 4_000 })
const Values = Type.Record(Type.String({ maxLength: 160 }), Type.Union([Scalar, Type.Null()]), {
  maxProperties: 50,
})

export const Expectation = Type.Object(
  {
    text: optional(Type.String({ maxLength: 4_000, description: 'Contained in one of the messages.' })),
    choices: optional(
      Type.Array(Type.String({ maxLength: 64 }), { description: 'The ids of the last choices, in order.' }),
    ),
    template: optional(Type.String({ maxLength: 512 })),
    nothing: optional(Type.Boolean({ description: 'Nothing was sent.' })),
    waits: optional(StepId),
    ended: optional(Type.Enum(['completed', 'failed', 'cancelled'])),
    endReason: optional(Type.String({ maxLength: 64 })),
    handedOver: optional(Type.Boolean()),
    assigned: optional(Type.String({ maxLength: 64 })),
    closed: optional(Type.Boolean()),
    tags: optional(
      Type.Array(Type.String({ maxLength: 64 }), { description: 'Ids or names that the contact has.' }),
    ),
    set: optional(Values),
    never: optional(Type.Array(Text, { maxItems: 20, description: 'Contained in no message so far.' })),
  },
  closed,
)
export type Expectation = Static<typeof Expectation>

export const Turn = Type.Union([
  Type.Object({ say: Text }, closed),
  Type.Object(
    { tap: Type.String({ maxLength: 64, description: 'An option’s id.' }), step: optional(StepId) },
    closed,
  ),
  Type.Object({ attach: Type.Enum(['image', 'audio', 'video', 'file', 'sticker']) }, closed),
  Type.Object({ wait: Duration }, closed),
  Type.Object(
    { event: Type.Enum([...TRIGGER_EVENTS], { description: 'What starts the flow, if no message does.' }) },
    closed,
  ),
  Type.Object({ ai: Type.Enum(['done', 'gaveUp']), collected: optional(Values) }, closed),
  Type.Object({ expect: Expectation }, closed),
])
export type Turn = Static<typeof Turn>

export const Scenario = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 120 }),
    channel: optional(Type.Enum([...FLOW_CHANNELS])),
    language: optional(Type.String({ maxLength: 35 })),
    /** ISO 8601, with its offset. */
    at: optional(Type.String({ maxLength: 40 })),
    contact: optional(
      Type.Object(
        {
          name: optional(Type.String({ maxLength: 120 })),
          email: optional(Type.String({ maxLength: 254 })),
          phone: optional(Type.String({ maxLength: 40 })),
          country: optional(Type.String({ maxLength: 2 })),
          fields: optional(
            Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 500 }), {
              maxProperties: 50,
            }),
          ),
          tags: optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 })),
        },
        { ...closed, description: 'Empty texts stand for what isn’t known.' },
      ),
    ),
    referral: optional(
      Type.Object(
        {
          headline: optional(Type.String({ maxLength: 500 })),
          sourceType: optional(Type.String({ maxLength: 64 })),
          sourceUrl: optional(Type.String({ maxLength: 2_048 })),
          ref: optional(Type.String({ maxLength: 2_048 })),
        },
        { ...closed, description: 'The ad or link that the first message came from.' },
      ),
    ),
    hours: optional(Type.Enum(['open', 'closed'], { description: 'Instead of the real business hours.' })),
    variables: optional(Type.Record(Name, Scalar, { maxProperties: 50 })),
    calls: optional(
      Type.Array(
        Type.Object(
          {
            action: Type.String({
              maxLength: 64,
              description: 'The action’s id, or what its step keeps it as.',
            }),
            answer: Type.Object(
              { status: Type.Integer({ minimum: 0, maximum: 599 }), body: optional(Type.Unknown()) },
              closed,
            ),
          },
          closed,
        ),
        { maxItems: CALLS_MAX, description: 'Used in turn; the last one of an action is used again.' },
      ),
    ),
    turns: Type.Array(Turn, { minItems: 1, maxItems: TURNS_MAX }),
  },
  { ...closed, title: 'FlowTest' },
)
export type Scenario = Static<typeof Scenario>
