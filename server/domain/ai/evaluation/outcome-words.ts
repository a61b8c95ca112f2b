// What was expected of a test and what happened, in words for people.
import { HAND_OVER_SAYS } from '../../flow-runs/plan-ai-hand-over.ts'
import type { Outcome } from './outcome.ts'

const HOLDERS: Record<Outcome['has'], string> = {
  ai: 'The agent keeps the conversation',
  team: 'The conversation goes to the team',
  person: 'A person has the conversation',
}

const DECISIONS: Record<NonNullable<Outcome['decision']>, string> = {
  answer: 'An answer, word for word',
  offer: 'A choice of what is closest',
  ask: 'A question in fixed words',
  reply: 'A reply in its own words',
  question: 'A question in its own words',
  propose: 'A proposal to do something',
  code: 'A code to enter',
  handOver: 'A hand-over',
  silent: 'No reply',
}

export const holderWords = (has: Outcome['has']): string => HOLDERS[has]

export const decisionWords = (decision: Outcome['decision']): string =>
  decision === null ? 'No decision' : DECISIONS[decision]

export const reasonWords = (reason: Outcome['reason']): string => {
  if (reason === null) return 'Not handed over'
  const says = HAND_OVER_SAYS[reason]
  return `${says[0]!.toUpperCase()}${says.slice(1)}`
}

const PROPOSALS: Record<Outcome['proposal'], string> = {
  none: 'Nothing is proposed',
  offered: 'An action is proposed, and waits for a yes',
  confirmed: 'The action is confirmed',
  declined: 'The action is declined',
  expired: 'It is too late for the action',
  done: 'The action is done',
  failed: 'The action fails',
  unknown: 'Nobody knows whether the action is done',
}

export const proposalWords = (proposal: Outcome['proposal']): string => PROPOSALS[proposal]

export const countWords = (count: number, one: string, many: string): string =>
  count === 0 ? `No ${many}` : `${count} ${count === 1 ? one : many}`

export const quote = (text: string): string => `“${text}”`

export const listWords = (texts: readonly string[], none: string): string =>
  texts.length === 0 ? none : texts.map(quote).join(', ')

export const recordWords = (values: Readonly<Record<string, unknown>>, none: string): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${quote(String(value))}`)
    .join(', ') || none
