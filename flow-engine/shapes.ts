// The shapes that the triggers, steps and settings of a flow share, and their bounds.
import Type, { type Static } from 'typebox'

export const BLOCKS_MAX = 100
export const BLOCK_STEPS_MAX = 50
export const STEPS_MAX = 300
export const DEFINITION_BYTES_MAX = 256 * 1024
/** Of conditions inside each other, and of the whole document: 10,000 levels would overflow the stack of any reader. */
export const CONDITION_DEPTH_MAX = 10
export const DOCUMENT_DEPTH_MAX = 40
export const TEXT_MAX = 2_000
export const SCALAR_MAX = 500
export const OPTIONS_MAX = 30

export const FLOW_CHANNELS = ['web', 'whatsapp', 'facebook', 'telegram', 'sms', 'email'] as const
/** Where the paths of conditions and texts begin. */
export const ROOTS = ['contact', 'conversation', 'message', 'run', 'workspace', 'hours', 'call'] as const
/** Where those of a saved reply begin, in which a person speaks. */
export const REPLY_ROOTS = ['contact', 'conversation', 'workspace', 'agent'] as const
export type Root = (typeof ROOTS)[number] | (typeof REPLY_ROOTS)[number]
export const END_TARGETS = ['end', 'people', 'ai'] as const

export const closed = { additionalProperties: false } as const
export const optional = Type.Optional

/** Names that objects inherit: a variable with such a name would be mistaken for what every object has. */
export const isReservedName = (name: string): boolean => name in Object.prototype || name === 'prototype'

export const NAME_PATTERN = '^[a-z][a-zA-Z0-9_]{0,63}$'
const BLOCK_ID_PATTERN = '^(?!(?:end|people|ai)$)[a-z][a-z0-9_-]{0,39}$'
const pathPatternOf = (roots: readonly string[]): string =>
  `^(${roots.join('|')})(\\.[a-zA-Z0-9_\\- ]{1,64}){0,5}$`
export const PATH_PATTERN = pathPatternOf(ROOTS)
export const REPLY_PATH_PATTERN = pathPatternOf(REPLY_ROOTS)
const LANGUAGE_PATTERN = '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'

export const Name = Type.String({ pattern: NAME_PATTERN })
export const BlockId = Type.String({ pattern: BLOCK_ID_PATTERN })
export const StepId = Type.String({ pattern: '^s[a-z0-9]{1,11}$' })
export const Target = Type.String({
  pattern: '^[a-z][a-z0-9_-]{0,39}$',
  description: 'The id of a block, or `end`, `people` or `ai`.',
})
export const Language = Type.String({ pattern: LANGUAGE_PATTERN })
export const Duration = Type.String({
  pattern: '^P(?=.)(\\d{1,3}D)?(T(?=.)(\\d{1,3}H)?(\\d{1,4}M)?(\\d{1,5}S)?)?$',
  description: 'ISO 8601, in days and smaller units.',
})
export const Path = Type.String({
  maxLength: 160,
  pattern: PATH_PATTERN,
})
export const ResourceId = Type.String({ maxLength: 25 })
export const ResourceIds = Type.Array(ResourceId, { minItems: 1, maxItems: 50, uniqueItems: true })

const OneText = Type.String({ minLength: 1, maxLength: TEXT_MAX })
export const LocalizedText = Type.Union([
  OneText,
  Type.Record(Language, OneText, { ...closed, minProperties: 1, maxProperties: 40 }),
])
export type LocalizedText = Static<typeof LocalizedText>

export const Scalar = Type.Union([Type.String({ maxLength: SCALAR_MAX }), Type.Number(), Type.Boolean()])
export type Scalar = Static<typeof Scalar>

export const OPERATORS = [
  'is',
  'isNot',
  'isOneOf',
  'contains',
  'startsWith',
  'isSet',
  'isEmpty',
  'above',
  'below',
  'before',
  'after',
  'hasTag',
  'matches',
] as const

const Several = Type.Array(Type.Ref('Condition'), { minItems: 1, maxItems: 20 })
export const Condition = Type.Cyclic(
  {
    Condition: Type.Union([
      Type.Object({ all: Several }, closed),
      Type.Object({ any: Several }, closed),
      Type.Object({ not: Type.Ref('Condition') }, closed),
      Type.Object(
        {
          value: Path,
          op: Type.Enum([...OPERATORS]),
          to: optional(Type.Union([Scalar, Type.Array(Scalar, { maxItems: 50 })])),
        },
        closed,
      ),
    ]),
  },
  'Condition',
)
export type Condition = Static<typeof Condition>
export type Comparison = Extract<Condition, { op: string }>
