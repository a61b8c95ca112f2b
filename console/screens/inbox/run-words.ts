// What a flow's run did and why it started, in words for the thread. Pure.
import type { LogOutcome } from '../../../flow-engine/contract.ts'
import { END_REASONS, type EndReason } from '../../../flow-engine/end-reasons.ts'
import type { StepType } from '../../../flow-engine/schema.ts'
import type { Cause, PassedOver } from '../../../flow-engine/triggers.ts'
import { said } from '../../state/said.ts'
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
  send: t`Sent a message`,
  ask: t`Asked a question`,
  branch: t`Chose a path`,
  hours: t`Checked the business hours`,
  wait: t`Waited`,
  set: t`Set values`,
  tag: t`Changed tags`,
  assign: t`Assigned the conversation`,
  note: t`Added a note`,
  close: t`Closed the conversation`,
  call: t`Called an action`,
  ai: t`Handed over to the AI agent`,
  people: t`Handed over to the team`,
  flow: t`Started another flow`,
  split: t`Split at random`,
  goto: t`Continued in another block`,
}

const PROBLEMS: Record<string, string> = {
  empty: t`it was empty`,
  not_an_option: t`it matched no option`,
  several_options: t`it matched several options`,
  wrong_form: t`it wasn’t in the expected form`,
  out_of_range: t`it was out of range`,
  old_choice: t`an old button was tapped`,
}

const OUTCOMES: Partial<Record<LogOutcome, string>> = {
  answered: t`Got a reply`,
  invalid: t`Didn’t understand the reply`,
  timedOut: t`Got no reply in time`,
  ignored: t`Ignored a tap`,
}

const SUFFIXES: Partial<Record<LogOutcome, string>> = {
  off: t`turned off`,
  skipped: t`skipped`,
  waiting: t`waiting`,
  resumed: t`continued`,
}

/** The words for a reason from the server, which may be newer than this page. */
const endWords = (reason: unknown): string | null =>
  typeof reason === 'string' && Object.hasOwn(END_REASONS, reason)
    ? said(END_REASONS[reason as EndReason].says)
    : null

export const stepWords = ({ type, outcome }: RunStep): string => {
  const own = OUTCOMES[outcome]
  if (own) return own
  const what = (type !== null && STEPS[type]) || t`Did a step`
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
  message: t`the customer wrote`,
  opened: t`the conversation was opened`,
  reopened: t`the conversation was reopened`,
  closed: t`the conversation was closed`,
  assigned: t`the conversation was assigned`,
  customer_silent: t`the customer hadn’t replied`,
  team_silent: t`the team hadn’t replied`,
  tagged: t`the customer was tagged`,
  field_changed: t`a field of the customer changed`,
  api: t`it was started by the API or a teammate`,
  choice: t`the customer tapped a button of an earlier run`,
} satisfies Record<Cause['on'] | 'choice', string>

export const causeWords = (on: string): string | null =>
  Object.hasOwn(CAUSES, on) ? t`Started because ${CAUSES[on]}` : null

const BECAUSE: Record<string, string> = {
  audience: t`the customer isn’t in its audience`,
  reentry: t`it has already run for this customer`,
  earlier_flow: t`this flow comes first`,
  dialog_waiting: t`another flow was waiting for a reply`,
  with_person: t`a teammate had the conversation`,
  automatic: t`the message was an automatic reply`,
} satisfies Record<PassedOver['because'], string>

export const passedOverWords = (because: string): string =>
  Object.hasOwn(BECAUSE, because) ? BECAUSE[because]! : t`it didn’t apply`
