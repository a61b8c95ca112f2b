// A test as a workspace writes it in the console: a part of what a scenario can say, with the same names.
import Type, { type Static } from 'typebox'
import { HAND_OVER_REASONS } from '../../../platform/db/tables.ts'
import { Country } from '../../knowledge/schema.ts'
import { ChannelEnum, Id, Name, Text } from '../../schema.ts'

export const OWN_TESTS_MAX = 200
export const OWN_TURNS_MAX = 20
export const IN_A_ROW_MAX = 10
export const LIST_MAX = 10
export const MESSAGE_MAX = 4_000
export const LINE_MAX = 200
export const NAME_MAX = 160

const lines = (description: string) =>
  Type.Optional(Type.Array(Text(LINE_MAX), { maxItems: LIST_MAX, description }))

export const OwnTest = Type.Object(
  {
    name: Name(NAME_MAX),
    channel: ChannelEnum,
    contact: Type.Object({ country: Type.Optional(Country) }),
    turns: Type.Array(
      Type.Object({
        customer: Type.Array(Text(MESSAGE_MAX), {
          minItems: 1,
          maxItems: IN_A_ROW_MAX,
          description: 'A message, or several in a row.',
        }),
        file: Type.Optional(Text(LINE_MAX, { description: 'The name of a file that comes with them.' })),
      }),
      { minItems: 1, maxItems: OWN_TURNS_MAX },
    ),
    expect: Type.Object(
      {
        has: Type.Optional(Type.Enum(['ai', 'team'], { description: 'team: it hands over.' })),
        reason: Type.Optional(Type.Enum([...HAND_OVER_REASONS])),
        decision: Type.Optional(Type.Enum(['silent'])),
        mustUse: lines('Titles of articles and answers that the last reply uses.'),
        mustSay: lines('In one of its messages.'),
        never: lines('In none of its messages.'),
      },
      { minProperties: 1 },
    ),
  },
  { title: 'OwnAiTest' },
)
export type OwnTest = Static<typeof OwnTest>

export const OwnTestBody = Type.Object(
  {
    scenario: OwnTest,
    turnId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 40, description: 'The turn that it was kept from.' }),
    ),
  },
  { title: 'OwnAiTestBody' },
)
export const OwnTestAnswer = Type.Object({ test: Type.Object({ id: Id, scenario: OwnTest }) })
export const OwnTestProposal = Type.Object({ scenario: OwnTest })
