// What the AI agent's decisions are called.
import type { AiTurn } from '../../state/types.ts'

export const OUTCOMES: Record<NonNullable<AiTurn['outcome']>, string> = {
  answered: 'Answered',
  offered: 'Offered what was closest',
  asked: 'Asked back',
  handed_over: 'Handed over',
  silent: 'Nothing to reply to: the customer was content',
  discarded: 'Discarded: somebody else replied, or the customer wrote more',
}

const HAND_OVERS = {
  asked: 'the customer asked for a person',
  no_knowledge: 'no articles or answers yet',
  failed_twice: 'no answer twice in a row',
  repeated: 'the same question again',
  attachment: 'the customer sent a file',
  not_here: 'it doesn’t reply here or at this time',
  stopped: 'it was stopped',
  not_delivered: 'its message couldn’t be delivered',
  failed: 'something went wrong',
  flow: 'the flow went on',
} as const

/** By the reason that the server stores; a newer one is shown as it is. */
export const handOverWords = (reason: string): string =>
  Object.hasOwn(HAND_OVERS, reason) ? HAND_OVERS[reason as keyof typeof HAND_OVERS] : reason
