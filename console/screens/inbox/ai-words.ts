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

/** `flow`: a step of a flow gave up, and the flow went on. */
const HAND_OVERS: Record<string, string> = {
  asked: 'the customer asked for a person',
  no_knowledge: 'no article or answer says it',
  failed_twice: 'no answer twice in a row',
  repeated: 'the same question again',
  attachment: 'the customer sent a file',
  not_here: 'it doesn’t reply here or at this time',
  stopped: 'it was stopped',
  not_delivered: 'its message couldn’t be delivered',
  low_confidence: 'not certain enough of an answer',
  rule: 'one of your rules says so',
  sensitive: 'a sensitive subject',
  self_harm: 'the customer may be in danger',
  angry: 'the customer is angry',
  identity: 'it needs to know who the customer is',
  action_failed: 'an action failed',
  approval: 'a teammate has to confirm an action',
  budget: 'the budget is spent',
  provider_down: 'the model couldn’t be used',
  failed: 'something went wrong',
  loop: 'replied many times in a row',
  language: 'doesn’t reply in this language',
  flow: 'the flow went on',
}

/** Those that a test can expect: the flow's is none of the agent's. */
export const HAND_OVER_CHOICES = Object.entries(HAND_OVERS)
  .filter(([value]) => value !== 'flow')
  .map(([value, label]) => ({ value, label }))

/** By the reason that the server stores; a newer one is shown as it is. */
export const handOverWords = (reason: string): string =>
  Object.hasOwn(HAND_OVERS, reason) ? HAND_OVERS[reason]! : reason
