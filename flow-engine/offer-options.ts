// The options of a question as the customer sees them: the author's own, or those that the kind of answer brings.
import { builtInText, noTitle, yesTitle } from './built-in-texts.ts'
import { holds } from './conditions.ts'
import type { EffectChoices } from './contract.ts'
import type { OfferedOption } from './match-option.ts'
import { PERSON_OPTION, RATING_MAX, RATING_MIN } from './read-reply.ts'
import type { ChoiceOption, LocalizedText, StepOf } from './schema.ts'
import { languageOf, renderLocalized, type SprintDraft } from './sprint.ts'

/** Longer titles would not fit any channel. */
const TITLE_MAX = 200
/** More ratings than this are typed, not tapped. */
const RATING_OPTIONS_MAX = 10

export type ShownOption = OfferedOption & { description?: string; goto?: string }

/** Every option of a question, shown or not: an option that is hidden now may have been tapped earlier. */
export const allOptions = (draft: SprintDraft, step: StepOf<'ask'>): ShownOption[] => {
  if (step.options) return step.options.map((option, at) => toShown(draft, option, at + 1))
  const language = languageOf(draft)
  if (step.answer === 'yesno')
    return [
      { id: 'yes', number: 1, title: yesTitle(language), also: [] },
      { id: 'no', number: 2, title: noTitle(language), also: [] },
    ]
  return step.answer === 'rating' ? ratingOptions(step) : []
}

/** The options that apply now, in order. */
export const shownOptions = (draft: SprintDraft, step: StepOf<'ask'>): ShownOption[] => {
  const context = { scope: draft.scope, now: draft.env.now }
  return allOptions(draft, step).filter(({ number }) => {
    const condition = step.options?.[number - 1]?.showIf
    return condition === undefined || holds(condition, context)
  })
}

const toShown = (draft: SprintDraft, option: ChoiceOption, number: number): ShownOption => ({
  id: option.id,
  number,
  title: renderLine(draft, option.title),
  also: option.also ?? [],
  ...(option.description && { description: renderLine(draft, option.description) }),
  ...(option.goto && { goto: option.goto }),
})

/** Buttons and rows have one line, whatever is put in for a variable. */
const renderLine = (draft: SprintDraft, text: LocalizedText): string =>
  renderLocalized(draft, text, { max: TITLE_MAX }).text.replace(/\s+/gu, ' ').trim()

const ratingOptions = ({ min = RATING_MIN, max = RATING_MAX }: StepOf<'ask'>): ShownOption[] => {
  const first = Math.ceil(min)
  const count = Math.floor(max) - first + 1
  if (count < 2 || count > RATING_OPTIONS_MAX) return []
  return Array.from({ length: count }, (_, at) => ({
    id: `r${first + at}`,
    number: at + 1,
    title: String(first + at),
    also: [],
  }))
}

/**
 * As the effect carries them; the way to a person is offered once a reply wasn't understood. `from`: how many of them
 * the customer has seen already.
 */
export const toChoices = (
  draft: SprintDraft,
  step: StepOf<'ask'>,
  options: readonly ShownOption[],
  { withPerson, from }: { withPerson: boolean; from: number },
): EffectChoices | null => {
  if (options.length === 0) return null
  const language = languageOf(draft)
  const shown = options.slice(from).map(({ id, number, title, description }) => ({
    id,
    number,
    title,
    ...(description && { description }),
  }))
  if (withPerson) shown.push({ id: 'person', number: PERSON_OPTION, title: builtInText('person', language) })
  const label = step.listLabel ? renderLine(draft, step.listLabel) : ''
  return {
    label: label || builtInText('choose', language),
    more: builtInText('more', language),
    ...(from > 0 && { from }),
    options: shown,
  }
}
