import Type, { type Static } from 'typebox'
import { Id, Moment, nullable } from '../schema.ts'

const Sampled = Type.Object({
  id: Id,
  conversationId: Id,
  contactName: Type.String(),
  endedAt: Moment,
  question: nullable(
    Type.String({ description: 'The last that it answered. Null if it is no longer kept.' }),
  ),
  answer: nullable(Type.String({ description: 'What it said to that. Null if it is no longer kept.' })),
  isRight: nullable(Type.Boolean({ description: 'What a person found. Null: not checked yet.' })),
})
export type Sampled = Static<typeof Sampled>

export const AiSample = Type.Object({
  episodes: Type.Array(Sampled, {
    description:
      'Of the last four full weeks (UTC), by when they ended: 2 % of those that are assumed to have helped, at least 5 and at most 20 of each week. Those not checked yet first.',
  }),
})
export type AiSample = Static<typeof AiSample>

export const JudgementParams = Type.Object({ conversationId: Id, episodeId: Id })
export const JudgementBody = Type.Object({ isRight: Type.Boolean() })
