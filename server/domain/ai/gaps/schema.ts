import Type, { type Static } from 'typebox'
import { Id, Moment, nullable } from '../../schema.ts'

/** Of a gap that are shown. */
export const SAMPLES_MAX = 10
export const GAPS_MAX = 50
/** The latest questions that are grouped. */
export const QUESTIONS_MAX = 1_000

/** Questions of the same kind that the AI agent had no reply to. */
export const Gap = Type.Object({
  turnIds: Type.Array(Id, { description: 'The turns that the questions are from, the latest first.' }),
  count: Type.Integer(),
  firstAt: Moment,
  lastAt: Moment,
  questions: Type.Array(Type.String(), {
    description: 'The latest different ones, without personal data.',
  }),
  reply: nullable(
    Type.String({
      description: 'What a person wrote next in one of the conversations, without personal data.',
    }),
  ),
})
export type Gap = Static<typeof Gap>

export const GapList = Type.Object({ gaps: Type.Array(Gap) })

export const GapClosing = Type.Object({
  turnIds: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
    minItems: 1,
    maxItems: QUESTIONS_MAX,
  }),
  answerId: nullable(
    Type.String({ minLength: 1, maxLength: 40, description: 'The answer made from it; null dismisses it.' }),
  ),
})
export type GapClosing = Static<typeof GapClosing>

export const GapClosed = Type.Object({ closed: Type.Integer() })

export const ReplyParams = Type.Object({ messageId: Id })
export const AnsweredQuestion = Type.Object({
  gap: Gap,
  personal: Type.Array(Type.String(), {
    description:
      'What was replaced in the texts, such as [email 1], and the customer’s names that are still there.',
  }),
})
export type AnsweredQuestion = Static<typeof AnsweredQuestion>
