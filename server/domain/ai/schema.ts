import Type, { type Static } from 'typebox'
import { AI_HOURS } from '../../platform/db/tables.ts'
import { Audience } from '../knowledge/schema.ts'
import { ChannelEnum, nullable, Text } from '../schema.ts'
import { Spending } from './budgets/schema.ts'

export const AI_NAME_MAX = 60
export const EXPECTATION_MAX = 500
/** A thousand millions: no budget, but a number that JavaScript still counts in. */
const MONEY_MAX = 1e15

const Money = nullable(Type.Integer({ minimum: 0, maximum: MONEY_MAX }))
const AiBudget = Type.Object(
  { day: Money, month: Money },
  {
    description:
      'What the model may cost in a day and in a month, in millionths of the provider’s currency and in UTC; null: no limit. Beyond it the agent replies from the knowledge alone.',
  },
)

/** Where the AI agent replies, as it is saved: whatever is left out gets its default. */
export const AiSettingsBody = Type.Object({
  name: Type.Optional(
    nullable(Text(AI_NAME_MAX, { description: 'How it introduces itself. Default: without a name.' })),
  ),
  audience: Type.Optional(Audience),
  hours: Type.Optional(
    Type.Enum([...AI_HOURS], {
      description:
        'When it replies: at any time, while the default business hours are open, or while they are closed.',
    }),
  ),
  expectation: Type.Optional(
    nullable(
      Text(EXPECTATION_MAX, {
        description:
          'What customers read when they are handed over to people. Default: that somebody will reply, and when you open if you are closed.',
      }),
    ),
  ),
  budget: Type.Optional(AiBudget),
})
export type AiSettingsBody = Static<typeof AiSettingsBody>

export const AiSettings = Type.Object({
  isStopped: Type.Boolean({ description: 'If true, it replies nowhere.' }),
  name: nullable(Type.String()),
  audience: Type.Object({
    channels: Type.Array(ChannelEnum),
    countries: Type.Array(Type.String()),
    tagIds: Type.Array(Type.String()),
    languages: Type.Array(Type.String()),
  }),
  hours: Type.Enum([...AI_HOURS]),
  expectation: nullable(Type.String()),
  budget: AiBudget,
})
export type AiSettings = Static<typeof AiSettings>

export const AiSettingsAnswer = Type.Object({
  settings: AiSettings,
  isEnabled: Type.Boolean({ description: 'Whether it is a member that conversations can be assigned to.' }),
  spending: Type.Array(Spending, { description: 'What the model cost this day and this month.' }),
})
export type AiSettingsAnswer = Static<typeof AiSettingsAnswer>

export const AiStop = Type.Object({ isStopped: Type.Boolean() })
