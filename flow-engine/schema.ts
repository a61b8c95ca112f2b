// The definition of a flow. What a schema can't say is in check-definition.ts.
import Type, { type Static } from 'typebox'
import {
  BLOCK_STEPS_MAX,
  BLOCKS_MAX,
  BlockId,
  Condition,
  closed,
  Duration,
  FLOW_CHANNELS,
  Language,
  Name,
  optional,
  ResourceId,
  Target,
} from './shapes.ts'
import { Step } from './step-schema.ts'

export * from './shapes.ts'
export * from './step-schema.ts'

export const TRIGGER_EVENTS = [
  'message',
  'opened',
  'reopened',
  'closed',
  'assigned',
  'customer_silent',
  'team_silent',
  'tagged',
  'field_changed',
  'api',
] as const

export const Trigger = Type.Object(
  {
    on: Type.Enum([...TRIGGER_EVENTS]),
    isFirst: optional(Type.Boolean({ description: 'Only the first message of a conversation.' })),
    words: optional(Type.Array(Type.String({ minLength: 1, maxLength: 80 }), { maxItems: 50 })),
    wordsMode: optional(
      Type.Enum(['whole', 'contains', 'only'], {
        description: 'As whole words (default), anywhere, or as the whole message.',
      }),
    ),
    choice: optional(Type.String({ maxLength: 256, description: 'What a tapped button carries.' })),
    channels: optional(Type.Array(Type.Enum([...FLOW_CHANNELS]), { uniqueItems: true })),
    accountIds: optional(Type.Array(ResourceId, { maxItems: 50 })),
    by: optional(Type.Enum(['customer', 'team', 'anyone'])),
    to: optional(Type.String({ maxLength: 64 })),
    tagId: optional(ResourceId),
    field: optional(Type.String({ maxLength: 64 })),
    after: optional(Duration),
    evenIfAssigned: optional(Type.Boolean()),
    when: optional(Condition),
  },
  closed,
)
export type Trigger = Static<typeof Trigger>

export const Block = Type.Object(
  {
    title: optional(Type.String({ maxLength: 80 })),
    steps: Type.Array(Step, { minItems: 1, maxItems: BLOCK_STEPS_MAX }),
    next: optional(Target),
  },
  closed,
)
export type Block = Static<typeof Block>

export const Variable = Type.Object(
  {
    type: Type.Enum(['text', 'number', 'yesno', 'date', 'list']),
    default: optional(Type.Unknown()),
    isPrivate: optional(Type.Boolean({ description: 'Kept out of logs, notes and of what a model sees.' })),
  },
  closed,
)
export type Variable = Static<typeof Variable>

export const FlowDefinition = Type.Object(
  {
    schema: Type.Literal(1),
    kind: Type.Enum(['dialog', 'background'], {
      description: 'A background flow never writes to the customer.',
    }),
    language: Language,
    triggers: Type.Array(Trigger, { maxItems: 10 }),
    audience: optional(Condition),
    interrupts: optional(
      Type.Boolean({ description: 'A keyword of this flow ends a dialog that waits for an answer.' }),
    ),
    reentry: optional(Type.Union([Type.Enum(['always', 'once']), Type.Object({ after: Duration }, closed)])),
    onPerson: optional(
      Type.Enum(['cancel', 'continue'], { description: 'Only background flows can continue.' }),
    ),
    oldChoices: optional(Type.Enum(['jump', 'explain', 'ignore'])),
    variables: optional(Type.Record(Name, Variable, { ...closed, maxProperties: 50 })),
    start: BlockId,
    blocks: Type.Record(BlockId, Block, { ...closed, minProperties: 1, maxProperties: BLOCKS_MAX }),
  },
  { ...closed, title: 'Flow' },
)
export type FlowDefinition = Static<typeof FlowDefinition>
