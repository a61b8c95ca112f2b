// What a customer's message does to a run that waits: an answer, a wish for a person, an old button, or nothing.
import { builtInText } from './built-in-texts.ts'
import { isPrivateAnswer, writeValue } from './change.ts'
import type { MessageFacts, StepChoice, Wait } from './contract.ts'
import { findStep } from './definition-index.ts'
import { collectAnswers } from './delegate.ts'
import type { EndReason } from './end-reasons.ts'
import type { OfferedOption } from './match-option.ts'
import { allOptions } from './offer-options.ts'
import type { Json } from './paths.ts'
import { MORE_OPTIONS, PERSON_OPTION, type Reading, readReply } from './read-reply.ts'
import type { FlowDefinition, StepOf } from './schema.ts'
import { sendQuestion, waitForAnswer } from './speak.ts'
import {
  boundMessage,
  emit,
  endRun,
  failed,
  go,
  handOverAtLast,
  keepMessage,
  languageOf,
  logStep,
  NEXT,
  type Outcome,
  renderLocalized,
  type SprintDraft,
} from './sprint.ts'
import { wantsPerson } from './wants-person.ts'
import { storePaths } from './writable-paths.ts'

/** How often a question is asked again that doesn't say. */
const RETRIES_DEFAULT = 2
/** The same old button twice within this time is one tap, be it in two tabs. */
const SAME_TAP_MS = 60_000

/** Where the run stands after a message, and what came of it; null: the message meant nothing to it. */
export type Answered = { at: { block: string; step: number }; outcome: Outcome } | null

export const takeMessage = (
  draft: SprintDraft,
  wait: Wait,
  message: MessageFacts,
  choice: StepChoice | null,
): Answered => {
  const { definition } = draft
  const placed = findStep(definition, wait.stepId)
  if (!placed) return null
  const here = (outcome: Outcome): Answered => ({ at: { block: placed.block, step: placed.at }, outcome })
  const tapped = choice && findAsk(definition, choice.stepId)
  const isTapHere = choice?.stepId === wait.stepId && wait.for === 'reply'
  if (choice?.option === PERSON_OPTION && tapped) return here(handOver(draft, wait.stepId, 'asked', message))
  if (choice && tapped && !isTapHere) return takeOldChoice(draft, wait, message, choice)
  if (wait.for === 'reply' && placed.step.type === 'ask')
    return here(takeReply(draft, placed.step, wait, message, isTapHere ? choice : null))
  if (definition.kind === 'dialog' && wantsPerson(message.text, draft.env.escapePhrases))
    return here(handOver(draft, wait.stepId, 'asked', message))
  if (wait.for === 'time' && placed.step.type === 'wait') {
    const outcome = takeReplyToWait(draft, placed.step, message)
    return outcome && here(outcome)
  }
  return null
}

const findAsk = (definition: FlowDefinition, stepId: string): StepOf<'ask'> | undefined => {
  const step = findStep(definition, stepId)?.step
  return step?.type === 'ask' ? step : undefined
}

const takeReply = (
  draft: SprintDraft,
  step: StepOf<'ask'>,
  wait: Wait,
  message: MessageFacts,
  choice: StepChoice | null,
): Outcome => {
  if (choice && choice.option >= MORE_OPTIONS) return showMore(draft, step, message, choice, wait.invalid > 0)
  const all = allOptions(draft, step)
  // What is tapped may have been offered earlier; what is typed is meant as on the screen.
  const options = choice
    ? all
    : wait.offered.flatMap((number) => all.find((option) => option.number === number) ?? [])
  const reading = read(draft, step, message, choice?.option ?? null, options)
  keepMessage(draft, message)
  if (reading.kind === 'person') return handOver(draft, step.id, 'asked', message)
  if (reading.kind === 'invalid') return askAgain(draft, step, wait, reading.problem)
  return acceptAnswer(draft, step, reading.value, reading.option)
}

/** The options that a channel had no room for. The wait goes on until its own time. */
const showMore = (
  draft: SprintDraft,
  step: StepOf<'ask'>,
  message: MessageFacts | null,
  { option }: StepChoice,
  withPerson = false,
): Outcome => {
  if (message) keepMessage(draft, message)
  const number = option - MORE_OPTIONS
  const limit = sendQuestion(draft, step, null, { number, withPerson })
  if (limit) return failed(limit)
  logStep(draft, step, 'asked', { from: number })
  if (draft.state.wait?.stepId !== step.id || draft.state.wait.for !== 'reply') waitForAnswer(draft, step)
  return { kind: 'waits' }
}

const read = (
  draft: SprintDraft,
  step: StepOf<'ask'>,
  { text, attachments }: MessageFacts,
  option: number | null,
  options: readonly OfferedOption[],
): Reading =>
  readReply({ text, option, attachments }, step, {
    options,
    language: languageOf(draft),
    timeZone: draft.env.workspace.timeZone,
    now: draft.env.now,
    country: draft.contact.country,
    escapePhrases: draft.env.escapePhrases,
  })

/** Stores an answer; the run goes on where its option leads, or with the next step. */
const acceptAnswer = (
  draft: SprintDraft,
  step: StepOf<'ask'>,
  value: Json,
  option: OfferedOption | null,
): Outcome => {
  const own = option && step.options?.[option.number - 1]
  draft.state.wait = null
  draft.state.answers[step.id] = { option: option?.number ?? null, value, at: draft.env.now }
  // People read the title; conditions compare the id.
  const title =
    own && renderLocalized({ ...draft, contact: { ...draft.contact, language: null } }, own.title).text
  for (const path of storePaths(step.store)) {
    const limit = writeValue(draft, step.id, path, title && path.startsWith('contact.') ? title : value)
    if (limit) return failed(limit)
  }
  const isPrivate = isPrivateAnswer(draft, step.store)
  logStep(
    draft,
    step,
    'answered',
    isPrivate ? {} : option ? { value: option.id, title: title ?? option.id } : { value },
  )
  return own?.goto ? go(own.goto) : NEXT
}

/** Asks again while there are tries left; then goes where the author said, else to people. */
const askAgain = (draft: SprintDraft, step: StepOf<'ask'>, wait: Wait, problem: string): Outcome => {
  const tries = step.retry?.times ?? RETRIES_DEFAULT
  logStep(draft, step, 'invalid', { problem, try: wait.invalid + 1 })
  if (wait.invalid >= tries) {
    const target = step.retry?.then
    if (target && target !== 'people') return go(target)
    return handOver(draft, step.id, 'not_understood', null)
  }
  const own = step.retry?.text ? renderLocalized(draft, step.retry.text).text : null
  const limit = sendQuestion(draft, step, { own, lead: builtInText('notUnderstood', languageOf(draft)) })
  if (limit) return failed(limit)
  // The wait goes on until its own time: replies that can't be read don't put it off.
  draft.state.wait = { ...wait, invalid: wait.invalid + 1 }
  return { kind: 'waits' }
}

const HAND_OVER_REASONS = {
  asked: 'asked_for_person',
  not_understood: 'not_understood',
} as const satisfies Record<string, EndReason>

const handOver = (
  draft: SprintDraft,
  stepId: string,
  reason: keyof typeof HAND_OVER_REASONS,
  message: MessageFacts | null,
): Outcome => {
  if (message) keepMessage(draft, message)
  handOverAtLast(draft, stepId, reason, collectAnswers(draft))
  endRun(draft, HAND_OVER_REASONS[reason])
  return { kind: 'ended' }
}

const takeReplyToWait = (draft: SprintDraft, step: StepOf<'wait'>, message: MessageFacts): Outcome | null => {
  const onReply = step.onReply ?? (step.until === 'reply' ? 'continue' : 'ignore')
  if (onReply === 'ignore') return null
  keepMessage(draft, message)
  if (onReply === 'cancel') {
    endRun(draft, 'customer_replied')
    return { kind: 'ended' }
  }
  draft.state.wait = null
  logStep(draft, step, 'resumed')
  return NEXT
}

/** A button of a question that the run has left. One that is tapped during a call waits for its end. */
const takeOldChoice = (
  draft: SprintDraft,
  wait: Wait,
  message: MessageFacts,
  choice: StepChoice,
): Answered => {
  const { definition, state, env } = draft
  const placed = findStep(definition, choice.stepId)
  if (placed?.step.type !== 'ask' || definition.oldChoices === 'ignore') return null
  const option = allOptions(draft, placed.step).find(({ number }) => number === choice.option)
  const last = Object.hasOwn(state.answers, choice.stepId) ? state.answers[choice.stepId] : undefined
  const isSameTap = last?.option === choice.option && env.now - last.at < SAME_TAP_MS
  if ((!option && choice.option < MORE_OPTIONS) || isSameTap) return null
  if (wait.for === 'call' || wait.for === 'ai') return keepTap(draft, wait, { message, choice })
  keepMessage(draft, message)
  if (definition.oldChoices === 'explain') return explain(draft, wait)
  const at = { block: placed.block, step: placed.at }
  if (!option) return { at, outcome: showMore(draft, placed.step, message, choice) }
  const reading = read(draft, placed.step, message, choice.option, [option])
  if (reading.kind !== 'answer') return null
  return { at, outcome: acceptAnswer(draft, placed.step, reading.value, reading.option) }
}

/** Of several taps during a call the last one counts. */
const keepTap = (
  draft: SprintDraft,
  { stepId }: Wait,
  { message, choice }: { message: MessageFacts; choice: StepChoice },
): Answered => {
  const placed = findStep(draft.definition, stepId)
  if (!placed) return null
  draft.state.tap = { message: boundMessage(message), choice }
  return { at: { block: placed.block, step: placed.at }, outcome: { kind: 'waits' } }
}

/** Says that the question is over, and goes on waiting; asks the present question again if there is one. */
const explain = (draft: SprintDraft, wait: Wait): Answered => {
  const placed = findStep(draft.definition, wait.stepId)
  if (!placed) return null
  const language = languageOf(draft)
  const text = builtInText('oldChoice', language)
  const { step } = placed
  const limit =
    step.type === 'ask'
      ? sendQuestion(draft, step, { own: null, lead: text })
      : emit(draft, { stepId: step.id, type: 'send', text, language, choices: null, attachmentIds: [] })
  logStep(draft, step, 'ignored', { problem: 'old_choice' })
  const at = { block: placed.block, step: placed.at }
  return { at, outcome: limit ? failed(limit) : { kind: 'waits' } }
}

const NO_MESSAGE: MessageFacts = { id: '', text: '', choice: null, attachments: [] }

/** A tap on an old question as the beginning of a new run. */
export const startFromChoice = (
  draft: SprintDraft,
  message: MessageFacts | null,
  choice: StepChoice,
): Answered => {
  const placed = findStep(draft.definition, choice.stepId)
  if (placed?.step.type !== 'ask') return null
  const at = { block: placed.block, step: placed.at }
  if (choice.option === PERSON_OPTION)
    return { at, outcome: handOver(draft, choice.stepId, 'asked', message) }
  if (choice.option >= MORE_OPTIONS) return { at, outcome: showMore(draft, placed.step, message, choice) }
  const option = allOptions(draft, placed.step).find(({ number }) => number === choice.option)
  if (!option) return null
  const reading = read(draft, placed.step, NO_MESSAGE, option.number, [option])
  if (reading.kind !== 'answer') return null
  return { at, outcome: acceptAnswer(draft, placed.step, reading.value, option) }
}
