// What a flow's run did and why it started, in words for the thread. Pure.
import type { LogOutcome } from '../../../flow-engine/contract.ts'
import { END_REASONS, type EndReason } from '../../../flow-engine/end-reasons.ts'
import type { StepType } from '../../../flow-engine/schema.ts'
import type { Cause, PassedOver } from '../../../flow-engine/triggers.ts'
import { t } from '../../words/t.ts'

export type RunStep = {
  seq: number
  stepId: string | null
  type: StepType | null
  outcome: LogOutcome
  detail: Record<string, unknown>
  createdAt: string
}

const STEPS: Record<StepType, string> = {
  send: 'Sent a message',
  ask: 'Asked a question',
  branch: 'Chose a path',
  hours: 'Checked the business hours',
  wait: 'Waited',
  set: 'Set values',
  tag: 'Changed tags',
  assign: 'Assigned the conversation',
  note: 'Added a note',
  close: 'Closed the conversation',
  call: 'Called an action',
  ai: 'Handed over to the AI agent',
  people: 'Handed over to the team',
  flow: 'Started another flow',
  split: 'Split at random',
  goto: 'Continued in another block',
}

const PROBLEMS: Record<string, string> = {
  empty: 'it was empty',
  not_an_option: 'it matched no option',
  several_options: 'it matched several options',
  wrong_form: 'it wasn’t in the expected form',
  out_of_range: 'it was out of range',
  old_choice: 'an old button was tapped',
}

const OUTCOMES: Partial<Record<LogOutcome, string>> = {
  answered: 'Got a reply',
  invalid: 'Didn’t understand the reply',
  timedOut: 'Got no reply in time',
  ignored: 'Ignored a tap',
}

const SUFFIXES: Partial<Record<LogOutcome, string>> = {
  off: 'turned off',
  skipped: 'skipped',
  waiting: 'waiting',
  resumed: 'continued',
}

/** The words for a reason from the server, which may be newer than this page. */
const endWords = (reason: unknown): string | null =>
  typeof reason === 'string' && Object.hasOwn(END_REASONS, reason)
    ? END_REASONS[reason as EndReason].says
    : null

export const stepWords = ({ type, outcome }: RunStep): string => {
  const own = OUTCOMES[outcome]
  if (own) return own
  const what = (type !== null && STEPS[type]) || 'Did a step'
  const suffix = SUFFIXES[outcome]
  return suffix ? `${what} (${suffix})` : what
}

/** What else is known of a step: the reply, or why it failed. */
export const stepAbout = ({ outcome, detail }: RunStep): string | null => {
  const { value, title, reason, problem } = detail
  const answer = title ?? value
  if (outcome === 'answered' && answer !== undefined)
    return typeof answer === 'string' ? answer : JSON.stringify(answer)
  if (outcome === 'failed') return endWords(reason) ?? t`failed`
  return typeof problem === 'string' && Object.hasOwn(PROBLEMS, problem) ? PROBLEMS[problem]! : null
}

const CAUSES: Record<string, string> = {
  message: 'the customer wrote',
  opened: 'the conversation was opened',
  reopened: 'the conversation was reopened',
  closed: 'the conversation was closed',
  assigned: 'the conversation was assigned',
  customer_silent: 'the customer hadn’t replied',
  team_silent: 'the team hadn’t replied',
  tagged: 'the customer was tagged',
  field_changed: 'a field of the customer changed',
  api: 'it was started by the API or a teammate',
  choice: 'the customer tapped a button of an earlier run',
} satisfies Record<Cause['on'] | 'choice', string>

export const causeWords = (on: string): string | null =>
  Object.hasOwn(CAUSES, on) ? `Started because ${CAUSES[on]}` : null

const BECAUSE: Record<string, string> = {
  audience: 'the customer isn’t in its audience',
  reentry: 'it has already run for this customer',
  earlier_flow: 'this flow comes first',
  dialog_waiting: 'another flow was waiting for a reply',
  with_person: 'a teammate had the conversation',
  automatic: 'the message was an automatic reply',
} satisfies Record<PassedOver['because'], string>

export const passedOverWords = (because: string): string =>
  Object.hasOwn(BECAUSE, because) ? BECAUSE[because]! : 'it didn’t apply'
