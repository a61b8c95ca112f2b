// What the AI agent's decisions are called.
import type { AiTurn } from '../../state/types.ts'
import { t } from '../../words/t.ts'

export const OUTCOMES: Record<NonNullable<AiTurn['outcome']>, string> = {
  answered: t`Answered`,
  offered: t`Offered what was closest`,
  asked: t`Asked back`,
  handed_over: t`Handed over`,
  silent: t`Nothing to reply to: the customer was content`,
  discarded: t`Discarded: somebody else replied, or the customer wrote more`,
}

/** `flow`: a step of a flow gave up, and the flow went on. */
const HAND_OVERS: Record<string, string> = {
  asked: t`the customer asked for a person`,
  no_knowledge: t`no article or answer says it`,
  failed_twice: t`no answer twice in a row`,
  repeated: t`the same question again`,
  attachment: t`the customer sent a file`,
  not_here: t`it doesn’t reply here or at this time`,
  stopped: t`it was stopped`,
  not_delivered: t`its message couldn’t be delivered`,
  low_confidence: t`not certain enough of an answer`,
  rule: t`one of your rules says so`,
  sensitive: t`a sensitive subject`,
  self_harm: t`the customer may be in danger`,
  angry: t`the customer is angry`,
  identity: t`it needs to know who the customer is`,
  action_failed: t`an action failed`,
  approval: t`a teammate has to confirm an action`,
  budget: t`the budget is spent`,
  provider_down: t`the model couldn’t be used`,
  failed: t`something went wrong`,
  loop: t`replied many times in a row`,
  language: t`doesn’t reply in this language`,
  flow: t`the flow went on`,
}

/** Those that a test can expect: the flow's is none of the agent's. */
export const HAND_OVER_CHOICES = Object.entries(HAND_OVERS)
  .filter(([value]) => value !== 'flow')
  .map(([value, label]) => ({ value, label }))

/** By the reason that the server stores; a newer one is shown as it is. */
export const handOverWords = (reason: string): string =>
  Object.hasOwn(HAND_OVERS, reason) ? HAND_OVERS[reason]! : reason
