// How each channel would show the options of a question: as buttons, as a list, or as numbered text, and then why. The
// channels decide by the same rules (channels/choices.ts); a test compares the two.
import { builtInText } from './built-in-texts.ts'
import type { PlacedStep } from './definition-index.ts'
import { cutText, foldText, isBlank } from './fold-text.ts'
import { chooseText } from './language.ts'
import type { ChannelChoices, ChannelFacts } from './lint-contract.ts'
import { type Problem, problemAt } from './problems.ts'
import type { FlowDefinition, LocalizedText, StepOf } from './schema.ts'

const NAMED_MAX = 60

export type ShownOptions = {
  text: string
  label: string
  more: string
  options: { title: string; description?: string }[]
}

/** Why a channel with buttons shows options as numbered text; undefined if it doesn't. */
export const whyAsText = (limits: ChannelChoices, shown: ShownOptions): string | undefined => {
  const { options } = shown
  const titles = options.map(({ title }) => title)
  if (titles.some((title) => title.trim() === '')) return 'an option has no title'
  if (limits.hasUniqueTitles && new Set(titles).size < titles.length) return 'two titles are the same'
  if (fitButtons(limits, shown)) return undefined
  return limits.list ? whyNoList(limits.list, limits, shown) : whyNoButtons(limits, shown)
}

const fitButtons = ({ buttons, list }: ChannelChoices, { text, options }: ShownOptions): boolean =>
  options.length <= buttons.max &&
  options.every(({ title }) => title.length <= buttons.titleMax) &&
  !(list && options.some(isDescribed)) &&
  (buttons.hasDescriptions ? text.length : describedLength(text, options)) <= buttons.textMax

const isDescribed = ({ description }: { description?: string }): boolean => Boolean(description)

/** Descriptions that buttons have no room for go below the question: "Title - description". */
const describedLength = (text: string, options: ShownOptions['options']): number => {
  const lines = options.filter(isDescribed).map(optionText)
  return lines.length === 0 ? text.length : [text, '', ...lines].join('\n').length
}

const optionText = ({ title, description }: ShownOptions['options'][number]): string =>
  description ? `${title} - ${description}` : title

const isLonger = (text: string, max: number): string =>
  `“${cutText(text, NAMED_MAX)}” is longer than ${max} characters`

const whyNoButtons = ({ buttons }: ChannelChoices, { options }: ShownOptions): string => {
  if (options.length > buttons.max) return `there are more than ${buttons.max}`
  const long = options.find(({ title }) => title.length > buttons.titleMax)
  return long
    ? isLonger(long.title, buttons.titleMax)
    : `the text is longer than ${buttons.textMax} characters`
}

const whyNoList = (
  list: NonNullable<ChannelChoices['list']>,
  { hasUniqueTitles }: ChannelChoices,
  { text, label, more, options }: ShownOptions,
): string | undefined => {
  const title = options.find((one) => one.title.length > list.titleMax)?.title
  if (title !== undefined) return isLonger(title, list.titleMax)
  const described = options.find(({ description = '' }) => description.length > list.descriptionMax)
  if (described) return isLonger(described.description!, list.descriptionMax)
  if (label.length > list.labelMax) return isLonger(label, list.labelMax)
  if (text.length > list.textMax) return `the text is longer than ${list.textMax} characters`
  const isMoreTaken = hasUniqueTitles && options.some((one) => one.title === more)
  return options.length > list.rowsMax && isMoreTaken
    ? `“${more}” is needed for the rest of the list`
    : undefined
}

/** A question with its options as numbered text. */
export const asNumberedText = ({ text, options }: ShownOptions): string =>
  [text, '', ...options.map((option, at) => `${at + 1}. ${optionText(option)}`)].join('\n')

/** The question in each language that one of its texts has. */
export const shownInEach = (step: StepOf<'ask'>, { language }: FlowDefinition): ShownOptions[] => {
  const texts = [
    step.text,
    ...(step.options ?? []).flatMap(({ title, description = '' }) => [title, description]),
  ]
  const languages = new Set(texts.flatMap((text) => (typeof text === 'string' ? [] : Object.keys(text))))
  return [...(languages.size > 0 ? languages : [language])].map((one) => {
    const read = (text: LocalizedText) => chooseText(text, one, language).text
    return {
      text: read(step.text),
      label: (step.listLabel && read(step.listLabel)) || builtInText('choose', one),
      more: builtInText('more', one),
      options: (step.options ?? []).map(({ title, description }) => ({
        title: read(title),
        ...(description && { description: read(description) }),
      })),
    }
  })
}

export const lintOptions = (
  placed: PlacedStep,
  shown: readonly ShownOptions[],
  { name, choices }: ChannelFacts,
): Problem[] => {
  const reasons = choices ? shown.flatMap((one) => whyAsText(choices, one) ?? []) : []
  return [...new Set(reasons)].map((reason) =>
    problemAt('shown_as_text', placed, `${name} shows the options as numbered text, because ${reason}.`),
  )
}

/** Whatever the channel, a reply that is a title can't mean two options. */
export const lintDoubles = (placed: PlacedStep, shown: readonly ShownOptions[]): Problem[] => {
  for (const { options } of shown) {
    const titles = options.map(({ title }) => (isBlank(title) ? title : foldText(title) || title))
    const double = titles.find((title, at) => titles.indexOf(title) !== at)
    if (double !== undefined)
      return [problemAt('doubled_title', placed, `two options are both shown as “${double}”.`, 'error')]
  }
  return []
}
