/** Why the AI agent leaves a conversation to people. */
export const HAND_OVER_REASONS = [
  /** The customer asked for a person. */
  'asked',
  /** There is nothing that it could reply with. */
  'no_knowledge',
  /** Twice in a row nothing fitted. */
  'failed_twice',
  /** The customer asks again what was answered. */
  'repeated',
  /** A file, a voice message, a location: nothing to search for. */
  'attachment',
  /** Not on this channel, at this time or for this customer. */
  'not_here',
  'stopped',
  /** The provider refused what it said. */
  'not_delivered',
  /** It isn't certain enough of anything that it could say. */
  'low_confidence',
  /** A rule of the workspace says so. */
  'rule',
  /** A subject that people talk about. */
  'sensitive',
  /** They may be in danger: the customer is told where there is help. */
  'self_harm',
  'angry',
  /** What is asked needs to know who the customer is. */
  'identity',
  'action_failed',
  /** A person has to confirm an action. */
  'approval',
  /** What it may use of its model is spent. */
  'budget',
  /** Its model can't be reached or used. */
  'provider_down',
  /** Something broke. */
  'failed',
  /** It has replied many times in a row. */
  'loop',
  /** Not one of those that it replies in. */
  'language',
] as const
export type HandOverReason = (typeof HAND_OVER_REASONS)[number]
