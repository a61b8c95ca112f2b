import Type, { type Static } from 'typebox'
import { ChannelEnum, Id, Moment, nullable } from '../../domain/schema.ts'

/** The newest are shown; handling them brings up the others. */
export const LEFTOVERS_SHOWN_MAX = 100

const LeftoverId = Type.String({ pattern: '^c[0-9a-z]{24}-[0-9a-f]{64}$', maxLength: 90 })

export const Leftover = Type.Object(
  {
    id: LeftoverId,
    channelId: Id,
    channel: ChannelEnum,
    channelName: Type.String(),
    reason: Type.String({
      description:
        '`failed`: it could not be stored. Any other value: why it does not belong to a conversation.',
    }),
    error: nullable(Type.String({ description: 'Why the last attempt to store it failed.' })),
    raw: Type.String({ description: 'The beginning of the raw content.' }),
    canRetry: Type.Boolean(),
    nextTryAt: nullable(Moment),
    createdAt: Moment,
  },
  { title: 'Leftover' },
)
export type Leftover = Static<typeof Leftover>

export const LeftoverList = Type.Object(
  {
    leftovers: Type.Array(Leftover, { description: `The newest ${LEFTOVERS_SHOWN_MAX}.` }),
    total: Type.Integer({ description: 'Counted up to 1,000.' }),
  },
  { title: 'LeftoverList' },
)
export type LeftoverList = Static<typeof LeftoverList>

export const RetriedLeftover = Type.Object({ leftoverId: LeftoverId }, { title: 'RetriedLeftover' })

export const LeftoverReplayed = Type.Object(
  { stored: Type.Boolean(), problem: nullable(Type.String({ description: 'Why it could not be stored.' })) },
  { title: 'LeftoverReplayed' },
)

export const DismissedLeftovers = Type.Object(
  { leftoverIds: Type.Array(LeftoverId, { minItems: 1, maxItems: LEFTOVERS_SHOWN_MAX }) },
  { title: 'DismissedLeftovers' },
)

export const LeftoversDismissed = Type.Object(
  { dismissed: Type.Integer({ description: 'How many were deleted.' }) },
  { title: 'LeftoversDismissed' },
)
