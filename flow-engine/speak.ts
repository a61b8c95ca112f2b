// The steps that write to the customer: send and ask.
import { holds } from './conditions.ts'
import { ANSWER_WAIT_MS, waitMs } from './duration.ts'
import type { EndReason } from './end-reasons.ts'
import { isBlank } from './fold-text.ts'
import { shownOptions, toChoices } from './offer-options.ts'
import { renderText } from './render.ts'
import type { StepOf, TemplateReference } from './schema.ts'
import {
  emit,
  emitThen,
  failed,
  languageOf,
  logStep,
  NEXT,
  type Outcome,
  renderContext,
  renderLocalized,
  type SprintDraft,
  startWait,
} from './sprint.ts'

const PARAMETER_MAX = 1_024

export const takeSend = (draft: SprintDraft, step: StepOf<'send'>): Outcome => {
  const { env } = draft
  if (env.sending.refusal) return failed(env.sending.refusal)
  if (isWindowClosed(draft))
    return step.ifWindowClosed ? sendTemplate(draft, step.id, step.ifWindowClosed) : failed('window_closed')
  const attachmentIds = step.attachmentIds ?? []
  if (attachmentIds.some((id) => !env.existing.attachmentIds.includes(id)))
    return failed('attachment_missing')
  const { text, language } = step.text
    ? renderLocalized(draft, step.text)
    : { text: '', language: languageOf(draft) }
  const isEmpty = isBlank(text)
  if (isEmpty && attachmentIds.length === 0) return failed('empty_text')
  return emitThen(draft, {
    stepId: step.id,
    type: 'send',
    text: isEmpty ? '' : text,
    language,
    choices: null,
    attachmentIds,
  })
}

/** The window closes at a moment, and a message at that moment is too late. */
const isWindowClosed = ({ env }: SprintDraft): boolean =>
  env.sending.windowClosesAt !== null && env.now >= env.sending.windowClosesAt

const sendTemplate = (
  draft: SprintDraft,
  stepId: string,
  { name, language, parameters = [] }: TemplateReference,
): Outcome => {
  const exists = draft.env.existing.templates.some((one) => one.name === name && one.language === language)
  if (!exists) return failed('template_missing')
  const context = renderContext(draft, language)
  const values = parameters.map((parameter) => renderText(parameter, context, PARAMETER_MAX))
  // Providers refuse templates with an empty value.
  if (values.some(isBlank)) return failed('empty_text')
  return emitThen(draft, { stepId, type: 'sendTemplate', name, language, parameters: values })
}

/** Asks, and waits for the reply. A question that is skipped keeps what its variable holds. */
export const takeAsk = (draft: SprintDraft, step: StepOf<'ask'>): Outcome => {
  if (step.skipIf && holds(step.skipIf, { scope: draft.scope, now: draft.env.now })) {
    logStep(draft, step, 'skipped')
    return NEXT
  }
  const problem = sendQuestion(draft, step, null)
  if (problem) return failed(problem)
  waitForAnswer(draft, step)
  logStep(draft, step, 'asked', { until: draft.state.wait?.until ?? null })
  return { kind: 'waits' }
}

/** A new wait for the reply to a question. */
export const waitForAnswer = (draft: SprintDraft, step: StepOf<'ask'>): void => {
  const after = step.timeout ? waitMs(step.timeout.after) : ANSWER_WAIT_MS
  const offered = shownOptions(draft, step).map(({ number }) => number)
  startWait(draft, { for: 'reply', stepId: step.id, until: draft.env.now + after, offered })
}

/** Where options go on that a channel had no room for: with the option of this number. */
export type NextOptions = { number: number; withPerson: boolean }

/**
 * Sends a question, the first time or again (the author's own words, or ours before the question), or with its next
 * options; returns why it couldn't.
 */
export const sendQuestion = (
  draft: SprintDraft,
  step: StepOf<'ask'>,
  again: { own: string | null; lead: string } | null,
  next?: NextOptions,
): EndReason | undefined => {
  const { env } = draft
  if (env.sending.refusal) return env.sending.refusal
  if (isWindowClosed(draft)) return 'window_closed'
  const options = shownOptions(draft, step)
  if (step.answer === 'choice' && options.length === 0) return 'no_options'
  const question = renderLocalized(draft, step.text)
  if (isBlank(question.text)) return 'empty_text'
  const text = again === null ? question.text : textAgain(again, question.text, env.sending.bodyMax)
  return emit(draft, {
    stepId: step.id,
    type: 'send',
    text,
    language: question.language,
    choices: toChoices(draft, step, options, {
      withPerson: step.offerPerson !== false && (next?.withPerson ?? again !== null),
      // An option that is hidden by now: all that are left, from the first.
      from: Math.max(0, next ? options.findIndex(({ number }) => number === next.number) : 0),
    }),
    attachmentIds: [],
  })
}

/** Our words and the question are the question alone where both don't fit. */
const textAgain = (
  { own, lead }: { own: string | null; lead: string },
  question: string,
  bodyMax: number,
): string => {
  if (own !== null && !isBlank(own)) return own
  const text = `${lead}\n${question}`
  return text.length <= bodyMax ? text : question
}
