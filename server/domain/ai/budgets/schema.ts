import Type, { type Static } from 'typebox'

/**
 * The limit that a request would exceed; see limits.ts.
 *   requests, atOnce   of the moment: the turn waits a little
 *   provider           it was changed, turned off or removed: the turn begins again with what there is now
 *   all others         until the hour, day or month is over the agent replies from the knowledge alone
 */
export type Bound =
  | 'hourTurns'
  | 'dayTurns'
  | 'dayTokens'
  | 'contactTurns'
  | 'dayMoney'
  | 'monthMoney'
  | 'provider'
  | 'requests'
  | 'atOnce'

export const Spending = Type.Object({
  period: Type.Enum(['day', 'month'], { description: 'The current one, in UTC.' }),
  currency: Type.String(),
  cost: Type.Integer({ description: 'In millionths, with what is reserved for requests under way.' }),
  budget: Type.Union([Type.Integer(), Type.Null()]),
})
export type Spending = Static<typeof Spending>
