import Type, { type Static } from 'typebox'
import { nullable } from '../schema.ts'

const DAYS_MAX = 3_650

const days = (description: string) => nullable(Type.Integer({ minimum: 1, maximum: DAYS_MAX, description }))

export const RetentionRule = Type.Object(
  {
    closeAfterDays: days('Open conversations without activity for more days than this are closed.'),
    deleteAfterDays: days('Closed conversations without activity for more days than this are deleted.'),
  },
  { title: 'RetentionRule' },
)
export type RetentionRule = Static<typeof RetentionRule>

export const RetentionAnswer = Type.Object({ rule: RetentionRule })

const Affected = Type.Object({
  conversations: Type.Integer({ minimum: 0 }),
  messages: Type.Integer({ minimum: 0 }),
})

/** What a rule would do if it were applied now. */
export const RetentionPreview = Type.Object(
  { close: Affected, delete: Affected },
  { title: 'RetentionPreview' },
)
export type RetentionPreview = Static<typeof RetentionPreview>
