import Type, { type Static } from 'typebox'
import { Id, nullable } from '../schema.ts'

/** Counting stops here. */
export const COUNT_MAX = 100_000
export const FLOWS_MAX = 20

/** What removing a channel would affect. */
export const RemovalPreview = Type.Object(
  {
    conversations: Type.Integer({ minimum: 0, maximum: COUNT_MAX }),
    open: Type.Integer({ minimum: 0, maximum: COUNT_MAX }),
    waiting: Type.Integer({
      minimum: 0,
      maximum: COUNT_MAX,
      description: 'Messages that were not sent yet.',
    }),
    flows: Type.Array(Type.Object({ id: Id, name: Type.String() }), { maxItems: FLOWS_MAX }),
    deleteAfterDays: nullable(Type.Integer({ description: 'Of its retention rule.' })),
  },
  { title: 'ChannelRemovalPreview' },
)
export type RemovalPreview = Static<typeof RemovalPreview>

export const RemovalBody = Type.Object(
  {
    conversations: Type.Enum(['keep', 'delete'], {
      description: 'Whether its conversations stay readable, or are closed and deleted for good.',
    }),
  },
  { title: 'RemoveChannel' },
)

export const RemovalAnswer = Type.Object(
  {
    /** What is left to do at the provider. */
    notice: nullable(Type.String()),
  },
  { title: 'ChannelRemoved' },
)
