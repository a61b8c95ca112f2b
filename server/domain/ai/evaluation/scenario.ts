// Tests of the AI agent as data: what a customer does, and what should happen. What is expected is first of all how
// it ends; of the words, only what must and must not be in them.
import Type, { type Static } from 'typebox'
import { CHANNELS } from '../../../../channels/names.ts'
import { closed, optional } from '../../../../flow-engine/shapes.ts'
import { MODEL_KINDS } from '../../../../models/names.ts'
import { ACTION_NEEDS, HAND_OVER_REASONS, PROPOSAL_STATES } from '../../../platform/db/tables.ts'
import { Guidance } from '../guidance/schema.ts'
import { AiSettingsBody } from '../schema.ts'

export const TURNS_MAX = 50
const TEXT_MAX = 4_000
const LIST_MAX = 20

const Text = Type.String({ maxLength: TEXT_MAX })
const Line = Type.String({ maxLength: 300 })
const Texts = Type.Array(Text, { maxItems: LIST_MAX })
const True = Type.Literal(true)

/** Who has the conversation in the end. `team`: nobody yet. */
const HOLDERS = ['ai', 'team', 'person'] as const
/** What it decided last. `reply` and `question` are in a model's words, the others word for word. */
export const DECISIONS = [
  'answer',
  'offer',
  'ask',
  'reply',
  'question',
  'propose',
  'code',
  'handOver',
  'silent',
] as const

const Item = Type.Object(
  {
    title: Line,
    text: Text,
    kind: optional(Type.Enum(['answer', 'article'])),
    phrasings: optional(Texts),
    language: optional(Type.String({ maxLength: 3 })),
    url: optional(Type.String({ maxLength: 2_048 })),
    state: optional(Type.Enum(['draft', 'published'])),
    isInternal: optional(Type.Boolean()),
    onlyFor: optional(
      Type.Object(
        {
          channels: optional(Type.Array(Type.Enum([...CHANNELS]))),
          countries: optional(Type.Array(Type.String({ maxLength: 2 }))),
        },
        closed,
      ),
    ),
    isElsewhere: optional(Type.Boolean({ description: 'It belongs to another workspace.' })),
  },
  closed,
)
export type Item = Static<typeof Item>

const Contact = Type.Object(
  {
    name: optional(Line),
    country: optional(Type.String({ maxLength: 2 })),
    fields: optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 500 }), { maxProperties: 50 }),
    ),
    tags: optional(Type.Array(Line, { maxItems: LIST_MAX })),
  },
  closed,
)

/** One that changes something: the agent can only propose it. */
const ScenarioAction = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 60 }),
    parameters: Type.Array(Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,63}$' }), {
      maxItems: LIST_MAX,
      description: 'Names of texts, all of them required.',
    }),
    needs: optional(Type.Enum([...ACTION_NEEDS], { description: 'Default: none.' })),
    confirm: optional(Type.Enum(['customer', 'person'], { description: 'Default: customer.' })),
  },
  closed,
)
export type ScenarioAction = Static<typeof ScenarioAction>

const MEANWHILE = {
  customer: Type.Object({ customer: Text }, closed),
  person: Type.Object({ person: Text }, closed),
  program: Type.Object({ program: Text }, closed),
  close: Type.Object({ close: True }, closed),
  assign: Type.Object({ assign: Type.Enum(['ai', 'person', 'nobody']) }, closed),
  stop: Type.Object({ stop: True }, closed),
}
const Meanwhile = Type.Union([
  MEANWHILE.customer,
  MEANWHILE.person,
  MEANWHILE.program,
  MEANWHILE.close,
  MEANWHILE.assign,
  MEANWHILE.stop,
])
export type Meanwhile = Static<typeof Meanwhile>

export const Turn = Type.Union([
  Type.Object(
    {
      customer: Type.Union([Text, Type.Array(Text, { minItems: 1, maxItems: LIST_MAX })], {
        description: 'A message, or several in a row.',
      }),
      file: optional(Line),
      meanwhile: optional(
        Type.Object(
          { while: Type.Enum(['thinking', 'thought']), does: Meanwhile },
          { ...closed, description: 'What happens before the reply is sent.' },
        ),
      ),
    },
    closed,
  ),
  Type.Object({ tap: Type.String({ maxLength: 200, description: 'A button’s title.' }) }, closed),
  MEANWHILE.person,
  MEANWHILE.program,
  MEANWHILE.close,
  MEANWHILE.assign,
  MEANWHILE.stop,
  Type.Object({ passMs: Type.Integer({ minimum: 0, maximum: 366 * 24 * 3_600_000 }) }, closed),
  Type.Object(
    {
      fails: Type.String({ maxLength: 40, description: 'A fault of the sandbox’s models.' }),
      times: optional(Type.Integer({ minimum: 1, maximum: 100 })),
    },
    closed,
  ),
  Type.Object({ draft: True }, { ...closed, description: 'A person asks for a draft.' }),
])
export type Turn = Static<typeof Turn>

export const Expectation = Type.Object(
  {
    has: optional(Type.Enum([...HOLDERS])),
    reason: optional(Type.Enum([...HAND_OVER_REASONS])),
    decision: optional(Type.Enum([...DECISIONS])),
    messages: optional(
      Type.Integer({ minimum: 0, description: 'Of the agent, with the word that it hands over.' }),
    ),
    sources: optional(
      Type.Array(Line, { description: 'Titles of what the last reply names, in any order.' }),
    ),
    mustUse: optional(
      Type.Array(Line, {
        maxItems: LIST_MAX,
        description: 'Titles that are among what the last reply names.',
      }),
    ),
    fields: optional(Type.Record(Type.String(), Type.String())),
    tags: optional(Type.Array(Line)),
    requests: optional(Type.Integer({ minimum: 0, description: 'Requests to a model.' })),
    calls: optional(Type.Integer({ minimum: 0, description: 'Calls of actions.' })),
    proposal: optional(
      Type.Enum(['none', ...PROPOSAL_STATES], {
        description: 'What became of the action that was proposed last.',
      }),
    ),
    drafts: optional(Type.Integer({ minimum: 0 })),
    mustSay: optional(Texts),
    mustNote: optional(
      Type.Array(Text, {
        maxItems: LIST_MAX,
        description: 'In a note to the team that says why it hands over.',
      }),
    ),
    never: optional(
      Type.Array(Text, { maxItems: LIST_MAX, description: 'In no message and no draft, whatever the case.' }),
    ),
    neverSent: optional(Type.Array(Text, { maxItems: LIST_MAX, description: 'In no request to a model.' })),
  },
  { ...closed, minProperties: 1 },
)
export type Expectation = Static<typeof Expectation>

/** `live`: the workspace's own. The others are models of the sandbox. */
export const PROVIDERS = ['none', 'live', 'script', 'facts', 'gullible', 'talker', 'writer'] as const

export const Scenario = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 160 }),
    channel: optional(Type.Enum([...CHANNELS])),
    contact: optional(Contact),
    identity: optional(
      Type.Enum(['claimed', 'channel'], {
        description: 'By email: whether the sender was authenticated. Elsewhere the channel says it.',
      }),
    ),
    subject: optional(Line),
    knowledge: optional(
      Type.Array(Item, { maxItems: LIST_MAX, description: 'Instead of the workspace’s own.' }),
    ),
    guidance: optional(Type.Partial(Type.Omit(Guidance, ['tagIds', 'flowIds', 'actionIds']))),
    actions: optional(
      Type.Array(ScenarioAction, { maxItems: LIST_MAX, description: 'Instead of the workspace’s own.' }),
    ),
    tags: optional(Type.Array(Line, { maxItems: LIST_MAX, description: 'Tags that it may add and remove.' })),
    settings: optional(AiSettingsBody),
    hours: optional(Type.Enum(['open', 'closed'])),
    isUnassigned: optional(Type.Boolean({ description: 'Nobody assigns the conversation to it.' })),
    provider: optional(Type.Enum([...PROVIDERS], { description: 'Default: live.' })),
    protocol: optional(Type.Enum([...MODEL_KINDS])),
    script: optional(
      Type.Array(Type.Object({}), {
        maxItems: LIST_MAX,
        description: 'What the model `script` answers, and in our suite a good model in place of `live`.',
      }),
    ),
    turns: Type.Array(Turn, { minItems: 1, maxItems: TURNS_MAX }),
    expect: Expectation,
  },
  { ...closed, title: 'AiTest' },
)
export type Scenario = Static<typeof Scenario>
