import Type, { type Static } from 'typebox'
import { AI_HOURS } from '../../platform/db/tables.ts'
import { Audience } from '../knowledge/schema.ts'
import { ChannelEnum, nullable, Text } from '../schema.ts'

export const AI_NAME_MAX = 60
export const EXPECTATION_MAX = 500

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
})
export type AiSettings = Static<typeof AiSettings>

export const AiSettingsAnswer = Type.Object({
  settings: AiSettings,
  isEnabled: Type.Boolean({ description: 'Whether it is a member that conversations can be assigned to.' }),
})
export type AiSettingsAnswer = Static<typeof AiSettingsAnswer>

export const AiStop = Type.Object({ isStopped: Type.Boolean() })
